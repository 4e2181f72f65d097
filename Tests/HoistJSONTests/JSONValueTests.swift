import HoistJSON
import Testing

@Suite struct JSONValueTests {
  private func parse(_ json: String) throws -> JSONDocument { try JSONDocument(parsing: json) }

  @Test func gettersAnswerOnlyForTheirKind() throws {
    let document = try parse(#"[null,true,1,1.5,"s",[],{}]"#)
    document.withRoot { root in
      let kinds: [JSONKind] = [.null, .bool, .int, .double, .string, .array, .object]
      #expect(root.array?.map(\.kind) == kinds)
      #expect(root.array?.map { $0.bool != nil } == kinds.map { $0 == .bool })
      #expect(root.array?.map { $0.int64 != nil } == kinds.map { $0 == .int })
      #expect(root.array?.map { $0.double != nil } == kinds.map { $0 == .int || $0 == .double })
      #expect(root.array?.map { $0.string != nil } == kinds.map { $0 == .string })
      #expect(root.array?.map { $0.array != nil } == kinds.map { $0 == .array })
      #expect(root.array?.map { $0.object != nil } == kinds.map { $0 == .object })
      #expect(root.array?.map { $0.unlessNull == nil } == kinds.map { $0 == .null })
    }
  }

  @Test func membersAreFoundByLiteralStringAndBytes() throws {
    let document = try parse(#"{"größe":1,"":2,"n":null}"#)
    document.withRoot { root in
      #expect(root["größe"]?.int64 == 1)
      #expect(root["grosse"] == nil)
      #expect(root[""]?.int64 == 2)
      #expect(root["n"]?.isNull == true)
      #expect(root["n"]?["deeper"] == nil)
      #expect(root.object?.member("größe")?.int64 == 1)
      #expect(root.object?.member(UnsafeBufferPointer(start: nil, count: 0))?.int64 == 2)
      #expect(root.object?.count == 3)
    }
  }

  @Test func namesCompareByBytesNotByCanonicalEquivalence() throws {
    let document = try parse("{\"e\u{301}\":1}")
    document.withRoot { root in
      #expect(root["\u{e9}"] == nil)
      #expect(root.object?.first(where: { $0.key == "\u{e9}" }) == nil)
      #expect(root.object?.first(where: { $0.key == "e\u{301}" }) != nil)
    }
  }

  @Test func anIndexFromOutsideIsNoTrap() throws {
    let document = try parse("[1]")
    document.withRoot { root in
      #expect(root.array?.element(at: 0)?.int64 == 1)
      #expect(root.array?.element(at: 1) == nil)
      #expect(root.array?.element(at: -1) == nil)
      #expect(root.array?.element(at: .max) == nil)
      #expect(root.array?.count == 1)
    }
  }

  @Test func stringBytesAreFollowedByNul() throws {
    let document = try parse(#"{"key":"value","k\u0041":"\u0042"}"#)
    try document.withRoot { root in
      for member in try #require(root.object) {
        #expect(member.key.utf8.baseAddress?[member.key.utf8.count] == 0)
        let text = member.value.utf8
        #expect(text?.baseAddress?[text?.count ?? 0] == 0)
      }
    }
  }

  @Test func manyThreadsMayShareOneDocument() async throws {
    let document = try parse(#"{"list":[{"n":1},{"n":2},{"n":3}]}"#)
    let sums = await withTaskGroup(of: Int64.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<500).reduce(Int64(0)) { sum, _ in
            document.withRoot { root in
              root["list"]?.array?.reduce(sum) { $0 + ($1["n"]?.int64 ?? 0) } ?? 0
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums == Array(repeating: 3000, count: 8))
  }
}
