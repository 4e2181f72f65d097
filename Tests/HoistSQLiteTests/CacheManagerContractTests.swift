import Glibc
import HoistBase
import HoistCore
import HoistSQLite
import Testing

/// What every cache manager of ours promises, checked on each.
@Suite struct CacheManagerContractTests {
  enum Kind: CaseIterable, Sendable { case sqlite, memory }

  let scratch = Scratch()
  let clock = StillClock()

  func manager(_ kind: Kind) -> any CacheManager {
    switch kind {
    case .sqlite: scratch.manager(clock: clock)
    case .memory: MemoryCacheManager(clock: clock)
    }
  }

  @Test(arguments: Kind.allCases) func aValueIsFoundUnderItsKeyUntilRemoved(_ kind: Kind) throws {
    let manager = manager(kind)
    #expect(try manager.load(key: "flags") == nil)
    try manager.save(key: "flags", value: [1, 2, 3])
    try manager.save(key: "other", value: [])
    #expect(try manager.load(key: "flags") == [1, 2, 3])
    #expect(try manager.load(key: "other") == [])
    try manager.save(key: "flags", value: [4])
    #expect(try manager.load(key: "flags") == [4])
    try manager.remove(key: "flags")
    try manager.remove(key: "flags")
    #expect(try manager.load(key: "flags") == nil)
    manager.close()
  }

  @Test(arguments: Kind.allCases) func keysAreComparedByTheirBytes(_ kind: Kind) throws {
    let manager = manager(kind)
    try manager.save(key: "caf\u{e9}", value: [1])
    try manager.save(key: "cafe\u{301}", value: [2])
    #expect(try manager.load(key: "caf\u{e9}") == [1])
    #expect(try manager.load(key: "cafe\u{301}") == [2])
    try manager.putEvents([.test("a", subject: "caf\u{e9}")], owner: stranger(1))
    try manager.purgeEvents(subject: "cafe\u{301}", pipeline: "events")
    try manager.releaseEvents(owner: stranger(1))
    #expect(try manager.claimAll(stranger(2)) == ["a"])
  }

  @Test(
    "Rows that are given back are for any other, and may be given back again; others' stay (second process)",
    arguments: Kind.allCases)
  func rowsAreGivenBack(_ kind: Kind) throws {
    let manager = manager(kind)
    #expect(manager.canGiveBackEvents)
    try manager.putEvents([.test("a"), .test("b"), .test("c")], owner: stranger(1))
    try manager.giveBackEvents(ids: ["a", "c", "unknown"], owner: stranger(2))
    #expect(try manager.claimAll(stranger(2)) == [])
    try manager.giveBackEvents(ids: ["a", "c", "unknown"], owner: stranger(1))
    try manager.giveBackEvents(ids: ["a"], owner: stranger(1))
    try manager.putEvents([.test("a")], owner: stranger(1))
    #expect(try manager.claimAll(stranger(2)) == ["a", "c"])
    try manager.giveBackEvents(ids: ["a"], owner: stranger(1))
    #expect(try manager.claimAll(stranger(3)) == [])
    try manager.giveBackEvents(ids: ["a"], owner: stranger(2))
    #expect(try manager.claimAll(stranger(3)) == ["a"])
  }

  @Test(arguments: Kind.allCases) func aValueIsReplacedOnlyWhereItIsTheExpectedOne(_ kind: Kind) throws {
    let manager = manager(kind)
    #expect(manager.replacesInOneStep)
    #expect(try manager.replace(key: "a", expected: [1], with: [2]) == .differs(nil))
    #expect(try manager.replace(key: "a", expected: nil, with: []) == .done)
    #expect(try manager.replace(key: "a", expected: nil, with: [1]) == .differs([]))
    #expect(try manager.replace(key: "a", expected: [], with: [1]) == .done)
    #expect(try manager.load(key: "a") == [1])
    #expect(try manager.replace(key: "a", expected: [2], with: nil) == .differs([1]))
    #expect(try manager.replace(key: "a", expected: [1], with: nil) == .done)
    #expect(try manager.replace(key: "a", expected: nil, with: nil) == .done)
    #expect(try manager.load(key: "a") == nil)
  }

  @Test(arguments: Kind.allCases) func oneLeadsAValueUntilItsTimeIsOverAndNoFormerOneWrites(_ kind: Kind) throws {
    let manager = manager(kind)
    func lead(_ holder: String?, _ lease: Int64 = 1000) throws -> CacheLead {
      try manager.lead(key: "a", holder: holder, leaseMilliseconds: lease)
    }
    #expect(manager.canLead)
    let first = try #require(try lead("one").number)
    #expect(try lead("two") == CacheLead(number: nil, version: 0))
    clock.advance(milliseconds: 999)
    #expect(try lead("one").number == first)
    clock.advance(milliseconds: 999)
    #expect(try lead("two").number == nil)
    clock.advance(milliseconds: 1)
    let second = try #require(try lead("two").number)
    #expect(second > first)
    #expect(try manager.save(key: "a", value: [1], ledBy: first) == nil)
    #expect(try manager.load(key: "a") == nil)
    let version = try #require(try manager.save(key: "a", value: [2], ledBy: second))
    #expect(try lead(nil) == CacheLead(number: nil, version: version))
    #expect(try manager.save(key: "a", value: [3], ledBy: second) != version)
    #expect(try lead("one", 0).number == nil && lead("two").number == second)
    #expect(try lead("two", 0).number == nil)
    let third = try lead("one").number
    #expect(third.map { $0 > second } == true)
    try manager.save(key: "a", value: [3])
    #expect(try lead(nil).version != version)
    #expect(LeadRecord([0xFF]).number == 0)
  }

