import HoistBase
import HoistCore
import HoistJSON
import Testing

@testable import HoistOptimizely

@Suite("What a user is, and what is decided for it") struct UserTests {
  let german: KeyValuePairs<String, AttributeValue> = ["country": .string(bytes("de"))]

  @Test("An experiment and a delivery rule answer the same call (OPT-47, OPT-56, OPT-61; ready)")
  func bothKindsOfRules() throws {
    let rig = try UserRig()
    let inExperiment = try rig.user("u1", german).decide("shop")
    #expect(inExperiment.variation == "on-e" && inExperiment.rule == "key-e" && inExperiment.enabled)
    #expect(text(inExperiment.variables) == #"{"color":"blue","size":3,"more":{"a":{"b":2.0}},"rate":1.0}"#)
    let delivered = try rig.user().decide("shop")
    #expect(delivered.variation == "on-d" && delivered.rule == "key-d" && delivered.key == "shop")
    #expect(delivered.reasonTexts.isEmpty)
  }

  @Test(
    "Users are made before there is a datafile and outlive their client (OPT-02, OPT-21; before start, handle outlives client)")
  func usersLiveOnTheirOwn() throws {
    let early = try UserRig(nil)
    let waiting = try early.user("u1", german)
    let answer = waiting.decide("shop")
    #expect(!answer.enabled && answer.variation == nil && text(answer.variables) == "{}")
    #expect(answer.reasonTexts == ["Optimizely SDK not configured properly yet."] && answer.user == nil)
    #expect(waiting.decideAll([]).decisions.isEmpty && waiting.decide(keys: [bytes("shop")], []).decisions.isEmpty)
    #expect(bytes("buy").withBytes { waiting.track($0, tags: nil) } == .optimizelySDKNotReady)

    let rig = try UserRig()
    let user = try rig.user("u1", german)
    let kept = user.decide("shop")
    rig.free()
    #expect(user.decide("shop").reasonTexts == ["Optimizely SDK not configured properly yet."])
    #expect(user.copy().idText.string == "u1")
    #expect(kept.variation == "on-e" && String(decoding: kept.text(), as: UTF8.self).contains(#""country":"de""#))
    #expect(kept.user?.decide("shop").enabled == false)
    #expect(user.decideAsync(keys: nil, []) { _, _ in } == .optimizelySDKNotReady)
  }

  @Test("A closed client is not ready (OPT-45; closed)") func closedClients() throws {
    let rig = try UserRig()
    let user = try rig.user()
    _ = rig.client.close(timeoutMilliseconds: 0)
    #expect(user.decide("shop").reasonTexts == ["Optimizely SDK not configured properly yet."])
    #expect(user.decideAsync(keys: nil, []) { _, _ in } == .state)
  }

  @Test("A decision is of what the user was; attributes may be null (OPT-64; ready)") func decisionsAreOfTheirMoment() throws {
    let rig = try UserRig()
    let user = try rig.user("", german)
    let before = user.decide("shop")
    try user.set(bytes("country"), .null)
    #expect(before.rule == "key-e" && user.decide("shop").rule == "key-d")
    #expect(String(decoding: user.attributesText(), as: UTF8.self) == #"{"country":null}"#)
    #expect(before.user.map { String(decoding: $0.attributesText(), as: UTF8.self) } == #"{"country":"de"}"#)
    let twin = user.copy()
    try twin.set(bytes("country"), .string(bytes("de")))
    #expect(twin.decide("shop").rule == "key-e" && user.decide("shop").rule == "key-d")
    #expect(throws: EvaluationContext.Refusal.notFinite) { try user.set(bytes("x"), .double(.nan)) }
  }

