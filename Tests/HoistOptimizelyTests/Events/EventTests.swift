import HoistBase
import HoistCore
import HoistJSON
import HoistOptimizely
import Testing

@Suite("Events are what the service expects") struct EventTests {
  private let stamp = EventStamp(unixMilliseconds: 5, uuid: "U")

  private func conversion(_ tags: String?, key: String = "buy") throws -> String? {
    let project = try Project()
    let document = try tags.map { try JSONDocument(parsing: $0) }
    let hold = visitor("u1", ["country": .string(Array("de".utf8)), "other": .int(1), "$opt_x": .bool(true)]).reference()
    func event(_ tags: JSONValue?) -> UserEvent? {
      OptimizelyConversions.event(key, tags: tags, in: project.snapshot, context: hold?.frozen, client: testClient, stamp: stamp)
    }
    let made = document.map { $0.withRoot { event($0) } } ?? event(nil)
    return made.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func aConversionIsWhole() throws {
    // (OPT-63, OPT-52, OPT-91; no client)
    #expect(
      try conversion(nil)
        == #"{"account_id":"a","project_id":"p","revision":"7","client_name":"hoist","client_version":"1","anonymize_ip":true,"#
        + #""enrich_decisions":true,"region":"US","visitors":[{"visitor_id":"u1","attributes":[{"entity_id":"501","key":"country","#
        + #""type":"custom","value":"de"},{"entity_id":"$opt_x","key":"$opt_x","type":"custom","value":true}],"#
        + #""snapshots":[{"events":[{"entity_id":"601","key":"buy","timestamp":5,"uuid":"U","tags":{}}]}]}]}"#)
    #expect(try conversion(nil, key: "gone") == nil)
  }

  @Test(arguments: [
    (#"{"revenue":42}"#, #""revenue":42,"tags":{"revenue":42}"#),
    (#"{"revenue":4.9}"#, #""revenue":4,"tags":{"revenue":4.9}"#),
    (#"{"revenue":"42"}"#, #""uuid":"U","tags":{"revenue":"42"}"#),
    (#"{"value":true}"#, #""uuid":"U","tags":{"value":true}"#),
    (#"{"value":1.5,"none":null}"#, #""value":1.5,"tags":{"value":1.5}"#),
    (#"{"list":[1,{"a":"b"}]}"#, #""tags":{"list":[1,{"a":"b"}]}"#),
  ])
  func tagsFollowTheirRules(_ tags: String, _ expected: String) throws {
    #expect(try conversion(tags)?.contains(expected) ?? false)
  }

  @Test func idsThatAreNoNumbersGoOutAsNull() throws {
    // (OPT-96; no client)
    let odd =
      #"{"id":"1","key":"e","status":"Running","layerId":" ","audienceIds":[],"forcedVariations":{},"#
      + #""variations":[{"id":"$odd","key":"v"}],"trafficAllocation":[{"entityId":"$odd","endOfRange":10000}]}"#
    let impression = try Project(flags: flag("f", ["1"]), experiments: odd).decide("f").impressions.first ?? ""
    #expect(impression.contains(#""campaign_id":"1","experiment_id":"1","variation_id":null"#))
  }

  @Test func deliveriesAreReportedWhereTheProjectWantsAll() throws {
    let project = try Project(flags: flag("f"), more: #""sendFlagDecisions":true,"botFiltering":false"#)
    let impression = try project.decide("f").impressions.first ?? ""
    #expect(impression.contains(#""rule_type":"rollout","variation_key":"","enabled":false"#))
    #expect(impression.contains(#""key":"$opt_bot_filtering","type":"custom","value":false"#))
  }

  @Test func observersAreToldOfRuleAndVariation() throws {
    // (OPT-69, OPT-101; no client)
    let answer = try Project(flags: flag("f", ["1"]), experiments: rule("1")).decide("f")
    let notice = try #require(DecisionNotice.flag(answer.decision, reasons: []))
    #expect(
      String(decoding: notice, as: UTF8.self)
        == #"{"flagKey":"f","enabled":true,"variables":{},"variationKey":"on-1","ruleKey":"key-1","reasons":[],"#
        + #""decisionEventDispatched":true,"experimentId":"1","variationId":"11"}"#)
    #expect(
      String(decoding: DecisionNotice.feature(answer.decision), as: UTF8.self)
        == #"{"featureKey":"f","featureEnabled":true,"source":"feature-test","sourceInfo":{"experimentKey":"key-1","variationKey":"on-1"}}"#
    )
  }

  @Test func eventsTellTheRevisionOfTheirOwnDatafile() throws {
    let origin = EventOrigin(client: testClient, stamp: { EventStamp(unixMilliseconds: 1, uuid: "U") })
    let projects = try ["8", "9", "8"].map {
      try Project(flags: flag("f", ["1"]), experiments: rule("1"), more: "\"revision\":\"\($0)\"")
    }
    let bodies = projects.flatMap { project -> [String] in
      guard let hold = visitor().reference() else { return [] }
      var call = DecideCall(
        snapshot: project.snapshot, context: hold.frozen, subject: nil, options: [], origin: origin, wanted: [])
      _ = "f".withBytes { call.decide($0) }
      _ = "f".withBytes { call.decide($0) }
      return call.effects.events.map { String(decoding: $0.body, as: UTF8.self) }
    }
    #expect(bodies.map { $0.contains(#""revision":"8""#) } == [true, true, false, false, true, true])
    #expect(bodies.map { $0.contains(#""revision":"9""#) } == [false, false, true, true, false, false])
  }
}
