/// SHA-1 (FIPS 180-4). For bucketing and for protocols that ask for it, never for security.
public struct SHA1: Sendable {
  public typealias Digest = HashDigest<20>

  private var hash = BlockHash<Chain>()

  public init() {}

  public mutating func update(_ bytes: ByteView) { hash.update(bytes) }

  @inlinable
  public mutating func update(_ source: some ByteSource) { source.withBytes { update($0) } }

  /// The digest of everything so far. The value can go on.
  public func finish() -> Digest { hash.finish() }

  public static func hash(_ bytes: ByteView) -> Digest {
    var hash = SHA1()
    hash.update(bytes)
    return hash.finish()
  }

  @inlinable
  public static func hash(_ source: some ByteSource) -> Digest { source.withBytes { hash($0) } }

  private struct Chain: BlockChain {
    private var state: InlineArray<5, UInt32> = [
      0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0,
    ]

    static var lengthIsBigEndian: Bool { true }

    mutating func absorb(_ block: UnsafeRawPointer) {
      var schedule = InlineArray<16, UInt32>(repeating: 0)
      var a = state[0]
      var b = state[1]
      var c = state[2]
      var d = state[3]
      var e = state[4]
      var round = 0
      while round < 80 {
        let slot = round & 15
        if round < 16 {
          schedule[slot] = UInt32(
            bigEndian: block.loadUnaligned(fromByteOffset: round &* 4, as: UInt32.self))
        } else {
          let mixed = schedule[(round &+ 13) & 15] ^ schedule[(round &+ 8) & 15]
          schedule[slot] = (mixed ^ schedule[(round &+ 2) & 15] ^ schedule[slot]).rotated(left: 1)
        }
        let (choice, constant) = Self.choose(round, b, c, d)
        let next = a.rotated(left: 5) &+ choice &+ e &+ constant &+ schedule[slot]
        e = d
        d = c
        c = b.rotated(left: 30)
        b = a
        a = next
        round &+= 1
      }
      state[0] &+= a
      state[1] &+= b
      state[2] &+= c
      state[3] &+= d
      state[4] &+= e
    }

    @inline(__always)
    private static func choose(
      _ round: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32
    ) -> (UInt32, UInt32) {
      if round < 20 { return (b & c | ~b & d, 0x5A82_7999) }
      if round < 40 { return (b ^ c ^ d, 0x6ED9_EBA1) }
      if round < 60 { return (b & c | b & d | c & d, 0x8F1B_BCDC) }
      return (b ^ c ^ d, 0xCA62_C1D6)
    }

    var output: Digest {
      Digest(
        InlineArray { index in
          UInt8(truncatingIfNeeded: state[index / 4] &>> UInt32((3 &- index % 4) &* 8))
        })
    }
  }
}
