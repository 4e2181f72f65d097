import HoistRegex
import Testing

/// The dialect of REGEX constraints (UNL-95, section C.6; no client).
@Suite struct RegexDialectTests {
  @Test(arguments: dialectCases)
  func aPatternFindsWhatTheReferenceEngineFinds(row: Case) throws {
    let expression = try Expression(row.pattern, caseInsensitive: row.caseInsensitive)
    for subject in row.finds { #expect(expression.match(subject) == 1, "\(subject.debugDescription)") }
    for subject in row.misses { #expect(expression.match(subject) == 0, "\(subject.debugDescription)") }
  }

  /// Each refused by the reference engine too.
  @Test(arguments: [
    "(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", #"(a)\1"#, #"\8"#, #"\0"#, "(?P=n)", #"\k<n>"#, "(?>a)", "(?|a|b)",
    "(?#note)a", "(?R0)", "(?1)", "(?&n)", "(?P>n)", "(?(1)a|b)", "(?C1)a", "(*ACCEPT)a", "(*UTF)a", "(?^)a", "(?J)a",
    "(?n)a", "(?'n'a)", #"\K"#, #"\G"#, #"\R"#, #"\X"#, #"\C"#, #"\Z"#, #"\h"#, #"\H"#, #"\N"#, #"\Qa\E"#, #"\e"#, #"\cA"#,
    #"\y"#, #"\i"#,
    #"\é"#, #"\"#,
  ])
  func whatTheDialectLacksIsRefused(pattern: String) { #expect(refusal(pattern) != nil) }

  @Test(arguments: [
    "(", ")", "(a", "a)", "[", "[a", "[a-", "[^", "[]", "[^]", "[z-a]", #"[a-\d]"#, #"[\d-a]"#, #"[\b]"#, #"[\A]"#, "[[:foo:]",
    "[[:alpha:]",
    "*", "+a", "?", "|*", "(?:*)", "{2}", "a{", "a{}", "a{x}", "a{2", "a{,3}", "a{3,2}", "a{4294967296}", "(?i)*", "(?", "(?i",
    "(?)",
    "(?-)", "(?i-)", "(?ii)", "(?i-i)", "(?--i)", "(?z)", "(?P<n>a)(?P<n>b)", "(?P<1n>a)", "(?P<>a)", "(?P<n", "(?P<n-m>a)",
    #"\x"#, #"\x4"#, #"\xZZ"#, #"\x{}"#, #"\x{110000}"#, #"\x{d800}"#, #"\u004"#, #"\x{41"#, #"\p"#, #"\p{"#, #"\p{Nope}"#,
    #"\pX"#,
    #"\p{^L}"#, #"\p{L&}"#, #"\p{Xan}"#, #"\p{gc=Nope}"#, #"\p{nope=L}"#, #"\p{}"#, #"\b{foo}"#, #"\b{start"#, "(?-u).",
    #"(?-u)\W"#, #"(?-u)\xFF"#,
    "(?-u)[^a]", "(?-u)[é]", #"(?-u)\pL"#, "[a&&", "(?<n>a)(?<n>b)",
  ])
  func malformedPatternsAreRefused(pattern: String) { #expect(refusal(pattern) != nil) }

  @Test func aRefusalNamesReasonAndPlaceButNotThePattern() {
    #expect(refusal("secret(") == "a group is not closed at character 7")
    #expect(refusal("secret**?{5,2}") == "a repetition counts from more to less at character 14")
    #expect(refusal(#"a\1"#) == "back-references are not supported at character 3")
  }

  @Test func nestingIsLimitedAsInTheDialect() {
    func groups(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "x" + String(repeating: ")", count: depth)
    }
    #expect(refusal(groups(250)) == nil)
    #expect(refusal(groups(251))?.contains("too deep") == true)
    #expect(refusal("x" + String(repeating: "*", count: 250)) == nil)
    #expect(refusal("x" + String(repeating: "*", count: 251))?.contains("too deep") == true)
    #expect(refusal(String(repeating: "[", count: 250) + "x" + String(repeating: "]", count: 250)) == nil)
    #expect(refusal(String(repeating: "[", count: 251) + "x" + String(repeating: "]", count: 251)) != nil)
    #expect(refusal(String(repeating: "(?:y|", count: 125) + "x" + String(repeating: ")", count: 125)) == nil)
    #expect(refusal(String(repeating: "(?:y|", count: 126) + "x" + String(repeating: ")", count: 126)) != nil)
    #expect(refusal(String(repeating: "(", count: 60_000)) != nil)
    #expect(refusal(String(repeating: "[", count: 60_000)) != nil)
  }

  @Test func sizeIsLimited() {
    #expect(refusal(#"\w{200}"#) == nil)
    #expect(refusal(#"\w{500}"#)?.contains("too large") == true)
    #expect(refusal("((((a{100}){100}){100}){100}){100}")?.contains("too large") == true)
    #expect(refusal("((((((((a{0,9}){9}){9}){9}){9}){9}){9}){9}){9}") != nil)
    #expect(refusal("[" + String(repeating: #"\w~~"#, count: 100) + "a]") != nil)
    #expect(refusal(String(repeating: "a", count: 65_536)) != nil)
    #expect(refusal(String(repeating: "a", count: 65_537))?.contains("longer than 65536 bytes") == true)
  }

  @Test func countsBeyondPCRE2sOwnAreSplit() {
    #expect(isMatch("^a{65536}$", String(repeating: "a", count: 65536)))
    #expect(!isMatch("^a{65536}$", String(repeating: "a", count: 65535)))
  }

  @Test func aPatternThatIsNoUTF8IsRefused() {
    let result = ([0x61, 0xFF] as [UInt8]).withUnsafeBufferPointer {
      PCRE2RegexEngine().compile(pattern: $0, caseInsensitive: false)
    }
    guard case .failure(let failure) = result else {
      Issue.record("compiled")
      return
    }
    #expect(failure.reason == "the pattern is not UTF-8")
  }
}
