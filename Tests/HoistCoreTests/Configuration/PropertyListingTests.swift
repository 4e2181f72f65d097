import HoistBase
@testable import HoistCore
import HoistJSON
import Testing

@Suite("Property tables and values as JSON") struct PropertyListingTests {
  let table = [
    Property("url", .text, "Where."), Property("key", .secret, required: true, "Secret."),
    Property("on", .boolean, default: "true", "Switch."), Property("limit", .integer(1...9), default: "5", "Number."),
    Property("mode", .choice(["a", "b"]), default: "a", "Choice."), Property("headers", .textMap, default: "{}", "Map."),
    Property("tags", .textList, default: "[]", "List."), Property("bootstrap", .json, "JSON."),
  ]

  func apply(_ json: String, to values: PropertyValues? = nil) throws(PropertyListing.Failure) -> PropertyValues {
    let values = values ?? PropertyValues(table: table)
    let result = json.withBytes { bytes in
      Result { () throws(PropertyListing.Failure) in try PropertyListing.applying(bytes, to: values) }
    }
    return try result.get()
  }

  func refusal(of json: String) -> PropertyListing.Failure? {
    do {
      _ = try apply(json)
      return nil
    } catch {
      return error
    }
  }

  @Test func theTableTellsEveryColumn() throws {
    let document = try JSONDocument(parsing: PropertyListing.json(table))
    document.withRoot { root in
      let rows = root.array.map { Array($0) } ?? []
      #expect(rows.map { $0["name"]?.string } == table.map(\.name))
      #expect(rows.map { $0["type"]?.string } == ["text", "secret", "boolean", "integer", "choice", "object", "list", "json"])
      #expect(rows[0]["default"]?.isNull == true && rows[3]["default"]?.string == "5")
      #expect(rows[3]["range"]?.string == "1…9" && rows[4]["range"]?.string == "a | b" && rows[0]["range"]?.string == "")
      #expect(rows.map { $0["required"]?.bool } == [false, true, false, false, false, false, false, false])
      #expect(rows.map { $0["secret"]?.bool } == [false, true, false, false, false, false, false, false])
      #expect(rows[1]["meaning"]?.string == "Secret.")
    }
  }

  @Test func everyJSONTypeSetsItsKind() throws {
    let values = try apply(
      #"{"url":"u","key":"s","on":false,"limit":9,"mode":"b","headers":{"a":"1"},"tags":["x"],"bootstrap":{"f":[1]}}"#)
    #expect(values.text("url") == "u" && values.text("key") == "s" && !values.boolean("on"))
    #expect(values.integer("limit") == 9 && values.text("mode") == "b" && values.textMap("headers") == ["a": "1"])
    #expect(values.textList("tags") == ["x"] && values.text("bootstrap") == #"{"f":[1]}"#)
  }

  @Test func textsAreTakenForEveryKind() throws {
    let values = try apply(#"{"on":"false","limit":"3","headers":"{\"a\":\"1\"}"}"#)
    #expect(!values.boolean("on") && values.integer("limit") == 3 && values.textMap("headers") == ["a": "1"])
  }

  @Test func allOrNothing() throws {
    let before = try apply(#"{"limit":2}"#)
    #expect(throws: PropertyListing.Failure.self) { try apply(#"{"limit":3,"url":"x","mode":"c"}"#, to: before) }
    #expect(before.integer("limit") == 2 && !before.isSet("url"))
  }

  @Test(
    "What is refused names the property",
    arguments: [
      (#"{"limit":10}"#, "limit"), (#"{"limit":1.5}"#, "limit"), (#"{"on":1}"#, "\"on\""), (#"{"nope":1}"#, "nope"),
      (#"{"url":null}"#, "\"url\" is null"), (#"{"key":null}"#, "\"key\" is null"), (#"{"tags":[1]}"#, "tags"),
    ])
  func refusals(json: String, named: String) throws {
    let failure = try #require(refusal(of: json))
    #expect(failure.message.contains(named) && !failure.isUnreadable)
  }

  @Test(arguments: ["", "{", "[]", "7", "{\"a\":1}}"])
  func whatIsNoObjectIsUnreadable(json: String) throws {
    let failure = try #require(refusal(of: json))
    #expect(failure.isUnreadable && !failure.message.contains("\n"))
  }

  @Test("A secret that is refused is not repeated (G7)") func secretsStaySecret() throws {
    let failure = try #require(refusal(of: #"{"key":"s3cret","limit":99}"#))
    #expect(!failure.message.contains("s3cret"))
  }

  @Test func valuesAreTakenFromOthersByName() throws {
    let other = try apply(#"{"limit":2,"url":"theirs"}"#)
    var values = try apply(#"{"limit":7,"mode":"b"}"#)
    values.take(["limit", "mode", "nope"], from: other)
    #expect(values.integer("limit") == 2 && values.text("mode") == "a" && !values.isSet("mode") && !values.isSet("url"))
  }
}
