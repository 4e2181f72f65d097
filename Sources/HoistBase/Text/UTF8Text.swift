/// Checks on bytes that claim to be UTF-8 (RFC 3629, Unicode table 3-7).
public enum UTF8Text {
  public static func isValid(_ bytes: ByteView) -> Bool { firstInvalid(in: bytes) == nil }

  public static func isValid(_ source: some ByteSource) -> Bool { source.withBytes { isValid($0) } }

  /// Where the first sequence starts that is no code point: overlong, a surrogate, above U+10FFFF,
  /// cut short, or a stray continuation.
  public static func firstInvalid(in bytes: ByteView) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var offset = 0
    while offset < bytes.count {
      let lead = base.load(fromByteOffset: offset, as: UInt8.self)
      if lead < 0x80 {
        offset = endOfASCII(base, offset, bytes.count)
        continue
      }
      guard let length = lengthOfSequence(base + offset, bytes.count &- offset) else {
        return offset
      }
      offset &+= length
    }
    return nil
  }

  /// The text with U+FFFD in place of every maximal part that is no code point.
  public static func repaired(_ source: some ByteSource) -> String {
    source.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// How many code points valid text has.
  public static func countCodePoints(_ bytes: ByteView) -> Int {
    var continuations = 0
    for byte in bytes { continuations &+= byte & 0xC0 == 0x80 ? 1 : 0 }
    return bytes.count &- continuations
  }

  public static func countCodePoints(_ source: some ByteSource) -> Int {
    source.withBytes { countCodePoints($0) }
  }

  /// The first place from `start` on that is not ASCII, eight bytes at a time.
  private static func endOfASCII(_ base: UnsafeRawPointer, _ start: Int, _ count: Int) -> Int {
    var offset = start
    while offset &+ 8 <= count {
      let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let marks = UInt64(littleEndian: word) & 0x8080_8080_8080_8080
      if marks != 0 { return offset &+ marks.trailingZeroBitCount / 8 }
      offset &+= 8
    }
    while offset < count, base.load(fromByteOffset: offset, as: UInt8.self) < 0x80 { offset &+= 1 }
    return offset
  }

  /// The length of the sequence of two to four bytes at `base`; nil when it is none, or cut off.
  public static func lengthOfSequence(_ base: UnsafeRawPointer, _ available: Int) -> Int? {
    let lead = base.load(as: UInt8.self)
    let length: Int
    // Only the second byte has a range of its own; the others are plain continuations.
    let second: ClosedRange<UInt8>
    switch lead {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard available >= length, second.contains(base.load(fromByteOffset: 1, as: UInt8.self))
    else { return nil }
    var index = 2
    while index < length {
      guard base.load(fromByteOffset: index, as: UInt8.self) & 0xC0 == 0x80 else { return nil }
      index &+= 1
    }
    return length
  }
}
