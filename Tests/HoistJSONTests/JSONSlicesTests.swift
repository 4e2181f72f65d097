import HoistJSON
import Testing

@Suite("A text is cut into the parts of its outermost value") struct JSONSlicesTests {
  private func parts(_ text: String) throws -> [String] {
    var text = text
    return try text.withUTF8 { bytes in
      var slices = try JSONSlices(UnsafeRawBufferPointer(bytes))
      var parts: [String] = []
      while let part = try slices.next() {
        let name = part.name.map { String(decoding: $0, as: UTF8.self) + ":" } ?? ""
        parts.append(name + String(decoding: part.value, as: UTF8.self))
      }
      return parts
    }
  }

  private func failure(_ text: String) -> JSONFailure? {
    do {
      _ = try parts(text)
      return nil
    } catch {
      return error as? JSONFailure
    }
  }

  @Test func arraysGiveTheirElements() throws {
    #expect(
      try parts(#" [1, "a,]\"", {"b":[2,{}]} ,[ ] , null,-1.5E+3] "#) == [
        "1", #""a,]\"""#, #"{"b":[2,{}]}"#, "[ ]", "null", "-1.5E+3",
      ])
    #expect(try parts("[]") == [])
    #expect(try parts("\u{FEFF}[true]") == ["true"])
  }

  @Test func objectsGiveTheirMembers() throws {
    #expect(try parts(#"{"a" : 1,"}\\":"x","" :{"c":"]"}}"#) == [#""a":1"#, #""}\\":"x""#, #""":{"c":"]"}"#])
    #expect(try parts(" { } ") == [])
  }

  @Test(arguments: [
    "", " ", "1", "\"a\"", "[", "{", "[1", "[1,", "[1 2]", "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1",
    "[\"a]", "[{]", "[]]", "[] x", "{\"a\":1,}", "[1}", "[\u{FEFF}1]", "[\\]", "[1,\"\\",
  ])
  func whatIsNoJSONIsRefused(_ text: String) {
    // A trailing comma gives an empty value, which is refused like any other value that is not there.
    #expect(failure(text)?.kind == .syntax, "\(text)")
  }

  @Test func everyShorteningIsRefused() {
    let text = #"{"a":[1,{"b":"c\\\"d"}],"e":"f"}"#
    for length in 0..<text.utf8.count {
      #expect(failure(String(text.prefix(length))) != nil)
    }
    #expect(failure(text) == nil)
  }

  @Test func deepNestingTakesNoStack() throws {
    let deep = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
    #expect(try parts(deep).count == 1)
  }

  @Test func aFailureOfAPartSaysWhereItIsInTheWhole() {
    var text = "[1,\n {\"a\" 2}]"
    text.withUTF8 { bytes in
      let whole = UnsafeRawBufferPointer(bytes)
      do {
        var slices = try JSONSlices(whole)
        _ = try slices.next()
        guard let part = try slices.next() else { return }
        do throws(JSONFailure) {
          _ = try JSONDocument(parsing: part.value)
          Issue.record("a broken part was taken")
        } catch {
          #expect(error.moved(from: part.value, to: whole).position == JSONPosition(byte: 10, line: 2, column: 7))
        }
      } catch {
        Issue.record("\(error)")
      }
    }
  }
}
