import Glibc
import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import HoistUnleash

/// A whole client over a scripted transport and a clock that stands still.
final class ClientRig {
  let scheduler = ManualScheduler()
  let transport: ScriptedTransport
  let client: Client
  let face: UnleashFace
  private let events = EventNames()

  init?(_ properties: [String: String], providerHeaders: [String: String] = [:]) {
    transport = ScriptedTransport(scheduler: scheduler)
    let transport = transport
    let services = ClientServices(
      scheduler: scheduler, clock: scheduler, entropy: SeededEntropy(seed: 7), regex: nil,
      makeTransport: { _ in transport }, makeCacheManager: { _ in nil }, defaultLogSink: RecordingLogSink())
    let factory = UnleashFactory()
    var values = PropertyValues(table: CoreProperties.table + factory.properties)
    var plugins = Plugins()
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
    for name in ["ready", "update", "sent", "error"] {
      guard let topic = UnleashFace.topic(ofEvent: name) else { continue }
      let events = events
      _ = client.observe(topic, key: nil, ClosureObserver { _ in events.append(name) })
    }
    client.open()
    scheduler.run()
    _ = takeEvents()
  }

  deinit { client.dispose() }

  /// Runs what is due until `isDone`; header providers answer from a thread of their own.
  func settle(until isDone: () -> Bool) {
    for _ in 0..<4000 {
      scheduler.run()
      if isDone() { break }
      usleep(250)
    }
    scheduler.run()
  }

  /// Names of the events since the last call, in order.
  func takeEvents() -> [String] {
    _ = client.dispatch(limit: 0)
    return events.take()
  }
}

final class EventNames: @unchecked Sendable {
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
final class Outcome: @unchecked Sendable {
  private let lock = Lock()
  private var status: Status?
  func set(_ value: Status) { lock.withLock { status = value } }
  var value: Status? { lock.withLock { status } }
}

private final class FixedHeaders: HeaderProvider {
  private let list: [HTTPHeader]
  init(_ headers: [String: String]) { list = headers.map { HTTPHeader($0.key, $0.value) } }
  func headers(for url: String) -> [HTTPHeader]? { list }
}

/// A request's query as it was sent, in order of the pairs.
func queryPairs(_ url: String) -> (base: String, pairs: [String]) {
  let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
  let pairs = parts.count > 1 ? parts[1].split(separator: "&").map(String.init) : []
  return (String(parts[0]), pairs.sorted())
}

/// JSON text of a map of texts.
func jsonText(_ value: JSONValue?) -> String { (try? value?.text()).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }

func textMap(_ value: JSONValue?) -> [String: String] {
  var map: [String: String] = [:]
  if let object = value?.object {
    for (key, value) in object { map[key.string] = value.string }
  }
  return map
}
