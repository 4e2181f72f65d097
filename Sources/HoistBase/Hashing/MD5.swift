/// MD5 (RFC 1321). For protocols that ask for it, never for security.
public struct MD5: Sendable {
  public typealias Digest = HashDigest<16>

  private var hash = BlockHash<Chain>()

  public init() {}

  public mutating func update(_ bytes: ByteView) { hash.update(bytes) }

  @inlinable
  public mutating func update(_ source: some ByteSource) { source.withBytes { update($0) } }

  /// The digest of everything so far. The value can go on.
  public func finish() -> Digest { hash.finish() }

  public static func hash(_ bytes: ByteView) -> Digest {
    var hash = MD5()
    hash.update(bytes)
    return hash.finish()
  }

  @inlinable
  public static func hash(_ source: some ByteSource) -> Digest { source.withBytes { hash($0) } }

  private struct Chain: BlockChain {
    private var state: InlineArray<4, UInt32> = [
      0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476,
    ]

    static var lengthIsBigEndian: Bool { false }

    mutating func absorb(_ block: UnsafeRawPointer) {
      var a = state[0]
      var b = state[1]
      var c = state[2]
      var d = state[3]
      var round = 0
      while round < 64 {
        let (choice, slot) = Self.choose(round, b, c, d)
        let word = UInt32(
          littleEndian: block.loadUnaligned(fromByteOffset: slot &* 4, as: UInt32.self))
        let sum = a &+ choice &+ Self.constants[round] &+ word
        a = d
        d = c
        c = b
        b = b &+ sum.rotated(left: Self.shifts[(round &>> 4) &* 4 &+ (round & 3)])
        round &+= 1
      }
      state[0] &+= a
      state[1] &+= b
      state[2] &+= c
      state[3] &+= d
    }

    @inline(__always)
    private static func choose(
      _ round: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32
    ) -> (UInt32, Int) {
      if round < 16 { return (b & c | ~b & d, round) }
      if round < 32 { return (d & b | ~d & c, (round &* 5 &+ 1) & 15) }
      if round < 48 { return (b ^ c ^ d, (round &* 3 &+ 5) & 15) }
      return (c ^ (b | ~d), (round &* 7) & 15)
    }

    var output: Digest {
      Digest(
        InlineArray { index in
          UInt8(truncatingIfNeeded: state[index / 4] &>> UInt32(index % 4 &* 8))
        })
    }

    /// How far each round rotates: four rounds of four steps.
    private static let shifts: InlineArray<16, UInt32> = [
      7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21,
    ]

    /// floor(2^32 * abs(sin(n))) for n = 1 ... 64, in radians.
    private static let constants: InlineArray<64, UInt32> = [
      0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613,
      0xFD46_9501, 0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193,
      0xA679_438E, 0x49B4_0821, 0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D,
      0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8, 0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED,
      0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A, 0xFFFA_3942, 0x8771_F681, 0x6D9D_6122,
      0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70, 0x289B_7EC6, 0xEAA1_27FA,
      0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665, 0xF429_2244,
      0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
      0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB,
      0xEB86_D391,
    ]
  }
}
