import HoistBase
import HoistCore
import HoistJSON
import Testing

@testable import HoistUnleash

@Suite struct TrackedEventTextTests {
  private func record(
    _ key: String, value: Double? = nil, properties: [(name: String, value: AttributeValue)] = []
  ) -> String {
    let event = TrackedEvent(key: key, context: nil, value: value, properties: properties, unixMilliseconds: 1)
    return TrackedEventText.withView(of: event) { view in
      TrackedEventText.withRecord(of: view) { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test func aRecordHoldsKeyValueAndPropertiesAsTexts() {
    #expect(record("sign-up") == #"{"k":"sign-up"}"#)
    #expect(record("buy", value: 19.9) == #"{"k":"buy","v":19.9}"#)
    #expect(
      record(
        "buy", value: -3,
        properties: [
          ("currency", .string(Array("EUR".utf8))), ("count", .double(2)), ("new", .bool(true)),
          ("list", .json(Array("[1]".utf8))), ("", .string([])),
        ])
        == #"{"k":"buy","v":-3,"p.currency":"EUR","p.count":"2","p.new":"true","p.list":"[1]","p.":""}"#)
  }

  @Test func keysNamesAndTextsAreEscaped() {
    #expect(
      record("a\"b", properties: [("\\n\n", .string(Array("\u{1}\t".utf8)))])
        == #"{"k":"a\"b","p.\\n\n":"\u0001\t"}"#)
  }

  @Test func aLongRecordIsWrittenWhole() {
    let long = String(repeating: "\u{2}x", count: 5000)
    let escaped = String(repeating: #"\u0002x"#, count: 5000)
    #expect(
      record(long, properties: [(long, .string(Array(long.utf8)))])
        == #"{"k":"\#(escaped)","p.\#(escaped)":"\#(escaped)"}"#)
  }

  @Test func aRecordIsCountedAsMetricsOfItsKey() {
    let impact = ImpactMetrics()
    let text = record("buy", value: 19.9, properties: [("currency", .string(Array("EUR".utf8)))])
    try? TrackedEventText.count(Array(text.utf8), into: impact)
    var writer = JSONWriter()
    ImpactMetrics.write(impact.collect(), labels: [:], to: &writer)
    #expect(writer.text.contains(#""name":"buy""#))
    #expect(writer.text.contains(#""name":"buy_value""#))
    #expect(writer.text.contains(#""labels":{"currency":"EUR"}"#))
  }
}
