import HoistBase
import HoistCore
import Testing

@testable import HoistLaunchDarkly

@Suite("Rules change one by one (LDS-11, LDS-12, LDS-62; no client)") struct ServerTableTests {
  @Test("A flag takes the place of another in the block that is served") func flagInPlace() throws {
    var table = ServerTable(ServerResources(nil))
    let served = try #require(
      try table.poll(ServerRules.set(flags: ["a": ServerRules.flag("a"), "b": ServerRules.flag("b")]), over: nil).snapshot)
    defer { served.destroy() }
    let update = try table.patch("/flags/a", ServerRules.flag("a", version: 2, #""on":false"#), of: served)
    let patch = try #require(update.patch)
    #expect(!patch.isCopy && update.snapshot == nil && update.changed == ["a"])
    patch.apply()
    #expect(served.value(of: "a") == #""off""# && served.value(of: "b") == #""on""#)
    #expect(try table.patch("/flags/a", ServerRules.flag("a", version: 2), of: served).changed.isEmpty)
  }

  @Test("A flag of three rules with a roll-out takes little memory, the room for its successors included") func size() throws {
    let clauses = #"[{"attribute":"plan","op":"in","values":["pro"]},{"attribute":"age","op":"lessThan","values":[18]}]"#
    let half = #"{"variations":[{"variation":0,"weight":50000},{"variation":1,"weight":50000}]}"#
    let rule = #"{"clauses":\#(clauses),"variation":0}"#
    let rules = #""rules":[\#(rule),\#(rule),{"clauses":\#(clauses),"rollout":\#(half)}]"#
    let keys = (1_000..<2_000).map { "flag-rule-\($0)-prod" }
    let flags = Dictionary(uniqueKeysWithValues: keys.map { ($0, ServerRules.flag($0, rules)) })
    var table = ServerTable(ServerResources(nil))
    let served = try #require(try table.poll(ServerRules.set(flags: flags), over: nil).snapshot)
    defer { served.destroy() }
    #expect(served.head.pointee.byteCount / 1_000 <= 700)
  }

  @Test("However often flags and segments change, what is served is what was sent last") func manyChanges() throws {
    var table = ServerTable(ServerResources(nil))
    let filler = String(repeating: "x", count: 2_000)
    let flags = ["a": ServerRules.flag("a", ServerRules.rule(inSegments: ["s"])), "b": ServerRules.flag("b")]
    var served = try #require(
      try table.poll(ServerRules.set(flags: flags, segments: ["s": ServerRules.segment("s")]), over: nil).snapshot)
    for version in 2...300 {
      let isIn = version % 2 == 0
      let members = #""salt":"\#(filler)","included":["\#(isIn ? "k" : "other")"]"#
      served = take(try table.patch("/segments/s", ServerRules.segment("s", version: version, members), of: served), served)
      served = take(try table.patch("/flags/b", ServerRules.flag("b", version: version, "\"on\":\(isIn)"), of: served), served)
      #expect(served.value(of: "a") == (isIn ? #""off""# : #""on""#), "version \(version)")
      #expect(served.value(of: "b") == (isIn ? #""on""# : #""off""#), "version \(version)")
    }
    #expect(served.flagCount == 2 && served.segments.count == 1)
    #expect(served.head.pointee.byteCount < 1 << 20, "what no flag has any more is thrown away")
    served.destroy()
  }

  @Test("A deleted item leaves its version behind, known or not, until the next whole set") func tombstones() throws {
    var table = ServerTable(ServerResources(nil))
    var served = try #require(
      try table.poll(ServerRules.set(flags: ["a": ServerRules.flag("a", version: 3)]), over: nil).snapshot)
    served = take(try table.delete("/flags/a", 4, of: served), served)
    #expect(served.value(of: "a") == "FLAG_NOT_FOUND")
    #expect(try table.patch("/flags/a", ServerRules.flag("a", version: 4), of: served).changed.isEmpty)
    served = take(try table.delete("/flags/new", 9, of: served), served)
    #expect(try table.patch("/flags/new", ServerRules.flag("new", version: 9), of: served).snapshot == nil)
    served = take(try table.patch("/flags/a", ServerRules.flag("a", version: 5), of: served), served)
    #expect(served.value(of: "a") == #""on""#)
    served = take(try table.poll(ServerRules.set(flags: ["new": ServerRules.flag("new")]), over: served), served)
    #expect(served.value(of: "new") == #""on""# && table.tombstones.isEmpty)
    served.destroy()
  }

  @Test(
    "What cannot be read changes nothing",
    arguments: [
      #"{"key":"a","version":7,"on":"yes"}"#, #"{"version":7}"#, #"{"key":"a","version":7,"rules":[null]}"#, "[]",
    ]) func malformed(_ flag: String) throws
  {
    var table = ServerTable(ServerResources(nil))
    let served = try #require(try table.poll(ServerRules.set(flags: ["a": ServerRules.flag("a")]), over: nil).snapshot)
    defer { served.destroy() }
    #expect(throws: FlagFailure.self) { try table.patch("/flags/a", flag, of: served) }
    #expect(throws: FlagFailure.self) { try table.poll("{\"flags\":{\"a\":\(flag)}}", over: served) }
    #expect(served.value(of: "a") == #""on""#)
    #expect(try table.patch("/flags/a", ServerRules.flag("a", version: 2), of: served).patch != nil)
  }

  @Test("A whole set tells of flags in an older version, too; the vendor's listeners do not hear of them") func olderSet() throws
  {
    var table = ServerTable(ServerResources(nil))
    func flags(_ version: Int) -> String {
      ServerRules.set(flags: [
        "a": ServerRules.flag("a", version: version), "b": ServerRules.flag("b", #""prerequisites":[{"key":"a","variation":1}]"#),
      ])
    }
    let first = try #require(try table.poll(flags(5), over: nil).snapshot)
    defer { first.destroy() }
    let update = try table.poll(flags(4), over: first)
    defer { update.snapshot?.destroy() }
    #expect(update.changed == ["a", "b"] && update.told == [])
  }

  /// What is served after an update.
  private func take(_ update: ServerUpdate, _ served: Snapshot) -> Snapshot {
    update.patch?.apply()
    guard let new = update.snapshot ?? update.patch?.snapshot, new.base != served.base else { return served }
    served.destroy()
    return new
  }
}
