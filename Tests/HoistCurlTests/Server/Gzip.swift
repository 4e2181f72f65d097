/// Just enough of RFC 1951 and 1952 to make compressed bodies, small ones that are right and large
/// ones that are bombs.
enum Gzip {
  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

  /// The bytes as they are, in one stored block.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt16(bytes.count)
    let block = [1] + little(count) + little(~count) + bytes
    return header + block + little(checksum(bytes)) + little(UInt32(bytes.count))
  }

  /// A run of `1 + 258 * repeats` letters a, at 13 bits per 258 of them; without the trailer.
  static func run(repeats: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.append(0b011, count: 3)  // last block, fixed codes
    bits.appendReversed(0x30 + 0x61, count: 8)  // the literal a
    for _ in 0..<repeats {
      bits.appendReversed(0b1100_0101, count: 8)  // a match of 258 bytes …
      bits.appendReversed(0, count: 5)  // … one byte back
    }
    return header + bits.bytes
  }

  private struct BitWriter {
    var bytes: [UInt8] = []
    private var used = 8

    mutating func append(_ value: UInt32, count: Int) {
      for index in 0..<count {
        if used == 8 {
          bytes.append(0)
          used = 0
        }
        bytes[bytes.count - 1] |= UInt8(value >> index & 1) << used
        used += 1
      }
    }

    /// Huffman codes stand with their first bit first.
    mutating func appendReversed(_ code: UInt32, count: Int) {
      for index in (0..<count).reversed() { append(code >> index & 1, count: 1) }
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
  }

  private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
