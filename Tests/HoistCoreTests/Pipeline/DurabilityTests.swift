import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("Nothing that was acknowledged is lost (design 6)") struct DurabilityTests {
  let manager = ObstinateManager()

  @Test func recordsAreStoredWithinTheDelay() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    manager.forgetCalls()
    bench.record("a", "b")
    bench.advance(90, step: 10)
    #expect(manager.calls.isEmpty)
    bench.record("c")
    bench.advance(10)
    #expect(manager.calls.count == 1)
    #expect(manager.calls[0].split(separator: ",").count == 3)
    bench.advance(1_000)
    #expect(manager.calls.count == 1)
  }

  @Test("All of a burst is stored when the delay is over, the last of it, too (ready, 2,500 records at once)") func aBurst() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    for number in 0..<2_500 { bench.record("\(number)") }
    bench.advance(100)
    let puts = manager.calls.filter { $0.hasPrefix("put ") }
    #expect(puts.map { $0.split(separator: ",").count } == [1_000, 1_000, 500])
  }

  @Test func deliveredRowsLeaveTheStore() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("a", "b")
    bench.advance(100)
    _ = bench.flush()
    manager.forgetCalls()
    bench.answer(500)
    bench.advance(900)
    #expect(manager.calls.isEmpty)
    bench.advance(100)
    bench.answer(200)
    #expect(manager.calls.count == 1 && manager.calls[0].hasPrefix("delete "))
  }

  @Test func whatIsDeliveredBeforeItWasStoredIsNeverStored() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    manager.forgetCalls()
    bench.record("a")
    _ = bench.flush()
    bench.answer(200)
    bench.advance(1_000)
    #expect(manager.calls.isEmpty)
  }

  @Test func withMemoryOnlyTheStoreIsNeverAsked() {
    let bench = PipelineBench(manager: manager) { $0.durability = .memory }
    bench.start()
    bench.record("a")
    bench.advance(30_000)
    bench.answer(200)
    #expect(bench.sent == ["a"])
    #expect(manager.calls.isEmpty)
  }

  @Test func whatCouldNotBeStoredIsTriedAgainAndDeliveredAnyway() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    manager.fail(CacheFailure("disk full"))
    bench.record("a")
    bench.advance(100)
    #expect(bench.warnings == ["warning store: disk full"])
    manager.fail(nil)
    manager.forgetCalls()
    bench.record("b")
    bench.advance(3_000)
    #expect(manager.calls.count == 1 && manager.calls[0].hasPrefix("put ") && manager.calls[0].contains(","))
    manager.fail(CacheFailure("disk full"))
    _ = bench.flush()
    bench.answer(200)
    #expect(bench.counters.delivered == 2)
  }

  @Test("Processes that lost a store in one moment try it again in moments of their own (100 processes, store away)")
  func manyLoseTheirStore() {
    var moments: [Int: Int] = [:]
    for seed in 1...100 {
      let manager = ObstinateManager()
      let bench = PipelineBench(manager: manager, seed: UInt64(seed), share: nil)
      bench.start()
      manager.fail(CacheFailure("away"))
      bench.record("a")
      bench.advance(100)
      manager.fail(nil)
      manager.forgetCalls()
      var tenths = 0
      while manager.calls.isEmpty, tenths < 100 {
        bench.advance(100)
        tenths += 1
      }
      moments[tenths, default: 0] += 1
    }
    #expect(moments.values.allSatisfy { $0 <= 30 }, "within 100 ms: \(moments)")
  }

  @Test func stopStoresWhatIsNotStoredYet() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    for number in 0..<2_500 { bench.record("\(number)") }
    bench.pipeline.stop()
    // As closing the store does: it is done after everything asked for before.
    #expect(bench.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
    let puts = manager.calls.filter { $0.hasPrefix("put ") }
    #expect(puts.map { $0.split(separator: ",").count } == [1_000, 1_000, 500])
    #expect(manager.calls.suffix(2) == ["release", "close"])
  }

  @Test func rowsOfAClosedClientAreTheNextOnesAtOnce() {
    let first = PipelineBench(manager: manager)
    first.start()
    first.record("a", "b")
    first.pipeline.stop()
    #expect(first.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
    let second = PipelineBench(manager: manager, seed: 2)
    second.start()
    #expect(second.counters.adopted == 2)
    _ = second.flush()
    #expect(second.sent == ["a,b"])
    second.answer(200)
    let third = PipelineBench(manager: manager, seed: 3)
    third.start()
    #expect(third.counters.adopted == 0)
  }

  @Test func aClientThatOpensAgainClaimsItsRowsBack() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("a", "b")
    bench.advance(200)
    bench.record("c")
    bench.pipeline.stop()
    _ = bench.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000)
    bench.settle()
    // Meanwhile somebody else takes one of them.
    let thief = EventOwner(id: "elsewhere", leaseMilliseconds: 60_000)
    let taken = try? manager.claimEvents(pipeline: "events", maximumRows: 1, maximumBytes: 100, owner: thief)
    #expect(taken?.map(\.text) == ["a"])
    bench.store.reopen()
    bench.start()
    _ = bench.flush()
    #expect(bench.sent == ["b,c"])
  }

  @Test func adoptedRowsGoBeforeOwnOnes() {
    let dead = EventOwner(id: "dead", leaseMilliseconds: 1)
    try? manager.putEvents([.sample("1", "old 1"), .sample("2", "old 2")], owner: dead)
    try? manager.releaseEvents(owner: dead)
    let bench = PipelineBench(manager: manager)
    bench.record("new")
    bench.start()
    _ = bench.flush()
    #expect(bench.sent == ["old 1,old 2,new"])
    bench.answer(200)
    #expect(bench.policy.batches.all[0].rows.prefix(2).map(\.id) == ["1", "2"])
  }

  @Test func whatAnEarlierProcessLeftMayGoAtOnce() {
    let first = PipelineBench(manager: manager)
    first.start()
    first.record("a")
    first.scheduler.post { first.pipeline.stop() }
    first.settle()
    #expect(first.store.close(untilNanoseconds: .max))
    let second = PipelineBench(manager: manager, seed: 2) { $0.flushesAdopted = true }
    second.start()
    #expect(second.sent == ["a"])
    second.record("b")
    second.advance(1_000)
    #expect(second.sent == ["a"])
  }

  @Test func moreThanThereIsRoomForIsAdoptedBitByBit() {
    let dead = EventOwner(id: "dead", leaseMilliseconds: 1)
    try? manager.putEvents((0..<10).map { .sample("\($0)", "\($0)") }, owner: dead)
    try? manager.releaseEvents(owner: dead)
    let bench = PipelineBench(manager: manager) {
      $0.maximumRows = 4
      $0.flushIntervalMilliseconds = 0
    }
    bench.start()
    #expect(bench.counters.waiting + bench.counters.inFlight == 4)
    for _ in 0..<6 { bench.answer(200) }
    #expect(bench.counters.delivered == 10 && bench.counters.adopted == 10)
    #expect(bench.sent.joined(separator: ",") == "0,1,2,3,4,5,6,7,8,9")
  }

  @Test func rowsOfProcessesThatDieLaterAreFoundToo() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    let dead = EventOwner(id: "dead", leaseMilliseconds: 1)
    try? manager.putEvents([.sample("1", "orphan")], owner: dead)
    try? manager.releaseEvents(owner: dead)
    bench.advance(90_000, step: 1_000)
    #expect(bench.counters.adopted == 1)
    _ = bench.flush()
    #expect(bench.sent.first == "orphan")
  }

  /// The process was stopped (or its machine slept) past its lease: another one may have its rows.
  @Test func afterALapseOnlyRowsThatAreClaimedBackAreSent() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("a", "b")
    bench.advance(200)
    bench.clock.leap(milliseconds: 100_000)
    manager.givesAway(
      first: 1, to: EventOwner(id: "elsewhere", leaseMilliseconds: 600_000), owner: bench.store.state.owner.id)
    bench.record("c")
    _ = bench.flush()
    bench.answer(200)
    _ = bench.flush()
    bench.answer(200)
    #expect(Set(bench.sent) == ["b", "c"])
    #expect(bench.counters.delivered == 2 && bench.counters.waiting == 0)
  }

  @Test func aStoreThatIsBrokenDoesNotKeepRowsFromBeingSent() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("a")
    bench.advance(200)
    manager.fail(CacheFailure("disk gone"))
    bench.advance(29_900, step: 1_000)
    bench.fail()
    bench.advance(200_000, step: 1_000)
    #expect(bench.sent.count > 3)
    bench.answer(200)
    #expect(bench.counters.delivered == 1)
  }
}

