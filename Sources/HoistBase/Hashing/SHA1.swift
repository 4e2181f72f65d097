internal import CShims

/// SHA-1 (FIPS 180-4), by the processor's own instructions where it has them: by which a service spreads its subjects; two texts of one digest can be made on purpose.
public enum SHA1 {
  /// The first eight bytes of the digest of a text and what follows it, the first byte highest.
  public static func word(of text: ByteView, _ more: ByteView) -> UInt64 {
    let count = text.count &+ more.count
    var state = State()
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { block in
      guard let start = block.baseAddress else { return }
      var offset = 0
      // A one, zeros, and the length in bits follow the text (5.1.1).
      while offset < count &+ 9 {
        start.initializeMemory(as: UInt64.self, repeating: 0, count: 8)
        copy(text, to: start, at: 0 &- offset)
        copy(more, to: start, at: text.count &- offset)
        if 0..<64 ~= count &- offset { start.storeBytes(of: 0x80, toByteOffset: count &- offset, as: UInt8.self) }
        if offset &+ 64 >= count &+ 9 {
          start.storeBytes(of: UInt64(truncatingIfNeeded: count &<< 3).bigEndian, toByteOffset: 56, as: UInt64.self)
        }
        state.absorb(start)
        offset &+= 64
      }
    }
    return UInt64(state.a) &<< 32 | UInt64(state.b)
  }

  /// Copies as much of a part as lies in the block.
  /// - Parameter place: where it begins, seen from the block.
  private static func copy(_ part: ByteView, to block: UnsafeMutableRawPointer, at place: Int) {
    let (from, to) = (max(0, 0 &- place), min(part.count, 64 &- place))
    guard from < to, let source = part.baseAddress else { return }
    // Texts are short: quicker than a call. The last step overlaps.
    let target = block + place
    func copyWord(at place: Int) {
      target.storeBytes(of: source.loadUnaligned(fromByteOffset: place, as: UInt64.self), toByteOffset: place, as: UInt64.self)
    }
    var at = from
    while at &+ 8 <= to {
      copyWord(at: at)
      at &+= 8
    }
    if to &- from >= 8 { return copyWord(at: to &- 8) }
    while at < to {
      target.storeBytes(of: source.load(fromByteOffset: at, as: UInt8.self), toByteOffset: at, as: UInt8.self)
      at &+= 1
    }
  }

  /// The chain, as the instructions read it.
  struct State: Equatable {
    var a: UInt32 = 0x6745_2301
    var b: UInt32 = 0xEFCD_AB89
    var c: UInt32 = 0x98BA_DCFE
    var d: UInt32 = 0x1032_5476
    var e: UInt32 = 0xC3D2_E1F0

    /// 64 bytes.
    mutating func absorb(_ block: UnsafeMutableRawPointer) {
      guard shim_sha_is_fast() else { return absorbPortably(block) }
      withUnsafeMutableBytes(of: &self) { words in
        guard let words = words.baseAddress else { return }
        shim_sha1_block(words.assumingMemoryBound(to: UInt32.self), block)
      }
    }

    /// The rounds of 6.1.2.
    mutating func absorbPortably(_ block: UnsafeMutableRawPointer) {
      let before = self
      var words = InlineArray<16, UInt32> { UInt32(bigEndian: block.load(fromByteOffset: $0 &* 4, as: UInt32.self)) }
      for round in 0..<80 {
        if round >= 16 {
          let mixed = words[(round &+ 13) & 15] ^ words[(round &+ 8) & 15] ^ words[(round &+ 2) & 15] ^ words[round & 15]
          words[round & 15] = Self.rotated(mixed, by: 1)
        }
        let (chosen, constant): (UInt32, UInt32) =
          switch round / 20 {
          case 0: (b & c | ~b & d, 0x5A82_7999)
          case 1: (b ^ c ^ d, 0x6ED9_EBA1)
          case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
          default: (b ^ c ^ d, 0xCA62_C1D6)
          }
        let next = Self.rotated(a, by: 5) &+ chosen &+ e &+ constant &+ words[round & 15]
        (a, b, c, d, e) = (next, a, Self.rotated(b, by: 30), c, d)
      }
      (a, b, c, d, e) = (a &+ before.a, b &+ before.b, c &+ before.c, d &+ before.d, e &+ before.e)
    }

    private static func rotated(_ word: UInt32, by bits: UInt32) -> UInt32 { word &<< bits | word &>> (32 &- bits) }
  }
}
