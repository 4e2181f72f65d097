/// A random UUID (RFC 9562 5.4).
public struct UUIDv4: Sendable, Equatable, Hashable {
  private let high: UInt64
  private let low: UInt64

  public init(from entropy: some Entropy) { self.init(high: entropy.next(), low: entropy.next()) }

  /// The 122 bits of the words that are not version and variant; those are set.
  public init(high: UInt64, low: UInt64) {
    self.high = high & ~0xF000 | 0x4000
    self.low = low & ~(3 &<< 62) | 2 &<< 62
  }

  /// Lower case: `0b7c2f3e-8a51-4a3c-9d0e-5f6a7b8c9d0e`.
  public var text: String { text(digit: Hex.lowercaseDigit, dashed: true) }
  public var uppercaseText: String { text(digit: Hex.uppercaseDigit, dashed: true) }
  /// The 32 digits alone, lower case.
  public var digits: String { text(digit: Hex.lowercaseDigit, dashed: false) }

  private func text(digit: (UInt8) -> UInt8, dashed: Bool) -> String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var count = 0
      for index in 0..<32 {
        if dashed, index == 8 || index == 12 || index == 16 || index == 20 {
          buffer[count] = 0x2D
          count &+= 1
        }
        let word = index < 16 ? high : low
        let shift = UInt64(15 &- index & 15) &* 4
        buffer[count] = digit(UInt8(truncatingIfNeeded: word &>> shift) & 15)
        count &+= 1
      }
      return count
    }
  }
}
