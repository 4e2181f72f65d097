import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("What is recorded survives the process (design 6)") struct TrackerRestartTests {
  let manager = MemoryCacheManager()

  /// A run that comes to its end without having sent anything.
  private func endedRun(
    _ properties: [String: String] = [:], scheduler: ManualScheduler = ManualScheduler(), _ record: (TrackerBench) -> Void
  ) throws {
    let bench = try TrackerBench(properties, manager: manager, seed: 1, scheduler: scheduler)
    bench.host.network.setResponder { _ in noAnswer }
    record(bench)
    bench.tracker.stop()
    bench.settle()
    #expect(bench.host.store.close(untilNanoseconds: .max))
  }

  @Test func theNextRunSendsItUnderItsNonce() throws {
    let nonces = Locked<[[String]]>([])
    try endedRun { bench in
      let anna = bench.visitor("anna", isMappingValue: true)
      anna.userAgent = "ua"
      bench.tracker.record(Tracked.phone, of: anna)
      bench.tracker.record(Tracked.conversion(1), of: anna)
      _ = bench.flush(anna)
      nonces.value = bench.nonces
    }
    let second = try TrackerBench(manager: manager, seed: 2)
    second.open.consenting.value = ["anna"]
    second.advance(1_000)
    #expect(
      second.sent == [["\(Tracked.phoneLine)&mappingValue=anna&userAgent=ua", "\(Tracked.conversionLine(1))&mappingValue=anna"]])
    #expect(second.nonces == nonces.value && second.count("adopted") == 2)
    second.tracker.stop()
    second.settle()
    #expect(second.host.store.close(untilNanoseconds: .max))
    let third = try TrackerBench(manager: manager, seed: 3)
    third.advance(5_000)
    #expect(third.sent.isEmpty && third.count("adopted") == 0)
  }

  @Test("(KAM-60; no consent)") func whatWasHeldBackIsHeldBackUntilTheVisitorIsOpenAndConsents() throws {
    try endedRun { bench in
      let anna = bench.visitor("anna")
      anna.hasConsentToTrack = false
      bench.tracker.record(Tracked.phone, of: anna)
      bench.tracker.record(Tracked.conversion(1), of: anna)
    }
    let second = try TrackerBench(manager: manager, seed: 2)
    second.advance(1_000)
    #expect(second.sent == [["\(Tracked.conversionLine(1))&visitorCode=anna"]])
    second.advance(10_000)
    let anna = second.visitor("anna")
    anna.userAgent = "new"
    _ = second.flush(anna)
    #expect(second.sent.count == 2 && second.sent[1] == ["\(Tracked.phoneLine)&visitorCode=anna&userAgent=new"])
  }

  @Test(
    "What waits for consent is no older because the clock was wrong when it was recorded (KAM-60; no consent, reopened)",
    arguments: [-1_636_928_000_000, 18_000_000, -18_000_000])
  func ageOfWhatWaitsForConsent(wrong: Int64) throws {
    let scheduler = ManualScheduler(unixMilliseconds: 1_700_000_000_000 + wrong)
    scheduler.boot = 1
    let properties = ["data_expiration_interval_minute": "240"]
    try endedRun(properties, scheduler: scheduler) { bench in
      let anna = bench.visitor("anna")
      anna.hasConsentToTrack = false
      bench.tracker.record(Tracked.phone, of: anna)
    }
    scheduler.leapWallClock(byMilliseconds: -wrong)
    let second = try TrackerBench(properties, manager: manager, seed: 2, scheduler: scheduler)
    second.advance(10_000)
    #expect(second.sent.isEmpty && second.count("adopted") == 1 && second.count("expired") == 0)
    _ = second.flush(second.visitor("anna"))
    #expect(second.sent == [["\(Tracked.phoneLine)&visitorCode=anna"]])
  }

  @Test func withImmediateDurabilityAConversionIsStoredWhenTheCallReturns() throws {
    let bench = try TrackerBench(["events.durability": "immediate"], manager: manager)
    let anna = bench.visitor("anna")
    let isDone = Locked(false)
    let tracker = bench.tracker
    let thread = HostThread {
      tracker.record(Tracked.conversion(1), of: anna)
      _ = tracker.waitForCommit()
      isDone.value = true
    }
    bench.host.settle { isDone.value }
    thread.join()
    // Nothing but the store's own end, as when the process dies.
    #expect(isDone.value && bench.host.store.close(untilNanoseconds: .max))
    let second = try TrackerBench(manager: manager, seed: 2)
    second.advance(1_000)
    #expect(second.sent == [["\(Tracked.conversionLine(1))&visitorCode=anna"]])
  }

  @Test func whatCannotBeReadIsDropped() throws {
    let dead = EventOwner(id: "dead", leaseMilliseconds: 1)
    let row = EventRow(
      id: "1", pipeline: Tracker.pipelineName, subject: "anna", createdUnixMilliseconds: 0, payload: [1, 0, 200])
    manager.putEvents([row], owner: dead)
    manager.releaseEvents(owner: dead)
    let bench = try TrackerBench(manager: manager)
    bench.advance(5_000)
    #expect(bench.sent.isEmpty && bench.count("purged") == 1 && bench.count("waiting") == 0)
  }
}
