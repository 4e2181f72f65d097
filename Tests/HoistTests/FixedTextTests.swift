import Testing

@testable import Hoist

@Suite("Texts in places of a fixed size") struct FixedTextTests {
  private func filled(_ text: String, _ size: Int) -> [UInt8] {
    var place = [UInt8](repeating: 0xEE, count: size)
    place.withUnsafeMutableBytes { FixedText.fill($0, with: text) }
    return place
  }

  @Test("a text that fits is followed by NULs")
  func fittingTextsAreWhole() {
    #expect(filled("ab", 4) == [0x61, 0x62, 0, 0])
    #expect(filled("abc", 4) == [0x61, 0x62, 0x63, 0])
    #expect(filled("", 2) == [0, 0])
  }

  @Test("one that does not is cut between characters")
  func longTextsAreCut() {
    #expect(filled("abcd", 4) == [0x61, 0x62, 0x63, 0])
    #expect(filled("aé", 3) == [0x61, 0, 0])
    #expect(filled("€", 3) == [0, 0, 0])
    #expect(filled("a", 1) == [0])
    #expect(filled("a", 0) == [])
  }

  @Test("G8: a structure of a size that cannot be is not filled")
  func oddSizesAreRefused() {
    struct Place { var size = 0, code = 0, more = 0 }
    var place = Place()
    let full = MemoryLayout<Place>.size
    let filled = Place(size: full, code: 7)
    for size in [0, 8, full - 1, 4097, Int.max, -1] {
      #expect(!HostTable.write(filled, to: &place, size: size) && place.code == 0)
    }
    #expect(HostTable.write(filled, to: &place, size: full) && place.code == 7)
  }
}
