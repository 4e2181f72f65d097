public import HoistCore
public import HoistTestSupport
public import HoistUnleash
import Glibc
import HoistBase

/// A whole client over a scripted transport and a clock that stands still.
public final class ClientRig {
  private let host: TestClient
  public let face: UnleashFace
  private let events = EventNames()

  /// - Parameters:
  ///   - properties: over those that make a client stand still: no polling, manual dispatch, no store.
  ///   - cacheManager: nil keeps nothing.
  /// - Returns: nil when the properties are refused.
  public init?(
    _ properties: [String: String], providerHeaders: [String: String] = [:], plugins given: Plugins = Plugins(),
    cacheManager: (any CacheManager)? = nil, regex: (any RegexEngine)? = nil, scheduler: ManualScheduler = ManualScheduler(),
    beforeOpening: (Client) -> Void = { _ in }
  ) {
    var plugins = given
    if !providerHeaders.isEmpty { plugins.headerProvider = FixedHeaders(providerHeaders) }
    let fixed = ["autostart": "false", "dispatch": "manual", "store": "none", "refresh_interval": "0", "metrics_interval": "0"]
    guard
      let host = try? TestClient(
        UnleashFactory(), fixed, properties, plugins: plugins, scheduler: scheduler, regex: regex,
        makeCacheManager: { _ in cacheManager }),
      let face = UnleashFace(host.client)
    else { return nil }
    (self.host, self.face) = (host, face)
    for name in ["ready", "update", "sent", "error", "fetch_error", "recovered", "initialized"] {
      guard let topic = UnleashFace.topic(ofEvent: name) else { continue }
      let events = events
      _ = client.observe(topic, key: nil, ClosureObserver { _ in events.append(name) })
    }
    beforeOpening(client)
    host.open()
    _ = takeEvents()
  }

  public var scheduler: ManualScheduler { host.scheduler }
  public var transport: ScriptedTransport { host.transport }
  public var client: Client { host.client }
  public var log: RecordingLogSink { host.log }

  public func settle(file: String = #fileID, line: Int = #line, until isDone: () -> Bool) {
    scheduler.settle(file: file, line: line, until: isDone)
    scheduler.run()
  }

  /// For the client's own context; counted.
  public func isOn(_ name: String) -> Bool {
    name.withBytes {
      client.evaluate($0, nil, .bool, .counted) { evaluation, _ in evaluation.kind == .bool && evaluation.integer != 0 }
    }
  }

  public func variant(_ name: String) -> OwnedVariant { name.withBytes { face.variant($0, nil, .counted) } }

  /// Names of the events since the last call, in order.
  public func takeEvents() -> [String] {
    _ = client.dispatch(limit: 0)
    return events.take()
  }
}

private final class EventNames: @unchecked Sendable {
  private let lock = Lock()
  private var names: [String] = []
  func append(_ name: String) { lock.withLock { names.append(name) } }
  func take() -> [String] {
    lock.withLock {
      defer { names = [] }
      return names
    }
  }
}

/// One value that a completion brings.
public final class Outcome: @unchecked Sendable {
  public init() {}
  private let lock = Lock()
  private var status: Status?
  public func set(_ value: Status) { lock.withLock { status = value } }
  public var value: Status? { lock.withLock { status } }
}

private final class FixedHeaders: HeaderProvider {
  private let list: [HTTPHeader]
  init(_ headers: [String: String]) { list = headers.map { HTTPHeader($0.key, $0.value) } }
  func headers(for url: String) -> [HTTPHeader]? { list }
}
