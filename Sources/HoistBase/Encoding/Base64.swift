/// Writes base 64 (RFC 4648 sections 4 and 5).
public enum Base64 {
  public enum Alphabet: Sendable {
    /// With `+` and `/`.
    case standard
    /// With `-` and `_`, for URLs and file names.
    case urlSafe
  }

  public enum Padding: Sendable {
    case required, none
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

  private static var pad: UInt8 { 0x3D }

  private static func character(_ value: UInt8, _ alphabet: Alphabet) -> UInt8 {
    switch value {
    case 0..<26: 0x41 &+ value
    case 26..<52: 0x61 &+ (value &- 26)
    case 52..<62: 0x30 &+ (value &- 52)
    case 62: alphabet == .standard ? 0x2B : 0x2D
    default: alphabet == .standard ? 0x2F : 0x5F
    }
  }
}
