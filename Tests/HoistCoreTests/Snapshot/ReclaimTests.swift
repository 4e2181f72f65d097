import CShims
import HoistBase
import HoistTestSupport
@testable import HoistCore
import Synchronization
import Testing

/// Reading sections are the process's, and other tests have theirs: what must go is waited for.
@Suite("A replaced block is freed when nobody reads it, and not before") struct ReclaimTests {
  @Test func aReaderInsideASectionKeepsARetiredBlockAlive() {
    let reclaimer = Reclaimer()
    let freed = Atomic(0)
    let door = Door()
    let left = Door()
    let reader = startThread {
      let slot = shim_enter()
      door.pass()
      shim_leave(slot)
      left.pass()
    }
    #expect(door.waitForArrivals(1))
    reclaimer.retire { freed.add(1, ordering: .relaxed) }
    #expect(reclaimer.collect() == 1)
    #expect(freed.load(ordering: .relaxed) == 0)
    door.open()
    #expect(left.waitForArrivals(1))
    #expect(eventually { reclaimer.collect() == 0 })
    #expect(freed.load(ordering: .relaxed) == 1)
    #expect(reclaimer.collect() == 0)
    #expect(freed.load(ordering: .relaxed) == 1)
    left.open()
    reader.join()
  }

  @Test func aReaderThatCameAfterwardsHoldsNothingBack() {
    let reclaimer = Reclaimer()
    let freed = Atomic(0)
    reclaimer.retire { freed.add(1, ordering: .relaxed) }
    let slot = shim_enter()
    #expect(eventually { reclaimer.collect() == 0 })
    shim_leave(slot)
    #expect(freed.load(ordering: .relaxed) == 1)
  }

  @Test func sectionsNestAndOnlyTheOuterEndLetsGo() {
    let reclaimer = Reclaimer()
    let outer = shim_enter()
    reclaimer.retire {}
    let inner = shim_enter()
    shim_leave(inner)
    #expect(reclaimer.collect() == 1)
    shim_leave(outer)
    #expect(eventually { reclaimer.collect() == 0 })
  }

  @Test("What a block lets go of is no call into the host here: whoever collects may hold a lock (G11)")
  func collectingAdmitsNoHost() {
    let reclaimer = Reclaimer()
    let admitted = Atomic(0)
    reclaimer.retire { admitted.store(Thread.admitsHost ? 1 : -1, ordering: .relaxed) }
    #expect(eventually { reclaimer.collect() == 0 })
    #expect(admitted.load(ordering: .relaxed) == -1)
    #expect(Thread.admitsHost)
  }

  @Test func smallObjectsWaitForEachOtherOrForACollection() {
    final class Small: Sendable {
      let freed: Locked<Int>
      init(_ freed: Locked<Int>) { self.freed = freed }
      deinit { freed.change { $0 += 1 } }
    }
    let reclaimer = Reclaimer()
    let freed = Locked(0)
    reclaimer.retire(small: Small(freed))
    #expect(freed.value == 0)
    #expect(eventually { reclaimer.collect() == 0 } && freed.value == 1)
    reclaimer.retire(small: Small(freed))
    #expect(
      eventually {
        for _ in 0..<32 { reclaimer.retire(small: Small(Locked(0))) }; return freed.value == 2
      }, "a batch is collected")
  }

  @Test func whatElseHoldsABlockIsAskedToo() {
    let reclaimer = Reclaimer()
    let isFree = Flag()
    reclaimer.retire(isFree: { isFree.isRaised }, destroy: {})
    #expect(reclaimer.collect() == 1)
    isFree.raise()
    #expect(eventually { reclaimer.collect() == 0 })
  }

  @Test func aThreadThatEndsInsideASectionHoldsNothingBack() {
    let reclaimer = Reclaimer()
    inThreads(1) { _ in _ = shim_enter() }
    reclaimer.retire {}
    #expect(eventually { reclaimer.collect() == 0 })
  }

  @Test func aPinnedSnapshotOutlivesItsReplacement() throws {
    let fixture = try HolderFixture()
    fixture.holder.publish(fixture.snapshot("first"))
    let pinned = try #require(fixture.holder.pinned())
    fixture.holder.publish(fixture.snapshot("second"))
    fixture.drain()
    #expect(fixture.living == 2)
    #expect(pinned.find("first") != nil)
    pinned.unpin()
    #expect(
      eventually {
        fixture.drain(); return fixture.living == 1
      })
    #expect(fixture.holder.waiting == 0)
  }

  @Test func countsOfAReplacedSnapshotAreHandedOutBeforeItGoes() throws {
    let fixture = try HolderFixture()
    fixture.holder.publish(fixture.snapshot("a"))
    for _ in 0..<3 { fixture.evaluate("a") }
    fixture.holder.publish(fixture.snapshot("a"))
    fixture.evaluate("a")
    #expect(fixture.living == 2)
    #expect(fixture.drain() == 4)
    #expect(eventually { fixture.drain() == 0 && fixture.living == 1 })
  }

  /// G2: a provider that never counts never drains; its snapshots must go all the same.
  @Test func replacedSnapshotsWithoutCountsGoByThemselves() throws {
    let fixture = try HolderFixture()
    for round in 0..<100 { fixture.holder.publish(fixture.snapshot("flag-\(round)")) }
    #expect(
      eventually {
        fixture.holder.publish(fixture.snapshot("last"))
        return fixture.living <= 2 && fixture.holder.waiting <= 1
      })
  }

  /// G5: where counts are never taken, a thousand snapshots wait for that, and no more.
  @Test func countsThatNobodyTakesAreGivenUpInBoundedNumber() throws {
    let fixture = try HolderFixture()
    for round in 0..<1_200 {
      fixture.holder.publish(fixture.snapshot("flag-\(round)"))
      fixture.evaluate("flag-\(round)")
    }
    #expect(
      eventually {
        fixture.holder.publish(fixture.snapshot("last"))
        return fixture.living <= 1_002
      })
    #expect(fixture.holder.lostCounts >= 198)
    #expect(fixture.drain() + UInt64(fixture.holder.lostCounts) == 1_200)
  }

  @Test func whatHasNotBeenDrainedIsFreedWithItsHolder() throws {
    let fixture = try HolderFixture()
    for round in 0..<5 {
      fixture.holder.publish(fixture.snapshot("flag-\(round)"))
      fixture.evaluate("flag-\(round)")
    }
    let pinned = try #require(fixture.holder.pinned())
    fixture.holder.destroy()
    #expect(
      eventually {
        Reclaimer.shared.collect(); return fixture.living == 1
      })
    pinned.unpin()
    #expect(
      eventually {
        Reclaimer.shared.collect(); return fixture.living == 0
      })
  }

  /// The stress of the reading scheme itself; the thread sanitizer watches it.
  @Test func readersNeverSeeAFreedBlockWhileAWriterSwaps() throws {
    let fixture = try HolderFixture()
    fixture.holder.publish(fixture.snapshot("flag"))
    let isDone = Flag()
    let reads = Atomic(0)
    inThreads(3) { index in
      if index == 0 {
        for _ in 0..<10_000 {
          fixture.holder.publish(fixture.snapshot("flag"))
          fixture.drain()
        }
        isDone.raise()
      } else {
        var number = 0
        while !isDone.isRaised || number == 0 {
          if fixture.evaluate("flag") == 1 { number += 1 }
        }
        reads.add(number, ordering: .relaxed)
      }
    }
    #expect(reads.load(ordering: .relaxed) > 0)
    #expect(
      eventually {
        fixture.drain(); return fixture.holder.waiting == 0
      })
    #expect(fixture.living == 1)
  }
}
