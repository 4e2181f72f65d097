@testable import HoistCore
import Testing

@Suite("Property values are checked when they are set") struct PropertyValuesTests {
  let table = [
    Property("label", .text, default: "x", "A text."),
    Property("key", .secret, "A secret."),
    Property("on", .boolean, default: "true", "A switch."),
    Property("limit", .integer(10...20), default: "15", "A number."),
    Property("mode", .choice(["fast", "slow"]), default: "slow", "A choice."),
    Property("headers.extra", .textMap, default: "{}", "A map."),
    Property("headers.own", .headers, default: "{}", "Headers."),
    Property("proxy", .address, default: "http://a:b@default", "An address."),
    Property("tags", .textList, default: "[]", "A list."),
    Property("bootstrap", .json, "Any JSON."),
    Property("must", .text, required: true, "Needed."),
  ]

  func values(_ given: [(String, String)] = []) throws -> PropertyValues {
    var values = PropertyValues(table: table)
    for (name, text) in given { try values.set(name, text) }
    return values
  }

  func refusal(_ name: String, _ text: String) -> ConfigurationFailure? {
    var values = PropertyValues(table: table)
    do throws(ConfigurationFailure) {
      try values.set(name, text)
      return nil
    } catch {
      #expect(!values.isSet(name))
      return error
    }
  }

  @Test func defaultsAnswerUntilAValueIsSet() throws {
    let values = try values()
    #expect(values.text("label") == "x")
    #expect(values.boolean("on"))
    #expect(values.integer("limit") == 15)
    #expect(values.text("mode") == "slow")
    #expect(values.textMap("headers.extra") == [:])
    #expect(values.textList("tags") == [])
    #expect(values.text("bootstrap") == "")
    #expect(!values.isSet("label"))
  }

