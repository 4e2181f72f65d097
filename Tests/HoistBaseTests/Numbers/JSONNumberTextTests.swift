import HoistBase
import HoistTestSupport
import Testing

@Suite struct JSONNumberTextTests {
  struct Row: Sendable {
    let value: Double
    let rust: String
    let python: String

    init(_ value: Double, _ rust: String, _ python: String) {
      self.value = value
      self.rust = rust
      self.python = python
    }
  }

  @Test(arguments: [
    Row(0, "0.0", "0.0"), Row(-0.0, "-0.0", "-0.0"), Row(1, "1.0", "1.0"), Row(-1, "-1.0", "-1.0"),
    Row(0.1, "0.1", "0.1"), Row(12.5, "12.5", "12.5"), Row(100, "100.0", "100.0"),
    Row(1e15, "1000000000000000.0", "1000000000000000.0"), Row(1.5e15, "1500000000000000.0", "1500000000000000.0"),
    Row(1e16, "1e16", "1e+16"), Row(1.2345e20, "1.2345e20", "1.2345e+20"), Row(1e21, "1e21", "1e+21"),
    Row(-1.5e300, "-1.5e300", "-1.5e+300"), Row(0.001, "0.001", "0.001"), Row(0.0001, "0.0001", "0.0001"),
    Row(0.00001, "0.00001", "1e-05"), Row(0.000001, "1e-6", "1e-06"), Row(1e-7, "1e-7", "1e-07"),
    Row(1.25e-7, "1.25e-7", "1.25e-07"), Row(.leastNonzeroMagnitude, "5e-324", "5e-324"),
    Row(.greatestFiniteMagnitude, "1.7976931348623157e308", "1.7976931348623157e+308"),
    Row(0.1 + 0.2, "0.30000000000000004", "0.30000000000000004"),
    Row(9_007_199_254_740_992, "9007199254740992.0", "9007199254740992.0"),
    Row(123_456_789_012_345_680, "1.2345678901234568e17", "1.2345678901234568e+17"),
  ])
  func styles(row: Row) {
    #expect(JSONNumberText.text(row.value) == row.rust)
    #expect(JSONNumberText.text(row.value, .python) == row.python)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func whatJSONCannotSayIsNull(value: Double) {
    #expect(JSONNumberText.text(value) == "null")
  }

  @Test func textIsAppended() {
    var text = Array("x=".utf8)
    JSONNumberText.append(2.5, to: &text)
    #expect(text == Array("x=2.5".utf8))
  }

  @Test func everyTextReadsBackAsTheSameDouble() {
    var generator = SeededGenerator(seed: 15)
    for _ in 0..<10_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      for style in [JSONNumberText.Style.rust, .python] {
        let text = JSONNumberText.text(value, style)
        #expect(DecimalParser.parse(text, [])?.bitPattern == value.bitPattern, "\(text)")
      }
    }
  }
}
