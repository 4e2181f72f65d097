import HoistCore
import HoistUnleash
import Testing

@Suite("Explanations tell what ran") struct ExplanationTests {
  @Test func everyStepIsThere() throws {
    let rules = try Rules(
      flag(
        "parent",
        #""strategies":[{"name":"flexibleRollout","parameters":{"rollout":"60","stickiness":"userId"}}],"variants":[{"name":"pv","weight":1}]"#
      )
        + ","
        + flag(
          "f",
          #""dependencies":[{"feature":"parent","variants":["pv"]}],"strategies":[{"name":"userWithId","parameters":{"userIds":"7"}},"#
            + #"{"name":"flexibleRollout","parameters":{"rollout":"84","stickiness":"userId","groupId":"g"},"segments":[3],"constraints":["#
            + #"{"contextName":"tier","operator":"IN","values":["a","b"]},{"contextName":"age","operator":"NUM_GT","value":"17","inverted":true}]}],"#
            + #""variants":[{"name":"v","weight":3,"stickiness":"userId"}]"#),
      segments:
        #"{"id":3,"constraints":[{"contextName":"tier","operator":"STR_CONTAINS","values":["A"],"caseInsensitive":true}]}"#
    )
    let someone = context(["userId": "user-2", "tier": "a"])
    try someone.set(Array("age".utf8), .int(17))
    #expect(
      rules.explain("f", someone)
        == #"{"flag":"f","switchedOn":true,"dependencies":[{"feature":"parent","known":true,"wanted":true,"variants":["pv"],"#
        + #""strategies":[{"name":"flexibleRollout","rollout":{"group":"f","stickiness":"userId","value":"user-2","hash":54,"percentage":60},"holds":true}],"#
        + #""enabled":true,"variant":{"name":"pv","group":"parent","stickiness":"default","value":"user-2","hash":1,"weight":1,"totalWeight":1},"satisfied":true}],"#
        + #""strategies":[{"name":"userWithId","actual":"user-2","holds":false},{"name":"flexibleRollout","#
        + #""constraints":[{"field":"tier","operator":"IN","expected":["a","b"],"actual":"a","inverted":false,"holds":true},"#
        + #"{"field":"age","operator":"NUM_GT","expected":"17","actual":"17","inverted":true,"holds":true}],"#
        + #""segments":[{"id":3,"constraints":[{"field":"tier","operator":"STR_CONTAINS","expected":["A"],"actual":"a","inverted":false,"caseInsensitive":true,"holds":true}],"holds":true}],"#
        + #""rollout":{"group":"g","stickiness":"userId","value":"user-2","hash":44,"percentage":84},"holds":true}],"#
        + #""variant":{"name":"v","group":"f","stickiness":"userId","value":"user-2","hash":1,"weight":3,"totalWeight":3},"enabled":true,"reason":"SPLIT"}"#
    )
  }

  @Test func whatDidNotRunIsNotThere() throws {
    let rules = try Rules(
      flag(
        "f",
        #""strategies":[{"name":"default","constraints":[{"contextName":"x","operator":"IN","values":[]},{"contextName":"y","operator":"IN","values":[]}]},{"name":"default"},{"name":"default"}]"#
      )
        + "," + #"{"name":"off","enabled":false}"#)
    #expect(
      rules.explain("f")
        == #"{"flag":"f","switchedOn":true,"strategies":[{"name":"default","constraints":["#
        + #"{"field":"x","operator":"IN","expected":[],"actual":null,"inverted":false,"holds":false}],"holds":false},"#
        + #"{"name":"default","holds":true}],"enabled":true,"reason":"STATIC"}"#)
    #expect(rules.explain("off") == #"{"flag":"off","switchedOn":false,"enabled":false,"reason":"DISABLED"}"#)
  }

  @Test func brokenFlagsSayWhy() throws {
    let rules = try Rules(flag("f", strategy: "flexibleRollout", #"{"rollout":"200"}"#))
    #expect(
      rules.explain("f")
        == #"{"flag":"f","switchedOn":true,"broken":"strategy 1: the percentage is above 100","enabled":false,"reason":"DISABLED"}"#
    )
  }

  @Test func drawsAndOverridesAndUnsatisfiedParentsAreTold() throws {
    let rules = try Rules(
      [
        flag("draw", strategy: "gradualRolloutRandom", #"{"percentage":"100"}"#),
        flag("given", #""variants":[{"name":"v","weight":1,"overrides":[{"contextName":"userId","values":["1"]}]}]"#),
        flag("orphan", #""dependencies":[{"feature":"none"}]"#),
      ].joined(separator: ","))
    #expect(
      rules.explain("draw").contains(#""draw":{"number":"#) && rules.explain("draw").contains(#","percentage":100}"#))
    #expect(rules.explain("given", user("1")).contains(#""variant":{"name":"v","override":true}"#))
    #expect(
      rules.explain("orphan").contains(
        #""dependencies":[{"feature":"none","known":false,"wanted":true,"satisfied":false}]"#))
  }

  @Test func anExplainedEvaluationIsTheOrdinaryOne() throws {
    let rules = try Rules(flag("f", #""variants":[{"name":"v","weight":1,"payload":{"type":"string","value":"x"}}]"#))
    guard let record = rules.record("f") else { return }
    var evaluation = Evaluation(want: .string)
    _ = UnleashFlags.explain(&evaluation, snapshot: rules.snapshot, record: record, context: nil)
    #expect(evaluation.kind == .string && text(evaluation.text) == "x" && text(evaluation.variation) == "v")
  }

  @Test func togglesExplainLittle() throws {
    let rules = try Rules(toggles: #"{"toggles":[{"name":"t","enabled":true}]}"#)
    #expect(rules.explain("t") == #"{"flag":"t","decidedBy":"service","enabled":true,"reason":"TARGETING_MATCH"}"#)
  }
}
