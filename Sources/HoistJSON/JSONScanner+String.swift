internal import Glibc
internal import HoistBase

/// Strings and member names.
extension JSONScanner {
  /// - Returns: the string's bytes: in the text itself, or decoded, until another string, or name, is read.
  @inline(__always)
  mutating func readString(isName: Bool = false) throws(JSONFailure) -> UnsafeBufferPointer<UInt8> {
    let first = at + 1
    let last = PlainBytes.end(from: first, to: end)
    // Nothing to decode or to check, as in most strings.
    if last < end, last.pointee == UInt8(ascii: "\""), last - first <= limits.maximumStringBytes {
      at = last + 1
      return UnsafeBufferPointer(start: first, count: last - first)
    }
    return try readAnyString(isName)
  }

  @inline(never)
  private mutating func readAnyString(_ isName: Bool) throws(JSONFailure) -> UnsafeBufferPointer<UInt8> {
    let quote = at
    at += 1
    let first = at
    var hasEscapes = false
    while true {
      at = PlainBytes.end(from: at, to: end)
      guard at < end else { throw failure("the text ends inside a string", at: quote) }
      switch at.pointee {
      case UInt8(ascii: "\""):
        let raw = UnsafeBufferPointer(start: first, count: at - first)
        guard raw.count <= limits.maximumStringBytes else {
          throw failure("a string is longer than \(limits.maximumStringBytes) bytes", .limit, at: quote)
        }
        let text = hasEscapes ? try decode(raw, isName) : raw
        at += 1
        return text
      case UInt8(ascii: "\\"):
        hasEscapes = true
        guard end - at >= 2 else { throw failure("the text ends inside a string", at: quote) }
        // What is escaped is looked at when decoding, unless it is the start of a longer character.
        at += at[1] < 0x80 ? 2 : 1
      case 0..<0x20:
        throw failure("a control character, \(found), in a string must be escaped")
      default:
        guard let length = UTF8Text.lengthOfSequence(at, end - at) else { throw failure("invalid UTF-8, \(found), in a string") }
        at += length
      }
    }
  }

  private mutating func decode(
    _ raw: UnsafeBufferPointer<UInt8>, _ isName: Bool
  ) throws(JSONFailure) -> UnsafeBufferPointer<UInt8> {
    // No escape decodes to more bytes than it is written with.
    let room = isName ? nameText.reserve(raw.count) : stringText.reserve(raw.count)
    guard let target = room, var from = raw.baseAddress else { throw .outOfMemory }
    let last = from + raw.count
    var to = target
    while from < last {
      if from.pointee != UInt8(ascii: "\\") {
        to.pointee = from.pointee
        to += 1
        from += 1
      } else if from[1] == UInt8(ascii: "u") {
        let (scalar, length) = try decodeHexEscape(at: from, last: last)
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          to.pointee = byte
          to += 1
        }
        from += length
      } else {
        guard let byte = Self.escapedByte(from[1]) else { throw failure("an unknown escape in a string", at: from) }
        to.pointee = byte
        to += 1
        from += 2
      }
    }
    return UnsafeBufferPointer(start: target, count: to - target)
  }

  private static func escapedByte(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// Reads `\uXXXX`, or two that form a surrogate pair; U+FFFD for a surrogate alone.
  private func decodeHexEscape(
    at escape: UnsafePointer<UInt8>, last: UnsafePointer<UInt8>
  ) throws(JSONFailure) -> (Unicode.Scalar, length: Int) {
    guard let high = Self.hexUnit(at: escape, last: last) else {
      throw failure("expected four hexadecimal digits after '\\u'", at: escape)
    }
    if let scalar = Unicode.Scalar(UInt32(high)) { return (scalar, 6) }
    if high < 0xDC00, let low = Self.hexUnit(at: escape + 6, last: last), low >= 0xDC00, low < 0xE000,
      let scalar = Unicode.Scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
    {
      return (scalar, 12)
    }
    return ("\u{FFFD}", 6)
  }

  private static func hexUnit(at escape: UnsafePointer<UInt8>, last: UnsafePointer<UInt8>) -> UInt16? {
    guard last - escape >= 6, escape[0] == UInt8(ascii: "\\"), escape[1] == UInt8(ascii: "u") else { return nil }
    var unit: UInt16 = 0
    for index in 2..<6 {
      guard let digit = ASCII.hexValue(escape[index]) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}

/// Memory for a decoded string, reused for the next one. From `malloc`, whose failure is no trap.
struct DecodedText: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>?
  private var capacity = 0

  init() {}

  deinit { free(start) }

  /// - Returns: nil when memory ran out.
  mutating func reserve(_ bytes: Int) -> UnsafeMutablePointer<UInt8>? {
    if bytes > capacity || start == nil {
      let wanted = max(bytes, 256, capacity &* 2)
      guard let grown = realloc(start, wanted) else { return nil }
      start = grown.assumingMemoryBound(to: UInt8.self)
      capacity = wanted
    }
    return start
  }
}
