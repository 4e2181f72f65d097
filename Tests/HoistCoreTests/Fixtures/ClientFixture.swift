import CShims
import Glibc
import HoistBase
@testable import HoistCore
import HoistTestSupport
import Synchronization
import Testing

/// A client of the fake service on a scheduler that the test turns. Observers wait for `dispatch` unless the
/// properties say otherwise.
final class ClientFixture: @unchecked Sendable {
  let scheduler = ManualScheduler()
  let transport: ScriptedTransport
  let log = RecordingLogSink()
  let cache: MemoryCacheManager
  let client: Client
  let provider: FakeProvider

  init(_ properties: [(String, String)] = [("dispatch", "manual")], plugins: Plugins = Plugins()) throws {
    let (scheduler, log) = (scheduler, log)
    let transport = ScriptedTransport(scheduler: scheduler)
    let cache = MemoryCacheManager(clock: scheduler)
    (self.transport, self.cache) = (transport, cache)
    let factory = FakeFactory()
    var values = PropertyValues(table: CoreProperties.table + factory.properties)
    for (name, text) in properties { try values.set(name, text) }
    let services = ClientServices(
      scheduler: scheduler, clock: scheduler, entropy: SeededEntropy(seed: 1), regex: nil,
      makeTransport: { _ in transport }, makeCacheManager: { $0.kind == "none" ? nil : cache }, defaultLogSink: log)
    client = try Client(factory: factory, values: values, plugins: plugins, services: services)
    provider = try #require(factory.last)
  }

  deinit {
    client.dispose()
    scheduler.run()
  }

  /// Opens the client and has it serve flags.
  func serve(_ flags: [(String, TestAnswer)] = [("on", .bool(true))], announced: Set<String> = [], recorded: Set<String> = [])
    throws
  {
    client.open()
    scheduler.run()
    client.publish(try #require(TestFlags.snapshot(flags, announced: announced, recorded: recorded)), changed: flags.map(\.0))
    client.setState(.ready, "flags")
    dispatchAll()
    provider.forgetCalls()
  }

  func dispatchAll() { while client.dispatch(limit: 0) > 0 {} }

  /// Runs a call that waits for the scheduler, while the scheduler runs.
  func whileScheduling<Result>(_ body: () -> Result) -> Result { scheduler.turning(while: body) }

  func close(_ milliseconds: Int64 = 5_000) -> Status { whileScheduling { client.close(timeoutMilliseconds: milliseconds) } }

  /// The slow path: the detail of an evaluation.
  @discardableResult
  func evaluate(
    _ key: String, _ context: EvaluationContext? = nil, _ want: WantedType = .any, _ mode: EvaluationMode = .counted
  ) -> EvaluationDetail {
    key.withBytes { client.evaluate($0, context?.subject, want, mode) { _, detail in detail() } }
  }

  /// The hot path: a switch's value; nil when it does not answer.
  @discardableResult
  func fast(_ key: String, _ context: EvaluationContext? = nil) -> Bool? {
    key.withBytes { HotPath.evaluate(client.hot, $0, context?.subject, .bool) { $0.integer != 0 } }
  }

  /// An observer that writes down what it is told.
  func observe(_ topic: Topic, key: String? = nil, _ more: @escaping @Sendable (Notification) -> Void = { _ in }) -> (
    heard: Record<String>, token: UInt64
  ) {
    let heard = Record<String>()
    let token = client.observe(
      topic, key: key,
      ClosureObserver {
        heard.append("\($0.topic) \($0.keys.joined(separator: ",")) \($0.message)")
        more($0)
      })
    return (heard, token)
  }
}

extension EvaluationDetail {
  var code: String { "\(errorCode.text)" }
  var words: String { errorMessage.string }
}
