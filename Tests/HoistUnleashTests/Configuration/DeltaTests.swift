import HoistUnleash
import Testing

@Suite("Deltas (UNL-92, protocols/unleash.md B.8; no client)") struct DeltaTests {
  private func state(_ documents: String...) throws -> UnleashFeatureState {
    var state = UnleashFeatureState()
    for document in documents { try state.take(document) }
    return state
  }

  private func names(_ state: UnleashFeatureState) -> [String] {
    state.featureNames.map { String(decoding: $0, as: UTF8.self) }
  }

  private func events(_ events: String...) -> String { #"{"events":[\#(events.joined(separator: ","))]}"# }

  private let hydration =
    #"{"type":"hydration","eventId":7,"features":[{"name":"b","enabled":true},{"name":"a","enabled":true,"strategies":[{"name":"default","segments":[2]}]}],"#
    + #""segments":[{"id":2,"constraints":[]},{"id":1,"constraints":[]}]}"#

  @Test func aHydrationReplacesEverything() throws {
    let state = try state(#"{"version":2,"features":[{"name":"old","enabled":true}]}"#, events(hydration))
    #expect(names(state) == ["a", "b"] && state.segmentIDs == [1, 2] && state.lastEventID == 7)
    #expect(
      String(decoding: state.document, as: UTF8.self)
        == #"{"version":2,"features":[{"name":"a","enabled":true,"strategies":[{"name":"default","segments":[2]}]},{"name":"b","enabled":true}],"#
        + #""segments":[{"id":1,"constraints":[]},{"id":2,"constraints":[]}]}"#)
    #expect(try Rules(state.compile(Rules.options())).isOn("a"))
  }

  @Test func updatesAndRemovalsApplyInTheirOrder() throws {
    let state = try state(
      events(
        hydration, #"{"type":"feature-updated","eventId":3,"feature":{"name":"c","enabled":true}}"#,
        #"{"type":"feature-updated","eventId":4,"feature":{"name":"b","enabled":false}}"#,
        #"{"type":"feature-removed","eventId":5,"featureName":"a","project":"p"}"#,
        #"{"type":"feature-removed","eventId":5,"featureName":"never","project":"p"}"#,
        #"{"type":"segment-updated","eventId":1,"segment":{"id":9,"constraints":[]}}"#,
        #"{"type":"segment-removed","eventId":6,"segmentId":1}"#))
    #expect(names(state) == ["b", "c"] && state.segmentIDs == [2, 9])
    #expect(state.lastEventID == 6)  // event ids are not compared
    let rules = try Rules(state.compile(Rules.options()))
    #expect(!rules.isOn("b") && rules.isOn("c"))
  }

  @Test func removingASegmentBreaksTheFlagsThatUseIt() throws {
    let state = try state(events(hydration, #"{"type":"segment-removed","eventId":8,"segmentId":2}"#))
    let rules = try Rules(state.compile(Rules.options()))
    #expect(rules.warnings.map(\.flag) == ["a"] && !rules.isOn("a") && rules.isOn("b"))
  }

  @Test(arguments: [
    (#"{"type":"weird","eventId":8}"#, "event 2: type must be one that is known"),
    (#"{"eventId":8}"#, "event 2: type must be there"),
    (#"{"type":"feature-removed","featureName":"b","project":"p"}"#, "event 2: eventId must be there"),
    (#"{"type":"feature-removed","eventId":8,"featureName":"b"}"#, "event 2: project must be there"),
    (#"{"type":"feature-updated","eventId":8}"#, "event 2: feature must be there"),
    (#"{"type":"feature-updated","eventId":8,"feature":{"name":"b"}}"#, "event 2: feature.enabled must be there"),
    (
      #"{"type":"feature-updated","eventId":-8,"feature":{"name":"b","enabled":true}}"#,
      "event 2: eventId must be an unsigned integer of 32 bits"
    ),
    (#"{"type":"segment-updated","eventId":8,"segment":{"id":1}}"#, "event 2: segment.constraints must be there"),
    (#"{"type":"segment-removed","eventId":8,"segmentId":"1"}"#, "event 2: segmentId must be an integer of 32 bits"),
    (#"{"type":"hydration","eventId":8,"features":[]}"#, "event 2: segments must be there"),
    (#"{"type":"hydration","eventId":8,"features":[{"name":"x"}],"segments":[]}"#, #"flag "x": enabled must be there"#),
    ("7", "event 2 must be an object"),
  ])
  func oneBadEventRefusesTheWholeBatch(_ event: String, _ message: String) throws {
    var state = try state(events(hydration))
    let before = state.document
    #expect(throws: UnleashDocumentFailure(message)) {
      try state.take(events(#"{"type":"feature-updated","eventId":8,"feature":{"name":"new","enabled":true}}"#, event))
    }
    #expect(state.document == before && state.lastEventID == 7)
  }

  @Test func aWholeDocumentReplacesEverythingToo() throws {
    let state = try state(
      events(hydration), #"{"version":2,"features":[{"name":"x","enabled":true},{"name":"x","enabled":false}]}"#)
    #expect(names(state) == ["x"] && state.segmentIDs == [] && state.lastEventID == nil)
    #expect(try !Rules(state.compile(Rules.options())).isOn("x"))
  }

  @Test func aWholeDocumentMayHaveAMemberOfThatName() throws {
    let state = try state(#"{"version":2,"features":[{"name":"x","enabled":true}],"events":7}"#)
    #expect(names(state) == ["x"] && state.lastEventID == nil)
  }

  @Test func anEmptyBatchChangesNothing() throws {
    var state = try state(events(hydration))
    let before = state.document
    try state.take(#"{"events":[],"extra":true}"#)
    #expect(state.document == before)
    for json in [#"{"events":null}"#, #"{"events":{}}"#, "{}", "[]", ""] {
      #expect(throws: UnleashDocumentFailure.self) { try state.take(json) }
    }
    #expect(state.document == before)
  }
}

@Suite("Which flags a new configuration changes") struct ChangedKeysTests {
  private func changed(_ old: Rules?, _ new: Rules) -> [String] {
    UnleashFlags.changedKeys(old: old?.snapshot, new: new.snapshot)
  }

  @Test func newGoneAndDifferentFlagsAreNamed() throws {
    let old = try Rules([flag("a"), flag("b"), flag("c"), flag("gone")].joined(separator: ","))
    let new = try Rules(
      [
        flag("new"), flag("b", #""variants":[{"name":"v","weight":1}]"#), flag("c"),
        flag("a", #""description":"only words""#),
      ].joined(separator: ","))
    #expect(changed(old, new) == ["b", "gone", "new"])
    #expect(changed(nil, old) == ["a", "b", "c", "gone"] && changed(old, old) == [])
  }

  @Test(arguments: [
    #""strategies":[{"name":"other","parameters":{"a":"b"},"constraints":[{"contextName":"x","operator":"IN","values":["1"]}]}]"#,
    #""strategies":[{"name":"s","parameters":{"a":"c"},"constraints":[{"contextName":"x","operator":"IN","values":["1"]}]}]"#,
    #""strategies":[{"name":"s","parameters":{"a":"b"},"constraints":[{"contextName":"x","operator":"IN","values":["2"]}]}]"#,
    #""strategies":[{"name":"s","parameters":{"a":"b"},"constraints":[{"contextName":"x","operator":"IN","values":["1"],"inverted":true}]}]"#,
    #""strategies":[{"name":"s","parameters":{"a":"b"},"constraints":[]}]"#, #""strategies":[]"#,
    #""impressionData":true,"strategies":[{"name":"s","parameters":{"a":"b"},"constraints":[{"contextName":"x","operator":"IN","values":["1"]}]}]"#,
  ])
  func everythingThatDecidesCounts(_ members: String) throws {
    let old = try Rules(
      flag(
        "f",
        #""strategies":[{"name":"s","parameters":{"a":"b"},"constraints":[{"contextName":"x","operator":"IN","values":["1"]}]}]"#
      ))
    #expect(changed(old, try Rules(flag("f", members))) == ["f"])
  }

  @Test func segmentsAndParentsCountForTheFlagsThatUseThem() throws {
    func rules(_ value: String, _ parent: String) throws -> Rules {
      try Rules(
        [
          flag("segmented", #""strategies":[{"name":"default","segments":[1]}]"#),
          flag("child", #""dependencies":[{"feature":"parent"}]"#),
          flag("parent", strategy: "flexibleRollout", #"{"rollout":"\#(parent)"}"#), flag("other"),
        ].joined(separator: ","),
        segments: #"{"id":1,"constraints":[{"contextName":"x","operator":"IN","values":["\#(value)"]}]}"#)
    }
    let old = try rules("1", "50")
    #expect(changed(old, try rules("1", "50")) == [])
    #expect(changed(old, try rules("2", "50")) == ["segmented"])
    #expect(changed(old, try rules("1", "51")) == ["child", "parent"])
  }

  @Test func togglesAreComparedByValue() throws {
    func rules(_ name: String, _ payload: String) throws -> Rules {
      try Rules(
        toggles:
          #"{"toggles":[{"name":"a","enabled":true},{"name":"b","enabled":true,"variant":{"name":"\#(name)","enabled":true,"payload":{"type":"string","value":"\#(payload)"}}}]}"#
      )
    }
    let old = try rules("v", "x")
    #expect(changed(old, try rules("v", "x")) == [])
    #expect(changed(old, try rules("w", "x")) == ["b"])
    #expect(changed(old, try rules("v", "y")) == ["b"])
    #expect(changed(old, try Rules(toggles: #"{"toggles":[]}"#)) == ["a", "b"])
  }
}
