import HoistBase
import HoistCore
import HoistOptimizely
import Testing

@Suite("Decisions follow the order of the rules") struct DecisionTests {
  private func forced(_ flag: String, _ rule: String?, _ variation: String) -> SubjectContent {
    var content = SubjectContent()
    content.forcedDecisions = [
      .init(flagKey: Array(flag.utf8), ruleKey: rule.map { Array($0.utf8) }, variationKey: Array(variation.utf8))
    ]
    return content
  }

  @Test func oneCallDecidesExperimentsAndDeliveries() throws {
    // (OPT-56; no client)
    let project = try Project(
      flags: flag("f", ["1"], rollout: "r") + "," + flag("g", rollout: "r"), experiments: rule("1"),
      rollouts: rollout("r", rule("2")))
    #expect(try project.decide("f").decision.source == .featureTest)
    #expect(try project.decide("g").decision.source == .rollout)
    #expect(try project.decide("g").decision.sendsImpression == false)
  }

  @Test func whoMeetsARuleButHasNoBucketJumpsToEveryoneElse() throws {
    // (OPT-76; no client)
    let project = try Project(
      flags: flag("f", rollout: "r"), rollouts: rollout("r", rule("1", end: 0), rule("2"), rule("3")))
    let answer = try project.decide("f")
    #expect(answer.rule == "key-3")
    #expect(answer.reasons.contains { $0.text.hasSuffix("targeting rule Everyone Else.") })
  }

