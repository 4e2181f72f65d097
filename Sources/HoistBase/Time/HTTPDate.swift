/// The dates of HTTP headers in the three forms a recipient must read (RFC 9110 5.6.7).
/// Names and the zone `GMT` are matched as the grammar spells them; the name of the day is read, but
/// not held against the date.
public enum HTTPDate {
  /// - Parameter nowUnixSeconds: settles the century of the form with a two-digit year.
  /// - Returns: seconds since 1970-01-01T00:00:00Z.
  public static func parse(_ bytes: ByteView, nowUnixSeconds: Int64) -> Int64? {
    var cursor = ByteCursor(ASCII.trimmed(bytes))
    guard let length = takeName(dayNames, &cursor) else { return nil }
    if cursor.take(", ") {
      return length == 3 ? fixed(&cursor) : obsolete(&cursor, nowUnixSeconds)
    }
    return length == 3 && cursor.take(0x20) ? asctime(&cursor) : nil
  }

  public static func parse(_ source: some ByteSource, nowUnixSeconds: Int64) -> Int64? {
    source.withBytes { parse($0, nowUnixSeconds: nowUnixSeconds) }
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, after the comma.
  private static func fixed(_ cursor: inout ByteCursor) -> Int64? {
    guard let day = cursor.takeNumber(digits: 2), cursor.take(0x20),
      let month = takeMonth(&cursor), cursor.take(0x20),
      let year = cursor.takeNumber(digits: 4), cursor.take(0x20),
      let time = takeTime(&cursor), cursor.take(" GMT"), cursor.isAtEnd
    else { return nil }
    return seconds(year, month, day, time)
  }

  /// `Sunday, 06-Nov-94 08:49:37 GMT`, after the comma.
  private static func obsolete(_ cursor: inout ByteCursor, _ now: Int64) -> Int64? {
    guard let day = cursor.takeNumber(digits: 2), cursor.take(0x2D),
      let month = takeMonth(&cursor), cursor.take(0x2D),
      let shortYear = cursor.takeNumber(digits: 2), cursor.take(0x20),
      let time = takeTime(&cursor), cursor.take(" GMT"), cursor.isAtEnd
    else { return nil }
    // The latest year with these two digits that is not more than fifty years ahead.
    let latest = Int(CivilDate(daysSinceEpoch: now / 86_400).year) + 50
    let sinceShortYear = (latest - shortYear) % 100
    let year = latest - (sinceShortYear < 0 ? sinceShortYear + 100 : sinceShortYear)
    return seconds(year, month, day, time)
  }

  /// `Sun Nov  6 08:49:37 1994`, after the first blank.
  private static func asctime(_ cursor: inout ByteCursor) -> Int64? {
    guard let month = takeMonth(&cursor), cursor.take(0x20) else { return nil }
    let isOneDigit = cursor.take(0x20)
    let digits = isOneDigit ? 1 : 2
    guard let day = cursor.takeNumber(digits: digits),
      cursor.take(0x20), let time = takeTime(&cursor), cursor.take(0x20),
      let year = cursor.takeNumber(digits: 4), cursor.isAtEnd
    else { return nil }
    return seconds(year, month, day, time)
  }

  private static func seconds(
    _ year: Int, _ month: Int, _ day: Int, _ time: (hour: Int, minute: Int, second: Int)
  ) -> Int64? {
    guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
    return UnixInstant(date: date, hour: time.hour, minute: time.minute, second: time.second)?
      .seconds
  }

  private static func takeTime(
    _ cursor: inout ByteCursor
  ) -> (hour: Int, minute: Int, second: Int)? {
    guard let hour = cursor.takeNumber(digits: 2), cursor.take(0x3A),
      let minute = cursor.takeNumber(digits: 2), cursor.take(0x3A),
      let second = cursor.takeNumber(digits: 2)
    else { return nil }
    return (hour, minute, second)
  }

  private static func takeMonth(_ cursor: inout ByteCursor) -> Int? {
    for (index, name) in monthNames.enumerated() where cursor.take(name) { return index + 1 }
    return nil
  }

  /// The length of the name taken.
  private static func takeName(_ names: [StaticString], _ cursor: inout ByteCursor) -> Int? {
    for name in names where cursor.take(name) { return name.utf8CodeUnitCount }
    return nil
  }

  /// The long names first: each begins with its short one.
  private static let dayNames: [StaticString] = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat",
  ]
  private static let monthNames: [StaticString] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
