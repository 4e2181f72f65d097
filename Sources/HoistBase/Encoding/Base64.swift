/// Base 64 (RFC 4648 sections 4 and 5).
public enum Base64 {
  public enum Alphabet: Sendable {
    /// With `+` and `/`.
    case standard
    /// With `-` and `_`, for URLs and file names.
    case urlSafe
  }

  public enum Padding: Sendable {
    /// Written; demanded when reading.
    case required
    /// Not written; refused when reading.
    case none
    /// Written; read with it or without.
    case optional
  }

  public static func encode(
    _ source: some ByteSource, alphabet: Alphabet = .standard, padding: Padding = .required
  ) -> String {
    source.withBytes { bytes in
      var text: [UInt8] = []
      text.reserveCapacity(bytes.count / 3 &* 4 &+ 4)
      var index = 0
      while index < bytes.count {
        let taken = min(3, bytes.count &- index)
        var group: UInt32 = 0
        for offset in 0..<3 {
          group = group &<< 8 | (offset < taken ? UInt32(bytes[index &+ offset]) : 0)
        }
        for digit in 0..<4 {
          if digit <= taken {
            let value = UInt8(truncatingIfNeeded: group &>> UInt32(18 &- 6 &* digit)) & 63
            text.append(character(value, alphabet))
          } else if padding != .none {
            text.append(pad)
          }
        }
        index &+= 3
      }
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// Reads strictly: no blanks, no letters of the other alphabet, no bits left over in the last
  /// letter, padding as asked.
  public static func decode(
    _ source: some ByteSource, alphabet: Alphabet = .standard, padding: Padding = .required
  ) -> [UInt8]? {
    source.withBytes { text in
      guard let letters = withoutPadding(text, padding), letters.count % 4 != 1 else { return nil }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(letters.count / 4 &* 3 &+ 3)
      var bits: UInt32 = 0
      var bitCount: UInt32 = 0
      for letter in letters {
        guard let value = value(letter, alphabet) else { return nil }
        bits = bits &<< 6 | UInt32(value)
        bitCount &+= 6
        if bitCount >= 8 {
          bitCount &-= 8
          bytes.append(UInt8(truncatingIfNeeded: bits &>> bitCount))
          bits &= (1 &<< bitCount) &- 1
        }
      }
      return bits == 0 ? bytes : nil
    }
  }

  private static var pad: UInt8 { 0x3D }

  private static func withoutPadding(_ text: ByteView, _ padding: Padding) -> ByteView? {
    var end = text.count
    while end > 0, text.count &- end < 2, text[end &- 1] == pad { end &-= 1 }
    let isPadded = end < text.count
    if isPadded {
      guard padding != .none, text.count % 4 == 0 else { return nil }
    } else if padding == .required {
      guard text.count % 4 == 0 else { return nil }
    }
    return text.view(from: 0, to: end)
  }

  private static func character(_ value: UInt8, _ alphabet: Alphabet) -> UInt8 {
    switch value {
    case 0..<26: 0x41 &+ value
    case 26..<52: 0x61 &+ (value &- 26)
    case 52..<62: 0x30 &+ (value &- 52)
    case 62: alphabet == .standard ? 0x2B : 0x2D
    default: alphabet == .standard ? 0x2F : 0x5F
    }
  }

  private static func value(_ letter: UInt8, _ alphabet: Alphabet) -> UInt8? {
    switch letter {
    case 0x41...0x5A: return letter &- 0x41
    case 0x61...0x7A: return letter &- 0x61 &+ 26
    case 0x30...0x39: return letter &- 0x30 &+ 52
    default:
      if letter == character(62, alphabet) { return 62 }
      return letter == character(63, alphabet) ? 63 : nil
    }
  }
}
