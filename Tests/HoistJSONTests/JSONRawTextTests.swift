import Testing

@testable import HoistJSON

@Suite struct JSONRawTextTests {
  private func number(_ value: Double) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONRawText.maximumNumberBytes) { room in
      guard let start = room.baseAddress else { return "" }
      let count = JSONRawText.writeNumber(value, to: start)
      return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
  }

  private func string(_ text: String) -> String {
    var text = text
    return text.withUTF8 { bytes in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONRawText.maximumStringBytes(bytes.count)) { room in
        guard let start = room.baseAddress else { return "" }
        let count = JSONRawText.writeString(UnsafeRawBufferPointer(bytes), to: start)
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
      }
    }
  }

  @Test(arguments: [
    (0.0, "0"), (-0.0, "0"), (19.9, "19.9"), (-19.9, "-19.9"), (0.05, "0.05"), (0.5, "0.5"), (-0.25, "-0.25"),
    (100.0, "100"), (1234567.89, "1234567.89"), (0.001, "0.001"), (9_007_199_254_740_992.0, "9007199254740992"),
    (1e300, "1e+300"), (.infinity, "null"), (.nan, "null"),
  ])
  func numbersAreWrittenShort(_ value: Double, _ text: String) {
    #expect(number(value) == text)
  }

  @Test func integersAreWrittenInFull() {
    var values: [Int64] = [0, .min, .max, 1_700_000_000_123]
    var power: Int64 = 1
    for _ in 0..<18 {
      power *= 10
      values += [power - 1, power, -power, 1 - power]
    }
    for value in values {
      let text = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONRawText.maximumNumberBytes) { room in
        let count = room.baseAddress.map { JSONRawText.writeInteger(value, to: $0) } ?? 0
        return String(decoding: room.prefix(count), as: UTF8.self)
      }
      #expect(text == String(value))
    }
  }

  @Test("Strings are written eight bytes at a time where nothing is escaped") func whatIsEscapedMayStandAnywhere() {
    for length in 0..<28 {
      #expect(string(String(repeating: "a", count: length)) == "\"" + String(repeating: "a", count: length) + "\"")
      for place in 0..<length {
        for (letter, written) in [
          ("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\u{1F}", "\\u001f"), (" ", " "), ("ü", "ü"), ("\u{7F}", "\u{7F}"),
        ] {
          let (before, after) = (String(repeating: "a", count: place), String(repeating: "z", count: length - place - 1))
          #expect(string(before + letter + after) == "\"" + before + written + after + "\"")
        }
      }
    }
  }

  @Test func everyNumberReadsBackAsTheSameDouble() throws {
    var state: UInt64 = 42
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state
    }
    for _ in 0..<20_000 {
      let bits = Double(bitPattern: next())
      let price = Double(Int64(truncatingIfNeeded: next() >> 20)) / 100
      let small = Double(next() >> 11) * 0x1p-53
      for value in [bits, price, -price, small] where value.isFinite {
        let read = try #require(Double(number(value)))
        #expect(read == value)
      }
    }
  }

  @Test func stringsAreWrittenAsTheWriterWritesThem() {
    for text in ["", "plain", "quo\"te", "back\\slash", "\u{0}\u{1F}\u{7F}", "\u{8}\u{C}\n\r\t", "Grüße 🎈", "/"] {
      var writer = JSONWriter()
      writer.string(text)
      #expect(string(text) == writer.text)
    }
  }
}
