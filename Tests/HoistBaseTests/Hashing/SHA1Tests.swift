import HoistBase
import Testing

/// FIPS 180-4's examples, and texts around the ends of blocks (LDS-26; no client).
@Suite struct SHA1Tests {
  @Test(
    arguments: [
      ("", 0xDA39_A3EE_5E6B_4B0D), ("abc", 0xA999_3E36_4706_816A),
      ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 0x8498_3E44_1C3B_D26E),
      ("hashKey.saltyA.userKeyA", 0x6BEC_6581_11D6_AD9C),
    ] as [(String, UInt64)])
  func examples(text: String, first: UInt64) {
    #expect(word(text, "") &>> 4 == first &>> 4)
  }

  @Test func aMillionLetters() {
    #expect(word(String(repeating: "a", count: 1_000_000), "") == 0x34AA_973C_D4C4_DAA4)
  }

  @Test func whereATextIsCutDoesNotMatter() {
    for count in 50...140 {
      let text = String(repeating: "0123456789", count: 14).prefix(count)
      for cut in stride(from: 0, through: count, by: 7) {
        #expect(
          word(String(text.prefix(cut)), String(text.dropFirst(cut))) == word(String(text), ""), "\(count) bytes, cut at \(cut)")
      }
    }
  }

  private func word(_ text: String, _ more: String) -> UInt64 {
    text.withBytes { text in more.withBytes { SHA1.word(of: text, $0) } }
  }
}
