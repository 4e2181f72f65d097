import HoistBase
import HoistTestSupport
import Testing

@Suite struct IntegerParserTests {
  private enum Expected: Equatable {
    case value(Int64)
    case overflow, malformed
  }

  private func read(_ text: String, _ signs: IntegerParser.Signs) -> Expected {
    switch IntegerParser.parse(text, as: Int64.self, signs: signs) {
    case .value(let value): .value(value)
    case .overflow: .overflow
    case .malformed: .malformed
    }
  }

  @Test func digitsAreRead() {
    #expect(read("0", .none) == .value(0))
    #expect(read("0000000000000000000000000042", .none) == .value(42))
    #expect(read("9223372036854775807", .none) == .value(.max))
    #expect(read("-9223372036854775808", .minus) == .value(.min))
    #expect(read("-0", .minus) == .value(0))
  }

  @Test func overflowIsToldFromGarbage() {
    #expect(read("9223372036854775808", .none) == .overflow)
    #expect(read("-9223372036854775809", .minus) == .overflow)
    #expect(read(String(repeating: "9", count: 100_000), .none) == .overflow)
    #expect(read("99999999999999999999x", .none) == .malformed)
  }

  @Test func signsAreTakenAsAsked() {
    for (signs, plus, minus) in [
      (IntegerParser.Signs.none, false, false), (.minus, false, true), (.plus, true, false),
      (.plusOrMinus, true, true),
    ] {
      #expect(read("+5", signs) == (plus ? .value(5) : .malformed))
      #expect(read("-5", signs) == (minus ? .value(-5) : .malformed))
      #expect(read("5", signs) == .value(5))
    }
  }

  @Test(arguments: [
    "", "+", "-", "--5", "+-5", "-+5", "5-", " 5", "5 ", "5.0", "1e3", "0x10", "1_0", "٥", "a",
  ])
  func garbageIsMalformed(text: String) { #expect(read(text, .plusOrMinus) == .malformed) }

  @Test func narrowTypesHaveTheirOwnLimits() {
    #expect(IntegerParser.parse("255", as: UInt8.self).value == 255)
    #expect(IntegerParser.parse("256", as: UInt8.self).value == nil)
    #expect(IntegerParser.parse("-128", as: Int8.self, signs: .minus).value == -128)
    #expect(IntegerParser.parse("-129", as: Int8.self, signs: .minus).value == nil)
    #expect(IntegerParser.parse("-0", as: UInt64.self, signs: .minus).value == 0)
    guard case .overflow = IntegerParser.parse("-1", as: UInt64.self, signs: .minus) else {
      Issue.record("-1 is an integer that UInt64 cannot hold")
      return
    }
    #expect(IntegerParser.parse("18446744073709551615", as: UInt64.self).value == .max)
  }
}
