import HoistBase
@testable import HoistCore
import Testing

@Suite("A context can be read from JSON and written as JSON") struct ContextJSONTests {
  func read(_ json: String) throws(ContextJSON.Failure) -> EvaluationContext {
    let result = json.withBytes { bytes in Result { () throws(ContextJSON.Failure) in try ContextJSON.context(bytes) } }
    return try result.get()
  }

  func failure(_ json: String) -> String? {
    do {
      _ = try read(json)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func everyJSONTypeBecomesTheNearestAttribute() throws {
    let context = try read(
      #"{"targetingKey":"u","s":"grüße","t":true,"i":-5,"d":0.5,"n":null,"l":["a",""],"e":[],"m":["a",1],"o":{"k":[1]}}"#)
    #expect(context.content.key == Array("u".utf8))
    let values = Dictionary(
      uniqueKeysWithValues: context.content.attributes.map { (String(decoding: $0.name, as: UTF8.self), $0.value) })
    #expect(
      values == [
        "s": .string(Array("grüße".utf8)), "t": .bool(true), "i": .int(-5), "d": .double(0.5), "n": .null,
        "l": .strings([Array("a".utf8), []]), "e": .strings([]), "m": .json(Array(#"["a",1]"#.utf8)),
        "o": .json(Array(#"{"k":[1]}"#.utf8)),
      ])
    #expect(context.content.attributes.map { String(decoding: $0.name, as: UTF8.self) }.joined() == "stidnlemo")
  }

  @Test("As other SDKs write it: a userId beside properties; each alone is an attribute")
  func nested() throws {
    let context = try read(#"{"userId":"ben","properties":{"plan":"pro"},"age":3}"#)
    #expect(context.content.key == Array("ben".utf8))
    #expect(context.content.attributes.map { String(decoding: $0.name, as: UTF8.self) } == ["plan", "age"])
    // What stands at both places is refused by its name.
    #expect { try read(#"{"userId":"ben","properties":{"plan":"pro","userId":"x"}}"#) } throws: { "\($0)".contains("userId") }
    for json in [#"{"userId":"ben"}"#, #"{"properties":{}}"#, #"{"userId":7,"properties":{}}"#] {
      #expect(try read(json).content.key == nil)
    }
    #expect(try read(#"{"targetingKey":"a","userId":"b","properties":{}}"#).content.key == Array("a".utf8))
  }

  @Test func whatIsWrittenReadsBackAsTheSame() throws {
    for json in [
      "{}", #"{"targetingKey":""}"#, #"{"targetingKey":"a\"b","x":1,"y":[{"z":null}],"":"empty name"}"#,
      #"{"a":9223372036854775807,"b":-0.25,"c":"\u0001"}"#,
    ] {
      let context = try read(json)
      #expect(String(decoding: ContextJSON.text(of: context), as: UTF8.self) == json)
    }
  }

  @Test func datesAreWrittenAsText() throws {
    let context = EvaluationContext(targetingKey: "u")
    try context.set("seconds", .date(1_700_000_000_000))
    try context.set("milliseconds", .date(1_700_000_000_007))
    #expect(
      String(decoding: ContextJSON.text(of: context), as: UTF8.self)
        == #"{"targetingKey":"u","seconds":"2023-11-14T22:13:20Z","milliseconds":"2023-11-14T22:13:20.007Z"}"#)
  }

  @Test func aNullTargetingKeyIsNone() throws {
    #expect(try read(#"{"targetingKey":null}"#).content.key == nil)
  }

  @Test(
    "What is no context is refused in one line",
    arguments: [
      ("", "cannot be read"), ("{", "cannot be read"), ("[]", "no JSON object"), ("null", "no JSON object"),
      (#""u""#, "no JSON object"), (#"{"targetingKey":7}"#, "targetingKey is no text"),
      (#"{"targetingKey":["u"]}"#, "targetingKey is no text"),
    ])
  func refusals(json: String, reason: String) throws {
    let message = try #require(failure(json))
    #expect(message.contains(reason) && !message.contains("\n"))
  }

  @Test func anAttributeBeyondTheLimitsIsRefusedByName() throws {
    let long = String(repeating: "n", count: EvaluationContext.maximumNameBytes + 1)
    let message = try #require(failure("{\"\(long)\":1}"))
    #expect(message.contains("nnn") && message.utf8.count < 200)
    let big = String(repeating: "v", count: EvaluationContext.maximumValueBytes + 1)
    #expect(try #require(failure("{\"plan\":\"\(big)\"}")).contains("plan"))
  }

  @Test func oneValueIsReadAlone() {
    func value(_ json: String) -> AttributeValue? { json.withBytes { ContextJSON.value($0) } }
    #expect(value("3") == .int(3) && value("3.0") == .double(3) && value("true") == .bool(true))
    #expect(value(#""x""#) == .string([0x78]) && value("null") == .null && value(#"["x"]"#) == .strings([[0x78]]))
    #expect(value("1e400") == .double(.greatestFiniteMagnitude))
    #expect(value("") == nil && value("nope") == nil && value("{\"a\":") == nil)
  }
}
