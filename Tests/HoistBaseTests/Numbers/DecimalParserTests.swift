import Foundation
import HoistBase
import HoistTestSupport
import Testing

@Suite struct DecimalParserTests {
  private func bits(_ value: Double?) -> UInt64? { value?.bitPattern }

  /// protocols/unleash.md C.5, the context's side (UNL-95; no client).
  @Test(arguments: [
    ("0", 0.0), ("-0", -0.0), ("5", 5), ("+5", 5), ("5.", 5), (".5", 0.5), ("-.5e3", -500),
    ("00012", 12),
    ("1e5", 1e5), ("1E+5", 1e5), ("1e-2", 0.01), ("1e00005", 1e5), ("inf", .infinity),
    ("-Infinity", -.infinity), ("+INFINITY", .infinity), ("1e400", .infinity),
    ("-1e400", -.infinity),
    ("1e-400", 0), ("-1e-400", -0.0), ("0.1", 0.1), ("0.10000000000000001", 0.1),
    ("4.999999999999999999", 5), ("9007199254740993", 9_007_199_254_740_992),
    ("-0.43300000000000005", -0.43300000000000005), ("0e999999999999999999999", 0),
    ("1e99999999999999999999", .infinity), ("1e-99999999999999999999", 0),
  ])
  func rustReads(text: String, expected: Double) {
    #expect(bits(DecimalParser.parse(text, .rust)) == expected.bitPattern)
  }

  @Test(arguments: ["nan", "NaN", "-nan", "+NAN"])
  func rustReadsNaN(text: String) { #expect(DecimalParser.parse(text, .rust)?.isNaN == true) }

  @Test(arguments: [
    "", " ", "+", "-", ".", "+.", "e5", ".e5", "1e", "1e+", "1e-", "5e.", "1.5.", "1,5", "1_0",
    "0x10",
    "0x1p3", "infin", "infinityy", "nan(1)", " 7", "7 ", "٥", "--5", "+-5", "1e5.0", "1\u{0}",
    "1e5 ",
  ])
  func rustRefuses(text: String) { #expect(DecimalParser.parse(text, .rust) == nil) }

  @Test(arguments: [
    ("0", 0.0), ("-0.0", -0.0), ("10.25", 10.25), ("1E-2", 0.01), ("-120", -120), ("0e0", 0),
  ])
  func jsonReads(text: String, expected: Double) {
    #expect(bits(DecimalParser.parse(text, [])) == expected.bitPattern)
  }

  @Test(arguments: ["+1", "01", "-01", "00", ".5", "5.", "inf", "NaN", "-", "1.e5", "1e", "0x1"])
  func jsonRefuses(text: String) { #expect(DecimalParser.parse(text, []) == nil) }

  @Test func everyLiberalityStandsAlone() {
    let liberal: [(DecimalParser.Grammar, String)] = [
      (.plusSign, "+1"), (.leadingZeros, "01"), (.bareFraction, ".5"), (.bareWhole, "5."),
      (.infinityAndNaN, "inf"),
    ]
    for (allowed, _) in liberal {
      for (needed, text) in liberal {
        #expect((DecimalParser.parse(text, allowed) != nil) == (allowed == needed))
      }
    }
  }

  /// Values on the edges of the format, and ties that only far digits decide.
  @Test(
    arguments: [
      ("2.2250738585072011e-308", 0x000F_FFFF_FFFF_FFFF),
      ("2.2250738585072014e-308", 0x0010_0000_0000_0000),
      ("4.9406564584124654e-324", 1), ("2.4703282292062327e-324", 0),
      ("2.4703282292062328e-324", 1),
      ("1.7976931348623157e308", 0x7FEF_FFFF_FFFF_FFFF),
      ("1.7976931348623158e308", 0x7FEF_FFFF_FFFF_FFFF),
      ("1.7976931348623159e308", 0x7FF0_0000_0000_0000),
      ("9007199254740993.0", 0x4340_0000_0000_0000),
      ("9007199254740993.00000000000000000000000000000000000000000000001", 0x4340_0000_0000_0001),
      ("1e22", 0x4480_F0CF_064D_D592), ("1e23", 0x44B5_2D02_C7E1_4AF6),
      ("8.5e22", 0x44B1_FFDB_F6B2_B2EB),
    ] as [(String, UInt64)])
  func roundingIsCorrect(text: String, expected: UInt64) {
    #expect(bits(DecimalParser.parse(text, .rust)) == expected)
  }

  @Test func aTieIsBrokenByADigitThousandsOfPlacesAway() {
    let zeros = String(repeating: "0", count: 5_000)
    #expect(DecimalParser.parse("9007199254740993.\(zeros)", .rust) == 9_007_199_254_740_992)
    #expect(DecimalParser.parse("9007199254740993.\(zeros)1", .rust) == 9_007_199_254_740_994)
  }

  @Test func hugeTextsAreRead() {
    let zeros = String(repeating: "0", count: 1_000_000)
    #expect(DecimalParser.parse("1\(zeros)", .rust) == .infinity)
    #expect(DecimalParser.parse("1\(zeros)e-1000000", .rust) == 1)
    #expect(DecimalParser.parse("0.\(zeros)1", .rust) == 0)
    #expect(DecimalParser.parse("0.\(zeros)1e1000001", .rust) == 1)
    #expect(DecimalParser.parse("\(zeros)7", .rust) == 7)
  }

  @Test func resultsAgreeWithTheStandardLibrary() throws {
    var generator = SeededGenerator(seed: 14)
    for _ in 0..<20_000 {
      let digits = (0..<Int.random(in: 1...25, using: &generator))
        .map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
      let point = Int.random(in: 0...digits.count, using: &generator)
      let power = Int.random(in: -330...310, using: &generator)
      let text = "\(digits.prefix(point)).\(digits.dropFirst(point))e\(power)"
      let expected = try #require(Double(text))
      #expect(bits(DecimalParser.parse(text, .rust)) == expected.bitPattern, "\(text)")
    }
    for _ in 0..<20_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      #expect(bits(DecimalParser.parse(value.description, .rust)) == value.bitPattern)
    }
  }

  @Test func theErrorNumberOfTheHostStays() {
    errno = 42
    #expect(DecimalParser.parse("1e-310", .rust)?.isSubnormal == true)
    #expect(errno == 42)
  }
}
