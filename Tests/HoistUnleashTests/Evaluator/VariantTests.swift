import HoistBase
import HoistCore
import HoistUnleash
import Testing

@Suite("Variants (UNL-97, protocols/unleash.md C.8; no client)") struct VariantTests {
  private static let colours =
    #""variants":[{"name":"red","weight":333,"stickiness":"userId"},{"name":"green","weight":333,"stickiness":"userId"},"#
    + #"{"name":"blue","weight":334,"stickiness":"userId"}]"#

  /// C.12: the flag `checkout`.
  @Test func theWorkedFlag() throws {
    let rules = try Rules(
      flag(
        "checkout",
        #""strategies":[{"name":"flexibleRollout","parameters":{"rollout":"50","stickiness":"userId"}}],"#
          + Self.colours))
    let expected = [
      ("user-1", true, "green"), ("user-2", true, "red"), ("user-3", false, "disabled"), ("user-42", true, "blue"),
      ("user-7", false, "disabled"),
    ]
    for (id, isOn, name) in expected {
      let answer = rules.evaluate("checkout", user(id))
      #expect(answer?.enabled == isOn && answer?.variation == name, "\(id)")
      #expect(answer?.variationIndex == Int32(["red", "green", "blue"].firstIndex(of: name) ?? -1))
    }
  }

  /// C.12: variants of a strategy.
  @Test func theWorkedStrategyVariants() throws {
    let rules = try Rules(
      flag(
        "f",
        #""strategies":[{"name":"flexibleRollout","parameters":{"rollout":"100","stickiness":"userId","groupId":"grp"},"#
          + #""variants":[{"name":"A","weight":500},{"name":"B","weight":500}]}],"# + Self.colours))
    let names = ["user-1", "user-2", "user-3", "user-42"].map { rules.variant("f", user($0)) }
    #expect(names == ["B", "B", "A", "A"])
    // Counted after the flag's own three.
    #expect(rules.evaluate("f", user("user-1"))?.variationIndex == 4)
  }

  @Test func theFirstStrategyThatHoldsDecides() throws {
    let rules = try Rules(
      flag(
        "f",
        #""strategies":[{"name":"userWithId","parameters":{"userIds":"1"},"variants":[{"name":"first","weight":1}]},"#
          + #"{"name":"userWithId","parameters":{"userIds":"1,2"},"variants":[]},"#
          + #"{"name":"default","variants":[{"name":"third","weight":1}]}],"variants":[{"name":"own","weight":1}]"#))
    #expect(["1", "2", "3"].map { rules.variant("f", user($0)) } == ["first", "own", "third"])
  }

  @Test func withoutVariantsItIsDisabled() throws {
    let rules = try Rules(flag("on") + #","# + #"{"name":"off","enabled":false,"variants":[{"name":"v","weight":1}]}"#)
    for (name, isOn) in [("on", true), ("off", false)] {
      let read = rules.withEvaluation(name, nil) { evaluation, record in
        let variant = UnleashVariant(evaluation, snapshot: rules.snapshot, record: record)
        return (
          text(variant.name), variant.enabled, variant.featureEnabled, variant.sentFeatureEnabled,
          variant.payloadType == nil
        )
      }
      #expect(read.map { $0 == ("disabled", false, isOn, isOn, true) } == true, "\(name)")
    }
  }

  @Test func weightZeroNeverWinsButByOverride() throws {
    let rules = try Rules(
      flag(
        "f",
        #""variants":[{"name":"none","weight":0,"stickiness":"userId"},{"name":"all","weight":1},"#
          + #"{"name":"given","weight":0,"overrides":[{"contextName":"userId","values":["7"]},{"contextName":"tier","values":["a","b"]}]}]"#
      ))
    for id in 0..<50 where id != 7 { #expect(rules.variant("f", user("\(id)")) == "all") }
    #expect(rules.variant("f", user("7")) == "given")
    #expect(rules.variant("f", context(["tier": "b"])) == "given")
    #expect(rules.variant("f", context(["tier": "c", "userId": "1"])) == "all")
  }

  @Test func theFirstMatchingOverrideWins() throws {
    let rules = try Rules(
      flag(
        "f",
        #""variants":[{"name":"a","weight":1},{"name":"b","weight":1,"overrides":[{"contextName":"userId","values":["1"]}]},"#
          + #"{"name":"c","weight":1,"overrides":[{"contextName":"userId","values":["1","2"]}]}]"#))
    #expect(rules.variant("f", user("1")) == "b" && rules.variant("f", user("2")) == "c")
  }

  /// C.8.6: the vendor's engine panics.
  @Test func withoutAnyWeightThereIsNoVariant() throws {
    let rules = try Rules(
      flag(
        "f",
        #""variants":[{"name":"a","weight":0},{"name":"b","weight":-5,"overrides":[{"contextName":"userId","values":["1"]}]}]"#
      ))
    let answer = rules.evaluate("f", user("2"))
    #expect(answer?.variation == "disabled" && answer?.enabled == true)
    #expect(rules.variant("f", user("1")) == "b")
  }

  @Test func stickinessComesFromTheFirstVariant() throws {
    let rules = try Rules(
      flag(
        "f", #""variants":[{"name":"a","weight":1,"stickiness":"tier"},{"name":"b","weight":1,"stickiness":"userId"}]"#)
    )
    let names = Set((0..<40).map { rules.variant("f", context(["tier": "gold", "userId": "\($0)"])) })
    #expect(names.count == 1)
    #expect(Set((0..<40).map { rules.variant("f", context(["tier": "\($0)", "userId": "1"])) }) == ["a", "b"])
  }

  @Test func withoutAnIdentityTheVariantIsDrawn() throws {
    let rules = try Rules(flag("f", #""variants":[{"name":"a","weight":3},{"name":"b","weight":1}]"#))
    let draws = (0..<4_000).reduce(0) { sum, _ in sum + (rules.variant("f") == "a" ? 1 : 0) }
    #expect((2_850...3_150).contains(draws), "\(draws)")
    // `random` and `currentTime` are looked up as properties here, and so can be sticky.
    let sticky = try Rules(
      flag("f", #""variants":[{"name":"a","weight":1,"stickiness":"random"},{"name":"b","weight":1}]"#))
    #expect(Set((0..<40).map { _ in sticky.variant("f", context(["random": "1"])) }).count == 1)
    #expect(Set((0..<100).map { _ in sticky.variant("f", user("1")) }).count == 2)
  }

  @Test func weightsMayAddUpBeyond32Bits() throws {
    let rules = try Rules(
      flag(
        "f",
        #""variants":[{"name":"a","weight":2147483647},{"name":"b","weight":2147483647},{"name":"c","weight":2147483647}]"#
      ))
    let names = Set((0..<200).map { rules.variant("f", user("\($0)")) })
    #expect(names == ["a", "b"])  // a hash of 32 bits does not reach the third
  }

  @Test func payloadsAreReadable() throws {
    let rules = try Rules(
      flag("f", #""variants":[{"name":"v","weight":1,"payload":{"type":"json","value":"{\"a\":1}"}}]"#))
    let read = rules.withEvaluation("f", user("1")) { evaluation, record in
      let variant = UnleashVariant(evaluation, snapshot: rules.snapshot, record: record)
      // C borrows these: a NUL follows.
      let isTerminated =
        variant.payloadValue.flatMap { $0.baseAddress?.load(fromByteOffset: $0.count, as: UInt8.self) } == 0
      return (
        variant.enabled, variant.payloadType.map { text($0) }, variant.payloadValue.map { text($0) }, isTerminated
      )
    }
    #expect(read.map { $0 == (true, "json", #"{"a":1}"#, true) } == true)
  }
}

@Suite("Typed reading of payloads (UNL-103, protocols/unleash.md C.11; no client)") struct PayloadTests {
  private func read(_ payload: String, _ want: WantedType) throws -> Rules.Answer? {
    let member = payload.isEmpty ? "" : #","payload":{\#(payload)}"#
    return try Rules(flag("f", #""variants":[{"name":"v","weight":1\#(member)}]"#)).evaluate("f", user("1"), want: want)
  }

  @Test func textIsStringOrCSV() throws {
    for type in ["string", "csv"] {
      let answer = try read(#""type":"\#(type)","value":"a,b""#, .string)
      #expect(answer?.kind == .string && answer?.text == "a,b" && answer?.errorCode == ErrorCode.none)
    }
    for type in ["number", "json", "future"] {
      #expect(try read(#""type":"\#(type)","value":"1""#, .string)?.errorCode == .typeMismatch)
    }
  }

  @Test func numbersAreParsedStrictly() throws {
    let whole = try read(#""type":"number","value":"-42""#, .int)
    #expect(whole?.kind == .int && whole?.integer == -42)
    let real = try read(#""type":"number","value":"1.5e3""#, .double)
    #expect(real?.kind == .double && real?.number == 1500)
    #expect(try read(#""type":"number","value":"7""#, .double)?.number == 7)
    for (value, code) in [
      ("1.5", ErrorCode.typeMismatch), ("9223372036854775808", .typeMismatch), ("", .parseError), ("1 ", .parseError),
      ("0x1", .parseError),
    ] {
      let answer = try read(#""type":"number","value":"\#(value)""#, .int)
      #expect(answer?.errorCode == code && answer?.kind == ValueKind.none && answer?.reason == .error, "\(value)")
    }
    for value in ["", "nan", "inf", "1e999", "1,5"] {
      #expect(try read(#""type":"number","value":"\#(value)""#, .double)?.errorCode == .parseError, "\(value)")
    }
    #expect(try read(#""type":"string","value":"1""#, .int)?.errorCode == .typeMismatch)
  }

  @Test func jsonIsChecked() throws {
    let answer = try read(#""type":"json","value":"{\"a\":[1]}""#, .json)
    #expect(answer?.kind == .json && answer?.text == #"{"a":[1]}"#)
    #expect(try read(#""type":"json","value":"{a}""#, .json)?.errorCode == .parseError)
    #expect(try read(#""type":"string","value":"{}""#, .json)?.errorCode == .typeMismatch)
  }

  @Test func withoutAPayloadThereIsNoValueAndNoError() throws {
    for want in [WantedType.string, .int, .double, .json] {
      let answer = try read("", want)
      #expect(answer?.kind == ValueKind.none && answer?.errorCode == ErrorCode.none && answer?.variation == "v")
      let off = try Rules(#"{"name":"f","enabled":false}"#).evaluate("f", want: want)
      #expect(off?.kind == ValueKind.none && off?.errorCode == ErrorCode.none && off?.variation == "disabled")
    }
  }

  @Test func anyTakesThePayloadAsItIs() throws {
    #expect(try read(#""type":"number","value":"7""#, .any)?.kind == .int)
    #expect(try read(#""type":"number","value":"7.5""#, .any)?.kind == .double)
    #expect(try read(#""type":"number","value":"seven""#, .any)?.text == "seven")
    #expect(try read(#""type":"json","value":"[]""#, .any)?.kind == .json)
    #expect(try read(#""type":"json","value":"[""#, .any)?.kind == .string)
    #expect(try read(#""type":"future","value":"x""#, .any)?.text == "x")
    let bare = try read("", .any)
    #expect(bare?.kind == .bool && bare?.integer == 1)
  }

  @Test func booleansAreTheFlagsState() throws {
    let answer = try read(#""type":"string","value":"x""#, .bool)
    #expect(answer?.kind == .bool && answer?.integer == 1 && answer?.variation == nil)
  }
}
