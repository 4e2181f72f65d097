import HoistBase
@testable import HoistCore
import HoistTestSupport
import Synchronization
import Testing

@Suite("A flag changes at its own cost, and whoever reads finds it as it was or as it is") struct SnapshotPatchTests {
  /// Gives switches other values.
  static func patch(_ values: [(String, Bool)], of served: Snapshot, text: String = "") -> SnapshotPatch? {
    SnapshotPatch(of: served) { snapshot in
      var builder = SnapshotBuilder(patching: snapshot)
      var replacements: [SnapshotPatch.Replacement] = []
      for (name, value) in values {
        guard let former = snapshot.find(name) else { return nil }
        var record = former.assumingMemoryBound(to: TestRecord.self).pointee
        record.head = FlagHead(name: record.head.name, firstCell: builder.cells(2), cellCount: 2)
        (record.integer, record.variation) = (value ? 1 : 0, builder.text(text))
        replacements.append(SnapshotPatch.Replacement(former, in: snapshot, by: builder.append(record)))
      }
      return builder.patch(replacements)
    }
  }

  private func snapshot(_ names: [String]) throws -> Snapshot {
    try #require(TestFlags.snapshot(names.map { ($0, .bool(true)) }, hasRoom: true))
  }

  private func holder(_ names: [String]) throws -> HolderFixture {
    let fixture = try HolderFixture()
    fixture.holder.publish(try snapshot(names))
    return fixture
  }

  private func current(_ fixture: HolderFixture) throws -> Snapshot { try #require(fixture.holder.read { $0 }) }

  @Test func oneFlagChangesInTheSnapshotThatIsServed() throws {
    let fixture = try holder(["c", "a", "b"])
    let served = try current(fixture)
    #expect(fixture.holder.put(try #require(Self.patch([("b", false)], of: served))))
    #expect(try current(fixture).base == served.base)
    #expect(["a", "b", "c"].map { fixture.evaluate($0) } == [1, 0, 1])
    #expect(served.names == ["a", "b", "c"] && served.record(at: 1) == served.find("b"))
  }

  @Test func countsOfAFlagAsItWasStayApartFromThoseOfTheFlagAsItIs() throws {
    let fixture = try holder(["a", "b"])
    let served = try current(fixture)
    let former = try #require(served.find("a"))
    for _ in 0..<3 { fixture.evaluate("a") }
    #expect(fixture.holder.put(try #require(Self.patch([("a", false)], of: served))))
    for _ in 0..<2 { fixture.evaluate("a") }
    fixture.evaluate("b")
    var counts: [UnsafeRawPointer: UInt64] = [:]
    fixture.holder.drain { _, record, _, count in counts[record, default: 0] += count }
    #expect(counts == [former: 3, try #require(served.find("a")): 2, try #require(served.find("b")): 1])
  }

  @Test func whoHasPinnedASnapshotKeepsEveryFlagAsItWas() throws {
    let fixture = try ClientFixture()
    fixture.client.open()
    fixture.scheduler.run()
    fixture.client.publish(try snapshot(["a", "b"]), changed: [])
    let view = FlagView(fixture.client, nil)
    let patch = try #require(fixture.client.withSnapshot { $0.flatMap { Self.patch([("a", false)], of: $0) } })
    #expect(fixture.client.publish(patch, changed: ["a"]))
    #expect(fixture.evaluate("a").value.string == "false")
    #expect("a".withBytes { view.evaluate($0, .bool) { $0.integer } } == 1)
  }

  @Test func severalFlagsThatBelongTogetherChangeInACopy() throws {
    let fixture = try holder(["a", "b", "c"])
    let patch = try #require(Self.patch([("a", false), ("c", false)], of: try current(fixture)))
    #expect(!fixture.holder.put(patch))
    #expect(["a", "b", "c"].map { fixture.evaluate($0) } == [1, 1, 1])
    fixture.holder.publish(patch.applied())
    #expect(["a", "b", "c"].map { fixture.evaluate($0) } == [0, 1, 0])
    #expect(try current(fixture).names == ["a", "b", "c"])
  }

  @Test func howeverManyFlagsChangeTheBlockStaysBounded() throws {
    let names = (0..<200).map { "flag-\($0)" }
    let fixture = try holder(names)
    var copies = 0
    for step in 0..<5_000 {
      let served = try current(fixture)
      let name = names[step * 7 % names.count]
      guard let patch = Self.patch([(name, step % 2 == 0)], of: served, text: "a text of step \(step)") else {
        fixture.holder.publish(try snapshot(names))
        continue
      }
      if patch.isCopy {
        copies += 1
        fixture.holder.publish(patch.snapshot)
      } else {
        #expect(fixture.holder.put(patch))
      }
      #expect(fixture.evaluate(name) == (step % 2 == 0 ? 1 : 0))
    }
    let last = try current(fixture)
    #expect(copies > 10 && copies < 500)
    #expect(last.head.pointee.byteCount < 250_000 && last.head.pointee.cellCount < 600)
    #expect(last.names == names.sorted())
    let cells = (0..<last.flagCount).map { last.record(at: $0).assumingMemoryBound(to: FlagHead.self).pointee.firstCell }
    #expect(Set(cells).count == names.count && cells.allSatisfy { $0 + 2 <= last.head.pointee.cellCount })
    var counted: UInt64 = 0
    fixture.holder.drain { _, _, _, count in counted += count }
    #expect(counted > 4_900)
  }

  @Test func aSnapshotWithoutRoomIsCopied() throws {
    let small = try #require(TestFlags.switches(["a", "b"]))
    defer { small.destroy() }
    let patch = try #require(Self.patch([("a", false)], of: small))
    defer { patch.snapshot.destroy() }
    #expect(patch.isCopy && patch.snapshot.base != small.base)
    #expect(patch.snapshot.find("a")?.assumingMemoryBound(to: TestRecord.self).pointee.integer == 0)
    #expect(small.find("a")?.assumingMemoryBound(to: TestRecord.self).pointee.integer == 1)
  }

  /// The thread sanitizer watches it.
  @Test func readersFindTheOneOrTheOtherWhileAWriterChangesFlags() throws {
    let names = (0..<16).map { "flag-\($0)" }
    let fixture = try holder(names)
    let isDone = Flag()
    let wrong = Atomic(0)
    inThreads(3) { index in
      if index == 0 {
        for step in 0..<3_000 {
          guard let served = fixture.holder.read({ $0 }) else { break }
          if let patch = Self.patch([(names[step % 16], step % 3 == 0)], of: served) {
            if patch.isCopy || !fixture.holder.put(patch) {
              fixture.holder.publish(patch.isCopy ? patch.snapshot : patch.applied())
            }
          } else {
            fixture.holder.publish(TestFlags.snapshot(names.map { ($0, .bool(true)) }, hasRoom: true))
          }
          if step % 100 == 0 { fixture.drain() }
        }
        isDone.raise()
      } else {
        var step = index
        while !isDone.isRaised {
          step += 1
          if ![0, 1].contains(fixture.evaluate(names[step % 16])) { wrong.add(1, ordering: .relaxed) }
          guard step % 64 == 0, let pinned = fixture.holder.pinned() else { continue }
          let record = pinned.find(names[0])
          for _ in 0..<10 where pinned.find(names[0]) != record { wrong.add(1, ordering: .relaxed) }
          pinned.unpin()
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }
}
