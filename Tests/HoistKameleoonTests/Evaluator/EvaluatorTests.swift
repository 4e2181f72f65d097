import HoistBase
import HoistCore
import HoistRegex
import HoistTestSupport
import Testing

@testable import HoistKameleoon

/// What the recorded vectors cannot say: where Hoist departs from the vendor's SDK (protocols/kameleoon.md 7), and what is
/// the configuration's alone.
@Suite struct EvaluatorTests {
  @Test func customDataOfIndexZeroIsBucketedBy() throws {
    // (KAM-B10, A7; no client)
    let text = Self.configuration(
      flag: #""bucketingCustomDataId":700"#, customData: #"[{"id":700,"index":0,"name":"zero"}]"#)
    let configuration = try Configuration(text)
    let strict = try Configuration(text) { $0.isStrict = true }
    var differs = 0
    for number in 0..<50 {
      var facts = VisitorFacts.Content(code: Array("visitor".utf8), visitStart: 0)
      facts.customData = [CustomDatum(index: 0, values: [Array("\(number)".utf8)], time: 0)]
      let other = VisitorFacts.Content(code: Array("\(number)".utf8), visitStart: 0)
      #expect(configuration.key(facts) == configuration.key(other))
      if strict.key(facts) != strict.key(other) { differs += 1 }
    }
    #expect(differs > 0)
  }

  @Test(arguments: [
    // A17: 1 and true are apart. A18: what is no number is passed over. A26: `_` is no part of a number.
    ("AMONG_VALUES", "[1]", ["1"], true, false), ("AMONG_VALUES", "[1]", ["true"], false, true),
    ("AMONG_VALUES", "[true]", ["true"], true, true), ("AMONG_VALUES", "[1.5, \"a\"]", ["1.5"], true, true),
    ("EQUAL", "5", ["x", "5"], true, false), ("GREATER", "5", ["x"], false, false),
    ("EQUAL", "10", ["1_0"], false, true), ("EQUAL", "10", [" 1e1 "], true, true),
  ])
  func customDataIsComparedAsTextOrNumber(
    match: String, value: String, values: [String], holds: Bool, holdsForVendor: Bool
  ) throws {
    let condition =
      #"{"targetingType":"CUSTOM_DATUM","customDataIndex":"4","valueMatchType":"\#(match)","value":"\#(Self.quoted(value))"}"#
    var facts = VisitorFacts.Content(code: [0x76], visitStart: 0)
    facts.customData = [CustomDatum(index: 4, values: values.map { Array($0.utf8) }, time: 0)]
    #expect(try Configuration(Self.targeted(condition)).isTargeted(facts) == holds)
    #expect(try Configuration(Self.targeted(condition)) { $0.isStrict = true }.isTargeted(facts) == holdsForVendor)
  }

  @Test func expressionsMatchTheWholeTextUnlessTheyAreSearchedFor() throws {
    // A2
    let condition = #"{"targetingType":"VISITOR_CODE","matchType":"REGULAR_EXPRESSION","visitorCode":"is|x"}"#
    let facts = VisitorFacts.Content(code: Array("visitor".utf8), visitStart: 0)
    #expect(try !Configuration(Self.targeted(condition)).isTargeted(facts))
    #expect(try Configuration(Self.targeted(condition)) { $0.searchesExpressions = true }.isTargeted(facts))
    #expect(try Configuration(Self.targeted(condition)).isTargeted(VisitorFacts.Content(code: Array("is".utf8), visitStart: 0)))
  }

  @Test(arguments: ["(", "a)(b", "[", #"(?<=a)b"#])
  func anExpressionThatCannotBeUsedMatchesNothing(pattern: String) throws {
    let condition = #"{"targetingType":"VISITOR_CODE","matchType":"REGULAR_EXPRESSION","visitorCode":"\#(Self.quoted(pattern))"}"#
    #expect(try !Configuration(Self.targeted(condition)).isTargeted(VisitorFacts.Content(code: Array("ab".utf8), visitStart: 0)))
  }

  @Test(arguments: [
    ("1.2.3-beta", "EQUAL", "1.2.3", true), ("1.2.3+7", "EQUAL", "1.2.3", true), ("1.3.0-rc.1", "GREATER", "1.2.9", true),
    ("1.2", "EQUAL", "1.2.0", true), ("1.10", "GREATER", "1.9", true), ("1.x", "EQUAL", "1.0", false), ("", "LOWER", "1", false),
  ])
  func versionsAreCutToThreeNumbers(version: String, match: String, wanted: String, holds: Bool) throws {
    // (KAM-B20; no client)
    let condition = #"{"targetingType":"APPLICATION_VERSION","versionMatchType":"\#(match)","version":"\#(wanted)"}"#
    var facts = VisitorFacts.Content(code: [0x76], visitStart: 0)
    facts.applicationVersion = Array(version.utf8)
    #expect(try Configuration(Self.targeted(condition)).isTargeted(facts) == holds)
  }

  @Test func exclusiveCampaignsSeeTheHoldoutsAssignmentOfTheSameDecision() throws {
    // (KAM-B02, KAM-B03; no client)
    let holdout =
      #""holdout":{"experimentId":9000,"variationByExposition":[{"variationKey":"not-in-holdout","variationId":1,"exposition":1}]}"#
    let condition = #"{"targetingType":"EXCLUSIVE_EXPERIMENT","campaignType":"EXPERIMENT"}"#
    let facts = VisitorFacts.Content(code: [0x76], visitStart: 0)
    #expect(try Configuration(Self.targeted(condition)).isTargeted(facts))
    #expect(try !Configuration(Self.targeted(condition, more: holdout)).isTargeted(facts))
    #expect(try Configuration(Self.targeted(condition, more: holdout)).isTargeted(facts, saves: false))
  }

  @Test(arguments: [
    ("PARTIALLY_BLOCK", LegalConsent.refused, Choice.Refusal.none, "off"), ("FULLY_BLOCK", .refused, .blocked, ""),
    ("FULLY_BLOCK", .unknown, .none, "on"), ("FULLY_BLOCK", .given, .none, "on"), ("WHATEVER", .refused, .none, "off"),
  ])
  func aRefusalBlocksExperimentsAsTheSiteSays(
    behaviour: String, consent: LegalConsent, refusal: Choice.Refusal, key: String
  ) throws {
    // (KAM-B16; no client)
    let general = #""configuration":{"consentType":"REQUIRED","consentOptOutBehavior":"\#(behaviour)"}"#
    var facts = VisitorFacts.Content(code: [0x76], visitStart: 0)
    facts.consent = consent
    let configuration = try Configuration(Self.configuration(exposition: 1, general: general))
    #expect(configuration.decide(facts).refusal == refusal)
    if refusal == .none { #expect(configuration.key(facts) == key) }
  }

  @Test func segmentsThatAskForEachOtherEnd() throws {
    let segment = #"{"id":5,"conditionsData":{"firstLevel":[{"conditions":[{"targetingType":"SEGMENT","segmentId":5}]}]}}"#
    let configuration = try Configuration(Self.configuration(exposition: 1, segment: "5", segments: "[\(segment)]"))
    #expect(configuration.key(VisitorFacts.Content(code: [0x76], visitStart: 0)) == "off")
  }

  @Test func segmentsThatAskForEachOtherManyTimesEndSoon() throws {
    // G2: each asks for the next one twice, so that the last would be asked two million times.
    let depth = 21
    let segments = (5..<5 + depth).map { id in
      let ask = #"{"targetingType":"SEGMENT","segmentId":\#(id + 1)}"#
      return #"{"id":\#(id),"conditionsData":{"firstLevel":[{"orOperators":[false],"conditions":[\#(ask),\#(ask)]}]}}"#
    }
    let last = #"{"id":\#(5 + depth),"conditionsData":{"firstLevel":[]}}"#
    let configuration = try Configuration(
      Self.configuration(segment: "5", segments: "[\((segments + [last]).joined(separator: ","))]"))
    var evaluator = KameleoonEvaluator(
      configuration.snapshot, VisitorFacts(VisitorFacts.Content(code: [0x76], visitStart: 0)), now: 0,
      recorder: CountingRecorder())
    let choice = evaluator.decide(configuration.flag)
    #expect(evaluator.recorder.steps < 400_000)
    // What cannot be found out does not hold.
    #expect(choice.reason == .default)
  }

  private struct CountingRecorder: StepRecorder {
    static var isWatching: Bool { true }
    var steps = 0
    mutating func note(_ step: (inout ExplanationRecorder) -> Void) { steps += 1 }
  }

  @Test(
    "The day's beginning is asked of the system so that a forked child can ask it too (G9)", .enabled(if: ForkedChild.isSupported)
  )
  func sameDayVisitsInAForkedChild() throws {
    let configuration = try Configuration(
      Self.targeted(#"{"targetingType":"SAME_DAY_VISITS","matchType":"EQUAL","visitCount":1}"#))
    let facts = VisitorFacts.Content(code: [0x76], visitStart: 1)
    let isOver = Locked(false)
    let threads = (0..<2).map { _ in HostThread { while !isOver.value { _ = configuration.isTargeted(facts) } } }
    for _ in 0..<60 where !isOver.value {
      let ending = ForkedChild.wait(ForkedChild.start { configuration.isTargeted(facts) ? 0 : 1 }, limitMilliseconds: 5_000)
      #expect(ending == .exited(0))
      if ending != .exited(0) { break }
    }
    isOver.value = true
    for thread in threads { thread.join() }
  }

  @Test func badElementsAreLeftOutAndSpoilNoOther() throws {
    let text = #"""
      {"featureFlags":[7,{"id":1},{"featureKey":"gone","environmentEnabled":true,"rules":[{"exposition":1}]},
       {"featureKey":"on","environmentEnabled":true,"defaultVariationKey":"x","variations":[null,{"key":"x"}],"rules":[{"id":1}]}],
       "segments":"none","customData":[{"id":1,"name":"no index"}]}
      """#
    let configuration = try Configuration(text)
    #expect(configuration.snapshot.flagCount == 1)
    #expect(configuration.key(VisitorFacts.Content(code: [0x76], visitStart: 0)) == "x")
    #expect(configuration.snapshot.customDataDefinitions.all.isEmpty)
  }

  // 2.2: the last good one stays.
  @Test(arguments: [
    #"{"featureFlags":{}}"#, #"{"featureFlags":"x"}"#, #"{"featureFlags":7}"#, #"{"error":"maintenance"}"#,
    #"{"featureflags":[]}"#,
  ])
  func anAnswerWithoutAConfigurationIsRefused(text: String) {
    #expect(throws: KameleoonConfigurationFailure.self) { _ = try Configuration(text) }
  }

  // 3.12: a page without a title is not one whose title is empty.
  @Test(arguments: [
    ("REGULAR_EXPRESSION", "[ab]{0}", true), ("REGULAR_EXPRESSION", "a+", false), ("EXACT", "", true), ("CONTAINS", "", true),
    ("EXACT", "a", false),
  ])
  func anEmptyTitleIsATitle(match: String, title: String, holds: Bool) throws {
    let condition = #"{"targetingType":"PAGE_TITLE","matchType":"\#(match)","title":"\#(title)"}"#
    let configuration = try Configuration(Self.targeted(condition))
    var facts = VisitorFacts.Content(code: [0x76], visitStart: 0)
    facts.pages = [PageVisit(url: [0x75], title: [], lastTime: 0, count: 1)]
    #expect(configuration.isTargeted(facts) == holds)
    facts.pages = [PageVisit(url: [0x75], title: nil, lastTime: 0, count: 1)]
    #expect(!configuration.isTargeted(facts))
  }

  // 2.2: the vendor's SDK takes it for one.
  @Test func anEmptyObjectIsNoConfiguration() throws {
    #expect(throws: KameleoonConfigurationFailure.self) { _ = try Configuration("{}") }
    #expect(try Configuration("{}") { $0.isStrict = true }.snapshot.flagCount == 0)
  }

  @Test(arguments: [#"{"featureFlags":[]}"#, #"{"featureFlags":null}"#, #"{"configuration":{}}"#, #"{"dateModified":1}"#])
  func anEmptyConfigurationIsOne(text: String) throws { #expect(try Configuration(text).snapshot.flagCount == 0) }

  // 2.3, 3.11: a fault never lets more visitors in.
  @Test(arguments: [
    (#""segmentId":"5""#, #"{"targetingType":"EXPLICIT_TRIGGER"}"#),
    (#""segmentId":5"#, #"{"targetingType":"CONVERSIONS","goalId":"12"}"#),
    (#""segmentId":5"#, #"{"targetingType":"TARGET_FEATURE_FLAG","featureFlagId":1,"ruleId":"10"}"#),
    (#""segmentId":5"#, #"{"targetingType":"TARGET_FEATURE_FLAG","featureFlagId":1,"variationKey":7}"#),
    (#""segmentId":null,"exposition":"1""#, "{}"),
  ])
  func aFieldOfAnotherTypeLetsNobodyInAndIsTold(rule: String, condition: String) throws {
    let log = RecordingLogSink()
    let text = #"""
      {"segments":[{"id":5,"conditionsData":{"firstLevel":[{"conditions":[\#(condition)]}]}}],
       "featureFlags":[{"id":1,"featureKey":"f","defaultVariationKey":"off","environmentEnabled":true,
        "variations":[{"key":"off"},{"key":"on"}],"rules":[{"id":10,"type":"TARGETED_DELIVERY","experimentId":100,\#(rule),
        \#(rule.contains("exposition") ? "" : #""exposition":1,"#)"variationByExposition":[{"variationKey":"on","variationId":1,"exposition":1}]}]}]}
      """#
    var facts = VisitorFacts.Content(code: [0x76], visitStart: 0)
    facts.conversions = [GoalReached(goalID: 12, time: 0)]
    facts.assignments.set(Assignment(experimentID: 100, variationID: 1, rule: .targetedDelivery, isUnsent: false, time: 0))
    let configuration = try Configuration(text) {
      $0.log = Log(threshold: .warning, clock: ManualScheduler()) { log.write($0, $1) }
    }
    #expect(configuration.key(facts) == "off")
    #expect(log.lines.contains { $0.level == .warning })
  }

  @Test func whatSwitchesAFlagOffOrNamesNoSegmentIsTold() throws {
    for flag in [#""environmentEnabled":"true""#, #""environmentEnabled":true,"rules":[{"id":1,"segmentId":99}]"#] {
      let log = RecordingLogSink()
      _ = try Configuration(#"{"featureFlags":[{"featureKey":"f",\#(flag)}]}"#) {
        $0.log = Log(threshold: .warning, clock: ManualScheduler()) { log.write($0, $1) }
      }
      #expect(log.lines.contains { $0.level == .warning })
    }
  }

  @Test(arguments: ["", "[]", "7", "{\"featureFlags\":", "nonsense"])
  func whatIsNoConfigurationIsRefused(text: String) {
    #expect(throws: KameleoonConfigurationFailure.self) { _ = try Configuration(text) }
  }

  @Test func onlyFlagsThatChangeAreTold() throws {
    let flags = #"{"featureKey":"a","rules":[]},{"featureKey":"b","rules":[{"id":1,"segmentId":5}]}"#
    func text(_ device: String, _ more: String = "") -> String {
      #"{"featureFlags":[\#(flags)\#(more)],"segments":[{"id":5,"conditionsData":{"firstLevel":[{"conditions":[{"targetingType":"DEVICE_TYPE","device":"\#(device)"}]}]}}]}"#
    }
    let first = try Configuration(text("PHONE"))
    #expect(try Configuration(text("PHONE")).snapshot.changedFeatures(since: first.snapshot) == [])
    #expect(try Configuration(text("TABLET")).snapshot.changedFeatures(since: first.snapshot) == ["b"])
    #expect(try Configuration(text("PHONE", #",{"featureKey":"c"}"#)).snapshot.changedFeatures(since: first.snapshot) == ["c"])
  }

  @Test func aFlagThatAsksForAnotherOnesVariationsChangesWithIt() throws {
    func text(_ experiment: Int) -> String {
      let asked = #"{"targetingType":"TARGET_FEATURE_FLAG","featureFlagId":1}"#
      func segment(_ id: Int, _ condition: String) -> String {
        #"{"id":\#(id),"conditionsData":{"firstLevel":[{"conditions":[\#(condition)]}]}}"#
      }
      let segments = [
        segment(5, asked), segment(6, #"{"targetingType":"SEGMENT","segmentId":5}"#),
        segment(7, #"{"targetingType":"SEGMENT","segmentId":8}"#),
        segment(8, #"{"targetingType":"DEVICE_TYPE","device":"PHONE"}"#),
      ]
      let askers = [5, 6, 8].map { #"{"featureKey":"\#($0)","rules":[{"id":2,"segmentId":\#($0)}]}"# }
      return
        #"{"featureFlags":[{"id":1,"featureKey":"asked","rules":[{"id":1,"experimentId":\#(experiment)}]},\#(askers.joined(separator: ","))],"segments":[\#(segments.joined(separator: ","))]}"#
    }
    let (first, second) = (try Configuration(text(100)), try Configuration(text(101)))
    #expect(Set(second.snapshot.changedFeatures(since: first.snapshot)) == ["asked", "5", "6"])
    #expect(try Configuration(text(101)).snapshot.changedFeatures(since: second.snapshot) == [])
  }

  @Test func theDataFileHasFlagsWithTheirVariationsAndRules() throws {
    // Integers stay integers (KAM-B13; no client).
    let text = #"""
      {"dateModified":1767225600000,"featureFlags":[{"featureKey":"f","environmentEnabled":true,"defaultVariationKey":"off",
        "variations":[{"key":"off","name":"Off","variables":[{"key":"n","type":"NUMBER","value":5},{"key":"d","type":"NUMBER","value":5.0}]}],
        "rules":[{"id":1,"experimentId":100,"variationByExposition":[{"variationKey":"off","variationId":7,"exposition":1}]}]}]}
      """#
    let variables = #""variables":{"n":{"type":"NUMBER","value":5},"d":{"type":"NUMBER","value":5.0}}"#
    let none = #"{"key":"off","name":"Off","id":-1,"experimentId":-1,\#(variables)}"#
    let expected =
      #"{"dateModified":1767225600000,"featureFlags":{"f":{"environmentEnabled":true,"defaultVariationKey":"off","defaultVariation":"#
      + none + #","variations":{"off":"# + none
      + #"},"rules":[{"variations":{"off":{"key":"off","name":"Off","id":7,"experimentId":100,"#
      + variables + "}}}]}}}"
    let configuration = try Configuration(text)
    #expect(String(decoding: DataFileText.json(configuration.snapshot), as: UTF8.self) == expected)
  }

  @Test func anExplanationTellsEachConditionsOutcome() throws {
    let configuration = try Configuration(Self.targeted(#"{"targetingType":"DEVICE_TYPE","isInclude":false,"device":"PHONE"}"#))
    var evaluator = KameleoonEvaluator(
      configuration.snapshot, VisitorFacts(VisitorFacts.Content(code: [0x76], visitStart: 0)), now: 0,
      recorder: ExplanationRecorder(configuration.snapshot.base))
    let choice = evaluator.decide(configuration.flag)
    #expect(!choice.row.isNone)
    let text = String(decoding: evaluator.recorder.finish(), as: UTF8.self)
    #expect(
      text.contains(
        #"{"condition":{"targetingType":"DEVICE_TYPE","isInclude":false,"device":"PHONE"},"actual":null,"holds":true}"#))
    #expect(text.contains(#""outcome":"delivered","variation":"on""#))
  }
}

extension EvaluatorTests {
  /// A compiled configuration, whose only flag that counts is `on`.
  final class Configuration: @unchecked Sendable {
    let snapshot: Snapshot

    init(_ text: String, _ change: (inout ConfigurationOptions) -> Void = { _ in }) throws {
      var options = ConfigurationOptions()
      options.regexEngine = PCRE2RegexEngine()
      change(&options)
      snapshot = try KameleoonConfiguration.compile(text, options).snapshot
    }

    deinit { snapshot.destroy() }

    var flag: UnsafePointer<KameleoonFlagRecord> {
      snapshot.record(at: snapshot.flagCount - 1).assumingMemoryBound(to: KameleoonFlagRecord.self)
    }

    func decide(_ facts: VisitorFacts.Content, saves: Bool = true) -> Choice {
      var evaluator = KameleoonEvaluator(snapshot, VisitorFacts(facts), now: 1, saves: saves, recorder: NoSteps())
      return evaluator.decide(flag)
    }

    func key(_ facts: VisitorFacts.Content, saves: Bool = true) -> String {
      let choice = decide(facts, saves: saves)
      return choice.row.isNone
        ? "" : String(decoding: choice.row(in: snapshot.base).pointee.key.bytes(snapshot.base), as: UTF8.self)
    }

    func isTargeted(_ facts: VisitorFacts.Content, saves: Bool = true) -> Bool { key(facts, saves: saves) == "on" }
  }

  /// One experiment of two halves.
  static func configuration(
    exposition: Double = 1, flag: String = #""id":1"#, segment: String = "null", segments: String = "[]",
    customData: String = "[]",
    type: String = "EXPERIMENTATION", general: String = #""configuration":{}"#
  ) -> String {
    let share = type == "EXPERIMENTATION" && general.contains("REQUIRED") ? 1.0 : 0.5
    return #"""
      {\#(general),"customData":\#(customData),"segments":\#(segments),"featureFlags":[{"featureKey":"on","defaultVariationKey":"off",
       "environmentEnabled":true,\#(flag),"variations":[{"key":"off"},{"key":"on"}],"rules":[{"id":10,"type":"\#(type)",
       "exposition":\#(exposition),"experimentId":100,"segmentId":\#(segment),"variationByExposition":[
        {"variationKey":"on","variationId":1,"exposition":\#(share)},{"variationKey":"off","variationId":2,"exposition":\#(1 - share)}]}]}]}
      """#
  }

  /// A delivery to those whom a condition means.
  static func targeted(_ condition: String, more: String = #""more":null"#) -> String {
    let segment = #"{"id":5,"conditionsData":{"firstLevel":[{"conditions":[\#(condition)]}]}}"#
    return configuration(segment: "5", segments: "[\(segment)]", type: "TARGETED_DELIVERY", general: more)
  }

  static func quoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }
}
