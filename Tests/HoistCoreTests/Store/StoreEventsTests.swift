import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite struct StoreEventsTests {
  let bench = StoreBench()
  var store: Store { bench.store }

  func claim(rows: Int = 10, bytes: Int = 1_000) -> [String]? {
    let found = Record<[String]?>()
    store.claimEvents(pipeline: "events", maximumRows: rows, maximumBytes: bytes) { found.append($0?.map(\.id)) }
    bench.settle()
    return found.all.first ?? nil
  }

  func put(_ rows: EventRow...) -> Bool? {
    let done = Record<Bool>()
    store.putEvents(rows) { done.append($0) }
    bench.settle()
    return done.all.first
  }

  @Test("rows a manager makes up are not believed (G11)") func rowsThatAManagerMakesUpAreNotBelieved() {
    bench.manager.lie([
      .sample(""), .sample(String(repeating: "x", count: 257)), .sample("a"), .sample("a"),
      .sample("b", pipeline: "others"), .sample("c", String(repeating: "y", count: 1_000)), .sample("d"), .sample("e"),
      .sample("f"),
    ])
    #expect(claim(rows: 3) == ["a", "d", "e"])
    #expect(store.statistics.first { $0.name == "ignored" }?.value == 6)
  }

  @Test func removalsAndPurgesStayOwedWhileTheManagerFails() {
    #expect(put(.sample("1"), .sample("2", subject: "u")) == true)
    bench.manager.fail(CacheFailure("busy"))
    store.removeEvents(ids: ["1"])
    store.purgeEvents(subject: "u", pipeline: "events")
    bench.settle()
    bench.manager.fail(nil)
    bench.manager.forgetCalls()
    bench.advance(2_000)
    #expect(bench.manager.calls == ["delete 1", "purge u events"])
  }

  @Test func nothingIsPutOrClaimedBeforeAnOwedPurgeIsDone() {
    bench.manager.fail(CacheFailure("busy"))
    store.purgeEvents(subject: "u", pipeline: "events")
    bench.settle()
    bench.advance(2_000)
    bench.manager.forgetCalls()
    bench.manager.fail(nil)
    bench.advance(60_000)
    #expect(put(.sample("1", subject: "u")) == true)
    #expect(bench.manager.calls.first == "purge u events")
    #expect(bench.manager.calls.last == "put 1")
  }

  /// A row may be delivered before the call that stores it has begun.
  @Test func aRemovalIsNotDoneBeforeThePutItBelongsTo() {
    let door = Door()
    bench.manager.block(at: door)
    store.load("x") { _ in }
    #expect(door.waitForArrivals(1))
    store.putEvents([.sample("1"), .sample("2", subject: "u"), .sample("3")]) { _ in }
    store.removeEvents(ids: ["1"])
    store.purgeEvents(subject: "u", pipeline: "events")
    door.open()
    bench.settle()
    #expect(bench.manager.calls == ["load x", "put 1,2,3", "delete 1", "purge u events"])
  }

  @Test func theLeaseIsRenewedEveryThirdOfIt() {
    bench.advance(200_000)
    #expect(bench.manager.calls.isEmpty)
    _ = put(.sample("1"))
    bench.manager.forgetCalls()
    bench.advance(20_000)
    #expect(bench.manager.calls == ["renew"])
    bench.advance(20_000)
    bench.advance(20_000)
    #expect(bench.manager.calls == ["renew", "renew", "renew"])
    #expect(bench.manager.ownersSeen.count == 1)
  }

  /// A process that was stopped past its lease may have lost rows to another one.
  @Test func afterAnUnnoticedLapseTheStoreActsUnderANewIdentity() {
    _ = put(.sample("1"))
    #expect(store.holdsItsRows)
    #expect(store.ownerEpoch == 0)
    // Stopped: time passes without any work.
    bench.clock.leap(milliseconds: 60_001)
    #expect(!store.holdsItsRows)
    store.renewLease()
    bench.settle()
    #expect(store.holdsItsRows)
    #expect(store.ownerEpoch == 1)
    #expect(bench.manager.ownersSeen.count == 2)
    // The identity before is gone, so that its rows can be claimed back.
    #expect(claim() == ["1"])
    store.removeEvents(ids: ["1"])
    bench.settle()
    #expect(bench.manager.calls.count { $0 == "delete 1" } == 2)
  }

  @Test func whatIsDeliveredIsForgottenUnderEachFormerIdentity() {
    _ = put(.sample("1"))
    for _ in 0..<2 {
      bench.clock.leap(milliseconds: 60_001)
      store.renewLease()
      bench.settle()
    }
    #expect(store.ownerEpoch == 2)
    store.removeEvents(ids: ["1"])
    bench.settle()
    #expect(bench.manager.left == 0)
  }

  @Test func whileTheManagerFailsTheRowsAreTakenForOurs() {
    _ = put(.sample("1"))
    bench.manager.fail(CacheFailure("disk full"))
    bench.advance(200_000)
    #expect(store.holdsItsRows)
    #expect(store.ownerEpoch == 0)
    bench.manager.fail(nil)
    bench.advance(200_000)
    bench.settle()
    #expect(store.ownerEpoch == 1)
    #expect(claim() == ["1"])
  }

  @Test("A claim that the manager answers after its limit: the next one has its rows, but for a subject's purged meanwhile")
  func lateClaim() {
    do {
      let former = Store(
        manager: bench.manager, log: Log(threshold: nil, clock: bench.scheduler) { _, _ in }, clock: bench.scheduler,
        scheduler: bench.scheduler, entropy: SeededEntropy(seed: 8))
      former.putEvents([.sample("1"), .sample("2", subject: "u")]) { _ in }
      _ = former.lane.drain(untilNanoseconds: .max)
    }
    bench.settle()
    let door = Door()
    bench.manager.block(at: door)
    let answers = Record<Int?>()
    store.claimEvents(pipeline: "events", maximumRows: 9, maximumBytes: 99) { answers.append($0?.count) }
    #expect(door.waitForArrivals(1))
    bench.scheduler.advance(milliseconds: 10_001)
    #expect(answers.all == [nil])
    store.purgeEvents(subject: "u", pipeline: "events")
    door.open()
    #expect(bench.scheduler.settle { store.lane.counters.late == 1 })
    #expect(claim() == ["1"])
    #expect(claim() == [])
  }

  @Test func aStoreThatIsGoneLeavesItsRowsToOthers() {
    let other = StoreBench()
    do {
      let store = Store(
        manager: other.manager, log: Log(threshold: nil, clock: other.scheduler) { _, _ in }, clock: other.scheduler,
        scheduler: other.scheduler, entropy: SeededEntropy(seed: 8))
      store.putEvents([.sample("1")]) { _ in }
      _ = store.lane.drain(untilNanoseconds: .max)
      let found = Record<Int>()
      other.store.claimEvents(pipeline: "events", maximumRows: 9, maximumBytes: 99) { found.append($0?.count ?? -1) }
      other.settle()
      #expect(found.all == [0])
    }
    let found = Record<Int>()
    let isBack = other.scheduler.run {
      other.store.claimEvents(pipeline: "events", maximumRows: 9, maximumBytes: 99) { found.append($0?.count ?? -1) }
      other.settle()
      return found.all.last == 1
    }
    #expect(isBack)
  }
}