  @Test func forcedDecisionsComeFirst() throws {
    // (OPT-65; no client)
    let project = try Project(
      flags: flag("f", ["1", "2"]), experiments: rule("1") + "," + rule("2"),
      more: #""holdouts":[\#(rule("3", enabled: false))]"#)
    #expect(try project.decide("f").decision.source == .holdout)
    let whole = try project.decide("f", visitor(), forced("f", nil, "on-2"))
    #expect(whole.variation == "on-2" && whole.rule == nil)
    #expect(whole.impressions.first?.contains(#""campaign_id":"","experiment_id":"","variation_id":"21""#) ?? false)
    let invalid = try project.decide("f", visitor(), forced("f", nil, "gone"))
    #expect(invalid.codes.first == .userHasForcedDecisionButInvalid)
    #expect(try project.decide("f", visitor(), forced("g", nil, "on-2")).decision.source == .holdout)
  }

  @Test func forcedRulesTakeAnyVariationOfTheFlag() throws {
    let project = try Project(flags: flag("f", ["1", "2"]), experiments: rule("1") + "," + rule("2"))
    let answer = try project.decide("f", visitor(), forced("f", "key-1", "on-2"))
    #expect(answer.variation == "on-2" && answer.rule == "key-1")
  }

  @Test func forcedVariationsBeatListsAndProfiles() throws {
    // (OPT-66; no client)
    let two =
      #"{"id":"1","key":"e","status":"Running","layerId":"","audienceIds":["gone"],"forcedVariations":{"u1":"b"},"variations":["#
      + #"{"id":"11","key":"a"},{"id":"12","key":"b"},{"id":"13","key":"c"}],"trafficAllocation":[]}"#
    let project = try Project(flags: flag("f", ["1"]), experiments: two)
    var content = SubjectContent()
    content.assignments = [.init(experimentID: Array("1".utf8), variationID: Array("13".utf8))]
    #expect(try project.decide("f", visitor("other"), content).variation == "c")
    #expect(try project.decide("f", visitor("other"), content, [.ignoreUserProfileService]).variation == nil)
    #expect(try project.decide("f", visitor(), content).variation == "b")
    let made = try #require(OptimizelyFlags.forcedVariation(experimentKey: "e", variationKey: " a ", in: project.snapshot))
    content.forcedVariations = [made]
    let answer = try project.decide("f", visitor(), content)
    #expect(answer.variation == "a")
    #expect(answer.decision.newAssignment == nil)
    #expect(OptimizelyFlags.forcedVariation(experimentKey: "e", variationKey: "gone", in: project.snapshot) == nil)
  }

  @Test func localHoldoutsHoldOutOfTheirRulesOnly() throws {
    // (OPT-92; no client)
    let project = try Project(
      flags: flag("f", ["1"]) + "," + flag("g", ["2"]), experiments: rule("1") + "," + rule("2"),
      more: #""localHoldouts":[\#(rule("3", enabled: false, #""includedRules":["1"]"#)),\#(rule("4", enabled: false))]"#)
    let held = try project.decide("f")
    #expect(held.rule == "key-3" && held.decision.enabled == false)
    #expect(try project.decide("g").rule == "key-2")
  }

  @Test func holdoutsMayLeaveTargetedDeliveriesAlone() throws {
    // (OPT-93; no client)
    let holdout = rule("3", enabled: false, #""excludeTargetedDeliveries":true"#)
    let project = try Project(
      flags: flag("f", ["1", "2"]), experiments: rule("1") + "," + rule("2", #""type":"td""#), more: #""holdouts":[\#(holdout)]"#)
    let answer = try project.decide("f")
    #expect(answer.rule == "key-2")
    #expect(answer.impressions.count == 2)
    #expect(answer.impressions.first?.contains(#""rule_type":"holdout""#) ?? false)
    #expect(try project.decide("f", visitor(), SubjectContent(), [.disableDecisionEvent]).impressions.isEmpty)
  }

  @Test func anUnknownFlagHasItsLiteralReason() {
    // (OPT-61; no client)
    #expect(DecisionReason.featureKeyInvalid("x").text == "No flag was found for key \"x\".")
    // (OPT-02; no client)
    #expect(DecisionReason.sdkNotReady.text == "Optimizely SDK not configured properly yet.")
    #expect(DecisionReason.invalidJSONVariable.text == "Invalid variables for OptimizelyJSON.")
  }

  @Test func reasonsAreErrorsAloneUnlessAskedFor() throws {
    let project = try Project(
      flags: flag("f", ["1"], variables: #"{"id":"v","key":"n","type":"integer","defaultValue":"x"}"#), experiments: rule("1"))
    let plain = try project.decide("f", visitor(), SubjectContent(), [])
    #expect(plain.reasons == [.variableValueInvalid("n")])
    #expect(plain.variables == "{}")
    #expect(try project.decide("f", visitor(), SubjectContent(), [.excludeVariables]).reasons.isEmpty)
    let all = try project.decide("f")
    #expect(all.reasons.first == .variableValueInvalid("n"))
    #expect(all.codes.contains(.userBucketedIntoVariationInExperiment))
  }

  @Test func optionsHaveTheServicesNames() {
    // (OPT-62; no client)
    let names = [
      "DISABLE_DECISION_EVENT", "ENABLED_FLAGS_ONLY", "IGNORE_USER_PROFILE_SERVICE", "INCLUDE_REASONS", "EXCLUDE_VARIABLES",
      "IGNORE_CMAB_CACHE", "RESET_CMAB_CACHE", "INVALIDATE_USER_CMAB_CACHE",
    ]
    #expect(Set(names.compactMap { DecideOptions(name: $0) }).count == 8)
    #expect(DecideOptions(name: "disable_decision_event") == nil)
  }

  @Test func valuesAreThoseOfTheVariationWhereItIsOn() throws {
    let variables = #"{"id":"v","key":"n","type":"integer","defaultValue":"1"},{"id":"w","key":"t","type":"string"}"#
    let values = #"{"id":"v","value":"2"}"#
    let project = try Project(
      flags: flag("on", ["1"], variables: variables) + "," + flag("off", ["2"], variables: variables),
      experiments: rule("1", values: values) + "," + rule("2", enabled: false, values: values))
    #expect(try project.decide("on").variables == #"{"n":2,"t":""}"#)
    #expect(try project.decide("off").variables == #"{"n":1,"t":""}"#)
    let decision = try project.decide("on")
    guard case .integer(2) = try decision.decision.variable("n", as: .integer) else {
      Issue.record("not 2")
      return
    }
    #expect(throws: OptimizelyVariableFailure.variableValueInvalid) { _ = try decision.decision.variable("n", as: .string) }
    #expect(throws: OptimizelyVariableFailure.variableKeyInvalid) { _ = try decision.decision.variable("x") }
  }

  @Test func theCoreAsksForOnOffForTheVariationOrForTheVariables() throws {
    // (OPT-47; no client)
    let project = try Project(flags: flag("f", ["1"]), experiments: rule("1"))
    let record = try #require("f".withBytes { project.snapshot.find($0) })
    let hold = visitor().reference()
    func ask(_ want: WantedType) -> Evaluation {
      var evaluation = Evaluation(want: want)
      project.snapshot.head.pointee.evaluate(project.snapshot.base, record, hold?.frozen.base, &evaluation)
      return evaluation
    }
    #expect(ask(.bool).kind == .bool && ask(.bool).integer == 1)
    #expect(text(ask(.string).text) == "on-1")
    #expect(text(ask(.json).text) == "{}")
    #expect(text(ask(.json).rule) == "key-1")
    #expect(ask(.int).errorCode == .typeMismatch)
    #expect(ask(.bool).effects == [.impression, .record])
    var nobody = Evaluation(want: .bool)
    project.snapshot.head.pointee.evaluate(project.snapshot.base, record, nil, &nobody)
    #expect(nobody.errorCode == .targetingKeyMissing)
  }
}
