import CShims
import HoistBase
@testable import HoistCore
import Synchronization
import Testing

@Suite("Evaluations are counted by thread and lost nowhere (G1)") struct CounterTests {
  @Test func aDrainTakesWhatCameSinceTheLast() throws {
    let snapshot = try #require(TestFlags.switches(["a", "b"]))
    defer { snapshot.destroy() }
    count(snapshot, cells: [0, 0, 0, 3])
    #expect(snapshot.counts() == ["a/0": 3, "b/1": 1])
    #expect(snapshot.counts() == [:])
    count(snapshot, cells: [0])
    #expect(snapshot.counts() == ["a/0": 1])
  }

  @Test func aCellThatDoesNotExistIsNotCounted() throws {
    let snapshot = try #require(TestFlags.switches(["a"]))
    defer { snapshot.destroy() }
    count(snapshot, cells: [2, 3, .max, .max - 1])
    #expect(snapshot.counts() == [:])
  }

  @Test func aCounterThatWrapsAroundLosesNothing() throws {
    let snapshot = try #require(TestFlags.switches(["a"]))
    defer { snapshot.destroy() }
    count(snapshot, cells: [0])
    _ = snapshot.counts()
    let block = try #require(snapshot.head.pointee.cells)
    block.pointee.cells[0] = .max
    block.pointee.drained[0] = .max
    count(snapshot, cells: [0, 0])
    #expect(snapshot.counts() == ["a/0": 2])
  }

  @Test func moreSnapshotsThanTheThreadRemembersKeepTheirCounts() throws {
    let snapshots = try (0..<20).map { _ in try #require(TestFlags.switches(["a"])) }
    defer { for snapshot in snapshots { snapshot.destroy() } }
    for _ in 0..<3 { for snapshot in snapshots { count(snapshot, cells: [0]) } }
    for snapshot in snapshots { #expect(snapshot.counts() == ["a/0": 3]) }
  }

  @Test func aThreadThatTakesOverTheSlotOfAnotherCountsOn() throws {
    let snapshot = try #require(TestFlags.switches(["a"]))
    defer { snapshot.destroy() }
    for _ in 0..<40 { inThreads(1) { _ in count(snapshot, cells: [0]) } }
    #expect(snapshot.counts() == ["a/0": 40])
    // Slots are used again: forty threads in turn did not leave forty blocks.
    var blocks = 0
    var block = snapshot.head.pointee.cells
    while let cells = block {
      blocks += 1
      block = cells.pointee.next
    }
    #expect(blocks < 20)
  }

  @Test func threadsThatCountDuringDrainsAndSwapsLoseNothing() throws {
    let fixture = try HolderFixture()
    let holder = fixture.holder
    holder.publish(TestFlags.switches(["a", "b"]))
    let (threads, rounds) = (4, 5_000)
    let totals = Record<UInt64>()
    let running = Atomic(threads)
    inThreads(threads + 1) { index in
      if index == threads {
        repeat {
          holder.publish(TestFlags.switches(["a", "b"]))
          holder.drain { _, _, _, count in totals.append(count) }
        } while running.load(ordering: .acquiring) > 0
      } else {
        for round in 0..<rounds {
          #expect(fixture.evaluate(round % 2 == 0 ? "a" : "b") == 1)
        }
        running.subtract(1, ordering: .releasing)
      }
    }
    holder.drain { _, _, _, count in totals.append(count) }
    #expect(totals.all.reduce(0, +) == UInt64(threads * rounds))
    #expect(eventually { fixture.drain() == 0 && holder.waiting == 0 })
  }

  private func count(_ snapshot: Snapshot, cells: [UInt32]) {
    let slot = shim_enter()
    for cell in cells { snapshot.count(slot, cell: cell) }
    shim_leave(slot)
  }
}
