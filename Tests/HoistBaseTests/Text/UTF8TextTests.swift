import HoistBase
import Testing

@Suite struct UTF8TextTests {
  @Test(arguments: ["", "a", "é", "日本語", "🚀", "\u{0}", "\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}"])
  func textIsValid(text: String) {
    #expect(UTF8Text.isValid(text))
    #expect(UTF8Text.countCodePoints(text) == text.unicodeScalars.count)
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80],
      [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xE1, 0x80, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80],
      [0xF1, 0x80, 0x80, 0x41],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ] as [[UInt8]])
  func whatIsNoCodePointIsFoundWhereItStarts(bytes: [UInt8]) {
    for prefix in ["", "abc", "abcdefgh", "abcdefghij", "日本語"] {
      let text = Array(prefix.utf8) + bytes + Array("z".utf8)
      #expect(text.withBytes { UTF8Text.firstInvalid(in: $0) } == prefix.utf8.count)
      #expect(!UTF8Text.isValid(text))
      #expect(UTF8Text.repaired(text).contains("\u{FFFD}"))
    }
  }

  @Test func everyCodePointIsValid() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      if !UTF8Text.isValid(String(scalar)) { Issue.record("refused U+\(String(value, radix: 16))") }
    }
  }

  @Test func verdictsAgreeWithTheStandardLibrary() {
    var generator = SeededGenerator(seed: 13)
    // Bytes that often come near to being valid.
    let likely: [UInt8] = [
      0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4,
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...12, using: &generator)
      let bytes = (0..<count).map { _ in likely[Int.random(in: 0..<likely.count, using: &generator)]
      }
      let expected = String(validating: bytes, as: UTF8.self) != nil
      #expect(UTF8Text.isValid(bytes) == expected)
    }
  }

  @Test func whatIsInvalidIsFoundAtEveryPlace() {
    for count in 0...20 {
      var bytes = [UInt8](repeating: 0x7F, count: count)
      for place in 0..<count {
        bytes[place] = 0x80
        #expect(bytes.withBytes { UTF8Text.firstInvalid(in: $0) } == place)
        bytes[place] = 0x7F
      }
    }
    #expect(UTF8Text.isValid(ByteView(start: nil, count: 0)))
  }

  @Test func repairKeepsWhatIsValid() {
    #expect(UTF8Text.repaired("aé🚀") == "aé🚀")
    #expect(UTF8Text.repaired([0x61, 0xFF, 0x62]) == "a\u{FFFD}b")
    #expect(UTF8Text.repaired([0xE2, 0x82]) == "\u{FFFD}")
    #expect(UTF8Text.repaired([0xED, 0xA0, 0x80]).unicodeScalars.allSatisfy { $0 == "\u{FFFD}" })
  }
}
