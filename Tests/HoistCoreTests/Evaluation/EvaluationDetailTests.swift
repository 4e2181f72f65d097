import HoistBase
@testable import HoistCore
import HoistJSON
import Testing

@Suite("A detail says how a value was chosen") struct EvaluationDetailTests {
  func detail(
    key: String = "flag", fallback: EvaluationFallback = EvaluationFallback(), metadata: String? = nil,
    explanation: String? = nil, _ fill: (inout Evaluation) -> Void
  ) -> EvaluationDetail {
    var evaluation = Evaluation(want: .any)
    fill(&evaluation)
    return key.withBytes {
      EvaluationDetail(
        key: $0, evaluation, fallback, metadata: metadata.map { Array($0.utf8) },
        explanation: explanation.map { Array($0.utf8) })
    }
  }

  @Test func aPlainDetailAsJSON() {
    let told = detail {
      $0.enabled = true
      ($0.kind, $0.integer, $0.reason) = (.bool, 1, .static)
    }
    #expect(
      told.whole == #"{"key":"flag","enabled":true,"variation":"","value":true,"reason":"STATIC","metadata":{}}"#)
  }

  @Test func errorsMetadataAndExplanationsAreThereWhenTheyAre() {
    let told = detail(key: "a\"b", metadata: #"{"version":3}"#, explanation: "[1,2]") {
      $0.fail(.targetingKeyMissing, "who?")
    }
    #expect(
      told.whole
        == #"{"key":"a\"b","enabled":false,"variation":"","value":null,"reason":"ERROR","#
        + #""errorCode":"TARGETING_KEY_MISSING","errorMessage":"who?","metadata":{"version":3},"explanation":[1,2]}"#)
    #expect(told.explanation.string == "[1,2]")
    #expect(detail { _ in }.explanation.string == "null")
    #expect(detail { _ in }.metadata.string == "{}")
  }

  @Test func everyKindOfValueIsJSON() {
    func value(_ fill: (inout Evaluation) -> Void) -> String { detail(fill).value.string }
    let text = CText("say \"hi\"\n")
    let json = CText(#"{"a":[1,2]}"#)
    #expect(value { _ in } == "null")
    #expect(value { ($0.kind, $0.integer) = (.bool, 0) } == "false")
    #expect(value { ($0.kind, $0.integer) = (.int, .min) } == "-9223372036854775808")
    #expect(value { ($0.kind, $0.number) = (.double, 0.1) } == "0.1")
    #expect(value { ($0.kind, $0.number) = (.double, .infinity) } == "null")
    #expect(value { ($0.kind, $0.text) = (.string, ByteView(text.buffer)) } == #""say \"hi\"\n""#)
    #expect(value { ($0.kind, $0.text) = (.json, ByteView(json.buffer)) } == #"{"a":[1,2]}"#)
    #expect(value { $0.kind = .string } == #""""#)
    withExtendedLifetime((text, json)) {}
  }

  @Test("Without a value it says the fallback, which is what the caller gets") func theFallback() {
    func value(_ fallback: EvaluationFallback) -> String {
      detail(fallback: fallback) { $0.fail(.flagNotFound, "") }.value.string
    }
    #expect(value(EvaluationFallback(true)) == "true")
    #expect(value(EvaluationFallback(Int64(-7))) == "-7")
    #expect(value(EvaluationFallback(0.5)) == "0.5")
    "a\"".withCString { #expect(value(EvaluationFallback(.string, $0)) == #""a\"""#) }
    "{\"a\": 1}".withCString { #expect(value(EvaluationFallback(.json, $0)) == #"{"a":1}"#) }
    "{".withCString { #expect(value(EvaluationFallback(.json, $0)) == "null") }
    #expect(detail(fallback: EvaluationFallback(true)) { ($0.kind, $0.integer) = (.bool, 0) }.value.string == "false")
  }

  @Test("A text is there as it is, too") func theText() {
    let sky = CText("sky")
    #expect(detail { ($0.kind, $0.text) = (.string, ByteView(sky.buffer)) }.text?.string == "sky")
    "sea".withCString { #expect(detail(fallback: EvaluationFallback(.string, $0)) { _ in }.text?.string == "sea") }
    #expect(detail { $0.kind = .bool }.text == nil)
    withExtendedLifetime(sky) {}
  }

  @Test func aJSONValueWithoutTextIsNull() {
    #expect(detail { $0.kind = .json }.value.string == "null")
  }

  @Test func invalidUTF8IsRepairedInWhatIsTold() throws {
    let bytes: [UInt8] = [0x61, 0xFF, 0x62]
    let told = bytes.withBytes {
      EvaluationDetail(key: $0, Evaluation(want: .any), EvaluationFallback(), metadata: nil, explanation: nil)
    }
    #expect(told.key.string == "a\u{FFFD}b")
    #expect((try? JSONDocument(parsing: told.json())) != nil)
  }

  @Test("Every error has words of its own", arguments: 1...UInt8(8))
  func everyErrorHasWords(raw: UInt8) throws {
    let code = try #require(ErrorCode(rawValue: raw))
    let told = detail { $0.errorCode = code }
    #expect(!told.errorMessage.string.isEmpty)
    #expect(!"\(code.text)".isEmpty)
    #expect(!told.errorMessage.string.contains("\n"))
  }

  @Test func theNamesAreThoseOfOpenFeature() {
    let reasons = (0...8).compactMap { Reason(rawValue: $0).map { "\($0.text)" } }
    #expect(
      reasons == [
        "UNKNOWN", "STATIC", "DEFAULT", "TARGETING_MATCH", "SPLIT", "CACHED", "DISABLED", "STALE", "ERROR",
      ])
    #expect(Reason(rawValue: 9) == nil)
    let codes = (0...8).compactMap { ErrorCode(rawValue: $0).map { "\($0.text)" } }
    #expect(
      codes == [
        "", "PROVIDER_NOT_READY", "FLAG_NOT_FOUND", "PARSE_ERROR", "TYPE_MISMATCH", "TARGETING_KEY_MISSING",
        "INVALID_CONTEXT", "PROVIDER_FATAL", "GENERAL",
      ])
    #expect(ErrorCode(rawValue: 9) == nil)
  }

  @Test func textForCIsCopiedAndEndsWithNUL() {
    for sample in ["", "a", "grüße", String(repeating: "x", count: 10_000)] {
      let text = CText(sample)
      #expect(text.string == sample)
      #expect(text.count == sample.utf8.count)
      #expect(text.pointer[text.count] == 0)
    }
    #expect(CText(ByteView(start: nil, count: 0)).string == "")
    let withNUL = CText([0x61, 0, 0x62])
    #expect(withNUL.bytes == [0x61, 0, 0x62])
  }
}

extension EvaluationDetail {
  var whole: String { String(decoding: json(), as: UTF8.self) }
}
