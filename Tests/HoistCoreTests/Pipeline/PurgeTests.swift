import Glibc
import HoistBase
@testable import HoistCore
import HoistTestSupport
import Synchronization
import Testing

@Suite("Withdrawn consent: what was recorded about a person is forgotten everywhere (flagship 5.6)") struct PurgeTests {
  let manager = MemoryCacheManager()

  /// What is left in the store, as the next process would find it.
  func stored(_ bench: PipelineBench) -> [String] {
    manager.releaseEvents(owner: EventOwner(id: bench.store.state.owner.id, leaseMilliseconds: 1))
    return manager.claimEvents(
      pipeline: "events", maximumRows: 100, maximumBytes: 100_000,
      owner: EventOwner(id: "next", leaseMilliseconds: 1_000)
    ).map(\.text)
  }

  @Test func waitingRowsOfTheSubjectGoFromMemoryAndStore() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("a", subject: "u1")
    bench.record("b", subject: "u2")
    bench.record("consent withdrawn")
    bench.advance(200)
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    #expect(bench.counters.purged == 1 && bench.counters.waiting == 2)
    _ = bench.flush()
    #expect(bench.sent == ["b,consent withdrawn"])
    #expect(stored(bench) == ["b", "consent withdrawn"])
  }

  @Test func rowsThatWereNotEvenTakenInGoAndLaterOnesStay() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("before", subject: "u1")
    bench.pipeline.purge(subject: "u1")
    // Consent is given again before the purge has had its turn.
    bench.record("after", subject: "u1")
    bench.settle()
    #expect(bench.counters.waiting == 1)
    bench.advance(200)
    _ = bench.flush()
    #expect(bench.sent == ["after"])
    #expect(stored(bench) == ["after"])
  }

  @Test("What is purged while the request is prepared is not in what goes (FS-66; no consent)") func whileARequestIsPrepared() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    let waiting = Record<@Sendable () -> Void>()
    bench.policy.preparing = { request, completion in waiting.append { completion(request) } }
    bench.record("a", subject: "u1")
    bench.record("b", subject: "u2")
    bench.advance(200)
    bench.pipeline.sendAtOnce()
    bench.settle()
    #expect(waiting.all.count == 1 && bench.sent.isEmpty)
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    waiting.all.first?()
    bench.settle()
    #expect(waiting.all.count == 2 && bench.sent.isEmpty)
    waiting.all.last?()
    bench.settle()
    #expect(bench.sent == ["b"] && bench.counters.retried == 0)
  }

  @Test func rowsOnTheirWayAreNotSentAgain() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("a", subject: "u1")
    bench.record("b", subject: "u2")
    bench.advance(200)
    _ = bench.flush()
    #expect(bench.sent == ["a,b"])
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    #expect(bench.counters.inFlight == 1)
    bench.fail()
    bench.advance(1_000)
    #expect(bench.sent == ["a,b", "b"])
    #expect(bench.policy.batches.all.map(\.text) == ["b"])
    #expect(stored(bench) == ["b"])
    bench.answer(200)
    #expect(bench.policy.deliveries.all == ["b"])
    #expect(bench.counters.delivered == 1)
  }

  @Test func aBatchOfWhichNothingIsLeftIsCalledOff() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("a", "b", subject: "u1")
    _ = bench.flush()
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    #expect(bench.transport.exchanges[0].isCancelled)
    #expect(bench.counters.inFlight == 0 && bench.counters.purged == 2 && bench.counters.ignoredAnswers == 0)
    // The place is free for the next one.
    bench.record("c")
    _ = bench.flush()
    #expect(bench.sent.last == "c")
    #expect(bench.counters.delivered == 0)
  }

  @Test func aBatchThatSleepsIsPurgedToo() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("a", subject: "u1")
    _ = bench.flush()
    bench.fail()
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    bench.advance(60_000)
    #expect(bench.sent == ["a"])
    #expect(bench.counters.waiting == 0 && bench.counters.inFlight == 0)
    #expect(bench.flush() == [true])
  }

  @Test func aClaimThatIsUnderWayBringsNothingBack() {
    // Another process died with rows of the subject.
    manager.putEvents(
      [.sample("1", subject: "u1", "old"), .sample("2", subject: "u2", "other")],
      owner: EventOwner(id: "dead", leaseMilliseconds: 1))
    manager.releaseEvents(owner: EventOwner(id: "dead", leaseMilliseconds: 1))
    let bench = PipelineBench(manager: manager)
    bench.pipeline.start()
    // The claim has been made, its answer waits; only then comes the purge.
    _ = bench.store.lane.drain(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000)
    bench.pipeline.purge(subject: "u1")
    bench.pipeline.turn()
    bench.settle()
    _ = bench.flush()
    #expect(bench.sent == ["other"])
    #expect(stored(bench) == ["other"])
  }

  @Test func aPurgeWhileTheStoreFailsIsDoneLater() {
    let obstinate = ObstinateManager()
    let bench = PipelineBench(manager: obstinate)
    bench.start()
    bench.record("a", subject: "u1")
    bench.advance(200)
    obstinate.fail(CacheFailure("disk full"))
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    obstinate.fail(nil)
    obstinate.forgetCalls()
    bench.advance(5_000)
    #expect(obstinate.calls.contains("purge u1 events"))
  }

  @Test func whatIsRecordedAfterAPurgeIsStoredAfterIt() throws {
    let obstinate = ObstinateManager()
    let bench = PipelineBench(manager: obstinate) {
      $0.durability = .immediate
      $0.commitLimitMilliseconds = 0
    }
    bench.start()
    bench.record("a", subject: "u1")
    bench.settle()
    obstinate.forgetCalls()
    // A turn that has begun takes in what came after the purge, whose own turn is still to come.
    bench.policy.beforeFlush = { pipeline in
      pipeline.purge(subject: "u1")
      bench.record("later")
    }
    _ = bench.flush()
    let purge = try #require(obstinate.calls.firstIndex(of: "purge u1 events"))
    let put = try #require(obstinate.calls.firstIndex { $0.hasPrefix("put ") })
    #expect(purge < put, "\(obstinate.calls)")
    #expect(bench.counters.purged == 1)
  }

  /// Two pipelines over one store: what the one records after the other's purge is stored after it, whatever turn was
  /// under way (FS-66, FS-67; no consent).
  @Test func aPurgeCanBeWaitedFor() {
    let obstinate = ObstinateManager()
    let bench = PipelineBench(manager: obstinate) {
      $0.durability = .immediate
    }
    bench.start()
    bench.settle()
    let hasReturned = Atomic(false)
    let caller = startThread { [pipeline = bench.pipeline] in
      pipeline.purge(subject: "u1", waitsForStoreUntil: Deadline.nanoseconds(afterMilliseconds: 20_000))
      hasReturned.store(true, ordering: .releasing)
    }
    while bench.scheduler.pendingPostCount == 0 { sched_yield() }
    for _ in 0..<1_000 { sched_yield() }
    let isEarly = hasReturned.load(ordering: .acquiring)
    #expect(!isEarly, "the turn that carries it out has not run")
    bench.scheduler.run()
    caller.join()
    bench.settle()
    #expect(obstinate.calls.contains("purge u1 events"))
  }

  @Test func aPolicyMayDiscardWhatItWants() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("keep", "drop 1")
    bench.advance(200)
    bench.record("drop 2")
    bench.pipeline.discard { $0.text.hasPrefix("drop") }
    bench.settle()
    #expect(bench.counters.purged == 2)
    #expect(stored(bench) == ["keep"])
  }

  @Test func liveRecordsOfTheSubjectGoToo() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.pipeline.updateLive("visits", [1], subject: "u1")
    bench.advance(200)
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    #expect(bench.pipeline.state.live["visits"] == nil)
    #expect(stored(bench).isEmpty)
    #expect(bench.counters.waiting == 0)
  }
}
