import HoistBase
import HoistTestSupport
import Testing

@Suite struct RFC3339Tests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", Int64(0), Int32(0)), ("2026-01-05T10:00:00Z", 1_767_607_200, 0),
    ("2026-01-05t10:00:00z", 1_767_607_200, 0), ("2026-01-05T12:00:00+02:00", 1_767_607_200, 0),
    ("2026-01-05T04:30:00-05:30", 1_767_607_200, 0),
    ("2026-01-05T10:00:00-00:00", 1_767_607_200, 0),
    ("1985-04-12T23:20:50.52Z", 482_196_050, 520_000_000),
    ("1996-12-19T16:39:57-08:00", 851_042_397, 0),
    ("1990-12-31T23:59:60Z", 662_688_000, 0), ("1990-12-31T15:59:60-08:00", 662_688_000, 0),
    ("1937-01-01T12:00:27.87+00:20", -1_041_337_173, 870_000_000),
    ("1969-12-31T23:59:59.999999999Z", -1, 999_999_999),
    ("2026-01-05T10:00:00.123456789999Z", 1_767_607_200, 123_456_789),
    ("2026-01-05T10:00:00.000000000000000000000001Z", 1_767_607_200, 0),
    ("0000-01-01T00:00:00Z", -62_167_219_200, 0), ("9999-12-31T23:59:59Z", 253_402_300_799, 0),
    ("0000-01-01T00:00:00+23:59", -62_167_305_540, 0),
  ])
  func textIsRead(text: String, seconds: Int64, nanoseconds: Int32) throws {
    let instant = try #require(RFC3339.parse(text))
    #expect(instant.seconds == seconds)
    #expect(instant.nanoseconds == nanoseconds)
  }

  @Test(arguments: [
    "", "2026", "2026-01-05", "2026-01-05T10:00:00", "2026-01-05T10:00Z", "2026-01-05 10:00:00Z",
    "2026-1-05T10:00:00Z", "2026-01-5T10:00:00Z", "26-01-05T10:00:00Z", "02026-01-05T10:00:00Z",
    "2026-01-05T1:00:00Z", "2026-13-05T10:00:00Z", "2026-02-29T10:00:00Z", "2026-00-01T10:00:00Z",
    "2026-01-05T24:00:00Z", "2026-01-05T10:60:00Z", "2026-01-05T10:00:61Z", "2026-01-05T10:00:60Z",
    "2026-01-05T23:59:60Z", "2026-01-31T15:59:60Z", "2026-01-05T10:00:00.Z",
    "2026-01-05T10:00:00,5Z",
    "2026-01-05T10:00:00+0200", "2026-01-05T10:00:00+02", "2026-01-05T10:00:00+24:00",
    "2026-01-05T10:00:00+02:60", "2026-01-05T10:00:00 Z", " 2026-01-05T10:00:00Z",
    "2026-01-05T10:00:00Z ", "2026-01-05T10:00:00ZZ", "2026-01-05T10:00:00UTC",
    "2026-01-05T10:00:00\u{2212}02:00", "-2026-01-05T10:00:00Z", "٢٠٢٦-01-05T10:00:00Z",
    "99999999999999999999-01-05T10:00:00Z", "2026-01-05T10:00:00.1", "2026-01-05T10:00:00Z\u{0}",
  ])
  func whatTheGrammarLacksIsRefused(text: String) { #expect(RFC3339.parse(text) == nil) }

  @Test func aHugeTextIsReadOrRefused() throws {
    let digits = String(repeating: "9", count: 1_000_000)
    let instant = try #require(RFC3339.parse("2026-01-05T10:00:00.\(digits)Z"))
    #expect(instant.nanoseconds == 999_999_999)
    #expect(RFC3339.parse(digits) == nil)
  }

  @Test func momentsAreWritten() {
    #expect(RFC3339.text(unixMilliseconds: 0) == "1970-01-01T00:00:00Z")
    #expect(RFC3339.text(unixMilliseconds: 1_767_607_200_999) == "2026-01-05T10:00:00Z")
    #expect(
      RFC3339.text(unixMilliseconds: 1_767_607_200_007, precision: .milliseconds)
        == "2026-01-05T10:00:00.007Z")
    #expect(RFC3339.text(unixMilliseconds: -1) == "1969-12-31T23:59:59Z")
    #expect(
      RFC3339.text(unixMilliseconds: -1, precision: .milliseconds) == "1969-12-31T23:59:59.999Z")
  }

  @Test func yearsOfFourDigitsAreTheLimit() {
    #expect(RFC3339.text(unixMilliseconds: .max) == "9999-12-31T23:59:59Z")
    #expect(RFC3339.text(unixMilliseconds: .min) == "0000-01-01T00:00:00Z")
  }

  @Test func whatIsWrittenIsReadBack() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<2_000 {
      let milliseconds = Int64.random(
        in: -62_167_219_200_000...253_402_300_799_999, using: &generator)
      let text = RFC3339.text(unixMilliseconds: milliseconds, precision: .milliseconds)
      #expect(RFC3339.parse(text)?.milliseconds == milliseconds)
    }
  }
}
