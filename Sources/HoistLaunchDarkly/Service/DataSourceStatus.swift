/// How flags arrive, in the terms of the vendor's other clients (LD-92).
public struct DataSourceStatus: Sendable, Equatable {
  /// The numbers of `hoist_launchdarkly_data_source_state`.
  public enum State: Int32, Sendable {
    case initializing = 0, valid, interrupted, offline, shutDown
  }

  /// The numbers of `hoist_launchdarkly_error_kind`.
  public enum ErrorKind: Int32, Sendable {
    case none = 0, unknown, network, response, invalidData
  }

  public struct Failure: Sendable, Equatable {
    public var kind: ErrorKind
    /// 0 when no status came.
    public var status: Int
    /// One line for people.
    public var message: String
    public var unixMilliseconds: Int64
  }

  public var state = State.offline
  /// When the state was entered.
  public var sinceUnixMilliseconds: Int64
  public var lastFailure: Failure?

  init(sinceUnixMilliseconds: Int64) { self.sinceUnixMilliseconds = sinceUnixMilliseconds }

  mutating func enter(_ next: State, at now: Int64) {
    // Before the first flags there is nothing that could be interrupted.
    if next == .interrupted, state != .valid { return }
    // 401 stays to be seen although the client is offline.
    if next == .offline, state == .shutDown { return }
    guard state != next else { return }
    state = next
    sinceUnixMilliseconds = now
  }

  mutating func fail(_ kind: ErrorKind, status: Int = 0, _ message: String, at now: Int64) {
    lastFailure = Failure(kind: kind, status: status, message: message, unixMilliseconds: now)
  }
}