  @Test(arguments: Kind.allCases) func releasedRowsAreClaimedOldestFirst(_ kind: Kind) throws {
    let manager = manager(kind)
    let row = EventRow.test("b", subject: "someone", at: 20, "bytes \u{0} and more")
    try manager.putEvents([.test("c", at: 30), row, .test("d", at: 30), .test("a", at: 10)], owner: stranger(1))
    try manager.putEvents([.test("x", pipeline: "diagnostics")], owner: stranger(1))
    #expect(try manager.claimAll(stranger(2)) == [])
    try manager.releaseEvents(owner: stranger(1))
    #expect(try manager.claimAll(stranger(2), rows: 1) == ["a"])
    let claimed = try manager.claimEvents(pipeline: "events", maximumRows: 1, maximumBytes: 1 << 20, owner: stranger(2))
    #expect(claimed == [row])
    #expect(try manager.claimAll(stranger(2)) == ["c", "d"])
    #expect(try manager.claimAll(stranger(2)) == [])
  }

  @Test(arguments: Kind.allCases) func aClaimStopsAtItsBytes(_ kind: Kind) throws {
    let manager = manager(kind)
    try manager.putEvents(
      [.test("a", at: 1, "12345"), .test("b", at: 2, "12345"), .test("c", at: 3, "1")], owner: stranger(1))
    try manager.releaseEvents(owner: stranger(1))
    #expect(try manager.claimAll(stranger(2), bytes: 9) == ["a"])
    #expect(try manager.claimAll(stranger(2), bytes: 10) == ["b", "c"])
  }

  @Test(arguments: Kind.allCases) func aStrangersRowsAreFreeWhenItsLeaseHasRunOut(_ kind: Kind) throws {
    let manager = manager(kind)
    try manager.putEvents([.test("a")], owner: stranger(1))
    clock.advance(milliseconds: 50_000)
    try manager.renewLease(owner: stranger(1))
    clock.advance(milliseconds: 59_999)
    #expect(try manager.claimAll(stranger(2)) == [])
    clock.advance(milliseconds: 1)
    #expect(try manager.claimAll(stranger(2)) == ["a"])
    #expect(try manager.claimAll(stranger(3)) == [])
  }

  @Test(arguments: Kind.allCases) func onlyTheHolderReplacesAndRemovesARow(_ kind: Kind) throws {
    let manager = manager(kind)
    try manager.putEvents([.test("a", "one")], owner: stranger(1))
    try manager.putEvents([.test("a", "two")], owner: stranger(1))
    try manager.putEvents([.test("a", "thief")], owner: stranger(2))
    try manager.removeEvents(ids: ["a"], owner: stranger(2))
    try manager.releaseEvents(owner: stranger(1))
    let claimed = try manager.claimEvents(pipeline: "events", maximumRows: 9, maximumBytes: 99, owner: stranger(2))
    #expect(claimed.map(\.payload) == [Array("two".utf8)])
    try manager.removeEvents(ids: ["a"], owner: stranger(1))
    try manager.releaseEvents(owner: stranger(2))
    #expect(try manager.claimAll(stranger(3)) == ["a"])
    try manager.removeEvents(ids: ["a", "unheard of"], owner: stranger(3))
    try manager.releaseEvents(owner: stranger(3))
    #expect(try manager.claimAll(stranger(1)) == [])
  }

  @Test(arguments: Kind.allCases) func aPurgeTakesTheSubjectsRowsWhoeverHoldsThem(_ kind: Kind) throws {
    let manager = manager(kind)
    try manager.putEvents(
      [
        .test("a", subject: "u1"), .test("b", subject: "u2"), .test("c"),
        .test("d", pipeline: "consent", subject: "u1"),
      ],
      owner: stranger(1))
    try manager.purgeEvents(subject: "u1", pipeline: "events")
    try manager.purgeEvents(subject: "", pipeline: "events")
    try manager.releaseEvents(owner: stranger(1))
    #expect(try manager.claimAll(stranger(2)) == ["b", "c"])
    #expect(try manager.claimAll(stranger(2), pipeline: "consent") == ["d"])
  }

  @Test(arguments: Kind.allCases) func aLivingProcessKeepsItsRowsWhateverItsLeaseSays(_ kind: Kind) throws {
    let manager = manager(kind)
    let parent = try #require(parentProcess())
    try manager.putEvents([.test("a")], owner: EventOwner(id: parent, leaseMilliseconds: 1))
    clock.advance(milliseconds: 86_400_000)
    #expect(try manager.claimAll(stranger(1)) == [])
  }

  @Test(arguments: Kind.allCases) func rowsOfAClosedStoreOfThisProcessAreFreeAtOnce(_ kind: Kind) throws {
    let manager = manager(kind)
    // No open store carries this identity: its client is gone, though the process lives.
    let gone = EventOwner(id: OwnerIdentity.make(nonce: 7_001).text, leaseMilliseconds: 60_000)
    try manager.putEvents([.test("a")], owner: gone)
    #expect(try manager.claimAll(stranger(1)) == ["a"])
  }
}

/// An identity as a store in the parent of this process would carry it.
private func parentProcess() -> String? {
  let own = OwnerIdentity.make(nonce: 1).text.split(separator: ".")
  guard own.count == 6, let started = startTime(of: getppid()) else { return nil }
  return "\(own[0]).\(own[1]).\(getppid()).\(started).0.9"
}
