internal import CShims

/// The chaining value of SHA-256 (FIPS 180-4, 6.2).
struct SHA256Chain: Sendable {
  private(set) var state: InlineArray<8, UInt32> = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
    0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
  ]

  @inline(__always)
  mutating func absorb(_ block: UnsafeRawPointer) {
    guard shim_sha_is_fast() else { return absorbPortably(block) }
    withUnsafeMutableBytes(of: &state) { words in
      guard let words = words.baseAddress else { return }
      shim_sha256_block(words.assumingMemoryBound(to: UInt32.self), block)
    }
  }

  mutating func absorbPortably(_ block: UnsafeRawPointer) {
    var schedule = InlineArray<16, UInt32>(repeating: 0)
    var a = state[0]
    var b = state[1]
    var c = state[2]
    var d = state[3]
    var e = state[4]
    var f = state[5]
    var g = state[6]
    var h = state[7]
    var round = 0
    while round < 64 {
      let slot = round & 15
      if round < 16 {
        schedule[slot] = UInt32(
          bigEndian: block.loadUnaligned(fromByteOffset: round &* 4, as: UInt32.self))
      } else {
        let near = schedule[(round &+ 1) & 15]
        let far = schedule[(round &+ 14) & 15]
        schedule[slot] &+= near.rotated(right: 7) ^ near.rotated(right: 18) ^ near &>> 3
        schedule[slot] &+= far.rotated(right: 17) ^ far.rotated(right: 19) ^ far &>> 10
        schedule[slot] &+= schedule[(round &+ 9) & 15]
      }
      let sumE = e.rotated(right: 6) ^ e.rotated(right: 11) ^ e.rotated(right: 25)
      let first = h &+ sumE &+ (e & f ^ ~e & g) &+ Self.constants[round] &+ schedule[slot]
      let sumA = a.rotated(right: 2) ^ a.rotated(right: 13) ^ a.rotated(right: 22)
      let second = sumA &+ (a & b ^ a & c ^ b & c)
      h = g
      g = f
      f = e
      e = d &+ first
      d = c
      c = b
      b = a
      a = first &+ second
      round &+= 1
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  var output: SHA256.Digest {
    SHA256.Digest(
      InlineArray { index in
        UInt8(truncatingIfNeeded: state[index / 4] &>> UInt32((3 &- index % 4) &* 8))
      })
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: InlineArray<64, UInt32> = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
  ]
}

extension UInt32 {
  @inline(__always)
  fileprivate func rotated(right count: UInt32) -> UInt32 { self &>> count | self &<< (32 &- count) }
}