@Suite("Immediate durability: recorded means committed (design 6)") struct ImmediateDurabilityTests {
  let manager = ObstinateManager()

  /// Records on a thread of the host's, while the test turns the scheduler.
  func record(_ bench: PipelineBench, _ text: String) -> EventPipeline.Outcome? {
    let outcomes = Record<EventPipeline.Outcome>()
    let thread = hostThread { outcomes.append(bench.pipeline.record(text, subject: "", unixMilliseconds: 0)) }
    #expect(thread)
    _ = bench.scheduler.run { !outcomes.all.isEmpty }
    return outcomes.all.first
  }

  @Test func recordReturnsAfterTheCommit() {
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    #expect(record(bench, "a") == .stored)
    #expect(manager.calls.contains { $0.hasPrefix("put ") })
    #expect(record(bench, "b") == .stored)
  }

  @Test func aFailingStoreIsNotWaitedFor() {
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    manager.fail(CacheFailure("disk full"))
    let clock = SystemClock()
    let began = clock.monotonicNanoseconds
    #expect(record(bench, "a") == .unsaved)
    #expect(record(bench, "b") == .unsaved)
    #expect(clock.monotonicNanoseconds - began < 1_500_000_000)
    manager.fail(nil)
    bench.advance(3_000)
    #expect(record(bench, "c") == .stored)
    _ = bench.flush()
    #expect(bench.sent == ["a,b,c"])
  }

  @Test func aStuckStoreIsWaitedForNoLongerThanTheLimit() {
    let bench = PipelineBench(manager: manager) {
      $0.durability = .immediate
      $0.commitLimitMilliseconds = 30
    }
    bench.start()
    let door = Door()
    manager.block(at: door)
    #expect(record(bench, "a") == .unsaved)
    door.open()
  }

  @Test func withoutAStoreNobodyWaits() {
    let bench = PipelineBench { $0.durability = .immediate }
    bench.start()
    #expect(bench.record("a") == [.queued])
  }

  @Test func onTheLibrarysOwnThreadsNobodyWaits() {
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    let outcomes = Record<EventPipeline.Outcome>()
    _ = Thread.start(name: "own") { outcomes.append(bench.pipeline.record("a", subject: "", unixMilliseconds: 0)) }
    #expect(bench.scheduler.run { outcomes.all == [.unsaved] })
    bench.settle()
  }

  @Test func manyThreadsShareACommit() {
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    manager.forgetCalls()
    let outcomes = Record<EventPipeline.Outcome>()
    for thread in 0..<8 {
      _ = hostThread {
        for number in 0..<20 {
          outcomes.append(bench.pipeline.record("\(thread)-\(number)", subject: "", unixMilliseconds: 0))
        }
      }
    }
    #expect(bench.scheduler.run { outcomes.all.count == 160 })
    #expect(outcomes.all.allSatisfy { $0 == .stored })
    let stored = manager.calls.filter { $0.hasPrefix("put ") }.reduce(0) { $0 + $1.split(separator: ",").count }
    #expect(stored == 160)
  }
}

