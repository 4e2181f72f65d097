internal import HoistJSON

/// How a client is connected, in the vendor's terms (5.8; LD-16, LD-74).
public struct ConnectionInformation: Sendable, Equatable {
  /// The numbers of `hoist_launchdarkly_connection_mode`.
  public enum Mode: Int32, Sendable {
    case offline = 0, establishingStreamingConnection, streaming, polling

    /// As the vendor stores it.
    var name: String {
      switch self {
      case .offline: "offline"
      case .establishingStreamingConnection: "establishingStreamingConnection"
      case .streaming: "streaming"
      case .polling: "polling"
      }
    }
  }

  public enum FailureReason: Sendable, Equatable {
    case none, unauthorized
    /// 0 when the status is not known.
    case httpError(Int)
    case unknownError(String)
  }

  public var mode = Mode.offline
  public var lastFailureReason = FailureReason.none
  /// When flags were last known to be up to date; nil while a stream keeps them so.
  public var lastKnownFlagValidityUnixMilliseconds: Int64?
  public var lastFailedConnectionUnixMilliseconds: Int64?

  public init() {}
}

/// What changes it: the rows of the table in 5.8.
extension ConnectionInformation {
  enum Happening: Sendable, Equatable {
    case goingOnline(streams: Bool)
    case goingOffline
    /// Another process has begun to stream for all, or has left that to this one.
    case takingTurns(streams: Bool)
    /// put, patch, delete, or a poll with flags.
    case flagsArrived
    /// 304, or a cache entry that is fresh.
    case confirmed
    /// The connection has ended, and is to be opened again. The vendor leaves the mode as it is; here it shows the
    /// loss, as users ask for.
    case streamLost
    /// The service refuses the stream for good: flags are no longer updated.
    case streamShutDown
    case unauthorized
    case requestFailed(status: Int)
    case unreachable(String)
    /// An error of the stream, data that cannot be read, an unknown event.
    case streamFailed
  }

  mutating func note(_ happening: Happening, at now: Int64) {
    switch happening {
    case .goingOnline(let streams): mode = streams ? .establishingStreamingConnection : .polling
    case .goingOffline: goOffline(at: now)
    case .takingTurns(true): mode = .establishingStreamingConnection
    case .takingTurns(false): leaveStream(for: .polling, at: now)
    case .flagsArrived: flagsArrived(at: now)
    case .confirmed: lastKnownFlagValidityUnixMilliseconds = now
    case .streamLost: leaveStream(for: .establishingStreamingConnection, at: now)
    case .streamShutDown: leaveStream(for: .offline, at: now)
    case .unauthorized: fail(.unauthorized, at: now)
    case .requestFailed(let status): fail(.httpError(status), at: now)
    case .unreachable(let text): fail(.unknownError(text.isEmpty ? "Unknown Error" : text), at: now)
    case .streamFailed: lastFailedConnectionUnixMilliseconds = now
    }
  }

  private mutating func flagsArrived(at now: Int64) {
    switch mode {
    case .establishingStreamingConnection:
      mode = .streaming
      lastKnownFlagValidityUnixMilliseconds = nil
    case .polling: lastKnownFlagValidityUnixMilliseconds = now
    case .streaming, .offline: break
    }
  }

  /// Up to now a stream kept flags up to date.
  private mutating func goOffline(at now: Int64) {
    if mode == .streaming { lastKnownFlagValidityUnixMilliseconds = now }
    mode = .offline
  }

  private mutating func leaveStream(for next: Mode, at now: Int64) {
    if mode == .streaming { lastKnownFlagValidityUnixMilliseconds = now }
    if mode == .streaming || mode == .establishingStreamingConnection { mode = next }
  }

  private mutating func fail(_ reason: FailureReason, at now: Int64) {
    lastFailureReason = reason
    lastFailedConnectionUnixMilliseconds = now
  }
}

/// The stored form.
extension ConnectionInformation {
  /// Dates are stored in seconds since 2001.
  private static let epochUnixMilliseconds = 978_307_200_000.0
  private static let latestUnixMilliseconds = 253_402_300_800_000.0
  private static let maximumReasonBytes = 1024

  var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("currentConnectionMode")
      writer.string(mode.name)
      writer.key("lastConnectionFailureReason")
      writer.object { lastFailureReason.write(to: &$0) }
      func date(_ name: String, _ milliseconds: Int64?) {
        guard let milliseconds else { return }
        writer.key(name)
        writer.double((Double(milliseconds) - Self.epochUnixMilliseconds) / 1000)
      }
      date("lastKnownFlagValidity", lastKnownFlagValidityUnixMilliseconds)
      date("lastFailedConnection", lastFailedConnectionUnixMilliseconds)
    }
    return writer.bytes
  }

  /// nil when it cannot be read. The mode is not read: it is what it is now.
  init?(json: [UInt8]) {
    guard let document = try? JSONDocument(parsing: json) else { return nil }
    let read = document.withRoot { root -> ConnectionInformation? in
      guard root.object != nil else { return nil }
      var information = ConnectionInformation()
      information.lastFailureReason = FailureReason(root["lastConnectionFailureReason"], Self.maximumReasonBytes)
      information.lastKnownFlagValidityUnixMilliseconds = Self.date(root["lastKnownFlagValidity"])
      information.lastFailedConnectionUnixMilliseconds = Self.date(root["lastFailedConnection"])
      return information
    }
    guard let read else { return nil }
    self = read
  }

  private static func date(_ value: JSONValue?) -> Int64? {
    guard let seconds = value?.double else { return nil }
    let milliseconds = seconds * 1000 + epochUnixMilliseconds
    return milliseconds >= 0 && milliseconds < latestUnixMilliseconds ? Int64(milliseconds.rounded()) : nil
  }
}

extension ConnectionInformation.FailureReason {
  fileprivate func write(to writer: inout JSONWriter) {
    func type(_ name: String) {
      writer.key("type")
      writer.string(name)
    }
    switch self {
    case .none: type("none")
    case .unauthorized: type("unauthorized")
    case .httpError(let status):
      type("httpError")
      writer.key("payload")
      writer.int(Int64(status))
    case .unknownError(let text):
      type("unknownError")
      writer.key("payload")
      writer.string(text)
    }
  }

  fileprivate init(_ value: JSONValue?, _ maximumBytes: Int) {
    switch value?["type"]?.string {
    case "unauthorized": self = .unauthorized
    case "httpError": self = .httpError(Int(clamping: value?["payload"]?.int64 ?? 0))
    case "unknownError":
      let text = value?["payload"]?.string ?? ""
      self = text.utf8.count <= maximumBytes ? .unknownError(text) : .none
    default: self = .none
    }
  }
}
