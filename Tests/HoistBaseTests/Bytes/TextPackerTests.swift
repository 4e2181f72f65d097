import HoistBase
import HoistTestSupport
import Testing

/// Texts come back as they were, whatever they are, and those of one kind become small.
@Suite struct TextPackerTests {
  private static let sample: StaticString = #"{"kind":"user","key":"","values":[]}"#

  private func packed(_ text: [UInt8], _ packer: inout TextPacker) -> [UInt8] {
    text.withBytes { packer.pack($0) }
  }

  private func unpacked(_ packed: [UInt8]) -> [UInt8] { packed.withBytes { TextPacker.unpack($0, sample: Self.sample) } }

  @Test func textsComeBack() {
    var packer = TextPacker(sample: Self.sample)
    var generator = SeededGenerator(seed: 7)
    for count in Array(0...200) + [70_000, 200_000] {
      let noise = [UInt8].random(count: count, using: &generator)
      let few = noise.map { "ab{}\"".utf8.map { $0 }[Int($0) % 5] }
      for text in [noise, few, Array(repeating: UInt8(count & 255), count: count)] {
        let small = packed(text, &packer)
        #expect(unpacked(small) == text, "\(count) bytes")
        #expect(small.count <= count + count / 128 + 1)
      }
    }
  }

  @Test func whatIsLikeTheSampleBecomesSmall() {
    var packer = TextPacker(sample: Self.sample)
    let text = Array(#"{"kind":"user","key":"7","values":["a"]}{"kind":"user","key":"8","values":["a"]}"#.utf8)
    #expect(packed(text, &packer).count * 3 < text.count)
  }

  @Test func otherBytesAreReadAsFarAsTheyCanBe() {
    for bytes in [[0x80], [0x80, 0, 0], [0x80, 0xFF, 0xFF], [5, 1, 2], [0x80, 1], [0, 65, 0xFF, 2, 0]] as [[UInt8]] {
      #expect(unpacked(bytes).count < 200)
    }
  }
}
