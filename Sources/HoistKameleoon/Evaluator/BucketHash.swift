public import HoistBase

/// The hash that decides who gets what (protocols/kameleoon.md 3.2): SHA-256 of the code and what follows it, as a part
/// of 2^256, rounded to the nearest double.
public enum BucketHash {
  /// - Parameter suffix: decimal id and respool time, or a group's name; follows the code without anything between.
  @inline(__always)
  public static func value(_ code: ByteView, _ suffix: ByteView) -> Double {
    let words = SHA256.words(of: code, suffix)
    let shift = UInt64(truncatingIfNeeded: words[0].leadingZeroBitCount)
    if shift == 64 { return rare(words) }
    var kept = words[0] &<< shift
    if shift > 0 { kept |= words[1] &>> (64 &- shift) }
    // One bit far below those of a double stands for all that are lost, so that it rounds as the whole does.
    if words[1] &<< shift | words[2] | words[3] != 0 { kept |= 1 }
    return Double(kept) * Double(bitPattern: (1023 &- 64 &- shift) &<< 52)
  }

  /// 64 zero bits at the start: one hash of 2^64.
  @inline(never)
  private static func rare(_ words: InlineArray<4, UInt64>) -> Double {
    var value = 0.0
    for index in 0..<4 { value += Double(words[index]) * Double(sign: .plus, exponent: -64 * (index + 1), significand: 1) }
    return value
  }
}
