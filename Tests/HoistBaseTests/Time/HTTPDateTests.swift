import HoistBase
import Testing

@Suite struct HTTPDateTests {
  private static let now: Int64 = 1_767_607_200  // 2026-01-05T10:00:00Z

  /// The three forms of RFC 9110 5.6.7.
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", Int64(784_111_777)),
    ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
    ("  Thu, 01 Jan 1970 00:00:00 GMT\t", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
    ("Mon, 05 Jan 2026 10:00:00 GMT", now), ("Fri, 05 Jan 2026 10:00:00 GMT", now),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
  ])
  func threeFormsAreRead(text: String, expected: Int64) {
    #expect(HTTPDate.parse(text, nowUnixSeconds: Self.now) == expected)
  }

  @Test(arguments: [
    (Int64(1_767_607_200), "76", 2076), (1_767_607_200, "77", 1977), (1_767_607_200, "25", 2025),
    (946_598_400, "05", 2005), (946_598_400, "49", 2049), (946_598_400, "50", 1950),
    (0, "20", 2020), (0, "21", 1921),
  ])
  func twoDigitYearsLieAtMostFiftyYearsAhead(now: Int64, digits: String, year: Int) throws {
    let seconds = try #require(
      HTTPDate.parse("Sunday, 01-Jan-\(digits) 00:00:00 GMT", nowUnixSeconds: now))
    #expect(seconds == CivilDate(year: year, month: 1, day: 1).map { $0.daysSinceEpoch * 86_400 })
  }

  @Test(arguments: [
    "", "Sun", "Sun,", "120", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 6 Nov 1994 08:49:37 GMT",
    "sun, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 GMT x",
    "Sun 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
    "Sunday Nov  6 08:49:37 1994",
    "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94", "Son, 06 Nov 1994 08:49:37 GMT",
    "2026-01-05T10:00:00Z", "Sun, 06 Nov 1994 8:49:37 GMT",
  ])
  func otherTextIsRefused(text: String) {
    #expect(HTTPDate.parse(text, nowUnixSeconds: Self.now) == nil)
  }

  @Test func aWildClockDoesNotTrap() {
    for now in [Int64.min, .max] {
      _ = HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", nowUnixSeconds: now)
      #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT", nowUnixSeconds: now) == 784_111_777)
    }
  }
}
