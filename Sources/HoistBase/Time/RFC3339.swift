/// Dates as the internet writes them: `2026-01-05T10:00:00Z` (RFC 3339 5.6).
public enum RFC3339 {
  public enum Precision: Sendable {
    case seconds, milliseconds
  }

  /// Reads a full date-time with an offset. As the grammar has it: two digits a part, `T` and `Z` in
  /// either case, any number of digits of a fraction (those after the ninth are dropped), second 60
  /// only where a leap second can be, at the end of a month in UTC.
  public static func parse(_ bytes: ByteView) -> UnixInstant? {
    var cursor = ByteCursor(bytes)
    guard let date = takeDate(&cursor), cursor.take(0x54) || cursor.take(0x74),
      let hour = cursor.takeNumber(digits: 2), cursor.take(0x3A),
      let minute = cursor.takeNumber(digits: 2), cursor.take(0x3A),
      let second = cursor.takeNumber(digits: 2),
      let nanoseconds = takeFraction(&cursor),
      let offset = takeOffset(&cursor), cursor.isAtEnd,
      let instant = UnixInstant(
        date: date, hour: hour, minute: minute, second: second, nanoseconds: nanoseconds,
        offsetSeconds: offset)
    else { return nil }
    return second == 60 && !beginsMonth(instant.seconds) ? nil : instant
  }

  /// The moment in UTC. Years outside 0 to 9999, which the grammar does not know, become the first
  /// or the last moment that it does.
  public static func text(
    unixMilliseconds: Int64, precision: Precision = .seconds
  ) -> String {
    let kept = min(max(unixMilliseconds, earliest), latest)
    let (day, rest) = CivilDate.flooredDivision(kept, 86_400_000)
    let date = CivilDate(daysSinceEpoch: day)
    let millisecond = Int(truncatingIfNeeded: rest)
    return String(unsafeUninitializedCapacity: 24) { buffer in
      var count = 0
      func put(_ value: Int, digits: Int, then mark: UInt8) {
        var rest = value
        for index in stride(from: digits &- 1, through: 0, by: -1) {
          buffer[count &+ index] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        buffer[count &+ digits] = mark
        count &+= digits &+ 1
      }
      put(Int(date.year), digits: 4, then: 0x2D)
      put(Int(date.month), digits: 2, then: 0x2D)
      put(Int(date.day), digits: 2, then: 0x54)
      put(millisecond / 3_600_000, digits: 2, then: 0x3A)
      put(millisecond / 60_000 % 60, digits: 2, then: 0x3A)
      put(millisecond / 1_000 % 60, digits: 2, then: precision == .seconds ? 0x5A : 0x2E)
      if precision == .milliseconds { put(millisecond % 1_000, digits: 3, then: 0x5A) }
      return count
    }
  }

  private static func takeDate(_ cursor: inout ByteCursor) -> CivilDate? {
    guard let year = cursor.takeNumber(digits: 4), cursor.take(0x2D),
      let month = cursor.takeNumber(digits: 2), cursor.take(0x2D),
      let day = cursor.takeNumber(digits: 2)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  /// Nanoseconds; 0 when there is no fraction, nil when it has no digits.
  private static func takeFraction(_ cursor: inout ByteCursor) -> Int? {
    guard cursor.take(0x2E) else { return 0 }
    let start = cursor.position
    guard var value = cursor.takeNumber(minimumDigits: 1, maximumDigits: 9) else { return nil }
    for _ in (cursor.position &- start)..<9 { value *= 10 }
    cursor.take(while: ASCII.isDigit)
    return value
  }

  /// Seconds ahead of UTC.
  private static func takeOffset(_ cursor: inout ByteCursor) -> Int? {
    if cursor.take(0x5A) || cursor.take(0x7A) { return 0 }
    let isBehind = cursor.take(0x2D)
    guard isBehind || cursor.take(0x2B), let hours = cursor.takeNumber(digits: 2), hours < 24,
      cursor.take(0x3A), let minutes = cursor.takeNumber(digits: 2), minutes < 60
    else { return nil }
    let seconds = hours * 3_600 + minutes * 60
    return isBehind ? -seconds : seconds
  }

  private static func beginsMonth(_ seconds: Int64) -> Bool {
    let (day, rest) = CivilDate.flooredDivision(seconds, 86_400)
    return rest == 0 && CivilDate(daysSinceEpoch: day).day == 1
  }

  private static var earliest: Int64 { -62_167_219_200_000 }
  private static var latest: Int64 { 253_402_300_799_999 }
}
