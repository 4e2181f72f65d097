import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Only flags whose decisions may change are named for a new datafile") struct ChangedFlagsTests {
  /// `lone` has a rule of its own, `other` another, `shared` both and a rollout.
  private func project(
    lone: String = rule("1"), other: String = rule("2"), rollouts: String = rollout("r", rule("3")),
    variables: String = "", audience: String = "se", more: String = "", groups: String = "", flags: String? = nil
  ) throws -> Project {
    let all = [
      flag("lone", ["1"], variables: variables), flag("other", ["2"]), flag("shared", ["1", "2"], rollout: "r"), flag("bare"),
    ]
    return try Project(
      flags: flags ?? all.joined(separator: ","), experiments: lone + "," + other, rollouts: rollouts,
      audiences: Self.audience("a", country: audience), groups: groups, more: more)
  }

  private static func audience(_ id: String, country: String) -> String {
    #"{"id":"\#(id)","name":"\#(country)","conditions":"[\"or\",{\"type\":\"custom_attribute\",\"name\":\"country\",\"value\":\"\#(country)\"}]"}"#
  }

  private func changed(_ old: Project?, _ new: Project) -> [String] {
    OptimizelyFlags.changedFlags(from: old?.snapshot, to: new.snapshot)
  }

  @Test func theSameDatafileChangesNothing() throws {
    #expect(try changed(project(), project()) == [])
    #expect(try changed(nil, project()) == ["bare", "lone", "other", "shared"])
  }

  @Test func newAndGoneFlagsAreNamed() throws {
    let less = try project(flags: flag("lone", ["1"]))
    #expect(try changed(less, project()) == ["bare", "other", "shared"])
    #expect(try changed(project(), less) == ["bare", "other", "shared"])
  }

  @Test(arguments: [
    rule("1", end: 9_999), rule("1", enabled: false), rule("1", values: #"{"id":"v","value":"x"}"#),
    rule("1", #""status":"Paused""#), rule("1", #""key":"renamed""#), rule("1", #""type":"td""#),
    rule("1", #""audienceIds":["a"]"#), rule("1", #""audienceConditions":["not","a"]"#),
    rule("1", #""forcedVariations":{"u":"on-1"}"#), rule("1", #""forcedVariations":{"u":"on-9"}"#),
    rule("1", #""cmab":{"trafficAllocation":5000,"attributeIds":[]}"#),
    rule("1", #""variations":[]"#), rule("1", #""trafficAllocation":[]"#),
  ])
  func aRuleCountsForTheFlagsThatHaveIt(_ lone: String) throws {
    #expect(try changed(project(), project(lone: lone)) == ["lone", "shared"])
  }

  @Test func deliveryRulesAndVariablesCount() throws {
    for rules in [rollout("r", rule("3", end: 5)), rollout("r", rule("3"), rule("4")), rollout("r"), rollout("x", rule("3"))] {
      #expect(try changed(project(), project(rollouts: rules)) == ["shared"])
    }
    let color = #"{"id":"v","key":"color","type":"string","defaultValue":"red"}"#
    let blue = #"{"id":"v","key":"color","type":"string","defaultValue":"blue"}"#
    #expect(try changed(project(), project(variables: color)) == ["lone"])
    #expect(try changed(project(variables: color), project(variables: blue)) == ["lone"])
  }

  @Test(arguments: [#""audienceIds":["a"]"#, #""audienceConditions":"a""#, #""audienceConditions":["and",["not","a"]]"#])
  func anAudienceCountsForTheFlagsThatUseIt(_ use: String) throws {
    let user = rule("2", use)
    #expect(try changed(project(other: user), project(other: user, audience: "no")) == ["other", "shared"])
    #expect(try changed(project(), project(audience: "no")) == [])
  }

  @Test func whatSaysTheSameInOtherWordsChangesNothing() throws {
    let (tight, loose) = (rule("1", #""audienceConditions":["or","a"]"#), rule("1", #""audienceConditions": [ "or" , "a" ]"#))
    #expect(try changed(project(lone: tight), project(lone: loose)) == [])
    #expect(try changed(project(), project(lone: rule("1", #""layerId":"another","description":"words""#))) == [])
    #expect(try changed(project(), project(more: #""botFiltering":true"#)) == [])
  }

  @Test func holdoutsCount() throws {
    let holdout = rule("h", #""includedRules":["2"]"#)
    #expect(try changed(project(), project(more: #""localHoldouts":[\#(holdout)]"#)) == ["other", "shared"])
    // A global one stands before every flag (OPT-92; no client).
    #expect(try changed(project(), project(more: #""holdouts":[\#(rule("h"))]"#)) == ["bare", "lone", "other", "shared"])
  }

  @Test func theGroupOfAnExperimentCounts() throws {
    func group(_ policy: String, end: Int) -> String {
      #"{"id":"g","policy":"\#(policy)","trafficAllocation":[{"entityId":"5","endOfRange":\#(end)}],"experiments":[\#(rule("5"))]}"#
    }
    let flags = flag("grouped", ["5"]) + "," + flag("lone", ["1"])
    let old = try project(groups: group("random", end: 10), flags: flags)
    #expect(try changed(old, project(groups: group("random", end: 20), flags: flags)) == ["grouped"])
    #expect(try changed(old, project(groups: group("overlapping", end: 10), flags: flags)) == ["grouped"])
  }

  @Test func attributesCountWhereAPredictionAsksForThem() throws {
    let predicted = rule("1", #""cmab":{"trafficAllocation":5000,"attributeIds":["501"]}"#)
    let unasked = rule("1", #""cmab":{"trafficAllocation":5000,"attributeIds":[]}"#)
    #expect(try changed(project(lone: predicted), project(lone: unasked)) == ["lone", "shared"])
  }

  @Test func observersHearOfTheChangedFlagsAlone() throws {
    let rig = try OptimizelyRig()
    #expect(rig.start(SmallProject.datafile()).hasSucceeded)
    let heard = HeardKeys()
    _ = rig.client.observe(.configurationChanged, key: nil, heard)
    _ = rig.client.observe(.flagChanged, key: nil, heard)
    #expect(rig.start(SmallProject.datafile(revision: "2", more: #""botFiltering":true"#), .noBackgroundFetch).hasEnded)
    _ = rig.client.dispatch(limit: 0)
    #expect(heard.all == [])
    let more = #""holdouts":[\#(rule("h"))]"#
    #expect(rig.start(SmallProject.datafile(revision: "3", more: more), .noBackgroundFetch).hasEnded)
    _ = rig.client.dispatch(limit: 0)
    #expect(rig.revision == "3" && heard.all == [["on"], ["on"]])
  }
}

private final class HeardKeys: Observer, @unchecked Sendable {
  private let lock = Lock()
  private var kept: [[String]] = []
  func notify(_ notification: Notification) { lock.withLock { kept.append(notification.keys) } }
  var all: [[String]] { lock.withLock { kept } }
}
