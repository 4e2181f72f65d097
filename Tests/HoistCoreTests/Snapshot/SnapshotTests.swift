import HoistBase
@testable import HoistCore
import Testing

@Suite("A snapshot finds its flags") struct SnapshotTests {
  @Test(arguments: [0, 1, 2, 3, 4, 5, 8, 9, 100, 1_000, 5_000])
  func everyNameIsFoundAndNoOther(count: Int) throws {
    let names = (0..<count).map { "flag-\($0)" }
    let snapshot = try #require(TestFlags.switches(names))
    defer { snapshot.destroy() }
    #expect(snapshot.flagCount == count)
    for name in names {
      let record = try #require(snapshot.find(name))
      #expect(snapshot.text(of: record) == name)
    }
    for name in ["", "flag", "flag-", "flag-\(count)", "FLAG-0", "flag-0 ", "flag-00"] {
      #expect(snapshot.find(name) == nil)
    }
  }

  @Test func theEmptySnapshotFindsNothingAndHasNothing() throws {
    let snapshot = try #require(TestFlags.snapshot([]))
    defer { snapshot.destroy() }
    #expect(snapshot.find("") == nil)
    #expect(snapshot.find("a") == nil)
    #expect(snapshot.names == [])
    #expect(snapshot.counts() == [:])
  }

  @Test func anEmptyNameIsAName() throws {
    let snapshot = try #require(TestFlags.switches(["", "a"]))
    defer { snapshot.destroy() }
    let record = try #require(snapshot.find(""))
    #expect(snapshot.text(of: record) == "")
  }

  @Test func namesAreComparedByBytesNotByCanonicalEquivalence() throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let both = try #require(TestFlags.snapshot([(composed, .int(1)), (decomposed, .int(2))]))
    let one = try #require(TestFlags.switches([composed]))
    defer {
      both.destroy()
      one.destroy()
    }
    #expect(both.find(composed) != both.find(decomposed))
    #expect(one.find(decomposed) == nil)
  }

  @Test func recordsComeInTheOrderOfTheirNamesBytes() throws {
    let names = ["b", "a", "B", "aa", "", "\u{E9}", "z", "a-1", "\u{1F600}"]
    let snapshot = try #require(TestFlags.switches(names))
    defer { snapshot.destroy() }
    #expect(snapshot.names == names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
  }

  /// Probing: names whose hashes begin in the same slot stand one after the other.
  @Test func namesOfTheSameSlotAreAllFound() throws {
    var sameSlot: [String] = []
    var number = 0
    while sameSlot.count < 12 {
      let name = "n\(number)"
      if name.withBytes({ Hash64.hash($0) }) & 31 == 30 { sameSlot.append(name) }
      number += 1
    }
    let snapshot = try #require(TestFlags.switches(sameSlot))
    defer { snapshot.destroy() }
    #expect(snapshot.head.pointee.tableMask == 31)
    for name in sameSlot { #expect(snapshot.find(name).map { snapshot.text(of: $0) } == name) }
  }

  /// A stranger with the very hash of a flag is told apart by its bytes.
  @Test func aNameWithTheHashOfAnotherIsNotTakenForIt() throws {
    let snapshot = try #require(TestFlags.switches(["alpha", "beta"]))
    defer { snapshot.destroy() }
    let hash = "alpha".withBytes { Hash64.hash($0) }
    #expect("alpha".withBytes { snapshot.find($0, hash: hash) } != nil)
    #expect("gamma".withBytes { snapshot.find($0, hash: hash) } == nil)
    #expect("alphb".withBytes { snapshot.find($0, hash: hash) } == nil)
    // Equal tag, another slot: the probe passes the neighbours and ends at a free slot.
    #expect("alpha".withBytes { snapshot.find($0, hash: hash ^ 0x7) }.map { snapshot.text(of: $0) } ?? "alpha" == "alpha")
  }

  @Test func everySnapshotHasAnIdentityOfItsOwn() throws {
    var seen: Set<UInt64> = []
    for _ in 0..<50 {
      let snapshot = try #require(TestFlags.switches(["a"]))
      #expect(snapshot.head.pointee.id != 0)
      #expect(seen.insert(snapshot.head.pointee.id).inserted)
      snapshot.destroy()
    }
  }

  @Test func whatItPointsToLivesUntilItIsDestroyed() throws {
    final class Resource {}
    weak var seen: Resource?
    let snapshot: Snapshot
    do {
      let resource = Resource()
      seen = resource
      snapshot = try #require(TestFlags.snapshot([("a", .bool(true))], resources: resource))
    }
    #expect(seen != nil)
    snapshot.destroy()
    #expect(seen == nil)
  }

  @Test func textsInsideAreFollowedByNUL() throws {
    let snapshot = try #require(TestFlags.snapshot([("greeting", .string("hello"))]))
    defer { snapshot.destroy() }
    let record = try #require(snapshot.find("greeting")).assumingMemoryBound(to: TestRecord.self).pointee
    for reference in [record.head.name, record.text] {
      let bytes = reference.bytes(snapshot.base)
      let start = try #require(bytes.baseAddress)
      #expect((start + bytes.count).load(as: UInt8.self) == 0)
    }
  }
}
