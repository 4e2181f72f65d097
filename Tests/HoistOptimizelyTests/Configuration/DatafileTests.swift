import HoistBase
import HoistCore
import HoistJSON
import HoistOptimizely
import Testing

@Suite("A datafile is strict at the top and lenient inside (OPT-73; no client)") struct DatafileTests {
  @Test func missingMembersAreNamed() {
    let whole = Project.datafile()
    for name in ["version", "projectId", "anonymizeIP", "featureFlags", "groups", "audiences", "attributes", "events"] {
      let without = whole.split(separator: "\"\(name)\"", maxSplits: 1).joined(separator: "\"x\"")
      #expect {
        try OptimizelyDatafile.compile(without).destroy()
      } throws: { error in
        (error as? OptimizelyDatafileFailure)?.message.contains("\"\(name)\"") ?? false
      }
    }
  }

  @Test func otherVersionsAreRefusedAsSuch() {
    let text = #"{"version":"3"}"#
    #expect(throws: OptimizelyDatafileFailure.versionInvalid("3")) { try OptimizelyDatafile.compile(text).destroy() }
  }

  @Test func damageIsRefusedWhereverItIs() {
    let whole = Array(Project.datafile(flags: flag("f", ["1"]), experiments: rule("1"), more: #""unknown":{"a":[1]}"#).utf8)
    #expect(throws: Never.self) { try OptimizelyDatafile.compile(whole).destroy() }
    for end in 0..<whole.count {
      #expect(throws: OptimizelyDatafileFailure.self) { try OptimizelyDatafile.compile(Array(whole[..<end])).destroy() }
    }
  }

  @Test func wrongTypesInsideCountAsAbsent() throws {
    let project = try Project(
      flags: flag("f", ["1", "gone"], rollout: "gone") + #",5,{"id":7},{"key":"bare","experimentIds":7,"variables":{}}"#,
      experiments: rule("1") + #",null,{"id":"2","variations":"x","trafficAllocation":[7],"audienceConditions":7}"#,
      groups: #"{"id":"3","policy":"new","experiments":[]}"#, more: #""region":"MARS","holdouts":{},"integrations":7"#)
    #expect(try project.decide("f").variation == "on-1")
    #expect(try project.decide("bare").variation == nil)
  }

  @Test func statusesOtherThanRunningAreNotRunning() throws {
    let paused = rule("1").split(separator: "Running").joined(separator: "Brand new")
    let project = try Project(flags: flag("f", ["1"]), experiments: paused)
    #expect(try project.decide("f").codes.contains(.experimentNotRunning))
  }

  @Test func theRegionSaysWhereEventsGo() throws {
    #expect(OptimizelyRegion.eu.eventsURL.description == "https://eu.logx.optimizely.com/v1/events")
    let project = try Project(flags: flag("f", ["1"]), experiments: rule("1"), more: #""region":"eu""#)
    // (OPT-99; no client)
    #expect(try project.decide("f").impressions.first?.contains(#""region":"EU""#) ?? false)
  }

  @Test func ofFlagsOfOneKeyTheLastCounts() throws {
    let project = try Project(
      flags: [flag("f", ["1"]), flag("g"), flag("f", ["2"])].joined(separator: ","), experiments: rule("1") + "," + rule("2"))
    #expect(OptimizelyFlags.flagCount(of: project.snapshot) == 2)
    #expect(try project.decide("f").variation == "on-2")
  }

  @Test func featureRolloutsTakeOverEveryoneElsesVariation() throws {
    // (OPT-95; no client)
    let project = try Project(
      flags: flag("f", ["1"], rollout: "r"), experiments: rule("1", end: 0, #""type":"fr""#),
      rollouts: rollout("r", rule("2"), rule("3")))
    let answer = try project.decide("f")
    #expect(answer.variation == "on-3")
    #expect(answer.rule == "key-1")
    #expect(answer.decision.source == .featureTest)
  }

  @Test func revisionAndSegmentsAreTold() throws {
    let project = try Project(
      typed: #"{"id":"1","name":"a","conditions":["or",{"type":"third_party_dimension","match":"qualified","value":"s"},"#
        + #"{"type":"third_party_dimension","match":"qualified","value":"s"}]}"#,
      more: #""integrations":[{"key":"odp","host":"https://h","publicKey":"k"}]"#)
    #expect(text(OptimizelyFlags.revision(of: project.snapshot)) == "7")
    let settings = SegmentsSettings(project.snapshot)
    #expect(settings.host == "https://h")
    #expect(settings.apiKey == "k")
    #expect(settings.segments == [Array("s".utf8)])
  }

  @Test(
    "An audience expression is told as the vendor prints it (OPT-70, 7; no client)",
    arguments: [
      (#"["not"]"#, ""), (#"["not","1"]"#, #"NOT "1""#), (#"["or","1",["and","2","3"]]"#, #""1" OR ("2" AND "3")"#), ("[]", ""),
    ])
  func audienceExpressions(_ conditions: String, _ text: String) throws {
    let listing = try OptimizelyConfigText.json(
      ofDatafile: Project.datafile(flags: flag("f", ["1"]), experiments: rule("1", #""audienceConditions":\#(conditions)"#)))
    try JSONDocument(parsing: listing).withRoot { #expect($0["experimentsMap"]?["key-1"]?["audiences"]?.string == text) }
  }

  @Test func listingTellsWhatThereIs() throws {
    // (OPT-70; no client)
    let listing = try OptimizelyConfigText.json(
      ofDatafile: Project.datafile(flags: flag("f", ["1"]), experiments: rule("1"), more: #""sdkKey":"key""#))
    let document = try JSONDocument(parsing: listing)
    document.withRoot { root in
      #expect(root["sdkKey"]?.string == "key")
      #expect(root["experimentsMap"]?["key-1"]?["variationsMap"]?["on-1"]?["id"]?.string == "11")
      #expect(root["featuresMap"]?["f"]?["experimentRules"]?.array?.count == 1)
    }
  }
}