  @Test func everyKindIsRead() throws {
    let values = try values([
      ("label", ""), ("key", "s3cret"), ("on", "false"), ("limit", "20"), ("mode", "fast"),
      ("headers.extra", #"{"a":"1","b":""}"#), ("tags", #"["t:1","t:2"]"#), ("bootstrap", "[null]"),
    ])
    #expect(values.text("label") == "" && values.isSet("label"))
    #expect(values.text("key") == "s3cret")
    #expect(!values.boolean("on"))
    #expect(values.integer("limit") == 20)
    #expect(values.text("mode") == "fast")
    #expect(values.textMap("headers.extra") == ["a": "1", "b": ""])
    #expect(values.textList("tags") == ["t:1", "t:2"])
    #expect(values.text("bootstrap") == "[null]")
  }

  @Test func askingForAnotherTypeOrAnUnknownNameGivesNothing() throws {
    let values = try values()
    #expect(values.text("on") == "" && !values.boolean("label") && values.integer("nothing") == 0)
    #expect(values.textMap("tags") == [:] && values.textList("headers.extra") == [])
    #expect(values.shown("nothing") == nil && values.property("nothing") == nil)
  }

  @Test(
    "What is not of the type is refused, with the property's name and what it must be",
    arguments: [
      ("on", "yes", "true or false"), ("on", "TRUE", "true or false"), ("on", "", "true or false"),
      ("limit", "9", "from 10 to 20"), ("limit", "21", "from 10 to 20"), ("limit", "12.5", "from 10 to 20"),
      ("limit", "99999999999999999999", "from 10 to 20"), ("limit", " 12", "from 10 to 20"), ("limit", "", "from 10 to 20"),
      ("mode", "medium", "fast, slow"), ("mode", "", "fast, slow"),
      ("headers.extra", "[]", "JSON object"), ("headers.extra", #"{"a":1}"#, "JSON object"), ("headers.extra", "", "JSON object"),
      ("tags", "{}", "JSON array"), ("tags", #"["a",null]"#, "JSON array"), ("tags", "a,b", "JSON array"),
      ("bootstrap", "{", "JSON"), ("bootstrap", "", "JSON"),
    ])
  func wrongValuesAreRefused(name: String, text: String, expected: String) throws {
    let failure = try #require(refusal(name, text))
    #expect(failure.property == name)
    #expect(failure.message.contains("\"\(name)\"") && failure.message.contains(expected))
  }

  @Test func theLimitsOfARangeBelongToIt() {
    #expect(refusal("limit", "10") == nil && refusal("limit", "20") == nil)
  }

  @Test func aRefusedValueLeavesTheFormerOne() throws {
    var values = try values([("limit", "11")])
    #expect(throws: ConfigurationFailure.self) { try values.set("limit", "99") }
    #expect(values.integer("limit") == 11)
  }

  @Test(
    "An unknown name comes with the one that may have been meant",
    arguments: [
      ("Label", "label"), ("LIMIT", "limit"), ("extra", "headers.extra"), ("headers_extra", "headers.extra"),
      ("boot", "bootstrap"),
    ])
  func suggestions(name: String, meant: String) throws {
    let failure = try #require(refusal(name, "x"))
    #expect(failure.message == "unknown property \"\(name)\"; did you mean \"\(meant)\"?")
  }

  @Test func farNamesGetNoSuggestion() throws {
    for name in ["zebra", "", "..", "é"] {
      #expect(try #require(refusal(name, "x")).message == "unknown property \"\(name)\"")
    }
  }

  @Test func messagesAreOneLineAndBounded() throws {
    let long = String(repeating: "n\n", count: 5_000)
    for failure in [refusal(long, "x"), refusal("on", long), refusal("limit", "1\r\n2")] {
      let message = try #require(failure).message
      #expect(message.utf8.count < 300)
      #expect(!message.utf8.contains { $0 < 0x20 })
    }
  }

  @Test("Secrets are never shown (G7)") func secretsAreNeverShown() throws {
    var values = try values([("key", "s3cret"), ("label", "plain")])
    #expect(values.shown("key") == "***")
    #expect(values.shown("label") == "plain")
    #expect(values.shown("limit") == "15")
    #expect(values.shown("headers.own") == "{}" && values.shown("proxy") == "http://a:b@default")
    try values.set("headers.own", #"{"X-Key":"very-secret","Accept":""}"#)
    try values.set("proxy", "http://user:very-secret@host:8080")
    #expect(values.shown("headers.own") == #"{"Accept":"***","X-Key":"***"}"# && values.shown("proxy") == "http://***@host:8080")
    #expect(values.textMap("headers.own")["X-Key"] == "very-secret" && values.text("proxy") == values.revealed("proxy"))
    #expect(try self.values().shown("key") == "")
    // What is no JSON may be a header with a token, half typed.
    for name in ["headers.extra", "tags", "bootstrap"] {
      #expect(try #require(refusal(name, #"{"Authorization":"s3cret""#)).message.contains("s3cret") == false)
    }
  }

  @Test func whatIsRequiredIsMissedUntilItIsSet() throws {
    #expect(try values().missing == ["must"])
    #expect(try values([("must", "")]).missing == ["must"])
    #expect(try values([("must", "x")]).missing == [])
  }

  @Test func theCoresOwnDefaultsAreValid() throws {
    var values = PropertyValues(table: CoreProperties.table)
    for property in CoreProperties.table {
      if let text = property.defaultValue { try values.set(property.name, text) }
      #expect(!property.meaning.isEmpty && property.meaning.hasSuffix("."))
      #expect(property.range.isEmpty == [.text, .secret, .address].contains(property.kind))
    }
    #expect(Set(CoreProperties.table.map(\.name)).count == CoreProperties.table.count)
  }

  @Test func theNetworkTakesItsOptionsFromTheProperties() throws {
    var values = PropertyValues(table: CoreProperties.table)
    let plain = NetworkOptions(values, userAgent: "test/1")
    #expect(plain.proxy == nil && plain.certificateAuthorityFile == nil && plain.maximumRedirects == 5)
    #expect(plain.userAgent == "test/1")
    try values.set("network.proxy", "")
    try values.set("network.ca_file", "/ca.pem")
    try values.set("network.client_certificate_file", "/c.pem")
    try values.set("network.client_key_file", "/k.pem")
    try values.set("network.max_redirects", "0")
    let set = NetworkOptions(values, userAgent: "test/1")
    #expect(set.proxy == "" && set.certificateAuthorityFile == "/ca.pem" && set.clientCertificateFile == "/c.pem")
    #expect(set.clientKeyFile == "/k.pem" && set.maximumRedirects == 0)
  }
}
