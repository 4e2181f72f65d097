import HoistBase
import Testing

@Suite struct UnixInstantTests {
  @Test func millisecondsAreRoundedDown() {
    #expect(UnixInstant(milliseconds: 1_500).seconds == 1)
    #expect(UnixInstant(milliseconds: 1_500).nanoseconds == 500_000_000)
    #expect(UnixInstant(milliseconds: -1).seconds == -1)
    #expect(UnixInstant(milliseconds: -1).nanoseconds == 999_000_000)
    for milliseconds in [0, 1, -1, 999, -999, -1_000, .max, .min] as [Int64] {
      #expect(UnixInstant(milliseconds: milliseconds).milliseconds == milliseconds)
    }
  }

  @Test func clocksShowMoments() throws {
    let date = try #require(CivilDate(year: 2026, month: 1, day: 5))
    let noon = try #require(UnixInstant(date: date, hour: 12, minute: 0, second: 0))
    #expect(noon.seconds == 1_767_614_400)
    let east = UnixInstant(date: date, hour: 14, minute: 0, second: 0, offsetSeconds: 7_200)
    #expect(east == noon)
    let leap = UnixInstant(date: date, hour: 11, minute: 59, second: 60)
    #expect(leap == noon)
  }

  @Test func timesThatNoClockShowsAreRefused() throws {
    let date = try #require(CivilDate(year: 2026, month: 1, day: 5))
    func moment(
      _ hour: Int, _ minute: Int, _ second: Int, _ nanoseconds: Int = 0, _ offset: Int = 0
    )
      -> UnixInstant?
    {
      UnixInstant(
        date: date, hour: hour, minute: minute, second: second, nanoseconds: nanoseconds,
        offsetSeconds: offset)
    }
    #expect(moment(24, 0, 0) == nil)
    #expect(moment(-1, 0, 0) == nil)
    #expect(moment(0, 60, 0) == nil)
    #expect(moment(0, 0, 61) == nil)
    #expect(moment(0, 0, 0, 1_000_000_000) == nil)
    #expect(moment(0, 0, 0, 0, 86_400) == nil)
    #expect(moment(0, 0, 0, 0, .min) == nil)
    #expect(moment(0, 0, 0, 0, .max) == nil)
    #expect(moment(23, 59, 60, 999_999_999, -86_399) != nil)
  }

  @Test func momentsAreOrderedToTheNanosecond() throws {
    let date = try #require(CivilDate(year: 2026, month: 1, day: 5))
    let one = try #require(UnixInstant(date: date, hour: 0, minute: 0, second: 0, nanoseconds: 1))
    let two = try #require(UnixInstant(date: date, hour: 0, minute: 0, second: 0, nanoseconds: 2))
    let next = try #require(UnixInstant(date: date, hour: 0, minute: 0, second: 1))
    #expect(one < two)
    #expect(two < next)
    #expect(!(one < one))
    #expect(one.milliseconds == two.milliseconds)
  }

  @Test func secondsBeyondMillisecondsBecomeTheNearest() throws {
    let last = try #require(CivilDate(year: 2_147_483_647, month: 12, day: 31))
    let first = try #require(CivilDate(year: -2_147_483_648, month: 1, day: 1))
    #expect(UnixInstant(date: last, hour: 23, minute: 59, second: 59)?.milliseconds == .max)
    #expect(UnixInstant(date: first, hour: 0, minute: 0, second: 0)?.milliseconds == .min)
  }
}
