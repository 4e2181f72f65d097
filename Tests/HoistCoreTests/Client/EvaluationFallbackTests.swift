import HoistBase
@testable import HoistCore
import Testing

@Suite("Whoever records an evaluation knows what the caller gets without a value") struct EvaluationFallbackTests {
  func fixture() throws -> ClientFixture {
    let fixture = try ClientFixture()
    try fixture.serve([("flag", .bool(true))], recorded: ["flag"])
    return fixture
  }

  @Test func onTheHotPath() throws {
    let fixture = try fixture()
    "flag".withBytes { _ = HotPath.evaluate(fixture.client.hot, $0, nil, .bool, EvaluationFallback(true)) { _ in } }
    "flag".withBytes { _ = HotPath.evaluate(fixture.client.hot, $0, nil, .int, EvaluationFallback(Int64(-7))) { _ in } }
    "flag".withBytes { _ = HotPath.evaluate(fixture.client.hot, $0, nil, .double, EvaluationFallback(0.5)) { _ in } }
    "flag".withBytes { _ = HotPath.evaluate(fixture.client.hot, $0, nil, .bool) { _ in } }
    #expect(fixture.provider.fallbacks == ["bool 1 0.0 ", "int -7 0.0 ", "double 0 0.5 ", "nothing"])
  }

  @Test func textsMayEndAtANULOrHaveALength() throws {
    let fixture = try fixture()
    "flag".withCString { text in
      "flag".withBytes { key in
        _ = HotPath.evaluate(fixture.client.hot, key, nil, .string, EvaluationFallback(.string, text)) { _ in }
        _ = HotPath.evaluate(fixture.client.hot, key, nil, .json, EvaluationFallback(.json, key)) { _ in }
        _ = HotPath.evaluate(fixture.client.hot, key, nil, .string, EvaluationFallback(.string, nil as UnsafePointer<CChar>?)) {
          _ in
        }
      }
    }
    #expect(fixture.provider.fallbacks == ["string 0 0.0 flag", "json 0 0.0 flag", "nothing"])
  }

  @Test func onTheSlowPathWhichSaysWhetherADetailIsWanted() throws {
    let fixture = try fixture()
    func evaluate(_ key: String, _ mode: EvaluationMode, _ fallback: EvaluationFallback) {
      key.withBytes {
        fixture.client.evaluate($0, nil, .bool, mode, fallback) { evaluation, _ in #expect(evaluation.fallback == nil) }
      }
    }
    evaluate("flag", .counted, EvaluationFallback(false))
    evaluate("flag", [.counted, .detailed], EvaluationFallback(true))
    evaluate("unknown", [.counted, .detailed], EvaluationFallback(true))
    evaluate("unknown", .detailed, EvaluationFallback(true))
    #expect(fixture.provider.fallbacks == ["bool 0 0.0 ", "bool 1 0.0  detailed", "bool 1 0.0 "])
  }

  @Test func throughAView() throws {
    let fixture = try fixture()
    let view = FlagView(fixture.client, nil)
    for key in ["flag", "unknown"] { key.withBytes { _ = view.evaluate($0, .bool, EvaluationFallback(true)) { _ in } } }
    #expect(fixture.provider.fallbacks == ["bool 1 0.0 ", "bool 1 0.0 "])
  }

  @Test("An unknown flag is told of with the context that it was asked for (no client's own, ready, closed)")
  func contextsOfUnknownFlags() throws {
    let fixture = try ClientFixture()
    let own = EvaluationContext(targetingKey: "own")
    func ask(_ subject: EvaluationContext?) {
      "unknown".withBytes { fixture.client.evaluate($0, subject?.subject, .bool, .counted) { _, _ in } }
    }
    ask(nil)
    ask(own)
    try fixture.serve()
    fixture.client.setCurrentContext(try #require(EvaluationContext(targetingKey: "current").reference()))
    ask(own)
    ask(nil)
    let view = FlagView(fixture.client, own.reference())
    "unknown".withBytes { _ = view.evaluate($0, .bool) { _ in } }
    #expect(fixture.provider.unknownSubjects == ["", "own", "own", "current", "own"])
    _ = fixture.client.close(timeoutMilliseconds: 0)
    ask(own)
    #expect(fixture.provider.unknownSubjects.count == 5)
  }

  @Test func hooksSeeTheQuestionWhole() throws {
    final class Asked: EvaluationHook, @unchecked Sendable {
      let seen = Record<String>()
      func before(_ call: HookCall) -> Bool {
        seen.append("\(call.want) \(call.fallback.kind) \(call.fallback.integer) \(call.isDetailed)")
        return true
      }
      func after(_ call: HookCall, _ detail: EvaluationDetail) {}
      func error(_ call: HookCall, _ detail: EvaluationDetail) {}
      func finally(_ call: HookCall) {}
    }
    let hook = Asked()
    var plugins = Plugins()
    plugins.hooks = [hook]
    let fixture = try ClientFixture(plugins: plugins)
    try fixture.serve()
    "on".withBytes { fixture.client.evaluate($0, nil, .int, [.counted, .detailed], EvaluationFallback(Int64(3))) { _, _ in } }
    #expect(hook.seen.all == ["int int 3 true"])
  }
}
