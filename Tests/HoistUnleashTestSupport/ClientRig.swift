public import HoistCore
public import HoistTestSupport
public import HoistUnleash
import Glibc
import HoistBase

/// A whole client over a scripted transport and a clock that stands still.
public final class ClientRig {
  public let scheduler = ManualScheduler()
  public let transport: ScriptedTransport
  public let client: Client
  public let face: UnleashFace
  private let events = EventNames()

  /// - Parameters:
  ///   - properties: over those that make a client stand still: no polling, manual dispatch, no store.
  ///   - cacheManager: nil keeps nothing.
  /// - Returns: nil when the properties are refused.
  public init?(
    _ properties: [String: String], providerHeaders: [String: String] = [:], plugins given: Plugins = Plugins(),
    cacheManager: (any CacheManager)? = nil, beforeOpening: (Client) -> Void = { _ in }
  ) {
    transport = ScriptedTransport(scheduler: scheduler)
    let transport = transport
    let services = ClientServices(
      scheduler: scheduler, clock: scheduler, entropy: SeededEntropy(seed: 7), regex: nil,
      makeTransport: { _ in transport }, makeCacheManager: { _ in cacheManager }, defaultLogSink: RecordingLogSink())
    let factory = UnleashFactory()
    var values = PropertyValues(table: CoreProperties.table + factory.properties)
    var plugins = given
    if !providerHeaders.isEmpty { plugins.headerProvider = FixedHeaders(providerHeaders) }
    let fixed = ["autostart": "false", "dispatch": "manual", "store": "none", "refresh_interval": "0", "metrics_interval": "0"]
    do {
      for (name, value) in fixed.merging(properties, uniquingKeysWith: { $1 }) { try values.set(name, value) }
      client = try Client(factory: factory, values: values, plugins: plugins, services: services)
    } catch {
      return nil
    }
    guard let face = UnleashFace(client) else { return nil }
    self.face = face
    for name in ["ready", "update", "sent", "error", "fetch_error", "recovered", "initialized"] {
      guard let topic = UnleashFace.topic(ofEvent: name) else { continue }
      let events = events
      _ = client.observe(topic, key: nil, ClosureObserver { _ in events.append(name) })
    }
    beforeOpening(client)
    client.open()
    scheduler.run()
    _ = takeEvents()
  }

  deinit {
    client.dispose()
    // The last work is done on the scheduler's thread: without it the client stays for ever.
    scheduler.run()
  }

  /// Runs what is due until `isDone`; header providers and stores answer from a thread of their own, which a busy
  /// machine may keep waiting for many seconds.
  public func settle(until isDone: () -> Bool) {
    for _ in 0..<80_000 {
      scheduler.run()
      if isDone() { break }
      usleep(250)
    }
    scheduler.run()
  }

  /// For the client's own context; counted.
  public func isOn(_ name: String) -> Bool {
    name.withBytes { client.evaluate($0, nil, .bool, .counted) { evaluation, _ in evaluation.kind == .bool && evaluation.integer != 0 } }
  }

  public func variant(_ name: String) -> HeldVariant { name.withBytes { face.variant($0, nil, .counted) } }

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
