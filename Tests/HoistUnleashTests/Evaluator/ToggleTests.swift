import HoistBase
import HoistCore
import HoistUnleash
import Testing

@Suite("Values of the frontend endpoint (UNL-27 to UNL-36, protocols/unleash.md B.4, D.6; no client)") struct ToggleTests {
  private static let document =
    #"{"toggles":[{"name":"on","enabled":true,"impressionData":true,"variant":{"name":"red","enabled":true,"feature_enabled":true,"#
    + #""payload":{"type":"number","value":"7"}}},"#
    + #"{"name":"bare","enabled":true},"#
    + #"{"name":"off","enabled":false,"variant":{"name":"disabled","enabled":false,"feature_enabled":false}},"#
    + #"{"name":"edge","enabled":true,"variant":{"name":"blue","enabled":true,"payload":null}},"#
    + #"{"name":"on","enabled":false}]}"#

  @Test func flagsReadAsTheServiceEvaluatedThem() throws {
    let rules = try Rules(toggles: Self.document)
    #expect(rules.isOn("on") && rules.isOn("bare") && rules.isOn("edge") && !rules.isOn("off"))
    #expect(rules.evaluate("unknown") == nil)
    #expect(rules.snapshot.flagCount == 4)  // of toggles of one name the first counts
    #expect(rules.evaluate("on", want: .int)?.integer == 7)
    #expect(rules.evaluate("on", want: .string)?.errorCode == .typeMismatch)
    #expect(rules.evaluate("on")?.impression == true && rules.evaluate("bare")?.impression == false)
    #expect(rules.evaluate("on")?.variation == "red" && rules.evaluate("on")?.variationIndex == 0)
    #expect(rules.evaluate("bare")?.variation == "disabled" && rules.evaluate("bare")?.variationIndex == -1)
  }

  @Test func featureEnabledHasThreeStates() throws {
    let rules = try Rules(toggles: Self.document)
    func read(_ name: String) -> [Bool?] {
      rules.withEvaluation(name, nil) { evaluation, record in
        let variant = UnleashVariant(evaluation, snapshot: rules.snapshot, record: record)
        return [variant.enabled, variant.sentFeatureEnabled, variant.featureEnabled]
      } ?? []
    }
    #expect(read("on") == [true, true, true])
    #expect(read("edge") == [true, nil, true])
    #expect(read("off") == [false, false, false])
    // A flag that is on without a variant: false as it is, true in effect (G-11).
    #expect(read("bare") == [false, false, true])
  }

  @Test func aVariantThatIsOffHasNoValue() throws {
    let rules = try Rules(
      toggles:
        #"{"toggles":[{"name":"t","enabled":true,"variant":{"name":"v","enabled":false,"payload":{"type":"string","value":"x"}}}]}"#
    )
    let answer = rules.evaluate("t", want: .string)
    #expect(answer?.kind == ValueKind.none && answer?.errorCode == ErrorCode.none && answer?.variation == "v")
    // Unleash's own words still tell what was sent.
    let payload = rules.withEvaluation("t", nil) { evaluation, record in
      UnleashVariant(evaluation, snapshot: rules.snapshot, record: record).payloadValue.map { text($0) }
    }
    #expect(payload == "x")
  }

  @Test func readsAreCountedByVariant() throws {
    let rules = try Rules(toggles: Self.document)
    func counted(_ name: String, _ want: WantedType) -> [String] {
      guard let record = rules.record(name) else { return [] }
      return (rules.evaluate(name, want: want)?.cells ?? []).map {
        switch UnleashFlags.counter($0, of: record, in: rules.snapshot) {
        case .yes: "yes"
        case .no: "no"
        case .variant(let name): text(name)
        }
      }
    }
    #expect(counted("on", .bool) == ["yes"] && counted("on", .any) == ["yes", "red"])
    #expect(counted("off", .any) == ["no", "disabled"] && counted("bare", .any) == ["yes", "disabled"])
  }

  @Test func onlyTheContextTheyWereFetchedForGetsThem() throws {
    let current = user("1")
    let reference = try #require(current.reference())
    let rules = try Rules(toggles: Self.document, context: ContextFingerprint(reference.frozen))
    #expect(rules.evaluate("on", nil, inherited: nil)?.enabled == true)
    #expect(rules.evaluate("on", user("1"))?.enabled == true)  // equal, not the same
    let refused = rules.evaluate("on", user("2"), inherited: current)
    #expect(refused?.errorCode == .invalidContext && refused?.kind == ValueKind.none && refused?.enabled == false)
    #expect(refused?.cells == [] && refused?.impression == false)
    // While a newer current context is being fetched for, the old values serve it.
    let newer = user("2")
    #expect(rules.evaluate("on", newer, inherited: newer)?.enabled == true)
    #expect(rules.evaluate("on", user("2"), inherited: newer)?.enabled == true)
    // Without a fingerprint they serve everybody.
    #expect(try Rules(toggles: Self.document).evaluate("on", user("9"), inherited: current)?.enabled == true)
  }

  @Test(arguments: [
    "", "null", "[]", "{}", #"{"toggles":null}"#, #"{"toggles":{}}"#, #"{"toggles":[1]}"#,
    #"{"toggles":[{"enabled":true}]}"#,
    #"{"toggles":[{"name":"a","enabled":1}]}"#, #"{"toggles":[{"name":"a","enabled":true,"variant":[]}]}"#,
    #"{"toggles":[{"name":"a","enabled":true,"variant":{"name":"v","enabled":true,"payload":{"type":"string"}}}]}"#,
    #"{"toggles":[{"name":"a","enabled":true},{"name":"b"}]}"#, #"{"toggles":[{"name":"a","enabled":true}]"#,
  ])
  func oneBadToggleRefusesTheWholeDocument(_ json: String) {
    #expect(throws: UnleashDocumentFailure.self) { try Rules(toggles: json) }
  }

  @Test func refusalsNameToggleAndMember() {
    #expect(throws: UnleashDocumentFailure(#"flag "a": variant.payload.value must be a text"#)) {
      try Rules(
        toggles:
          #"{"toggles":[{"name":"a","enabled":true,"variant":{"name":"v","enabled":true,"payload":{"type":"string","value":1}}}]}"#
      )
    }
  }
}
