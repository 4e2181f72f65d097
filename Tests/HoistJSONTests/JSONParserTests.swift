import HoistJSON
import Testing

/// Rows of the fault catalogue on JSON that jansson refuses and services may send.
@Suite struct JSONParserTests {
  private func text(_ json: String, _ options: JSONWriter.WholeDoubles = .withFraction) throws -> String {
    try text(Array(json.utf8), options)
  }

  private func text(_ json: [UInt8], _ options: JSONWriter.WholeDoubles = .withFraction) throws -> String {
    let document = try JSONDocument(parsing: json)
    return String(decoding: try document.withRoot { try $0.text(wholeDoubles: options) }, as: UTF8.self)
  }

  private func refusal(_ json: String, limits: JSONLimits = .standard) -> String {
    refusal(Array(json.utf8), limits: limits)
  }

  private func refusal(_ json: [UInt8], limits: JSONLimits = .standard) -> String {
    do {
      _ = try JSONDocument(parsing: json, limits: limits)
      return "accepted"
    } catch {
      return error.description
    }
  }

  @Test func aDocumentKeepsItsValuesAndTheOrderOfItsMembers() throws {
    let json = #"{"z":[1,-2,true,false,null,"x",1.5,{}],"a":{"b":[]},"":0}"#
    #expect(try text(json) == json)
  }

