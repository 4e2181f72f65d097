import HoistBase
import HoistCore
import HoistFlagship
import HoistJSON
import HoistTestSupport

/// A client of the Decision API whose services the vectors play.
final class FlagshipWorld {
  let scheduler = ManualScheduler()
  let transport: ScriptedTransport
  private let kept: MemoryCacheManager?
  let client: Client
  let face: FlagshipFace

  /// - Parameter respond: what the services answer; nil leaves a request without.
  init?(
    _ properties: [String: String] = [:], plugins: Plugins = Plugins(), cacheManager: MemoryCacheManager? = nil,
    respond: @escaping @Sendable (HTTPRequest) -> ScriptedTransport.Answer?
  ) {
    let transport = ScriptedTransport(scheduler: scheduler, respond: respond)
    let services = ClientServices(
      scheduler: scheduler, clock: scheduler, entropy: SeededEntropy(seed: 7), regex: nil,
      makeTransport: { _ in transport }, makeCacheManager: { _ in cacheManager }, defaultLogSink: RecordingLogSink())
    let factory = FlagshipFactory()
    var values = PropertyValues(table: CoreProperties.table + factory.properties)
    let fixed = [
      "env_id": "c1ndrd07m0300ro0jf20", "api_key": "the-api-key", "dispatch": "manual", "store": "none", "log.level": "none",
      "events.durability": "memory",
    ]
    for (name, value) in fixed.merging(properties, uniquingKeysWith: { $1 }) { _ = try? values.set(name, value) }
    guard let client = try? Client(factory: factory, values: values, plugins: plugins, services: services),
      let face = FlagshipFace(client)
    else { return nil }
    self.transport = transport
    kept = cacheManager
    self.client = client
    self.face = face
    client.open()
    settle()
  }

  deinit {
    client.dispose()
    // The last work is done on the scheduler's thread: without it the client stays for ever.
    scheduler.run()
  }

  /// Carries out what is due.
  func settle() {
    for _ in 0..<10 {
      scheduler.run()
      _ = client.dispatch(limit: 1000)
    }
  }

  /// Whether the visitor is in the cache by now; where nothing is kept, it need not be.
  func hasKept(_ id: String) -> Bool { kept.map { $0.load(key: "visitor:\(id)") != nil } ?? true }

  func visitor(_ id: String, _ change: (inout VisitorOptions) -> Void = { _ in }) -> FlagshipVisitor? {
    var options = VisitorOptions(id: Array(id.utf8), hasConsented: true)
    change(&options)
    let found = hasKept(id)
    let visitor = face.visitor(options, waits: false)
    // Its look-up ends on another thread.
    settle { !found || kept == nil || visitor?.fetchReason == .fetchedFromCache }
    return visitor
  }
}

/// Which pairs a context takes (4.6).
func runContextPairs(_ root: JSONValue, _ report: Report) {
  guard let world = FlagshipWorld(respond: { _ in answer(204) }), let visitor = world.visitor("visitor") else {
    return report.fail("-", expected: "a visitor", actual: "(none)")
  }
  forEachCase(root) { id, test in
    var writer = JSONWriter()
    writer.object { writer in
      writer.key(test["key"]?.string ?? "")
      writer.raw(test["value"]?["v"]?.source ?? Array("null".utf8))
    }
    let pairs = FlagshipVisitor.pairs(ofJSON: writer.bytes) ?? []
    let isAccepted = visitor.updateContext(pairs) == .ok
    report.check(
      id, expected: test["expected"]?.canonicalText ?? "-",
      actual: canonical { writer in writer.object { $0.member("accepted", isAccepted) } })
  }
}
