/// A fast hash for look-up tables and fingerprints inside one process. Not for anything that is stored or sent: it may
/// change, and it does not resist chosen keys.
///
/// In the manner of Wang Yi's public-domain wyhash: eight bytes at a time, stirred by a
/// 64 x 64 -> 128 bit multiplication whose halves are folded together.
public enum Hash64 {
  /// - Returns: never 0, so that 0 can mark an empty slot.
  @inlinable
  public static func hash(_ base: UnsafeRawPointer, _ count: Int) -> UInt64 {
    if count <= 16 { return short(base, count) }
    var lane = seed
    var offset = 0
    while offset &+ 16 < count {
      lane = fold(word(base, offset) ^ oddA, word(base, offset &+ 8) ^ lane)
      offset &+= 16
    }
    return finish(word(base, count &- 16), word(base, count &- 8), lane, count)
  }

  /// The hash of a literal: of one of at most 16 bytes a constant in the machine code.
  @inlinable @inline(__always)
  public static func hash(literal text: StaticString) -> UInt64 {
    let count = text.utf8CodeUnitCount
    return count <= 16 ? short(text.utf8Start, count) : hash(text.utf8Start, count)
  }

  /// Of at most 16 bytes.
  @inlinable @inline(__always)
  static func short(_ base: UnsafeRawPointer, _ count: Int) -> UInt64 {
    var first: UInt64 = 0
    var second: UInt64 = 0
    if count >= 8 {
      first = word(base, 0)
      second = word(base, count &- 8)
    } else if count >= 4 {
      first = half(base, 0)
      second = half(base, count &- 4)
    } else if count > 0 {
      first =
        UInt64(base.load(as: UInt8.self)) &<< 16
        | UInt64(base.load(fromByteOffset: count &>> 1, as: UInt8.self)) &<< 8
        | UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self))
    }
    return finish(first, second, seed, count)
  }

  @inlinable
  public static func hash(_ bytes: ByteView) -> UInt64 {
    guard let base = bytes.baseAddress else { return finish(0, 0, seed, 0) }
    return hash(base, bytes.count)
  }

  @inlinable
  public static func hash(_ source: some ByteSource) -> UInt64 {
    source.withBytes { hash($0) }
  }

  /// One hash out of two, where the order of the two matters. Never 0.
  @inlinable
  public static func combine(_ first: UInt64, _ second: UInt64) -> UInt64 {
    nonZero(fold(first ^ oddB, second ^ oddC) ^ first)
  }

  // Odd numbers with about half of their bits set: fractional digits of pi, made odd.
  @inlinable @inline(__always) static var seed: UInt64 { 0x243F_6A88_85A3_08D3 }
  @inlinable @inline(__always) static var oddA: UInt64 { 0x1319_8A2E_0370_7345 }
  @inlinable @inline(__always) static var oddB: UInt64 { 0xA409_3822_299F_31D1 }
  @inlinable @inline(__always) static var oddC: UInt64 { 0x082E_FA98_EC4E_6C89 }

  @inlinable @inline(__always)
  static func finish(_ first: UInt64, _ second: UInt64, _ lane: UInt64, _ count: Int) -> UInt64 {
    let stirred = fold(first ^ oddB, second ^ lane)
    return nonZero(fold(stirred ^ oddA, UInt64(truncatingIfNeeded: count) ^ oddC))
  }

  @inlinable @inline(__always)
  static func fold(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let product = first.multipliedFullWidth(by: second)
    return product.high ^ product.low
  }

  @inlinable @inline(__always)
  static func nonZero(_ hash: UInt64) -> UInt64 { hash | (hash == 0 ? 1 : 0) }

  @inlinable @inline(__always)
  static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  @inlinable @inline(__always)
  static func half(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
