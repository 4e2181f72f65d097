import HoistJSON
import Testing

@Suite struct JSONWriterTests {
  @Test func aDocumentIsWrittenWithItsCommasAndColons() {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("list")
      writer.array { writer in
        writer.int(1)
        writer.bool(true)
        writer.null()
        writer.array { _ in }
        writer.object { _ in }
        writer.string("x")
      }
      writer.key("number")
      writer.double(0.5)
      writer.key("raw")
      writer.raw(Array(#"{"any":1}"#.utf8))
      writer.key("after")
      writer.int(UInt64.max)
    }
    #expect(
      writer.text == #"{"list":[1,true,null,[],{},"x"],"number":0.5,"raw":{"any":1},"after":18446744073709551615}"#)
  }

  @Test func whatMustBeEscapedIsAndNothingElse() throws {
    let all = String(String.UnicodeScalarView((0..<0x80).compactMap { Unicode.Scalar($0) })) + "é\u{2028}😀"
    var writer = JSONWriter()
    writer.string(all)
    #expect(writer.text.hasPrefix(#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010"#))
    #expect(writer.text.hasSuffix("\u{7f}é\u{2028}😀\""))
    #expect(writer.text.contains(##" !\"#$%&'()*+,-./0"##) && writer.text.contains(#"[\\]"#))
    #expect(try JSONDocument(parsing: writer.bytes).withRoot { $0.string } == all)
  }

  @Test func malformedBytesAreRepaired() {
    var writer = JSONWriter()
    let bytes: [UInt8] = [0x61, 0xFF, 0x62]
    bytes.withUnsafeBufferPointer { writer.string(utf8: $0) }
    #expect(writer.text == "\"a\u{FFFD}b\"")
  }

  @Test(
    arguments: [
      (1.0, "1", "1.0"), (-0.0, "0", "-0.0"), (0.1, "0.1", "0.1"), (1e15, "1000000000000000", "1000000000000000.0"),
      (9007199254740992, "9007199254740992", "9007199254740992.0"), (1e23, "1e+23", "1e+23"),
      (.leastNonzeroMagnitude, "5e-324", "5e-324"), (.nan, "null", "null"), (.infinity, "null", "null"),
      (-.infinity, "null", "null"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308", "1.7976931348623157e+308"),
    ] as [(Double, String, String)])
  func doublesAreWrittenShortest(value: Double, asInteger: String, withFraction: String) {
    var integers = JSONWriter()
    integers.double(value)
    var fractions = JSONWriter(wholeDoubles: .withFraction)
    fractions.double(value)
    #expect(integers.text == asInteger)
    #expect(fractions.text == withFraction)
  }

  @Test func everyDoubleReadsBackTheSame() throws {
    var random = SplitMix(state: 20_260_105)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      var writer = JSONWriter(wholeDoubles: .withFraction)
      writer.double(value)
      let read = try JSONDocument(parsing: writer.bytes).withRoot { $0.double }
      #expect(read?.bitPattern == value.bitPattern, "\(value)")
    }
  }

  @Test func membersAreSortedByBytesAtEveryLevel() throws {
    let document = try JSONDocument(parsing: #"{"b":{"z":1,"a":2},"é":0,"a":[{"y":1,"x":2}],"Z":null}"#)
    let sorted = try document.withRoot { try $0.text(order: .sorted) }
    #expect(String(decoding: sorted, as: UTF8.self) == #"{"Z":null,"a":[{"x":2,"y":1}],"b":{"a":2,"z":1},"é":0}"#)
  }

  @Test func integersOfEveryWidthAreWritten() {
    var writer = JSONWriter()
    writer.array { writer in
      for value in [Int64.min, -10, -1, 0, 7, 1_700_000_000_000, Int64.max] { writer.int(value) }
      writer.int(UInt64.max)
      writer.verbatim(#","x":["#)
      writer.int(UInt8(5))
      writer.verbatim("]")
      writer.bool(true)
    }
    #expect(
      writer.text == "[-9223372036854775808,-10,-1,0,7,1700000000000,9223372036854775807,18446744073709551615"
        + #","x":[5],true]"#)
  }
}

/// A generator whose sequence is the same on every machine.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