  @Test(
    "Attributes of a wrong type decide nothing and break nothing (4.13)",
    arguments: [
      AttributeValue.null, .bool(true), .int(.max), .double(1e300), .strings([bytes("de")]), .json(bytes(#"{"de":["de"]}"#)),
      .date(0),
    ]) func oddAttributes(_ value: AttributeValue) throws
  {
    let rig = try UserRig()
    let user = try rig.user("u1", ["country": value])
    #expect(user.decide("shop", .includeReasons).rule == "key-d")
    #expect(rig.recorded == 0)
  }

  @Test("Options of the client are added to those of a call (OPT-09, OPT-62; ready)") func defaultOptions() throws {
    let rig = try UserRig(TwoRules.datafile, ["decide_options": #"["INCLUDE_REASONS","EXCLUDE_VARIABLES"]"#])
    let decision = try rig.user().decide("shop", .disableDecisionEvent)
    #expect(!decision.reasonTexts.isEmpty && text(decision.variables) == "{}")
  }

  @Test("Several flags: unknown ones keep their error, twins are answered once (OPT-60; ready)") func severalFlags() throws {
    let rig = try UserRig()
    let user = try rig.user("u1", german)
    let some = user.decide(keys: ["shop", "nobody", "shop", "other"].map { bytes($0) }, .enabledFlagsOnly)
    #expect(some.decisions.map(\.key) == ["shop", "nobody", "other"])
    #expect(some.decisions[1].reasonTexts == [#"No flag was found for key "nobody"."#])
    // The experiment's impression went out twice, deliveries send none.
    #expect(rig.recorded == 2)
    #expect(user.decideAll([]).decisions.map(\.key) == ["shop", "other"])
    #expect("other".withBytes { some.find($0) }?.rule == "key-d" && "x".withBytes { some.find($0) } == nil)
    #expect(user.decide(keys: [], []).decisions.isEmpty)
  }

  @Test("Flags that are off are left out of the answer, not of events and profiles (4.11)") func offFlagsOnlyLeaveTheAnswer()
    throws
  {
    let off = Project.datafile(
      flags: flag("a", ["1"]) + "," + flag("b", ["2"]), experiments: rule("1", enabled: false) + "," + rule("2"))
    let rig = try UserRig(off, ProfileTests.kept)
    let heard = rig.listen(.decision)
    let user = try rig.user()
    #expect(user.decideAll(.enabledFlagsOnly).decisions.map(\.key) == ["b"])
    #expect(user.decide("a", .enabledFlagsOnly).key == "a")
    rig.hear()
    #expect(rig.recorded == 3 && heard.all.count == 3)
    #expect("u1".withBytes { rig.provider.profiles.lookUp($0, hash: Hash64.hash($0)) }?.assignments.count == 2)
  }

  @Test("Forced decisions of flags and rules, set, read, removed (OPT-65; ready)") func forcedDecisions() throws {
    let rig = try UserRig()
    let user = try rig.user("u1", german)
    #expect(user.setForcedDecision(bytes("shop"), nil, bytes("on-d")))
    let forced = user.decide("shop")
    #expect(forced.variation == "on-d" && forced.rule == nil)
    #expect(user.forcedDecision(bytes("shop"), nil).map { String(decoding: $0, as: UTF8.self) } == "on-d")
    #expect(user.forcedDecision(bytes("shop"), bytes("key-e")) == nil)
    #expect(user.removeForcedDecision(bytes("shop"), nil) && !user.removeForcedDecision(bytes("shop"), nil))
    #expect(user.setForcedDecision(bytes("shop"), bytes("key-e"), bytes("on-d")))
    #expect(user.decide("shop").rule == "key-e" && user.decide("shop").variation == "on-d")
    #expect(user.copy().decide("shop").variation == "on-d")
    user.removeAllForcedDecisions()
    #expect(user.decide("shop").variation == "on-e")
    #expect(user.setForcedDecision(bytes("shop"), nil, bytes("nobody")) && user.decide("shop").variation == "on-e")
  }

  @Test("Conversions: tags count, unknown events are refused (OPT-63; ready)") func conversions() throws {
    let rig = try UserRig()
    let user = try rig.user()
    let tags = try JSONDocument(parsing: #"{"revenue":7,"value":1.5}"#)
    let heard = rig.listen(.track)
    #expect(tags.withRoot { tags in "buy".withBytes { user.track($0, tags: tags) } } == .ok)
    #expect("sell".withBytes { user.track($0, tags: nil) } == .optimizelyEventKeyInvalid)
    rig.hear()
    #expect(rig.recorded == 1 && heard.all.count == 1)
    #expect(
      heard.all.first?.hasPrefix(
        #"{"eventKey":"buy","userId":"u1","attributes":{},"eventTags":{"revenue":7,"value":1.5},"event":{"url":"https://logx.optimizely.com/v1/events","body":{"#
      ) == true)
  }

  @Test("Many threads decide for one user while it changes (5.10)") func threads() async throws {
    let rig = try UserRig()
    let user = try rig.user("u1", german)
    await withTaskGroup(of: Bool.self) { group in
      for worker in 0..<8 {
        group.addTask {
          var isFine = true
          for round in 0..<300 {
            switch worker {
            case 0: _ = try? user.set(bytes("country"), .string(bytes(round % 2 == 0 ? "de" : "fr")))
            case 1: _ = user.setForcedDecision(bytes("other"), nil, bytes("on-d"))
            case 2: user.removeAllForcedDecisions()
            case 3: user.setSegments(round % 2 == 0 ? [bytes("s")] : nil)
            default:
              let decision = user.decide("shop", round % 3 == 0 ? .includeReasons : [])
              isFine = isFine && ["key-e", "key-d"].contains(decision.rule)
            }
          }
          return isFine
        }
      }
      for await isFine in group { #expect(isFine) }
    }
  }

  @Test("A bucketing id that is no text is told of (4.1)") func bucketingIDs() throws {
    let rig = try UserRig()
    func warnings() -> Int {
      rig.hear()
      return rig.log.messages(.warning).filter { $0.contains("$opt_bucketing_id") }.count
    }
    let user = try rig.user("u1", ["$opt_bucketing_id": .string(bytes("b"))])
    #expect(warnings() == 0)
    try user.set(bytes("$opt_bucketing_id"), .int(5))
    #expect(rig.settle { warnings() == 1 })
    _ = try rig.user("u2", ["$opt_bucketing_id": .bool(true)])
    #expect(rig.settle { warnings() == 2 })
  }

}
