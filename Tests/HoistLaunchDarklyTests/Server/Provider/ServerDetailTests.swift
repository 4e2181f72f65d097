import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Details and explanations in mode server (protocols/launchdarkly-server.md 5.2, 5.3)") struct ServerDetailTests {
  private static let rule = ##""rules":[{"id":"r","variation":0,"clauses":[{"attribute":"plan","op":"in","values":["pro"]}]}]"##

  private func rig() throws -> RulesRig {
    let rig = try RulesRig()
    rig.serve([
      "r": ServerRules.flag("r", Self.rule), "off": ServerRules.flag("off", #""on":false"#),
      "needy": ServerRules.flag("needy", ##""prerequisites":[{"key":"r","variation":0}]"##),
      "broken": ServerRules.flag("broken", #""fallthrough":{"variation":9}"#),
      "number": ServerRules.flag("number", #""variations":[1,2.5]"#),
    ])
    return rig
  }

  private func context(_ plan: String?) throws -> EvaluationContext {
    let context = EvaluationContext(targetingKey: "k")
    if let plan { try context.set(Array("plan".utf8), .string(Array(plan.utf8))) }
    return context
  }

  private func detail(
    _ rig: RulesRig, _ key: String, _ context: EvaluationContext?, _ want: WantedType = .any, _ mode: EvaluationMode = .detailed,
    options: UInt32 = 0
  ) -> (reason: String, index: Int64?, error: String, number: Int64, explanation: String) {
    key.withBytes { key in
      rig.client.evaluate(key, context?.subject, want, mode, options: options) { evaluation, describe in
        let detail = describe()
        return (
          String(decoding: DetailReason.json(detail) ?? [], as: UTF8.self), DetailReason.variationIndex(detail),
          "\(DetailReason.errorKind(detail) ?? "")", evaluation.integer, String(decoding: detail.explanation.bytes, as: UTF8.self)
        )
      }
    }
  }

  @Test("A detail has the vendor's reason and the variation (LDS-31; ready)") func reasons() throws {
    let rig = try rig()
    let pro = detail(rig, "r", try context("pro"))
    #expect(pro.reason == #"{"kind":"RULE_MATCH","ruleIndex":0,"ruleId":"r"}"# && pro.index == 0 && pro.error.isEmpty)
    #expect(detail(rig, "r", try context(nil)).reason == #"{"kind":"FALLTHROUGH"}"#)
    #expect(detail(rig, "off", try context(nil)).reason == #"{"kind":"OFF"}"#)
    #expect(detail(rig, "needy", try context(nil)).reason == #"{"kind":"PREREQUISITE_FAILED","prerequisiteKey":"r"}"#)
  }

  @Test("An error has its kind, and no variation (LDS-29, LDS-31; ready)") func errors() throws {
    let rig = try rig()
    for (key, context, want, kind): (String, EvaluationContext?, WantedType, String) in [
      ("broken", try context(nil), .any, "MALFORMED_FLAG"), ("unknown", try context(nil), .any, "FLAG_NOT_FOUND"),
      ("r", try context(nil), .bool, "WRONG_TYPE"), ("r", EvaluationContext(targetingKey: ""), .any, "USER_NOT_SPECIFIED"),
      ("r", nil, .any, "USER_NOT_SPECIFIED"),
    ] {
      let found = detail(rig, key, context, want)
      #expect(
        found.reason == "{\"kind\":\"ERROR\",\"errorKind\":\"\(kind)\"}" && found.error == kind && found.index == nil, "\(kind)")
    }
    let early = try RulesRig()
    #expect(detail(early, "r", try context(nil)).error == "CLIENT_NOT_READY")
  }

  @Test("The vendor's call for integers cuts fractions off, the core's refuses them (LDS-30; ready)") func integers() throws {
    let rig = try rig()
    #expect(detail(rig, "number", try context(nil), .int).error == "WRONG_TYPE")
    #expect(detail(rig, "number", try context(nil), .int, options: VariationOptions.cutsFractions).number == 2)
  }

  @Test("An explanation has prerequisites and rules up to the one that is met (LDS-21; ready)") func explanation() throws {
    let rig = try rig()
    let needy = detail(rig, "needy", try context("pro"), .any, .explained)
    #expect(needy.explanation.contains(#""prerequisites":[{"key":"r","wanted":0,"given":0}]"#))
    let rule = detail(rig, "r", try context("pro"), .any, .explained)
    #expect(rule.explanation.contains(#""rules":[{"id":"r","isMet":true}]"#) && rule.explanation.contains("RULE_MATCH"))
    let unknown = detail(rig, "unknown", try context(nil), .any, .explained)
    #expect(unknown.explanation.contains("FLAG_NOT_FOUND"))
  }
}
