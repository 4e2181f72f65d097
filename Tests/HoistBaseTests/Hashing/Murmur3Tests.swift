import Foundation
import HoistBase
import HoistTestSupport
import Testing

@Suite struct Murmur3Tests {
  /// Values that circulate with the reference implementation; they cover every tail length.
  @Test(arguments: [
    ([UInt8](), UInt32(0), UInt32(0)), ([], 1, 0x514E_28B7), ([], 0xFFFF_FFFF, 0x81F1_6F39),
    ([0xFF, 0xFF, 0xFF, 0xFF], 0, 0x7629_3B50), ([0x21, 0x43, 0x65, 0x87], 0, 0xF55B_516B),
    ([0x21, 0x43, 0x65, 0x87], 0x5082_EDEE, 0x2362_F9DE), ([0x21, 0x43, 0x65], 0, 0x7E4A_8634),
    ([0x21, 0x43], 0, 0xA0F7_B07A), ([0x21], 0, 0x7266_1CF4), ([0, 0, 0, 0], 0, 0x2362_F9DE),
    ([0, 0, 0], 0, 0x85F0_B427), ([0, 0], 0, 0x30F4_C306), ([0], 0, 0x514E_28B7),
  ])
  func publishedBytes(bytes: [UInt8], seed: UInt32, expected: UInt32) {
    #expect(Murmur3.hash32(bytes, seed: seed) == expected)
  }

  @Test(arguments: [
    ("aaaa", UInt32(0x5A97_808A)), ("abc", 0xC84A_62DD), ("Hello, world!", 0x2488_4CBA),
    ("ππππππππ", 0xD580_63C1), ("The quick brown fox jumps over the lazy dog", 0x2FA8_26CD),
  ])
  func publishedTexts(text: String, expected: UInt32) {
    #expect(Murmur3.hash32(text, seed: 0x9747_B28C) == expected)
  }

  struct Worked: Sendable {
    let group: String
    let id: String
    let hash: UInt32
    let percent: UInt32
    let variantHash: UInt32
    let permille: UInt32

    init(
      _ group: String, _ id: String, _ hash: UInt32, _ percent: UInt32, _ variant: UInt32,
      _ permille: UInt32
    ) {
      self.group = group
      self.id = id
      self.hash = hash
      self.percent = percent
      variantHash = variant
      self.permille = permille
    }
  }

  /// The worked table of protocols/unleash.md C.12 (UNL-94, UNL-97; no client).
  static let workedTable = [
    Worked("gr1", "123", 538_421_172, 73, 4_076_427_795, 796),
    Worked("gr1", "999", 3_792_149_936, 37, 3_399_520_556, 557),
    Worked("groupX", "25", 97_131_858, 59, 1_403_349_507, 508),
    Worked("AB12A", "122", 1_062_108_722, 23, 152_276_612, 613),
    Worked("søk", "日本語", 2_051_459_305, 6, 2_833_397_728, 729),
    Worked("", "7", 1_535_977_339, 40, 2_327_556_848, 849),
    Worked("g", "", 2_914_506_663, 64, 3_235_096_778, 779),
    Worked("checkout", "user-42", 2_382_546_941, 42, 3_094_308_837, 838),
  ]

  @Test(arguments: workedTable)
  func unleashBuckets(row: Worked) {
    let whole = "\(row.group):\(row.id)"
    #expect(Murmur3.hash32(whole) == row.hash)
    #expect(Murmur3.hash32(whole) % 100 + 1 == row.percent)
    #expect(Murmur3.hash32(whole, seed: 86_028_157) == row.variantHash)
    #expect(Murmur3.hash32(whole, seed: 86_028_157) % 1000 + 1 == row.permille)
  }

  @Test(arguments: workedTable)
  func aPrecomputedPrefixGivesTheSameBuckets(row: Worked) {
    var rollout = Murmur3State(row.group)
    rollout.append(0x3A)
    #expect(rollout.finish(appending: row.id) == row.hash)
    var variants = Murmur3State(row.group, seed: 86_028_157)
    variants.append(":")
    #expect(variants.finish(appending: row.id) == row.variantHash)
  }

  @Test func everySplitGivesTheHashOfTheWhole() {
    var generator = SeededGenerator(seed: 2)
    for count in 0...24 {
      let bytes = [UInt8].random(count: count, using: &generator)
      let seed = UInt32.random(in: 0 ... .max, using: &generator)
      let whole = Murmur3.hash32(bytes, seed: seed)
      for first in 0...count {
        for second in first...count {
          var state = Murmur3State(seed: seed)
          state.append(bytes[..<first])
          state.append(bytes[first..<second])
          #expect(state.finish(appending: bytes[second...]) == whole)
          state.append(bytes[second...])
          #expect(state.finish() == whole)
        }
      }
    }
  }

  @Test func finishingLeavesTheStateAsItWas() {
    let state = Murmur3State("prefix:")
    let before = state
    #expect(state.finish(appending: "a") != state.finish(appending: "b"))
    #expect(state == before)
    #expect(MemoryLayout<Murmur3State>.size == 12)
  }

  @Test func unalignedBytesHashTheSame() {
    let text = Array("x0123456789abcdef".utf8)
    let aligned = Array(text.dropFirst())
    #expect(Murmur3.hash32(text[1...]) == Murmur3.hash32(aligned))
  }

  private struct VectorFile: Decodable {
    struct Case: Decodable {
      let group, identifier: String
      let modulus, seed, murmur3_x86_32, expect: UInt32
    }
    let cases: [Case]
  }

  private static let vectors: URL? = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<5 { folder.deleteLastPathComponent() }
    let file = folder.appendingPathComponent("shared/conformance/unleash/hash.json")
    return FileManager.default.isReadableFile(atPath: file.path) ? file : nil
  }()

  @Test(.enabled(if: vectors != nil, "the shared vectors are not there"))
  func unleashVectorsHold() throws {
    let file = try JSONDecoder().decode(
      VectorFile.self, from: Data(contentsOf: #require(Self.vectors)))
    try #require(!file.cases.isEmpty)
    for row in file.cases {
      let state = Murmur3State("\(row.group):", seed: row.seed)
      let hash = state.finish(appending: row.identifier)
      #expect(hash == row.murmur3_x86_32)
      #expect(hash % row.modulus + 1 == row.expect)
    }
  }
}
