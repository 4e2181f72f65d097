import HoistBase
import HoistJSON
import Testing

@Suite("A reader takes a document value by value, and what a document takes") struct JSONReaderTests {
  private static let texts = [
    "null", " true ", "-0", "1.0", "123456789012345678901234567890", "1e999", #""a\u0000\ud83d\ude00\ud800é""#, "[]", "{}",
    #"{"a":[1,{"b\n":null},[[]]],"":{"c":"d"},"e":-2.5E+3}"#, "\u{FEFF}[1]",
  ]

  @Test(arguments: texts) func valuesAreThoseOfADocument(text: String) throws {
    #expect(try printed(text) == JSONDocument(parsing: text).withRoot { try $0.text() })
  }

  @Test(arguments: texts + [#"{"a":1,}"#, "[1,]", "[,1]", "{,}", "nul", "[1}", #"{"a" 1}"#, "1 2", "", " ", "\u{1}"])
  func whateverIsCutOrDamagedIsRefusedAsADocumentIs(text: String) {
    let bytes = Array(text.utf8)
    for end in 0...bytes.count {
      for damage in [nil, UInt8(ascii: ","), 0xFF] {
        let part = Array(bytes[..<end]) + (damage.map { [$0] } ?? [])
        #expect(refusal { _ = try printed(part) } == refusal { _ = try JSONDocument(parsing: part) })
      }
    }
  }

  @Test func containersAreEnteredAndLeft() throws {
    let text = Array(#" {"list" : [1, {"x":"y\n"},[ ]], "other":{"a":1} ,"last":true} "#.utf8)
    let said = try text.withUnsafeBytes { bytes in
      var reader = try JSONReader(bytes)
      var said = [reader.enter(.array) ? "an array" : "no array", reader.enter(.object) ? "an object" : "no object"]
      var kept: UnsafeBufferPointer<UInt8>?
      while let name = try reader.nextName() {
        said.append(String(decoding: name, as: UTF8.self))
        if reader.enter(.array) {
          while let element = try reader.nextElement() {
            said.append("\(element.kind) \(element.array?.count ?? -1)")
            kept = element["x"]?.utf8 ?? kept
          }
        } else {
          let value = try reader.value()
          said.append(value.source.map { String(decoding: $0, as: UTF8.self) } ?? "\(value.bool ?? false)")
        }
      }
      try reader.finish()
      // The text of a value that is gone stays.
      said.append(kept.map { String(decoding: $0, as: UTF8.self) } ?? "")
      return said
    }
    #expect(
      said == [
        "no array", "an object", "list", "int -1", "object -1", "array 0", "other", #"{"a":1}"#, "last", "true", "y\n",
      ])
  }

  @Test func failuresTellTheirPlaceInTheWholeText() {
    let bytes = Array("{\"a\":[1],\n\"b\":[{\"c\":tru}]}".utf8)
    let failure = refusal {
      try bytes.withUnsafeBytes { bytes in
        var reader = try JSONReader(bytes)
        guard reader.enter(.object) else { return }
        while try reader.nextName() != nil { _ = try reader.value() }
      }
    }
    #expect(failure?.position == JSONPosition(byte: 20, line: 2, column: 11))
  }

  @Test func ofMembersOfOneNameTheLastIsFound() throws {
    for count in [2, 40] {
      let fillers = (0..<count).map { "\"x\($0)\":0," }.joined()
      let text = #"{"a":1,"b":{"a":3},\#(fillers)"a":2}"#
      try text.withBytes { bytes in
        Result { () throws(JSONFailure) in
          try JSONNode.parse(bytes) { root in
            #expect(root["a"]?.int64 == 2)
            #expect(root.hasRepeatedNames)
            #expect(root["b"]?.hasRepeatedNames == false)
            #expect(root.members.count == count + 3)
          }
        }
      }.get()
    }
  }

  @Test func limitsHoldForEachValue() throws {
    var limits = JSONLimits(maximumStringBytes: 3, maximumValues: 3, maximumDepth: 2)
    #expect(try printed("[1,2]", limits) == Array("[1,2]".utf8))
    for text in ["[1,2,3]", "[[[]]]", #"["abcd"]"#] { #expect(refusal { _ = try printed(text, limits) }?.kind == .limit) }
    limits.maximumBytes = 4
    #expect(refusal { _ = try printed("[1,2]", limits) }?.kind == .limit)
    let many = Array("[[1,2],[1,2]]".utf8)
    limits.maximumBytes = 100
    let count = try many.withUnsafeBytes { bytes in
      var reader = try JSONReader(bytes, limits: limits)
      var count = reader.enter(.array) ? 0 : -9
      while try reader.nextElement() != nil { count += 1 }
      return count
    }
    #expect(count == 2)
  }

  @discardableResult
  private func printed(_ text: some ByteSource, _ limits: JSONLimits = .standard) throws(JSONFailure) -> [UInt8] {
    try text.withBytes { bytes in
      Result { () throws(JSONFailure) in
        try JSONNode.parse(bytes, limits: limits) { root in
          var writer = JSONWriter()
          writer.value(root)
          return writer.bytes
        }
      }
    }.get()
  }

  private func refusal(_ body: () throws -> Void) -> JSONFailure? {
    do {
      try body()
      return nil
    } catch { return error as? JSONFailure }
  }
}
