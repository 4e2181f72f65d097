public import HoistBase

extension Base64 {
  /// Reads what `encode` has written with padding; nil for anything else.
  public static func decode(_ text: some ByteSource, alphabet: Alphabet = .standard) -> [UInt8]? {
    let last: [UInt8] = alphabet == .standard ? [0x2B, 0x2F] : [0x2D, 0x5F]
    let letters = Array(0x41...0x5A) + Array(0x61...0x7A) + Array(0x30...0x39) + last
    let given = text.withBytes { Array($0) }
    var bits = 0
    var bitCount = 0
    var bytes: [UInt8] = []
    for letter in given.prefix(while: { $0 != 0x3D }) {
      guard let value = letters.firstIndex(of: letter) else { return nil }
      bits = (bits << 6 | value) & 0xFFFF
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    return Array(encode(bytes, alphabet: alphabet).utf8) == given ? bytes : nil
  }
}
