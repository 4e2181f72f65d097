import HoistBase
import Testing

/// reliability.md 4.1: "with `Retry-After` as seconds, date, past, absurd, garbage".
@Suite struct RetryAfterTests {
  private static let now: Int64 = 1_767_607_200_500  // 2026-01-05T10:00:00.5Z

  private func wait(_ value: String, cap: Int64 = 3_600_000, now: Int64 = now) -> Int64? {
    RetryAfter.milliseconds(value, nowUnixMilliseconds: now, capMilliseconds: cap)
  }

  @Test(arguments: [
    ("0", Int64(0)), ("1", 1_000), ("120", 120_000), (" 120\t", 120_000), ("007", 7_000),
    ("3600", 3_600_000), ("3601", 3_600_000), ("18446744073709551615", 3_600_000),
    ("99999999999999999999999999", 3_600_000),
  ])
  func secondsAreObeyedUpToTheCap(value: String, expected: Int64) {
    #expect(wait(value) == expected)
  }

  @Test(arguments: [
    ("Mon, 05 Jan 2026 10:01:00 GMT", Int64(59_500)), ("Mon, 05 Jan 2026 10:00:00 GMT", 0),
    ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 3_600_000),
    ("Monday, 05-Jan-26 10:01:00 GMT", 59_500),
  ])
  func datesAreObeyedUpToTheCap(value: String, expected: Int64) { #expect(wait(value) == expected) }

  @Test(arguments: ["", " ", "-1", "+1", "1.5", "1e3", "soon", "0x10", "1 2", "١", "tomorrow, 5"])
  func garbageLeavesItToTheBackoff(value: String) { #expect(wait(value) == nil) }

  @Test func capsAndClocksAtTheirLimitsDoNotTrap() {
    #expect(wait("5", cap: 0) == 0)
    #expect(wait("5", cap: -1) == 0)
    #expect(wait("9223372036854775807", cap: .max) == .max)
    #expect(wait("9223372036854775", cap: .max) == 9_223_372_036_854_775_000)
    let date = "Fri, 31 Dec 9999 23:59:59 GMT"
    #expect(wait(date, cap: .max, now: .min) == .max)
    #expect(wait(date, cap: .max, now: .max) == 0)
    #expect(wait("Wed, 31 Dec 1969 23:59:00 GMT", now: .max) == 0)
  }
}
