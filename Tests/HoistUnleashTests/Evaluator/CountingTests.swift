import HoistBase
import HoistCore
import HoistUnleash
import Testing

@Suite("Counters and impressions (protocols/unleash.md D.4, D.6)") struct CountingTests {
  private static let document =
    flag(
      "f",
      #""strategies":[{"name":"userWithId","parameters":{"userIds":"1"},"variants":[{"name":"s","weight":1},{"name":"own","weight":0}]},"#
        + #"{"name":"userWithId","parameters":{"userIds":"2"}}],"variants":[{"name":"own","weight":1},{"name":"disabled","weight":0,"#
        + #""overrides":[{"contextName":"userId","values":["2"]}]}]"#) + ","
    + flag("plain")

  private func meaning(_ answer: Rules.Answer?, _ rules: Rules, _ name: String) -> [String] {
    guard let record = rules.record(name) else { return [] }
    return (answer?.cells ?? []).map { cell in
      switch UnleashFlags.counter(cell, of: record, in: rules.snapshot) {
      case .yes: "yes"
      case .no: "no"
      case .variant(let name): text(name)
      }
    }
  }

  @Test func booleansCountYesOrNo() throws {
    let rules = try Rules(Self.document)
    #expect(meaning(rules.evaluate("f", user("1"), want: .bool), rules, "f") == ["yes"])
    #expect(meaning(rules.evaluate("f", user("3"), want: .bool), rules, "f") == ["no"])
    #expect(meaning(rules.evaluate("plain", want: .bool), rules, "plain") == ["yes"])
  }

  @Test func variantsCountTheirNameToo() throws {
    let rules = try Rules(Self.document)
    #expect(meaning(rules.evaluate("f", user("1")), rules, "f") == ["yes", "s"])
    #expect(meaning(rules.evaluate("f", user("1"), want: .string), rules, "f") == ["yes", "s"])
    #expect(meaning(rules.evaluate("f", user("3")), rules, "f") == ["no", "disabled"])
    // A variant of that name counts with those who have none.
    #expect(meaning(rules.evaluate("f", user("2")), rules, "f") == ["yes", "disabled"])
    #expect(meaning(rules.evaluate("plain", want: .json), rules, "plain") == ["yes", "disabled"])
  }

  @Test func variantsOfOneNameShareACounter() throws {
    let rules = try Rules(Self.document)
    let head = rules.record("f").map { $0.assumingMemoryBound(to: FlagHead.self).pointee }
    #expect(head?.cellCount == 5)  // yes, no, own, s, disabled
    #expect(rules.snapshot.head.pointee.usedCells == 8)
  }

  @Test func aSnapshotWithoutCountersCountsNothing() throws {
    var options = Rules.options()
    options.countsReads = false
    let rules = try Rules(Self.document, options)
    #expect(rules.evaluate("f", user("1"))?.cells == [] && rules.evaluate("plain", want: .bool)?.cells == [])
    #expect(rules.snapshot.head.pointee.cellCount == 0)
    let toggles = try Rules(toggles: #"{"toggles":[{"name":"t","enabled":true}]}"#, options)
    #expect(toggles.evaluate("t")?.cells == [])
  }

  /// An evaluation says what to count; whoever checks without counting just does not (UNL-104; no client).
  @Test func anEvaluationByItselfCountsNothing() throws {
    let rules = try Rules(Self.document)
    _ = rules.evaluate("f", user("1"))
    rules.snapshot.drain { _, _, _ in Issue.record("something was counted") }
  }

  @Test func impressionsAreForFlagsThatAskForThem() throws {
    let document = flag("loud", #""impressionData":true"#) + "," + flag("quiet", #""impressionData":false"#)
    let rules = try Rules(document)
    #expect(rules.evaluate("loud")?.impression == true && rules.evaluate("loud", want: .bool)?.impression == true)
    #expect(rules.evaluate("quiet")?.impression == false)
    var options = Rules.options()
    options.impressionDataAll = true
    #expect(try Rules(document, options).evaluate("quiet")?.impression == true)
  }
}

@Suite("Listing flags (UNL-105; no client)") struct ListingTests {
  @Test func allFlagsAreListedByName() throws {
    let rules = try Rules(
      #"{"name":"b","enabled":false,"type":"release","project":"shop","stale":true,"description":"what it does"},"#
        + #"{"name":"a","enabled":true,"impressionData":true},{"name":"c","enabled":true,"type":"release","project":"shop"},"#
        + #"{"name":"d","enabled":true,"type":"release","project":"shop","strategies":[{"name":"default","segments":[9]}]}"#
    )
    #expect(
      String(decoding: UnleashFlags.list(rules.snapshot), as: UTF8.self)
        == #"[{"name":"a","enabled":true,"impressionData":true,"stale":false},"#
        + #"{"name":"b","enabled":false,"impressionData":false,"stale":true,"type":"release","project":"shop","description":"what it does"},"#
        + #"{"name":"c","enabled":true,"impressionData":false,"stale":false,"type":"release","project":"shop"},"#
        + #"{"name":"d","enabled":true,"impressionData":false,"stale":false,"type":"release","project":"shop","#
        + #""warning":"strategy 1: there is no segment 9"}]"#)
    let metadata = rules.record("c").map { UnleashFlags.metadata(snapshot: rules.snapshot, record: $0) } ?? []
    #expect(
      String(decoding: metadata, as: UTF8.self)
        == #"{"impressionData":false,"stale":false,"type":"release","project":"shop"}"#)
  }

  @Test func togglesAreListedToo() throws {
    let rules = try Rules(toggles: #"{"toggles":[{"name":"a","enabled":true}]}"#)
    #expect(
      String(decoding: UnleashFlags.list(rules.snapshot), as: UTF8.self)
        == #"[{"name":"a","enabled":true,"impressionData":false}]"#)
  }
}
