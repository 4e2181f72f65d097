import HoistBase
import HoistCore
import HoistUnleash
import Testing

@Suite("Strategies of the host's own (UNL-99; no client)") struct CustomStrategyTests {
  /// Answers as a closure says, and keeps what it was asked.
  final class Recorded: UnleashStrategy, @unchecked Sendable {
    private let answer: (UnleashStrategyCall) -> Bool
    init(_ answer: @escaping (UnleashStrategyCall) -> Bool) { self.answer = answer }
    func isEnabled(_ call: UnleashStrategyCall) -> Bool { answer(call) }
  }

  private func options(_ strategies: [String: Recorded]) -> UnleashOptions {
    var options = Rules.options()
    options.appName = "shop"
    for (name, strategy) in strategies { options.strategies[Array(name.utf8)] = strategy }
    return options
  }

  @Test func aStrategyWithoutAHostFunctionIsFalse() throws {
    let rules = try Rules(flag("a", strategy: "mine"))
    #expect(!rules.isOn("a") && rules.warnings.isEmpty)
  }

  @Test func eachUseHasItsOwnParameters() throws {
    let strategy = Recorded { call in
      #expect(call.parameterCount == 1)
      #expect(call.parameter(at: 1) == nil && call.parameter(at: -1) == nil && call.parameter("other") == nil)
      return call.parameter("want").map { text($0) } == call.field("userId").map { text($0) }
    }
    let rules = try Rules(
      flag("a", #""strategies":[{"name":"mine","parameters":{"want":"1"}},{"name":"mine","parameters":{"want":"2"}}]"#),
      options(["mine": strategy]))
    #expect(rules.isOn("a", user("1")) && rules.isOn("a", user("2")) && !rules.isOn("a", user("3")))
    #expect(rules.evaluate("a", user("1"))?.reason == .targetingMatch)
  }

  @Test func theContextIsSeenAsBuiltInStrategiesSeeIt() throws {
    let strategy = Recorded { call in
      func field(_ name: String) -> String? { call.field(name).map { text($0) } }
      #expect(field("userId") == "key")
      #expect(field("appName") == "shop")
      #expect(field("tier") == "gold")
      #expect(field("age") == "18")
      #expect(field("list") == nil && field("missing") == nil)
      return true
    }
    let rules = try Rules(flag("a", strategy: "mine"), options(["mine": strategy]))
    let call = context(["age": "18"], key: "key")
    try call.set(Array("list".utf8), .strings([Array("x".utf8)]))
    #expect(rules.evaluate("a", call, inherited: context(["tier": "gold", "age": "1"]))?.enabled == true)
  }

  @Test("C.1: all that built-in strategies see can be lent as one context") func theContextIsMerged() throws {
    let strategy = Recorded { call in
      let merged = call.merged.content
      let texts = merged.attributes.map { "\(String(decoding: $0.name, as: UTF8.self))=\($0.value)" }
      #expect(merged.key.map { String(decoding: $0, as: UTF8.self) } == "key")
      #expect(
        call.merged.reference()?.frozen.find("userId") == "key" && call.merged.reference()?.frozen.find("appName") == "shop")
      #expect(call.merged.reference()?.frozen.find("tier") == "gold" && call.merged.reference()?.frozen.find("age") == "18")
      #expect(call.merged.reference()?.frozen.find("city") == nil && texts.count == 5)
      return true
    }
    let rules = try Rules(flag("a", strategy: "mine"), options(["mine": strategy]))
    let call = context(["age": "18"], key: "key")
    try call.set(Array("city".utf8), .null)
    let inherited = context(["tier": "gold", "age": "1", "userId": "other", "city": "Oslo"])
    #expect(rules.evaluate("a", call, inherited: inherited)?.enabled == true)
  }

  @Test func constraintsGuardIt() throws {
    let strategy = Recorded { _ in
      Issue.record("asked although a constraint does not hold")
      return true
    }
    let rules = try Rules(
      flag(
        "a", #""strategies":[{"name":"mine","constraints":[{"contextName":"userId","operator":"IN","values":["1"]}]}]"#),
      options(["mine": strategy]))
    #expect(!rules.isOn("a", user("2")))
  }

  @Test func theSnapshotKeepsItsStrategiesAlive() throws {
    var strategy: Recorded? = Recorded { _ in true }
    weak let watched = strategy
    var rules: Rules? = try strategy.map { try Rules(flag("a", strategy: "mine"), options(["mine": $0])) }
    strategy = nil
    #expect(rules?.isOn("a") == true)
    #expect(watched != nil)
    rules = nil
    #expect(watched == nil)
  }
}

extension FrozenContext {
  /// The text of an attribute that is not null.
  fileprivate func find(_ name: String) -> String? {
    name.withBytes { find($0, hash: Hash64.hash($0)) }.flatMap { $0.pointee.kind == .null ? nil : text($0.pointee.textBytes) }
  }
}
