/// MurmurHash3_x86_32 (Austin Appleby's public-domain design): the bucketing hash of Unleash,
/// Optimizely and Flagship (`UNL-94`, protocols/unleash.md C.3).
public enum Murmur3 {
  /// - Parameter bytes: need not be aligned.
  @inlinable
  public static func hash32(_ bytes: ByteView, seed: UInt32 = 0) -> UInt32 {
    Murmur3State(seed: seed).finish(appending: bytes)
  }

  @inlinable
  public static func hash32(_ source: some ByteSource, seed: UInt32 = 0) -> UInt32 {
    source.withBytes { hash32($0, seed: seed) }
  }
}

/// A Murmur3 hash that stopped in the middle: `prefix` is hashed once, and each id finishes a copy,
/// so that `prefix + ":" + id` is never put together. Plain memory of 12 bytes.
@frozen public struct Murmur3State: Sendable, BitwiseCopyable, Equatable {
  /// The hash of the complete four-byte blocks.
  @usableFromInline var chain: UInt32
  /// Up to three bytes that wait for their block, the first one lowest; the rest is zero.
  @usableFromInline var pending: UInt32
  /// Bytes so far, modulo 2^32 as in the reference; its low two bits count the pending ones.
  @usableFromInline var length: UInt32

  @inlinable
  public init(seed: UInt32 = 0) {
    chain = seed
    pending = 0
    length = 0
  }

  /// The state after `prefix`.
  @inlinable
  public init(_ prefix: some ByteSource, seed: UInt32 = 0) {
    self.init(seed: seed)
    append(prefix)
  }

  @inlinable
  public mutating func append(_ source: some ByteSource) {
    source.withBytes { append($0) }
  }

  @inlinable
  public mutating func append(_ byte: UInt8) {
    withUnsafeBytes(of: byte) { append($0) }
  }

  @inlinable
  public mutating func append(_ bytes: ByteView) {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return }
    let count = bytes.count
    let blocksEnd = count & ~3
    let held = (length & 3) &* 8
    var offset = 0
    if held == 0 {
      while offset < blocksEnd {
        chain = Self.mixed(chain, Self.word(base, offset))
        offset &+= 4
      }
    } else {
      // Every block takes the pending bytes below and leaves as many of its own.
      while offset < blocksEnd {
        let word = Self.word(base, offset)
        chain = Self.mixed(chain, pending | word &<< held)
        pending = word &>> (32 &- held)
        offset &+= 4
      }
    }
    length &+= UInt32(truncatingIfNeeded: count)
    let rest = count & 3
    if rest != 0 {
      let joined = UInt64(pending) | UInt64(Self.tail(base + blocksEnd, rest)) &<< UInt64(held)
      pending = UInt32(truncatingIfNeeded: joined)
      if held &+ UInt32(truncatingIfNeeded: rest) &* 8 >= 32 {
        chain = Self.mixed(chain, pending)
        pending = UInt32(truncatingIfNeeded: joined &>> 32)
      }
    }
  }

  /// The hash of everything appended. The state can go on.
  @inlinable
  public func finish() -> UInt32 {
    var hash = chain
    if length & 3 != 0 { hash ^= Self.scrambled(pending) }
    hash ^= length
    hash ^= hash &>> 16
    hash &*= 0x85EB_CA6B
    hash ^= hash &>> 13
    hash &*= 0xC2B2_AE35
    return hash ^ (hash &>> 16)
  }

  /// The hash of everything appended and then `bytes`, leaving the state as it was.
  @inlinable
  public func finish(appending bytes: ByteView) -> UInt32 {
    var copy = self
    copy.append(bytes)
    return copy.finish()
  }

  @inlinable @inline(__always)
  static func mixed(_ chain: UInt32, _ block: UInt32) -> UInt32 {
    let hash = chain ^ scrambled(block)
    return (hash &<< 13 | hash &>> 19) &* 5 &+ 0xE654_6B64
  }

  @inlinable @inline(__always)
  static func scrambled(_ block: UInt32) -> UInt32 {
    let product = block &* 0xCC9E_2D51
    return (product &<< 15 | product &>> 17) &* 0x1B87_3593
  }

  @inlinable @inline(__always)
  static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt32 {
    UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// One to three bytes, the first one lowest, without a branch: the middle and the last byte
  /// coincide with an earlier one when there are fewer.
  @inlinable @inline(__always)
  static func tail(_ base: UnsafeRawPointer, _ count: Int) -> UInt32 {
    let middle = count &>> 1
    let last = count &- 1
    return UInt32(base.load(as: UInt8.self))
      | UInt32(base.load(fromByteOffset: middle, as: UInt8.self)) &<< UInt32(middle &* 8)
      | UInt32(base.load(fromByteOffset: last, as: UInt8.self)) &<< UInt32(last &* 8)
  }
}
