import HoistBase
import HoistCore
import HoistUnleash
import Testing

@Suite("Constraints (UNL-95, protocols/unleash.md C.4 to C.7; no client)") struct ConstraintTests {
  /// Whether a constraint on `x` holds for a value; nil is no value.
  private func holds(_ constraint: String, _ value: String?, field: String = "x") throws -> Bool {
    let rules = try Rules(flag("f", constraint: #"{"contextName":"\#(field)",\#(constraint)}"#))
    #expect(rules.warnings.isEmpty, "\(constraint): \(rules.warnings)")
    return rules.isOn("f", value.map { context([field: $0]) } ?? context([:]))
  }

  /// The constraint as it is and inverted.
  private func expect(
    _ constraint: String, _ value: String?, _ expected: Bool, _ place: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try holds(constraint, value) == expected, sourceLocation: place)
    #expect(try holds(constraint + #","inverted":true"#, value) != expected, sourceLocation: place)
  }

  private func isBroken(_ constraint: String) throws -> Bool {
    let rules = try Rules(
      flag(
        "f",
        #""strategies":[{"name":"default","constraints":[{"contextName":"x",\#(constraint)}]},{"name":"default"}],"variants":[{"name":"v","weight":1}]"#
      ))
    guard rules.warnings.count == 1 else { return false }
    // The whole flag is off, also for variants, whatever its other strategies say.
    #expect(!rules.isOn("f") && rules.variant("f", user("1")) == "disabled")
    #expect(rules.evaluate("f")?.reason == .disabled)
    return true
  }

  @Test func inAndNotIn() throws {
    try expect(#""operator":"IN","values":["a","b"]"#, "b", true)
    try expect(#""operator":"IN","values":["a","b"]"#, "B", false)
    try expect(#""operator":"IN","values":["a","b"],"caseInsensitive":true"#, "B", false)
    try expect(#""operator":"IN","values":["a"]"#, nil, false)
    try expect(#""operator":"IN","values":[]"#, "a", false)
    try expect(#""operator":"IN""#, "a", false)
    try expect(#""operator":"IN","value":"a""#, "a", false)
    try expect(#""operator":"IN","values":[""]"#, "", true)
    try expect(#""operator":"NOT_IN","values":["a"]"#, "a", false)
    try expect(#""operator":"NOT_IN","values":["a"]"#, "b", true)
    try expect(#""operator":"NOT_IN","values":["a"]"#, nil, true)
    try expect(#""operator":"NOT_IN","values":[]"#, "a", true)
    // No normalisation: e with an accent is not e and an accent.
    try expect(#""operator":"IN","values":["é"]"#, "e\u{301}", false)
  }

  @Test func textOperators() throws {
    try expect(#""operator":"STR_STARTS_WITH","values":["x","ab"]"#, "abc", true)
    try expect(#""operator":"STR_STARTS_WITH","values":["AB"]"#, "abc", false)
    try expect(#""operator":"STR_STARTS_WITH","values":["AB"],"caseInsensitive":true"#, "abc", true)
    try expect(#""operator":"STR_ENDS_WITH","values":["bc"]"#, "abc", true)
    try expect(#""operator":"STR_ENDS_WITH","values":["abcd"]"#, "abc", false)
    try expect(#""operator":"STR_CONTAINS","values":["b"]"#, "abc", true)
    try expect(#""operator":"STR_CONTAINS","values":["b"]"#, nil, false)
    try expect(#""operator":"STR_CONTAINS","values":[""]"#, "", true)
    try expect(#""operator":"STR_CONTAINS","values":[""]"#, nil, false)
  }

  @Test func caseFoldingIsFullLowerCase() throws {
    let operators = #""operator":"STR_CONTAINS","caseInsensitive":true,"values""#
    try expect(operators + #":["ΟΔΟΣ"]"#, "οδος", true)
    try expect(operators + #":["ΟΔΟΣ"]"#, "οδοσ", false)
    try expect(operators + #":["İ"]"#, "i\u{307}", true)
    try expect(operators + #":["STRASSE"]"#, "straße", false)
    try expect(operators + #":["Å"]"#, "blå", true)
  }

  @Test func numbers() throws {
    try expect(#""operator":"NUM_EQ","value":"5""#, "5.0", true)
    try expect(#""operator":"NUM_EQ","value":"0.3""#, "0.30000000000000004", true)
    try expect(#""operator":"NUM_EQ","value":"0.3""#, "0.3000000000000005", false)
    try expect(#""operator":"NUM_GT","value":"5""#, "5", false)
    try expect(#""operator":"NUM_GTE","value":" 5\t""#, "5", true)
    try expect(#""operator":"NUM_LT","value":"+1e2""#, "99.9", true)
    try expect(#""operator":"NUM_LTE","value":"5.""#, "5", true)
    for value in [".5", "5.", "-inf", "+1", "1e-3"] { try expect(#""operator":"NUM_LT","value":"6""#, value, true) }
    for value in ["", " 5", "5 ", "1_0", "0x1", "five", "١"] {
      try expect(#""operator":"NUM_LT","value":"6""#, value, false)
    }
    try expect(#""operator":"NUM_EQ","value":"1e999""#, "inf", false)
    try expect(#""operator":"NUM_EQ","value":"1""#, "nan", false)
    try expect(#""operator":"NUM_GT","value":"1""#, nil, false)
    for value in [".5", "NaN", "inf", "0x10", "1_0", "", "five", "5e"] {
      #expect(try isBroken(#""operator":"NUM_EQ","value":"\#(value)""#), "\(value)")
    }
    #expect(try isBroken(#""operator":"NUM_EQ","values":["5"]"#))
    // The vendor's engine would run this as a rule; nobody's values do that here.
    #expect(try isBroken(#""operator":"NUM_EQ","value":"5 or true""#))
  }

  @Test func typedAttributesCompareByTheirText() throws {
    let rules = try Rules(
      [
        flag("number", constraint: #"{"contextName":"x","operator":"NUM_GTE","value":"18"}"#),
        flag("text", constraint: #"{"contextName":"x","operator":"IN","values":["18","1.5","1.0","true"]}"#),
      ].joined(separator: ","))
    #expect(rules.isOn("number", context("x", .int(18))) && !rules.isOn("number", context("x", .int(17))))
    #expect(rules.isOn("number", context("x", .double(18.5))) && !rules.isOn("number", context("x", .double(17.5))))
    #expect(!rules.isOn("number", context("x", .bool(true))))  // "true" is no number
    for value in [AttributeValue.int(18), .double(1.5), .double(1), .bool(true)] {
      #expect(rules.isOn("text", context("x", value)))
    }
    for value in [AttributeValue.null, .strings([Array("18".utf8)]), .json(Array("18".utf8)), .int(19)] {
      #expect(!rules.isOn("text", context("x", value)))
    }
  }

  @Test func dates() throws {
    let after = #""operator":"DATE_AFTER","value":"2020-01-01T00:00:00Z""#
    try expect(after, "2020-01-01T00:00:00Z", false)
    try expect(after, "2020-01-01T00:00:00.000000001Z", true)
    try expect(after, "2020-01-01T01:00:00+01:00", false)
    try expect(after, " 2020-1-1 0:0:1 +0000", true)
    try expect(after, "2020-01-01T00:00:00\u{2212}00:30", true)
    try expect(#""operator":"DATE_BEFORE","value":"2020-01-01T00:00:00.500Z""#, "2019-12-31T23:59:60.9Z", true)
    try expect(#""operator":"DATE_BEFORE","value":"2020-01-01T00:00:00Z""#, "2019-12-31T23:59:60Z", true)
    for value in [
      "2020-01-02", "2020-01-02T00:00:00", "2020-01-02T00:00Z", "2020-01-02T24:00:00Z", "2020-02-30T00:00:00Z",
      "1577923200", "",
      "2020-01-02T00:00:00+02", "2020-01-02T00:00:00.Z", "2020-01-02T00:00:61Z",
    ] { try expect(after, value, false) }
    for value in [
      "2020-01-01", "2020-01-01T00:00:00", "2020-01-01t00:00:00Z", "2020-01-01T00:00:00.5Z", "2020-02-30T00:00:00Z",
      "nope",
    ] {
      #expect(try isBroken(#""operator":"DATE_AFTER","value":"\#(value)""#), "\(value)")
    }
  }

  @Test func dateAttributesAreDates() throws {
    let rules = try Rules(
      flag("f", constraint: #"{"contextName":"x","operator":"DATE_AFTER","value":"2020-01-01T00:00:00Z"}"#))
    #expect(rules.isOn("f", context("x", .date(1_577_836_800_001))))
    #expect(!rules.isOn("f", context("x", .date(1_577_836_800_000))))
  }

  @Test func missingCurrentTimeIsNow() throws {
    let rules = try Rules(
      [
        flag(
          "after", constraint: #"{"contextName":"currentTime","operator":"DATE_AFTER","value":"2020-01-01T00:00:00Z"}"#),
        flag("text", constraint: #"{"contextName":"currentTime","operator":"IN","values":["2020-01-01T00:00:01Z"]}"#),
        flag("other", constraint: #"{"contextName":"when","operator":"DATE_AFTER","value":"1970-01-01T00:00:00Z"}"#),
      ].joined(separator: ","))
    var ambient = Ambient()
    ambient.unixMilliseconds = 1_577_836_800_999  // whole seconds only
    #expect(!rules.isOn("after", ambient: ambient))
    ambient.unixMilliseconds = 1_577_836_801_999
    #expect(rules.isOn("after", ambient: ambient) && rules.isOn("text", ambient: ambient))
    #expect(rules.isOn("after") && !rules.isOn("text"))  // the machine's clock
    #expect(!rules.isOn("other", ambient: ambient))
    #expect(!rules.isOn("after", context(["currentTime": "2019-01-01T00:00:00Z"]), ambient: ambient))
  }

  @Test func versions() throws {
    try expect(#""operator":"SEMVER_EQ","value":"1.2.3+a""#, "1.2.3+b", true)
    try expect(#""operator":"SEMVER_GT","value":"1.2.3-alpha.1""#, "1.2.3-alpha.beta", true)
    try expect(#""operator":"SEMVER_LT","value":"1.2.3""#, "1.2.3-rc", true)
    try expect(#""operator":"SEMVER_GTE","value":"1.2.3""#, "1.2.3", true)
    try expect(#""operator":"SEMVER_LTE","value":" 1.2.3 ""#, "1.10.0", false)
    for value in ["1.2", "v1.2.3", "01.2.3", "1.2.3-01", "", "1.2.3 "] {
      try expect(#""operator":"SEMVER_GT","value":"0.0.1""#, value, false)
    }
    for value in ["1.2.3-01", "01.2.3", "1.2.3-", "18446744073709551616.0.0", "x"] {
      #expect(try isBroken(#""operator":"SEMVER_GT","value":"\#(value)""#), "\(value)")
    }
  }

  /// Quirk: a version written with a v is false even when inverted.
  @Test func aVersionWithAVIsNeverMet() throws {
    #expect(try !holds(#""operator":"SEMVER_EQ","value":"v1.2.3""#, "1.2.3"))
    #expect(try !holds(#""operator":"SEMVER_EQ","value":"v1.2.3","inverted":true"#, "1.2.3"))
    #expect(try isBroken(#""operator":"NUM_EQ","value":"v1.2.3""#))
  }

  /// Quirk: what is compared follows from the value's text, not from the operator.
  @Test func theValueDecidesWhatIsCompared() throws {
    try expect(#""operator":"NUM_GT","value":"1.2.3""#, "1.10.0", true)
    try expect(#""operator":"NUM_GT","value":"1.2.3""#, "7", false)
    try expect(#""operator":"SEMVER_GT","value":"1.2""#, "1.3", true)
    try expect(#""operator":"DATE_AFTER","value":"5""#, "6", true)
    try expect(#""operator":"NUM_EQ","value":"2020-01-01T00:00:00Z""#, "2020-01-01T01:00:00+01:00", true)
  }

  @Test func patterns() throws {
    try expect(#""operator":"REGEX","value":"b+""#, "abbc", true)
    try expect(#""operator":"REGEX","value":"^B""#, "abbc", false)
    try expect(#""operator":"REGEX","value":"^A","caseInsensitive":true"#, "abbc", true)
    try expect(#""operator":"REGEX","value":"^\\p{L}+$""#, "blåbær", true)
    try expect(#""operator":"REGEX""#, "", true)  // no pattern is the empty one
    try expect(#""operator":"REGEX""#, nil, false)
    // Outside the dialect: matches nothing, and may be inverted.
    try expect(#""operator":"REGEX","value":"(?=a)""#, "a", false)
    try expect(#""operator":"REGEX","value":"a(""#, "a(", false)
  }

  @Test func withoutAnEngineAPatternCannotBeCompiled() throws {
    let rules = try Rules(
      flag("f", constraint: #"{"contextName":"x","operator":"REGEX","value":"a"}"#), UnleashOptions())
    #expect(rules.warnings.count == 1 && !rules.isOn("f", context(["x": "a"])))
  }

  @Test func addresses() throws {
    let list =
      #""operator":"IN_CIDR","values":["nope","10.1.2.3/8","192.168.1.0/255.255.255.0","2001:db8::/32"," 9.9.9.9"]"#
    for value in ["10.255.0.1", "192.168.1.255", "2001:db8::1"] { try expect(list, value, true) }
    for value in ["11.0.0.1", "192.168.2.1", "::ffff:10.0.0.1", "010.0.0.1", " 10.0.0.1", "", "10.0.0.1:80", "9.9.9.9"] {
      try expect(list, value, false)
    }
    try expect(#""operator":"IN_CIDR","values":["0.0.0.0/0"]"#, "::1", false)
  }

  @Test func listsThatAreNeededMustNotBeEmpty() throws {
    for name in ["STR_STARTS_WITH", "STR_ENDS_WITH", "STR_CONTAINS", "IN_CIDR"] {
      #expect(try isBroken(#""operator":"\#(name)""#) && isBroken(#""operator":"\#(name)","values":[]"#), "\(name)")
    }
  }

  @Test func unknownOperatorsCannotBeCompiled() throws {
    #expect(try isBroken(#""operator":"FUTURE","values":["a"]"#))
    #expect(try isBroken(#""operator":"in","values":["a"]"#))
  }

  /// Artefacts of the vendor's engine that its users' flags depend on.
  @Test func quotesAndTrailingBackslashesCannotBeCompiled() throws {
    #expect(try isBroken(#""operator":"IN","values":["a\\"]"#))
    #expect(try isBroken(#""operator":"REGEX","value":"a\\\\""#))
    #expect(try holds(#""operator":"IN","values":["a\"b"]"#, "a\"b"))
    for members in [
      #""strategies":[{"name":"default","constraints":[{"contextName":"a\"b","operator":"IN","values":[]}]}]"#,
      #""strategies":[{"name":"default","constraints":[{"contextName":"a\\","operator":"IN","values":[]}]}]"#,
      #""strategies":[{"name":"flexibleRollout","parameters":{"rollout":"50","groupId":"a\"b"}}]"#,
      #""strategies":[{"name":"flexibleRollout","parameters":{"rollout":"50","stickiness":"a\\"}}]"#,
      #""strategies":[{"name":"userWithId","parameters":{"userIds":"a\\,b"}}]"#,
      #""strategies":[{"name":"remoteAddress","parameters":{"IPs":"\""}}]"#,
      #""strategies":[{"name":"applicationHostname","parameters":{"hostNames":"\""}}]"#,
    ] { #expect(try Rules(flag("f", members)).warnings.count == 1, "\(members)") }
  }

  @Test func namesOfFieldsCompareByBytes() throws {
    let rules = try Rules(
      [
        flag("f", constraint: #"{"contextName":"userid","operator":"IN","values":["1"]}"#),
        flag("empty", constraint: #"{"contextName":"","operator":"IN","values":["1"]}"#),
      ].joined(separator: ","))
    #expect(!rules.isOn("f", user("1")) && rules.isOn("f", context(["userid": "1"])))
    #expect(rules.isOn("empty", context(["": "1"])) && !rules.isOn("empty", user("1")))
  }
}

@Suite("Segments (UNL-96, protocols/unleash.md C.2; no client)") struct SegmentTests {
  private let segments =
    #"{"id":1,"constraints":[{"contextName":"userId","operator":"IN","values":["1","2"]}]},"#
    + #"{"id":2,"constraints":[{"contextName":"userId","operator":"IN","values":["2","3"]}]},"#
    + #"{"id":3,"constraints":[]},{"id":4,"constraints":[{"contextName":"x","operator":"FUTURE"}]},"#
    + #"{"id":5,"constraints":[{"contextName":"userId","operator":"IN","values":["1"]}]},"#
    + #"{"id":5,"constraints":[{"contextName":"userId","operator":"IN","values":["2"]}]}"#

  private func rules(_ ids: String) throws -> Rules {
    try Rules(flag("f", #""strategies":[{"name":"default","segments":\#(ids)}]"#), segments: segments)
  }

  @Test func everyConstraintOfEverySegmentHasToHold() throws {
    #expect(try ["1", "2", "3"].map { try rules("[1]").isOn("f", user($0)) } == [true, true, false])
    #expect(try ["1", "2", "3"].map { try rules("[1,2]").isOn("f", user($0)) } == [false, true, false])
    #expect(try rules("[3]").isOn("f") && rules("[]").isOn("f") && rules("null").isOn("f"))
    #expect(try rules("[1]").evaluate("f", user("1"))?.reason == .targetingMatch)
  }

  @Test func ofSegmentsOfOneIdTheLastCounts() throws {
    #expect(try ["1", "2"].map { try rules("[5]").isOn("f", user($0)) } == [false, true])
  }

  @Test func aMissingOrBrokenSegmentTurnsTheWholeFlagOff() throws {
    for ids in ["[77]", "[1,77]", "[4]"] {
      let rules = try Rules(
        flag("f", #""strategies":[{"name":"default","segments":\#(ids)},{"name":"default"}]"#), segments: segments)
      #expect(rules.warnings.map(\.flag) == ["f"] && !rules.isOn("f", user("2")), "\(ids)")
    }
    // A broken segment that no flag refers to harms nobody.
    #expect(try Rules(flag("f"), segments: segments).warnings.isEmpty)
  }
}
