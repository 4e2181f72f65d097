/// Reads a grammar from left to right. Never passes the end and never moves on a refusal.
@frozen public struct ByteCursor {
  public let bytes: ByteView
  @usableFromInline var offset: Int

  @inlinable
  public init(_ bytes: ByteView) {
    self.bytes = bytes
    self.offset = 0
  }

  /// Count of bytes already taken, 0 to `bytes.count`. To go back, keep a copy of the cursor.
  @inlinable public var position: Int { offset }
  @inlinable public var isAtEnd: Bool { offset >= bytes.count }
  @inlinable public var rest: ByteView { bytes.view(from: offset, to: bytes.count) }

  @inlinable
  public func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  @inlinable
  public mutating func next() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset &+= 1 }
    return bytes[offset]
  }

  /// Takes `byte` when it is next.
  @inlinable
  public mutating func take(_ byte: UInt8) -> Bool {
    guard offset < bytes.count, bytes[offset] == byte else { return false }
    offset &+= 1
    return true
  }

  /// Takes `text` when it is next, byte for byte.
  public mutating func take(_ text: StaticString) -> Bool {
    text.withBytes { wanted in
      guard bytes.view(from: offset, to: bytes.count).hasPrefix(wanted) else { return false }
      offset &+= wanted.count
      return true
    }
  }

  /// Takes bytes as long as `condition` holds and says how many.
  @inlinable @discardableResult
  public mutating func take(while condition: (UInt8) -> Bool) -> Int {
    let start = offset
    while offset < bytes.count, condition(bytes[offset]) { offset &+= 1 }
    return offset &- start
  }

  /// Takes between `minimum` and `maximum` decimal digits, as many as there are.
  /// - Parameter maximum: at most 18, so that the value cannot overflow.
  /// - Returns: nil when fewer than `minimum` follow; nothing is taken then.
  public mutating func takeNumber(minimumDigits minimum: Int, maximumDigits maximum: Int) -> Int? {
    var value = 0
    var taken = 0
    let limit = Swift.min(maximum, 18)
    while taken < limit, offset &+ taken < bytes.count {
      let byte = bytes[offset &+ taken]
      guard ASCII.isDigit(byte) else { break }
      value = value &* 10 &+ Int(byte &- 0x30)
      taken &+= 1
    }
    guard taken >= minimum, taken > 0 else { return nil }
    offset &+= taken
    return value
  }

  /// Takes exactly so many decimal digits.
  public mutating func takeNumber(digits: Int) -> Int? { takeNumber(minimumDigits: digits, maximumDigits: digits) }
}