  @Test func anyKindOfValueMayStandAlone() throws {
    for json in ["null", "true", "1", "-0.5", #""x""#, "[]", "{}"] { #expect(try text(json) == json) }
  }

  @Test func spaceIsAllowedBetweenTokens() throws {
    #expect(try text(" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } }\n ") == #"{"a":[1,2],"b":{}}"#)
  }

  @Test func aByteOrderMarkIsSkipped() throws {
    #expect(try text([0xEF, 0xBB, 0xBF] + Array("[1]".utf8)) == "[1]")
    #expect(refusal([0x5B, 0xEF, 0xBB, 0xBF, 0x5D]).hasPrefix("byte 1, line 1: expected a value"))
  }

  @Test func integersKeepAllOf64Bits() throws {
    #expect(try text("[9223372036854775807,-9223372036854775808,0,-0]") == "[9223372036854775807,-9223372036854775808,0,0]")
  }

  @Test func integersBeyond64BitsBecomeDoubles() throws {
    #expect(try text("[9223372036854775808,-9223372036854775809]") == "[9.223372036854776e+18,-9.223372036854776e+18]")
    #expect(try text("12345678901234567890") == "1.2345678901234567e+19")
    #expect(try text(String(repeating: "7", count: 5000)) == "1.7976931348623157e+308")
  }

  @Test func numbersBeyondTheRangeOfADoubleAreClamped() throws {
    #expect(try text("[1e400,-1e400,1e-400]") == "[1.7976931348623157e+308,-1.7976931348623157e+308,0.0]")
    #expect(try text("1e\(String(repeating: "9", count: 400))") == "1.7976931348623157e+308")
    #expect(try text("0.\(String(repeating: "0", count: 400))1e401") == "1.0")
  }

  @Test(arguments: [
    "0.1", "1e22", "1e23", "123456789012345678", "9007199254740993.0", "2.2250738585072011e-308", "5e-324",
    "1.7976931348623157e308", "0.30000000000000004", "1234.5678E-10", "1E+2", "100000000000000000000000000.0",
    "8.5e-1", "3.141592653589793238462643383279502884197169399375105820974944592307816406286",
  ])
  func doublesAreRoundedCorrectly(literal: String) throws {
    let document = try JSONDocument(parsing: "[\(literal)]")
    #expect(document.withRoot { $0.array?.first?.double } == Double(literal))
  }

  @Test(arguments: ["01", "-01", "-", "+1", "1.", ".5", "1e", "1e+", "0x10", "1_0", "--1", "1.e5"])
  func malformedNumbersAreRefused(literal: String) {
    #expect(refusal("[\(literal)]").hasPrefix("byte "))
  }

  @Test(arguments: ["NaN", "Infinity", "-Infinity", "nan", "undefined", "True", "nul", "'x'"])
  func wordsThatAreNoJSONAreRefused(word: String) {
    #expect(refusal("[\(word)]").hasPrefix("byte "))
  }

  @Test func escapesAreDecoded() throws {
    let document = try JSONDocument(parsing: #"["\"\\\/\b\f\n\r\t\u00e9\u20AC\uD83D\uDE00"]"#)
    #expect(document.withRoot { $0.array?.first?.string } == "\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{20ac}\u{1f600}")
  }

  @Test func nulIsKeptInStringsAndMemberNames() throws {
    let document = try JSONDocument(parsing: #"{"a\u0000b":"c\u0000d","a":1,"\u0000":2}"#)
    document.withRoot { root in
      #expect(root.object?.member("a\0b")?.string == "c\0d")
      #expect(root.object?.member("a")?.int64 == 1)
      #expect(root.object?.member("\0")?.int64 == 2)
      #expect(root.object?.map(\.key.string) == ["a\0b", "a", "\0"])
    }
    #expect(try text(#"{"a\u0000b":"\u0000"}"#) == #"{"a\u0000b":"\u0000"}"#)
  }

  @Test func surrogatesWithoutPartnerBecomeReplacementCharacters() throws {
    #expect(
      try text(#"["\ud800","\udc00x","\ud800\ud800\udc00","\ud800\u0041","\uD83D\n"]"#)
        == "[\"\u{FFFD}\",\"\u{FFFD}x\",\"\u{FFFD}\u{10000}\",\"\u{FFFD}A\",\"\u{FFFD}\\n\"]")
    #expect(try text(#"{"\udfff":1}"#) == "{\"\u{FFFD}\":1}")
  }

  @Test(arguments: [#""\x""#, #""\u12""#, #""\u12G4""#, #""\""#, #""\u""#, "\"\\\u{e9}\"", #""\u00"#, "\"\\"])
  func malformedEscapesAreRefused(json: String) {
    #expect(refusal(json).hasPrefix("byte "))
  }

  @Test(
    arguments: [
      [0xC3], [0x80], [0xC0, 0xAF], [0xC1, 0x81], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1],
    ] as [[UInt8]])
  func invalidUTF8IsRefused(bytes: [UInt8]) {
    let quoted = Array("[\"abc".utf8) + bytes + Array("\"]".utf8)
    #expect(refusal(quoted).contains("line 1: invalid UTF-8"))
  }

  @Test func wellFormedUTF8OfEveryLengthIsKept() throws {
    let string = "\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}"
    #expect(try text("[\"\(string)\"]") == "[\"\(string)\"]")
  }

  @Test func controlCharactersInStringsAreRefused() {
    for byte in UInt8(0)..<0x20 {
      #expect(refusal([0x22, 0x61, byte, 0x22]).contains("control character"))
    }
    #expect(refusal("[\"a\nb\"]") == "byte 3, line 1: a control character, byte 0x0a, in a string must be escaped")
  }

  @Test func ofMembersOfOneNameTheLastWins() throws {
    #expect(try text(#"{"a":{"x":1},"b":2,"a":3}"#) == #"{"a":3,"b":2}"#)
  }

  @Test func structureErrorsNameTheirPlace() {
    #expect(refusal("") == "byte 0, line 1: the text is empty")
    #expect(refusal(" \n ") == "byte 3, line 2: the text is empty")
    #expect(refusal("{\"a\" 1}") == "byte 5, line 1: expected ':' after the member name, found '1'")
    #expect(refusal("{\n\"a\": 1,\n}") == "byte 10, line 3: expected a member name, found '}'")
    #expect(refusal("{1:2}") == "byte 1, line 1: expected a member name, found '1'")
    #expect(refusal("[1 2]") == "byte 3, line 1: expected ',' or ']', found '2'")
    #expect(refusal("{\"a\":1]") == "byte 6, line 1: expected ',' or '}', found ']'")
    #expect(refusal("[1,]") == "byte 3, line 1: expected a value, found ']'")
    #expect(refusal("[,1]") == "byte 1, line 1: expected a value, found ','")
    #expect(refusal("[1") == "byte 2, line 1: the text ends inside an array")
    #expect(refusal("{\"a\":1") == "byte 6, line 1: the text ends inside an object")
    #expect(refusal("{\"a\":") == "byte 5, line 1: the text ends where a value is expected")
    #expect(refusal("{\"a") == "byte 1, line 1: the text ends inside a string")
    #expect(refusal("[] []") == "byte 3, line 1: expected the end of the text after the document")
    #expect(refusal("<html>\n</html>") == "byte 0, line 1: expected a value, found '<'")
    #expect(refusal("]").contains("expected a value"))
  }

  @Test func everyTruncationIsRefused() {
    let json = Array(#"{"a":[1.5e3,"b\u00e9",true,null,{"c":-1}],"d":"é"}"#.utf8)
    #expect(refusal(json) == "accepted")
    for length in 0..<json.count { #expect(refusal(Array(json[..<length])).hasPrefix("byte ")) }
  }

  @Test func depthIsLimitedAtItsValueAndOneMore() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(refusal(nested(512)) == "accepted")
    #expect(refusal(nested(513)) == "byte 512, line 1: nested deeper than 512 levels")
    #expect(refusal(String(repeating: "{\"a\":", count: 1_000_000)).contains("nested deeper than 512 levels"))
    var limits = JSONLimits(maximumDepth: 1_000_000)
    #expect(limits.maximumDepth == JSONLimits.greatestDepth)
    limits.maximumDepth = 2
    #expect(refusal("[[0]]", limits: limits) == "accepted")
    #expect(refusal("[[[]]]", limits: limits).contains("nested deeper than 2 levels"))
  }

  @Test func sizesAreLimitedAtTheirValueAndOneMore() {
    #expect(refusal("[\"abcd\"]", limits: JSONLimits(maximumBytes: 8)) == "accepted")
    #expect(refusal("[\"abcd\"]", limits: JSONLimits(maximumBytes: 7)) == "the text is longer than 7 bytes")
    #expect(refusal("[\"abcd\"]", limits: JSONLimits(maximumStringBytes: 4)) == "accepted")
    #expect(refusal("{\"abcde\":1}", limits: JSONLimits(maximumStringBytes: 4)).contains("longer than 4 bytes"))
    #expect(refusal("[1,[2]]", limits: JSONLimits(maximumValues: 4)) == "accepted")
    #expect(refusal("[1,[2]]", limits: JSONLimits(maximumValues: 3)).contains("more than 3 values"))
  }

  @Test func stringsOfEveryLengthAndAlignmentEndWhereTheyShould() throws {
    for length in 0..<40 {
      for special in ["", "\\\"", "é", "\\u0041", "😀"] {
        let string = String(repeating: "a", count: length) + special + String(repeating: "b", count: length)
        let expected = string.replacing("\\\"", with: "\"").replacing("\\u0041", with: "A")
        let document = try JSONDocument(parsing: "{\"k\":\"\(string)\"}")
        #expect(document.withRoot { $0["k"]?.string } == expected)
      }
    }
  }
}
