import HoistBase
import Testing

@Suite struct ByteViewCompareTests {
  private let emptyWithoutAddress = ByteView(start: nil, count: 0)

  private func pair<Result>(
    _ left: String, _ right: String, _ body: (ByteView, ByteView) -> Result
  ) -> Result {
    left.withBytes { one in right.withBytes { body(one, $0) } }
  }

  @Test func sameBytesAreFoundAtEveryLengthAndDifferencesAtEveryPlace() {
    var generator = SeededGenerator(seed: 1)
    for count in 0...40 {
      let bytes = [UInt8].random(count: count, using: &generator)
      let copy = Array(bytes)
      #expect(bytes.withBytes { one in copy.withBytes { one.hasSameBytes(as: $0) } })
      for place in 0..<count {
        var other = bytes
        other[place] ^= 1
        #expect(!bytes.withBytes { one in other.withBytes { one.hasSameBytes(as: $0) } })
      }
    }
  }

  @Test func aPieceIsFoundByItsPlaceAndNotByItsBytes() {
    let (bytes, others) = ([UInt8](repeating: 1, count: 8), [UInt8](repeating: 1, count: 4))
    bytes.withBytes { bytes in
      #expect(bytes.place(of: bytes) == 0)
      #expect(bytes.place(of: bytes.view(from: 3, to: 5)) == 3)
      #expect(bytes.place(of: bytes.view(from: 8, to: 8)) == 8)
      #expect(bytes.view(from: 2, to: 6).place(of: bytes.view(from: 1, to: 3)) == nil)
      #expect(bytes.view(from: 2, to: 6).place(of: bytes.view(from: 5, to: 7)) == nil)
      #expect(bytes.view(from: 2, to: 6).place(of: bytes.view(from: 7, to: 8)) == nil)
      #expect(others.withBytes { bytes.place(of: $0) } == nil)
      #expect(bytes.place(of: emptyWithoutAddress) == nil && emptyWithoutAddress.place(of: bytes) == nil)
    }
  }

  @Test func canonicallyEquivalentTextsDiffer() {
    #expect("é" == "e\u{301}")
    #expect(!pair("é", "e\u{301}") { $0.hasSameBytes(as: $1) })
  }

  @Test func lengthsMustAgree() {
    #expect(!pair("abcdefgh", "abcdefghi") { $0.hasSameBytes(as: $1) })
    #expect(!pair("", "a") { $0.hasSameBytes(as: $1) })
  }

  @Test(arguments: [
    ("abcdefghij", "abc", true), ("abcdefghij", "abcdefghij", true), ("abc", "abcd", false),
    ("abc", "", true), ("", "", true), ("abc", "b", false), ("abcdefghij", "abcdefghx", false),
  ])
  func prefixesAreFound(text: String, prefix: String, expected: Bool) {
    #expect(pair(text, prefix) { $0.hasPrefix($1) } == expected)
  }

  @Test(arguments: [
    ("abcdefghij", "hij", true), ("abcdefghij", "abcdefghij", true), ("abc", "xabc", false),
    ("abc", "", true), ("abc", "b", false), ("abcdefghij", "xbcdefghij", false),
  ])
  func suffixesAreFound(text: String, suffix: String, expected: Bool) {
    #expect(pair(text, suffix) { $0.hasSuffix($1) } == expected)
  }

  @Test(arguments: [
    ("abcdef", "cd", true), ("abcdef", "abcdef", true), ("abcdef", "f", true),
    ("abc", "abcd", false),
    ("abc", "", true), ("", "", true), ("", "a", false), ("aab", "ab", true), ("ααβ", "αβ", true),
    ("abc", "ac", false),
  ])
  func partsAreFoundAnywhere(text: String, part: String, expected: Bool) {
    #expect(pair(text, part) { $0.containsBytes($1) } == expected)
  }

  @Test func viewsWithoutAnAddressAreEmpty() {
    #expect(emptyWithoutAddress.hasSameBytes(as: emptyWithoutAddress))
    #expect(emptyWithoutAddress.hasPrefix(emptyWithoutAddress))
    #expect(emptyWithoutAddress.hasSuffix(emptyWithoutAddress))
    #expect(emptyWithoutAddress.containsBytes(emptyWithoutAddress))
    #expect("abc".withBytes { $0.hasSuffix(emptyWithoutAddress) })
    #expect(emptyWithoutAddress.view(from: 0, to: 5).isEmpty)
    #expect(emptyWithoutAddress.order(against: emptyWithoutAddress) == .equal)
  }

  @Test func orderIsThatOfCodePoints() {
    #expect(pair("a", "b") { $0.order(against: $1) } == .less)
    #expect(pair("b", "a") { $0.order(against: $1) } == .greater)
    #expect(pair("ab", "ab") { $0.order(against: $1) } == .equal)
    #expect(pair("ab", "abc") { $0.order(against: $1) } == .less)
    #expect(pair("é", "z") { $0.order(against: $1) } == .greater)
    #expect(pair("", "a") { $0.order(against: $1) }.reversed == .greater)
  }

  @Test(arguments: [
    (0, 3, "abc"), (1, 2, "b"), (-5, 2, "ab"), (1, 99, "bc"), (2, 1, ""), (7, 9, ""),
    (Int.min, Int.max, "abc"),
  ])
  func rangesAreCutToWhatIsThere(start: Int, end: Int, expected: String) {
    let cut = "abc".withBytes { String(decoding: $0.view(from: start, to: end), as: UTF8.self) }
    #expect(cut == expected)
  }

  @Test func everySourceLendsTheSameBytes() {
    let expected: [UInt8] = [0x61, 0xC3, 0xA9]
    let wide: StaticString = "aé"
    #expect("aé".withBytes { Array($0) } == expected)
    #expect("xaé"[...].dropFirst().withBytes { Array($0) } == expected)
    #expect(wide.withBytes { Array($0) } == expected)
    #expect(expected.withBytes { Array($0) } == expected)
    #expect(([0] + expected)[1...].withBytes { Array($0) } == expected)
    #expect(expected.withUnsafeBytes { $0.withBytes { Array($0) } } == expected)
    #expect(expected.withUnsafeBufferPointer { $0.withBytes { Array($0) } } == expected)
  }
}
