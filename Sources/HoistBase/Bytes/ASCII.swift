/// What single bytes mean in the ASCII grammars of protocols. Bytes from 0x80 on are nothing.
public enum ASCII {
  @inlinable @inline(__always)
  public static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inlinable @inline(__always)
  public static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  @inlinable @inline(__always)
  public static func isUppercase(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }

  @inlinable @inline(__always)
  public static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }

  @inlinable @inline(__always)
  public static func lowercased(_ byte: UInt8) -> UInt8 { isUppercase(byte) ? byte | 0x20 : byte }

  /// 0 to 15, or nil for a byte that is no hexadecimal digit.
  @inlinable
  public static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- 0x30 }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : nil
  }

  /// True when the bytes agree but for the case of ASCII letters.
  public static func equalsIgnoringCase(_ left: ByteView, _ right: ByteView) -> Bool {
    guard left.count == right.count else { return false }
    for (one, other) in zip(left, right) where lowercased(one) != lowercased(other) { return false }
    return true
  }

  /// True when the texts agree but for the case of ASCII letters.
  public static func equalsIgnoringCase(_ left: some ByteSource, _ right: some ByteSource) -> Bool {
    left.withBytes { one in right.withBytes { equalsIgnoringCase(one, $0) } }
  }

  /// The view without blanks and tabs at its ends.
  public static func trimmed(_ bytes: ByteView) -> ByteView {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var start = 0
    var end = bytes.count
    while start < end, isBlank(bytes[start]) { start &+= 1 }
    while end > start, isBlank(bytes[end &- 1]) { end &-= 1 }
    return bytes.view(from: start, to: end)
  }
}
