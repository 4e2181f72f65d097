import HoistTestSupport
import Testing

@testable import HoistBase

/// The processor's own instructions give what the portable rounds give.
@Suite struct SHA256InstructionTests {
  @Test func aBlockIsAbsorbedTheSameWayByTheProcessorAndByTheRounds() {
    var generator = SeededGenerator(seed: 31)
    var (chain, portable) = (SHA256Chain(), SHA256Chain())
    for _ in 0..<500 {
      let block = [UInt8].random(count: 65, using: &generator)
      block.withUnsafeBytes { bytes in
        // One byte in: of no alignment.
        guard let start = bytes.baseAddress else { return }
        chain.absorb(start + 1)
        portable.absorbPortably(start + 1)
      }
      #expect(chain.output == portable.output)
    }
  }

  @Test func soIsOneOfSHA1() {
    var generator = SeededGenerator(seed: 33)
    var (state, portable) = (SHA1.State(), SHA1.State())
    for _ in 0..<500 {
      var block = [UInt8].random(count: 64, using: &generator)
      block.withUnsafeMutableBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        state.absorb(start)
        portable.absorbPortably(start)
      }
      #expect(state == portable)
    }
  }

  @Test func wordsOfTwoTextsAreThoseOfTheirDigest() {
    var generator = SeededGenerator(seed: 32)
    for count in 0...80 {
      let text = [UInt8].random(count: count, using: &generator)
      for split in [0, count / 3, count] {
        let words = text[..<split].withBytes { first in text[split...].withBytes { SHA256.words(of: first, $0) } }
        let digest = SHA256.hash(text)
        for index in 0..<4 { #expect(words[index] == digest.bigEndianWord(index), "\(count) \(split)") }
      }
    }
  }
}
