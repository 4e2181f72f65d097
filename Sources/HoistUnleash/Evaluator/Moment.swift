internal import HoistBase

/// A point in time as rules compare it: a leap second comes after :59 and before the next minute.
struct Moment: BitwiseCopyable {
  /// Since 1970-01-01T00:00:00Z, rounded down; of second 60, those of :59.
  var seconds: Int64
  /// 0 to 1,999,999,999.
  var nanoseconds: Int64

  init(seconds: Int64, nanoseconds: Int64) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(unixMilliseconds: Int64) {
    let instant = UnixInstant(milliseconds: unixMilliseconds)
    self.init(seconds: instant.seconds, nanoseconds: Int64(instant.nanoseconds))
  }

  /// In one word, for instants of whole milliseconds.
  var packed: UInt64 { UInt64(bitPattern: seconds &* 2_000 &+ nanoseconds / 1_000_000) }

  init(packed: UInt64) {
    let value = Int64(bitPattern: packed)
    var (seconds, rest) = value.quotientAndRemainder(dividingBy: 2_000)
    if rest < 0 { (seconds, rest) = (seconds &- 1, rest &+ 2_000) }
    self.init(seconds: seconds, nanoseconds: rest &* 1_000_000)
  }

  func order(against other: Moment) -> Ordering {
    seconds == other.seconds
      ? Ordering(of: nanoseconds, against: other.nanoseconds) : Ordering(of: seconds, against: other.seconds)
  }
}

/// Dates in contexts, read as leniently as Unleash's engine does (protocols/unleash.md C.5): blanks between
/// the parts, parts of one digit, `T`, `t` or a blank between date and time, any fraction, second 60, `z`,
/// `UTC`, or an offset with or without a colon and with U+2212 as its minus.
enum LenientDate {
  static func parse(_ text: ByteView) -> Moment? {
    var cursor = ByteCursor(text)
    cursor.skipSpace()
    guard let date = takeDate(&cursor), cursor.take(0x54) || cursor.take(0x74) || cursor.take(0x20) else { return nil }
    cursor.skipSpace()
    guard let hour = cursor.takeNumber(minimumDigits: 1, maximumDigits: 2), cursor.takeColon(),
      let minute = cursor.takeNumber(minimumDigits: 1, maximumDigits: 2), cursor.takeColon(),
      let second = cursor.takeNumber(minimumDigits: 1, maximumDigits: 2),
      let nanoseconds = takeFraction(&cursor)
    else { return nil }
    cursor.skipSpace()
    guard let offset = takeOffset(&cursor) else { return nil }
    cursor.skipSpace()
    guard cursor.isAtEnd, second <= 60,
      let instant = UnixInstant(date: date, hour: hour, minute: minute, second: min(second, 59), offsetSeconds: offset)
    else { return nil }
    return Moment(seconds: instant.seconds, nanoseconds: nanoseconds + (second == 60 ? 1_000_000_000 : 0))
  }

  private static func takeDate(_ cursor: inout ByteCursor) -> CivilDate? {
    let isNegative = cursor.take(0x2D)
    let isSigned = isNegative || cursor.take(0x2B)
    guard let year = cursor.takeNumber(minimumDigits: 1, maximumDigits: isSigned ? 18 : 4), year <= 262_143,
      cursor.takeBetweenBlanks(0x2D),
      let month = cursor.takeNumber(minimumDigits: 1, maximumDigits: 2), cursor.takeBetweenBlanks(0x2D),
      let day = cursor.takeNumber(minimumDigits: 1, maximumDigits: 2)
    else { return nil }
    return CivilDate(year: isNegative ? -year : year, month: month, day: day)
  }

  /// Nanoseconds; digits beyond the ninth are dropped.
  private static func takeFraction(_ cursor: inout ByteCursor) -> Int64? {
    guard cursor.take(0x2E) else { return 0 }
    let start = cursor.position
    guard var value = cursor.takeNumber(minimumDigits: 1, maximumDigits: 9) else { return nil }
    for _ in (cursor.position &- start)..<9 { value *= 10 }
    cursor.take(while: ASCII.isDigit)
    return Int64(value)
  }

  /// Seconds ahead of UTC.
  private static func takeOffset(_ cursor: inout ByteCursor) -> Int? {
    if cursor.take(0x5A) || cursor.take(0x7A) { return 0 }
    if cursor.takeIgnoringCase("utc") { return 0 }
    let isBehind = cursor.take(0x2D) || cursor.take("\u{2212}")
    guard isBehind || cursor.take(0x2B),
      let hours = cursor.takeNumber(minimumDigits: 2, maximumDigits: 2), hours < 24
    else { return nil }
    repeat { cursor.skipSpace() } while cursor.take(0x3A)
    guard let minutes = cursor.takeNumber(minimumDigits: 2, maximumDigits: 2), minutes < 60 else { return nil }
    let seconds = hours * 3_600 + minutes * 60
    return isBehind ? -seconds : seconds
  }
}

extension ByteCursor {
  fileprivate mutating func takeColon() -> Bool { takeBetweenBlanks(0x3A) }

  fileprivate mutating func takeBetweenBlanks(_ byte: UInt8) -> Bool {
    skipSpace()
    guard take(byte) else { return false }
    skipSpace()
    return true
  }

  fileprivate mutating func takeIgnoringCase(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    let next = bytes.view(from: position, to: position &+ length)
    guard text.withBytes({ ASCII.equalsIgnoringCase(next, $0) }) else { return false }
    for _ in 0..<length { _ = self.next() }
    return true
  }

  /// Skips Unicode white space.
  fileprivate mutating func skipSpace() {
    while let byte = peek() {
      if byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) {
        _ = next()
      } else if byte < 0x80 || !takeWideSpace() {
        return
      }
    }
  }

  private mutating func takeWideSpace() -> Bool {
    take("\u{85}") || take("\u{A0}") || take("\u{1680}") || take("\u{2028}") || take("\u{2029}") || take("\u{202F}")
      || take("\u{205F}") || take("\u{3000}") || takeQuad()
  }

  /// U+2000 to U+200A.
  private mutating func takeQuad() -> Bool {
    let view = rest
    guard view.count >= 3, view[0] == 0xE2, view[1] == 0x80, view[2] >= 0x80, view[2] <= 0x8A else { return false }
    for _ in 0..<3 { _ = next() }
    return true
  }
}
