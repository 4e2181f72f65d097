/// An IPv4 or IPv6 address. Plain memory.
@frozen public struct IPAddress: Sendable, Hashable, BitwiseCopyable {
  @frozen public enum Family: UInt8, Sendable {
    case v4, v6
  }

  public let family: Family
  /// The first eight bytes of an IPv6 address; 0 for IPv4.
  public let high: UInt64
  /// The last eight bytes of an IPv6 address; the four bytes of an IPv4 address.
  public let low: UInt64

  @inlinable
  init(family: Family, high: UInt64, low: UInt64) {
    self.family = family
    self.high = high
    self.low = low
  }

  /// Reads what Rust's `IpAddr` reads (protocols/unleash.md C.7): four decimal numbers without
  /// leading zeros, or groups of one to four hexadecimal digits with one `::` for one or more zero
  /// groups and an IPv4 address in place of the last two. No zone, port, bracket or blank.
  public init?(_ text: ByteView) {
    var cursor = ByteCursor(text)
    if let address = Self.takeV4(&cursor), cursor.isAtEnd {
      self.init(family: .v4, high: 0, low: UInt64(address))
      return
    }
    cursor = ByteCursor(text)
    guard let groups = Self.takeV6(&cursor), cursor.isAtEnd else { return nil }
    func half(_ start: Int) -> UInt64 {
      (start..<(start + 4)).reduce(0) { $0 &<< 16 | UInt64(groups[$1]) }
    }
    self.init(family: .v6, high: half(0), low: half(4))
  }

  private static func takeV4(_ cursor: inout ByteCursor) -> UInt32? {
    var address: UInt32 = 0
    for index in 0..<4 {
      if index > 0, !cursor.take(0x2E) { return nil }
      let start = cursor.position
      let isZeroFirst = cursor.peek() == 0x30
      guard let number = cursor.takeNumber(minimumDigits: 1, maximumDigits: 3), number <= 255,
        !isZeroFirst || cursor.position == start + 1
      else { return nil }
      address = address &<< 8 | UInt32(number)
    }
    return address
  }

  private static func takeV6(_ cursor: inout ByteCursor) -> InlineArray<8, UInt16>? {
    var groups = InlineArray<8, UInt16>(repeating: 0)
    let head = takeGroups(&cursor, atMost: 8, into: &groups)
    if head.count == 8 { return groups }
    // After an IPv4 part nothing can follow; and what is left out is at least one group.
    guard !head.endsInV4, cursor.take("::") else { return nil }
    var tailGroups = InlineArray<8, UInt16>(repeating: 0)
    let tail = takeGroups(&cursor, atMost: 7 - head.count, into: &tailGroups)
    for index in 0..<tail.count { groups[8 - tail.count + index] = tailGroups[index] }
    return groups
  }

  /// Takes groups with `:` between them, as many as there are, up to `limit`.
  private static func takeGroups(
    _ cursor: inout ByteCursor, atMost limit: Int, into groups: inout InlineArray<8, UInt16>
  ) -> (count: Int, endsInV4: Bool) {
    var count = 0
    while count < limit {
      var attempt = cursor
      if count > 0, !attempt.take(0x3A) { break }
      if count + 1 < limit {
        var v4Attempt = attempt
        if let address = takeV4(&v4Attempt) {
          groups[count] = UInt16(truncatingIfNeeded: address &>> 16)
          groups[count + 1] = UInt16(truncatingIfNeeded: address)
          cursor = v4Attempt
          return (count + 2, true)
        }
      }
      guard let group = takeGroup(&attempt) else { break }
      groups[count] = group
      count += 1
      cursor = attempt
    }
    return (count, false)
  }

  private static func takeGroup(_ cursor: inout ByteCursor) -> UInt16? {
    var value: UInt16 = 0
    var digits = 0
    while digits < 4, let byte = cursor.peek(), let digit = ASCII.hexValue(byte) {
      value = value &<< 4 | UInt16(digit)
      digits += 1
      _ = cursor.next()
    }
    return digits > 0 ? value : nil
  }
}
