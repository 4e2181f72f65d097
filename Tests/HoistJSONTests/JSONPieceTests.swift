import HoistBase
import HoistJSON
import Testing

/// Values found in a text without reading the rest.
@Suite struct JSONPieceTests {
  private let text =
    #" { "a" : [1, -2.5e1, "x", {"b": "]}\""}, null, true] , "b\u002Fc": {"d": "\u00e9\n"}, "a2":{}, "s": "plain" } "#

  @Test func membersAreFoundByTheirDecodedNames() {
    with(text) { piece, arena in
      #expect(piece.kind == .object)
      #expect(member("b/c", of: piece, &arena)?.kind == .object)
      #expect(member("s", of: piece, &arena)?.string(&arena).map { String(decoding: $0, as: UTF8.self) } == "plain")
      let inner = member("b/c", of: piece, &arena).flatMap { member("d", of: $0, &arena) }
      #expect(inner?.string(&arena).map { String(decoding: $0, as: UTF8.self) } == "é\n")
      #expect(member("nothing", of: piece, &arena) == nil)
      #expect(member("a", of: piece, &arena)?.elements.map(\.kind) == [.double, .double, .string, .object, .null, .bool])
      #expect(member("a", of: piece, &arena)?.elements.compactMap(\.number) == [1, -25])
    }
  }

  @Test func ofMembersOfOneNameTheLastCounts() {
    with(#"{"a":1,"b":2,"a":3}"#) { piece, arena in #expect(member("a", of: piece, &arena)?.number == 3) }
  }

  @Test(arguments: ["1", "-0.5", "1e400", "9007199254740993"]) func numbersAreReadAsDocumentsReadThem(number: String) throws {
    let read = try JSONDocument(parsing: Array(number.utf8)).withRoot { $0.double }
    with(number) { piece, _ in #expect(piece.number == read) }
  }

  /// Nothing outside is read, and every walk ends.
  @Test func textsThatBreakOffAreHarmless() {
    for count in 0...text.utf8.count {
      let part = Array(Array(text.utf8).prefix(count))
      part.withBytes { bytes in
        var arena = TextArena()
        let piece = JSONPiece(bytes)
        for (name, value) in piece.members {
          _ = name.string(&arena)
          for element in value.elements { _ = element.string(&arena) }
        }
        #expect(piece.text.count <= count)
      }
    }
  }

  private func member(_ name: String, of piece: JSONPiece, _ arena: inout TextArena) -> JSONPiece? {
    name.withBytes { piece.member($0, &arena) }
  }

  private func with(_ text: String, _ body: (JSONPiece, inout TextArena) -> Void) {
    text.withBytes { bytes in
      var arena = TextArena()
      body(JSONPiece(bytes), &arena)
    }
  }
}
