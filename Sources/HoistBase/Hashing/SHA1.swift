internal import CShims

/// SHA-1 (FIPS 180-4), by the processor's own instructions where it has them: by which a service spreads its subjects; two texts of one digest can be made on purpose.
public enum SHA1 {
  /// The first eight bytes of the digest of a text and what follows it, the first byte highest.
  @inline(__always)
  public static func word(of text: ByteView, _ more: ByteView) -> UInt64 {
    text.count &+ more.count <= Block.mostOfOne ? wordOfOne(text, more) : wordOfSeveral(text, more)
  }

  /// Of texts that go into one block, as nearly all do.
  @inline(never)
  private static func wordOfOne(_ text: ByteView, _ more: ByteView) -> UInt64 {
    var state = State()
    var block = Block()
    withUnsafeMutableBytes(of: &block) { bytes in
      guard let start = bytes.baseAddress else { return }
      let count = text.count &+ more.count
      copy(text, to: start)
      copy(more, to: start + text.count)
      start.storeBytes(of: 0x80, toByteOffset: count, as: UInt8.self)
      start.storeBytes(of: UInt64(truncatingIfNeeded: count &<< 3).bigEndian, toByteOffset: 56, as: UInt64.self)
      state.absorb(start)
    }
    return state.word
  }

  /// Texts are short: quicker than a call. The last step overlaps the one before it.
  @inline(__always)
  private static func copy(_ part: ByteView, to target: UnsafeMutableRawPointer) {
    guard let source = part.baseAddress else { return }
    let count = part.count
    guard count >= 8 else {
      for at in 0..<count {
        target.storeBytes(of: source.load(fromByteOffset: at, as: UInt8.self), toByteOffset: at, as: UInt8.self)
      }
      return
    }
    func copyWord(_ at: Int) {
      target.storeBytes(of: source.loadUnaligned(fromByteOffset: at, as: UInt64.self), toByteOffset: at, as: UInt64.self)
    }
    var at = 0
    while at &+ 8 < count {
      copyWord(at)
      at &+= 8
    }
    copyWord(count &- 8)
  }

  @inline(never)
  private static func wordOfSeveral(_ text: ByteView, _ more: ByteView) -> UInt64 {
    let count = text.count &+ more.count
    var state = State()
    var offset = 0
    // A one, zeros, and the length in bits follow the text (5.1.1).
    while offset < count &+ 9 {
      var block = Block()
      withUnsafeMutableBytes(of: &block) { bytes in
        guard let start = bytes.baseAddress else { return }
        copy(text, to: bytes, at: 0 &- offset)
        copy(more, to: bytes, at: text.count &- offset)
        if 0..<64 ~= count &- offset { start.storeBytes(of: 0x80, toByteOffset: count &- offset, as: UInt8.self) }
        if offset &+ 64 >= count &+ 9 {
          start.storeBytes(of: UInt64(truncatingIfNeeded: count &<< 3).bigEndian, toByteOffset: 56, as: UInt64.self)
        }
        state.absorb(start)
      }
      offset &+= 64
    }
    return state.word
  }

  /// Copies as much of a part as lies in the block.
  /// - Parameter place: where it begins, seen from the block.
  private static func copy(_ part: ByteView, to block: UnsafeMutableRawBufferPointer, at place: Int) {
    let (from, to) = (max(0, 0 &- place), min(part.count, 64 &- place))
    if from < to { block[(place &+ from)..<(place &+ to)].copyBytes(from: part[from..<to]) }
  }

  private struct Block {
    /// Beside the one and the length.
    static let mostOfOne = 55
    var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
  }

  /// The chain, as the instructions read it.
  struct State: Equatable {
    var a: UInt32 = 0x6745_2301
    var b: UInt32 = 0xEFCD_AB89
    var c: UInt32 = 0x98BA_DCFE
    var d: UInt32 = 0x1032_5476
    var e: UInt32 = 0xC3D2_E1F0

    fileprivate var word: UInt64 { UInt64(a) &<< 32 | UInt64(b) }

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
