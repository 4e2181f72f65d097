/// A day of the Gregorian calendar, extended to all years (year 0 is 1 BC), without a time zone.
@frozen public struct CivilDate: Sendable, Hashable {
  public let year: Int32
  /// 1 to 12.
  public let month: UInt8
  /// 1 to 31.
  public let day: UInt8

  /// - Returns: nil when there is no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard let year = Int32(exactly: year), Self.isRealDate(year: year, month: month, day: day)
    else { return nil }
    self.year = year
    self.month = UInt8(truncatingIfNeeded: month)
    self.day = UInt8(truncatingIfNeeded: day)
  }

  /// The day that is `days` after 1970-01-01. Days further than 784,000,000,000 from it, where the
  /// year no longer fits, become the last ones that fit; 64-bit milliseconds do not reach them.
  public init(daysSinceEpoch days: Int64) {
    // Years that begin in March put the leap day last; 400 of them have 146,097 days, always
    // (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    let shifted = min(max(days, Self.earliestDay), Self.latestDay) &+ Self.daysFromMarchZero
    let (era, dayOfEra) = Self.flooredDivision(shifted, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = Int32(truncatingIfNeeded: era * 400 + yearOfEra + (month <= 2 ? 1 : 0))
    self.month = UInt8(truncatingIfNeeded: month)
    day = UInt8(truncatingIfNeeded: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// Days after 1970-01-01, negative before it.
  public var daysSinceEpoch: Int64 {
    let shiftedYear = Int64(year) - (month <= 2 ? 1 : 0)
    let (era, yearOfEra) = Self.flooredDivision(shiftedYear, 400)
    let monthFromMarch = (Int64(month) + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - Self.daysFromMarchZero
  }

  public static func isLeapYear(_ year: Int32) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// - Returns: 0 for a month that does not exist.
  public static func daysInMonth(_ month: Int, of year: Int32) -> Int {
    switch month {
    case 1, 3, 5, 7, 8, 10, 12: 31
    case 4, 6, 9, 11: 30
    case 2: isLeapYear(year) ? 29 : 28
    default: 0
    }
  }

  public static func isRealDate(year: Int32, month: Int, day: Int) -> Bool {
    day >= 1 && day <= daysInMonth(month, of: year)
  }

  /// The quotient rounded down, so that the remainder is never negative. `divisor` is positive.
  static func flooredDivision(
    _ value: Int64, _ divisor: Int64
  ) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// From 0000-03-01 to 1970-01-01.
  private static var daysFromMarchZero: Int64 { 719_468 }
  private static var earliestDay: Int64 { -784_000_000_000 }
  private static var latestDay: Int64 { 784_000_000_000 }
}