@Suite("Live records: counting survives the process") struct LiveRecordTests {
  let manager = MemoryCacheManager()

  func stored(_ bench: PipelineBench) -> [EventRow] {
    manager.releaseEvents(owner: EventOwner(id: bench.store.state.owner.id, leaseMilliseconds: 1))
    return manager.claimEvents(
      pipeline: "events", maximumRows: 100, maximumBytes: 100_000,
      owner: EventOwner(id: "next", leaseMilliseconds: 1_000))
  }

  func update(_ bench: PipelineBench, _ text: String) { bench.pipeline.updateLive("bucket", Array(text.utf8)) }

  @Test func anUpdateReplacesWhatIsStored() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    update(bench, "1")
    bench.advance(100)
    update(bench, "2")
    update(bench, "3")
    bench.advance(100)
    #expect(stored(bench).map(\.text) == ["3"])
    #expect(bench.counters.waiting == 1 && bench.counters.recorded == 1)
  }

  @Test func aLiveRecordIsNotSentBeforeItIsSealed() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    update(bench, "1")
    bench.advance(31_000)
    #expect(bench.sent.isEmpty)
    bench.pipeline.sealLive("bucket")
    update(bench, "next")
    _ = bench.flush()
    #expect(bench.sent == ["1"])
    bench.answer(200)
    bench.advance(200)
    #expect(stored(bench).map(\.text) == ["next"])
    #expect(bench.counters.waiting == 1)
  }

  @Test func theSealedRowKeepsItsIdentifier() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    update(bench, "1")
    bench.advance(200)
    update(bench, "2")
    bench.pipeline.sealLive("bucket")
    _ = bench.flush()
    let sent = bench.policy.batches
    bench.answer(500)
    bench.advance(200)
    let kept = stored(bench)
    #expect(kept.map(\.text) == ["2"])
    #expect(sent.all[0].rows.map(\.id) == kept.map(\.id))
  }

  @Test func aDiscardedRecordLeavesNothing() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    update(bench, "1")
    bench.advance(200)
    bench.pipeline.discardLive("bucket")
    bench.settle()
    #expect(stored(bench).isEmpty)
    #expect(bench.flush() == [true])
  }

  @Test func theNextProcessSendsWhatWasCountedLast() {
    let first = PipelineBench(manager: manager)
    first.start()
    update(first, "counted")
    first.advance(200)
    // Killed: only its lease and the store are left.
    manager.releaseEvents(owner: EventOwner(id: first.store.state.owner.id, leaseMilliseconds: 1))
    let second = PipelineBench(manager: manager, seed: 2)
    second.start()
    _ = second.flush()
    #expect(second.sent == ["counted"])
  }

  @Test func afterALapseTheCountGoesOnUnderAnotherIdentifier() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    update(bench, "1")
    bench.advance(200)
    bench.clock.leap(milliseconds: 100_000)
    bench.store.renewLease()
    bench.advance(1_000)
    update(bench, "2")
    bench.pipeline.sealLive("bucket")
    _ = bench.flush()
    #expect(bench.sent == ["2"])
    bench.answer(200)
    #expect(stored(bench).isEmpty)
  }

  @Test("a forked child counts for itself (G9)") func aForkedChildCountsForItself() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    update(bench, "parent")
    bench.settle()
    bench.scheduler.simulateFork()
    bench.record("child")
    bench.start()
    #expect(bench.pipeline.state.live["bucket"] == nil)
    _ = bench.flush()
    #expect(bench.sent == ["child"])
  }
}
