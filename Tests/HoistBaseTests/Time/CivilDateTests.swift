import HoistBase
import Testing

@Suite struct CivilDateTests {
  @Test(arguments: [
    (1970, 1, 1, Int64(0)), (1970, 1, 2, 1), (1969, 12, 31, -1), (2000, 2, 29, 11_016),
    (2026, 1, 5, 20_458), (1, 1, 1, -719_162), (0, 3, 1, -719_468), (0, 1, 1, -719_528),
    (9999, 12, 31, 2_932_896), (-1, 12, 31, -719_529), (1582, 10, 15, -141_427),
    (2_147_483_647, 12, 31, 784_351_576_776), (-2_147_483_648, 1, 1, -784_353_015_833),
  ])
  func daysOfKnownDates(year: Int, month: Int, day: Int, expected: Int64) throws {
    let date = try #require(CivilDate(year: year, month: month, day: day))
    #expect(date.daysSinceEpoch == expected)
    if abs(expected) < 784_000_000_000 { #expect(CivilDate(daysSinceEpoch: expected) == date) }
  }

  @Test func everyDayOfFourCenturiesFollowsTheOneBefore() throws {
    var previous = CivilDate(daysSinceEpoch: -135_141)
    #expect(previous == CivilDate(year: 1599, month: 12, day: 31))
    for days in -135_140...11_016 {
      let date = CivilDate(daysSinceEpoch: Int64(days))
      let endsMonth =
        Int(previous.day) == CivilDate.daysInMonth(Int(previous.month), of: previous.year)
      let endsYear = endsMonth && previous.month == 12
      try #require(date.day == (endsMonth ? 1 : previous.day + 1))
      try #require(date.month == (endsYear ? 1 : endsMonth ? previous.month + 1 : previous.month))
      try #require(date.year == previous.year + (endsYear ? 1 : 0))
      try #require(date.daysSinceEpoch == days)
      previous = date
    }
  }

  @Test func farDaysAreKeptWithinTheYears() {
    #expect(CivilDate(daysSinceEpoch: .max) == CivilDate(daysSinceEpoch: 784_000_000_000))
    #expect(CivilDate(daysSinceEpoch: .min) == CivilDate(daysSinceEpoch: -784_000_000_000))
    let farthest = Int64.max / 86_400_000
    #expect(CivilDate(daysSinceEpoch: farthest).daysSinceEpoch == farthest)
  }

  @Test(arguments: [
    (2023, 2, 29), (2024, 2, 30), (1900, 2, 29), (2023, 0, 1), (2023, 13, 1), (2023, 4, 31),
    (2023, 1, 0), (2023, 1, 32), (2023, -1, 1), (2023, 1, -1), (Int.max, 1, 1), (Int.min, 1, 1),
    (2_147_483_648, 1, 1), (2023, Int.max, 1), (2023, 1, Int.max),
  ])
  func daysThatAreNoneAreRefused(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test func leapYears() {
    #expect([2000, 2024, 1600, 0, -4].allSatisfy { CivilDate.isLeapYear($0) })
    #expect([1900, 2100, 2023, -1, -100].allSatisfy { !CivilDate.isLeapYear($0) })
    #expect(CivilDate.isRealDate(year: 2024, month: 2, day: 29))
    #expect(CivilDate.daysInMonth(0, of: 2024) == 0)
  }
}
