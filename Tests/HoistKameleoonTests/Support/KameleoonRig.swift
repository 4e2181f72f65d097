import Glibc
import HoistBase
import HoistCore
import HoistTestSupport

@testable import HoistKameleoon

/// A whole client over a scripted transport and a clock that stands still.
final class KameleoonRig: @unchecked Sendable {
  let scheduler: ManualScheduler
  let transport: ScriptedTransport
  let client: Client
  let face: KameleoonFace
  let log = RecordingLogSink()

  /// - Parameters:
  ///   - properties: over those that make a client that keeps nothing.
  ///   - configuration: what the client starts with; nil: it is not ready.
  ///   - cacheManager: nil keeps nothing.
  init(
    _ properties: [String: String] = [:], configuration: String? = "{}", plugins: Plugins = Plugins(),
    cacheManager: (any CacheManager)? = nil, scheduler: ManualScheduler = ManualScheduler(), seed: UInt64 = 7,
    respond: (@Sendable (HTTPRequest) -> ScriptedTransport.Answer?)? = nil
  ) throws {
    self.scheduler = scheduler
    let transport = ScriptedTransport(scheduler: scheduler, respond: respond)
    self.transport = transport
    let services = ClientServices(
      scheduler: scheduler, clock: scheduler, entropy: SeededEntropy(seed: seed), regex: nil,
      makeTransport: { _ in transport }, makeCacheManager: { _ in cacheManager }, defaultLogSink: log)
    let factory = KameleoonFactory()
    var values = PropertyValues(table: CoreProperties.table + factory.properties)
    var fixed = [
      "site_code": "site", "dispatch": "manual", "store": "none", "log.level": "debug", "events.durability": "memory",
    ]
    if let configuration { fixed["default_datafile"] = configuration }
    for (name, value) in fixed.merging(properties, uniquingKeysWith: { $1 }) { try values.set(name, value) }
    client = try Client(factory: factory, values: values, plugins: plugins, services: services)
    guard let face = KameleoonFace(client) else { throw Missing() }
    self.face = face
    client.open()
    scheduler.run()
    // A store answers from a thread of its own.
    if configuration != nil, cacheManager != nil { settle { face.provider.readiness.isReady } }
  }

  deinit {
    client.dispose()
    // The last work is done on the scheduler's thread: without it the client stays for ever.
    scheduler.run()
  }

  struct Missing: Error {}

  var provider: KameleoonProvider { face.provider }
  var visitors: VisitorRegistry { face.provider.visitors }

  /// Runs what is due until `isDone`; stores and lanes answer from threads of their own, which a busy machine may keep
  /// waiting.
  @discardableResult
  func settle(until isDone: () -> Bool) -> Bool {
    for _ in 0..<80_000 {
      scheduler.run()
      _ = client.dispatch(limit: 100)
      if isDone() { return true }
      usleep(250)
    }
    return false
  }
}

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension KameleoonRig {
  /// A visitor of whom everything that is kept is there.
  func visitor(_ code: String?) throws -> KameleoonVisitor {
    let visitor = try visitors.open(code.map { bytes($0) }, of: client, waits: false)
    settle { visitors.places.restored(visitor.code)?.isGiven ?? true }
    return visitor
  }
}

extension KameleoonVisitor {
  var facts: VisitorFacts.Content { published.held?.content ?? VisitorFacts.Content(code: [], visitStart: 0) }
}

/// A configuration with custom data: `uid`, the mapping identifier, at 3, of scope VISITOR; `plan` at 0; `secret` at 5,
/// which is local; `shared` at 6, of scope VISITOR. One flag, `exp`, with experiment 100 for everybody.
let customDataConfiguration = """
  {"customData":[{"id":700,"index":3,"name":"uid","scope":"VISITOR","isMappingIdentifier":true},
  {"id":701,"index":0,"name":"plan"},{"id":702,"index":5,"name":"secret","localOnly":true},
  {"id":703,"index":6,"name":"shared","scope":"VISITOR"}],
  "featureFlags":[{"id":1,"featureKey":"exp","defaultVariationKey":"off","environmentEnabled":true,
  "variations":[{"key":"off","variables":[]},{"key":"on","variables":[]}],
  "rules":[{"id":10,"type":"EXPERIMENTATION","exposition":1,"experimentId":100,
  "variationByExposition":[{"variationKey":"on","variationId":1,"exposition":1}]}]}]}
  """

extension KameleoonRig {
  /// The lines of a visitor that go now, in order, without their nonces.
  func sent(_ visitor: KameleoonVisitor) -> [String] {
    let first = transport.requests.count
    guard visitor.flush(isInstant: true) == .ok else { return ["(refused)"] }
    for _ in 0..<10 { scheduler.run() }
    let requests = transport.requests.dropFirst(first).filter { $0.url.contains("/visit/events") }
    return requests.flatMap { $0.text.split(separator: "\n") }.map { line in
      line.split(separator: "&").filter { !$0.hasPrefix("nonce=") }.joined(separator: "&")
    }
  }

  /// What the store has of a visitor, once what waits is there.
  func kept(_ code: String, in store: MemoryCacheManager) -> String? {
    let former = store.load(key: "visitor:\(code)")
    visitors.storage.writeAll()
    settle { store.load(key: "visitor:\(code)") != former }
    return store.load(key: "visitor:\(code)").map { text($0) }
  }
}

func custom(_ index: Int64, _ values: String...) -> VisitorDatum {
  .customData(CustomData(index: index, values: values.map { bytes($0) }))
}
