import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("The queue is bounded, and what gives way is counted (G5)") struct PipelineLimitTests {
  @Test func theNewestGivesWay() {
    let bench = PipelineBench { $0.maximumRows = 3 }
    bench.start()
    #expect(bench.record("a", "b", "c", "d", "e") == [.queued, .queued, .queued, .dropped, .dropped])
    #expect(bench.counters.dropped == 2 && bench.counters.recorded == 3)
    #expect(bench.warnings.count == 1)
    _ = bench.flush()
    // Those on their way take room as well.
    #expect(bench.record("f") == [.dropped])
    bench.answer(200)
    #expect(bench.sent == ["a,b,c"])
    #expect(bench.record("g") == [.queued])
    // Another episode, another warning.
    bench.record("h", "i", "j")
    #expect(bench.warnings.count == 2)
  }

  @Test func recordsCountAsWhatTheyAreKeptAs() {
    let bench = PipelineBench { $0.maximumBytes = 10 }
    bench.policy.form = { Array($0) + Array("!".utf8) }
    bench.start()
    #expect(bench.record("abcd", "efgh") == [.queued, .queued])
    bench.settle()
    #expect(bench.record("x") == [.dropped])
    _ = bench.flush()
    bench.answer(200)
    #expect(bench.sent == ["abcd!,efgh!"])
    #expect(bench.record("0123456789") == [.queued])
  }

  @Test func theOldestGivesWay() {
    let bench = PipelineBench {
      $0.maximumRows = 3
      $0.overflow = .dropOldest
    }
    bench.start()
    #expect(bench.record("a", "b", "c", "d", "e").allSatisfy { $0 == .queued })
    #expect(bench.counters.waiting == 3 && bench.counters.dropped == 2)
    bench.settle()
    // Now those that wait on the other side give way.
    bench.record("f", "g")
    bench.settle()
    #expect(bench.counters.waiting == 3 && bench.counters.dropped == 4)
    #expect(bench.warnings.count == 1)
    _ = bench.flush()
    #expect(bench.sent == ["e,f,g"])
    bench.record("h", "i", "j", "k")
    bench.settle()
    // What is on its way is not dropped.
    #expect(bench.counters.inFlight == 3 && bench.counters.waiting == 0)
    bench.answer(200)
    #expect(bench.counters.delivered == 3)
  }

  @Test func bytesAreBoundedToo() {
    let bench = PipelineBench { $0.maximumBytes = 10 }
    bench.start()
    #expect(bench.record("12345", "6789", subject: "") == [.queued, .queued])
    #expect(bench.record("12") == [.dropped])
    #expect(bench.record("1") == [.queued])
    #expect(bench.record("", subject: "x") == [.dropped])
  }

  @Test func theOldestGiveWayToBytesToo() {
    let bench = PipelineBench {
      $0.maximumBytes = 10
      $0.overflow = .dropOldest
    }
    bench.start()
    #expect(bench.record("12345", "6789", "abc", "12345678901") == [.queued, .queued, .queued, .dropped])
    bench.settle()
    _ = bench.flush()
    #expect(bench.sent == ["6789,abc"])
  }

  @Test func aRecordAtTheLimitIsTakenAndOneByteMoreRefused() {
    let bench = PipelineBench { $0.maximumRowBytes = 4 }
    bench.start()
    #expect(bench.record("1234", "12345") == [.queued, .dropped])
  }

  @Test func oldRecordsExpire() {
    let bench = PipelineBench { $0.maximumAgeMilliseconds = 60_000 }
    bench.start()
    bench.record("old")
    bench.advance(20_000)
    bench.record("young")
    bench.pipeline.hold(.offline)
    bench.advance(60_000)
    bench.pipeline.lift(.offline)
    _ = bench.flush()
    #expect(bench.sent == ["young"])
    #expect(bench.counters.expired == 1)
  }

  @Test func aRecordLivesExactlyAsLongAsItMay() {
    let bench = PipelineBench {
      $0.maximumAgeMilliseconds = 60_000
      $0.flushIntervalMilliseconds = 60_000
    }
    bench.start()
    bench.record("just")
    bench.advance(60_000)
    #expect(bench.sent == ["just"])
    bench.answer(200)
    bench.record("late")
    bench.clock.leap(milliseconds: 1)
    bench.advance(60_000)
    #expect(bench.sent == ["just"])
    #expect(bench.counters.expired == 1)
  }

  private static let hour: Int64 = 3_600_000
  /// In 1972, as a machine without a battery begins.
  private static let early: Int64 = 63_072_000_000
  private static let now: Int64 = 1_700_000_000_000

  private func aging(
    manager: MemoryCacheManager? = nil, seed: UInt64 = 1, at unixMilliseconds: Int64 = 0, on machine: ManualScheduler? = nil
  ) -> PipelineBench {
    let scheduler = machine ?? ManualScheduler(unixMilliseconds: unixMilliseconds)
    if machine == nil { scheduler.boot = seed }
    let bench = PipelineBench(manager: manager, seed: seed, scheduler: scheduler) {
      $0.maximumAgeMilliseconds = 4 * Self.hour
      $0.consentAgeMilliseconds = 4 * Self.hour
    }
    bench.policy.awaiting = { $0.text.hasPrefix("undecided") }
    bench.start()
    return bench
  }

  @Test("A record's age goes by the clock that is never set", arguments: [now - early, 5 * hour, -5 * hour], [false, true])
  func ageWhileTheClockIsSet(leap: Int64, isTaken: Bool) {
    let bench = aging(at: Self.early)
    bench.pipeline.hold(.offline)
    bench.record("early", "undecided")
    if isTaken { bench.settle() }
    bench.scheduler.leapWallClock(byMilliseconds: leap)
    bench.record("late")
    bench.advance(2 * Self.hour, step: Self.hour)
    #expect(bench.counters.expired == 0 && bench.counters.waiting == 3)
    bench.pipeline.lift(.offline)
    _ = bench.flush()
    bench.answer(200)
    let dates = bench.policy.batches.all.flatMap(\.rows).map(\.createdUnixMilliseconds)
    #expect(bench.sent == ["early,undecided,late"] && dates.allSatisfy { $0 == bench.clock.unixMilliseconds - 2 * Self.hour })
  }

  @Test("A record is too old after its time, also when the clock is set back meanwhile")
  func ageWhenTheClockIsSetBack() {
    let bench = aging(at: Self.now)
    bench.pipeline.hold(.offline)
    bench.record("old", "undecided")
    bench.settle()
    bench.scheduler.leapWallClock(byMilliseconds: -5 * Self.hour)
    bench.advance(5 * Self.hour, step: Self.hour)
    bench.record("new")
    bench.pipeline.lift(.offline)
    _ = bench.flush()
    #expect(bench.counters.expired == 2 && bench.sent == ["new"])
  }

  private func end(_ bench: PipelineBench) {
    bench.scheduler.post { bench.pipeline.stop() }
    bench.settle()
    _ = bench.store.close(untilNanoseconds: .max)
  }

  @Test(
    "What another run of the same boot has recorded is as old as the clock says that is never set, whichever run's clock was wrong (reopened)",
    arguments: [early - now, 5 * hour, -5 * hour, 0], [false, true])
  func ageOfAnotherRunOfThisBoot(wrong: Int64, isTheSecond: Bool) {
    let (manager, scheduler) = (MemoryCacheManager(), ManualScheduler(unixMilliseconds: Self.now + (isTheSecond ? 0 : wrong)))
    scheduler.boot = 1
    let former = aging(manager: manager, on: scheduler)
    former.pipeline.hold(.offline)
    former.record("before", "undecided")
    former.advance(1_000)
    end(former)
    scheduler.leapWallClock(byMilliseconds: isTheSecond ? wrong : -wrong)
    let bench = aging(manager: manager, seed: 2, on: scheduler)
    bench.pipeline.hold(.offline)
    // In steps that leave the lease time to be renewed.
    bench.advance(2 * Self.hour, step: 10_000)
    #expect(bench.counters.expired == 0 && bench.counters.waiting == 2)
    // A third is told the same, though the second has not.
    end(bench)
    let heir = aging(manager: manager, seed: 3, on: scheduler)
    _ = heir.flush()
    heir.answer(200)
    let ages = heir.policy.batches.all.flatMap(\.rows).map { heir.clock.unixMilliseconds - $0.createdUnixMilliseconds }
    #expect(heir.sent == ["before,undecided"] && ages.allSatisfy { abs($0 - 2 * Self.hour - 1_000) <= 10_000 })
  }

  @Test("And too old after its time (reopened)", arguments: [early - now, 5 * hour, -5 * hour])
  func tooOldInAnotherRunOfThisBoot(wrong: Int64) {
    let (manager, scheduler) = (MemoryCacheManager(), ManualScheduler(unixMilliseconds: Self.now + wrong))
    scheduler.boot = 1
    let former = aging(manager: manager, on: scheduler)
    former.pipeline.hold(.offline)
    former.record("before", "undecided")
    former.advance(1_000)
    end(former)
    scheduler.advance(milliseconds: 5 * Self.hour)
    scheduler.leapWallClock(byMilliseconds: -wrong)
    let bench = aging(manager: manager, seed: 2, on: scheduler)
    bench.advance(2_000)
    #expect(bench.counters.expired == 2 && bench.sent.isEmpty)
  }

  @Test(
    "What another run recorded while its clock was not set is not too old for its date alone (reopened)",
    arguments: [
      (early, 0, 0), (now + 30 * 24 * hour, 0, 0), (now - 5 * hour, 5 * hour - 60_000, 0), (now - 5 * hour, 0, 2),
    ])
  func ageOfAnotherRun(unixMilliseconds: Int64, leap: Int64, expired: Int) {
    let manager = MemoryCacheManager()
    let former = aging(manager: manager, at: unixMilliseconds)
    former.pipeline.hold(.offline)
    former.record("before")
    former.advance(1_000)
    former.scheduler.leapWallClock(byMilliseconds: leap)
    former.record("after")
    former.advance(1_000)
    end(former)
    let bench = aging(manager: manager, seed: 2, at: Self.now)
    bench.pipeline.hold(.offline)
    bench.advance(1_000)
    #expect(bench.counters.expired == expired && bench.counters.waiting == 2 - expired)
    bench.advance(5 * Self.hour, step: Self.hour)
    bench.pipeline.lift(.offline)
    _ = bench.flush()
    #expect(bench.counters.expired == 2 && bench.sent.isEmpty)
  }

  @Test func aDeepQueueKeepsItsOrder() {
    let bench = PipelineBench { $0.maximumRows = 30_000 }
    bench.policy.limits = BatchLimits(rows: 7_000)
    bench.start()
    for number in 0..<20_000 { bench.record("\(number)") }
    _ = bench.flush()
    for _ in 0..<3 { bench.answer(200) }
    #expect(bench.sent.joined(separator: ",") == (0..<20_000).map(String.init).joined(separator: ","))
    #expect(bench.counters.delivered == 20_000)
  }

  @Test func manyThreadsMayRecordAtOnce() {
    let bench = PipelineBench { $0.maximumRows = 100_000 }
    bench.start()
    let door = Door()
    for thread in 0..<4 {
      _ = Thread.start(name: "recorder") {
        for number in 0..<2_000 { bench.record("\(thread)-\(number)") }
        door.pass()
      }
    }
    #expect(bench.scheduler.run { door.arrivals == 4 })
    door.open()
    _ = bench.flush()
    bench.answer(200)
    let texts = bench.sent.joined(separator: ",").split(separator: ",")
    #expect(Set(texts).count == 8_000)
    for thread in 0..<4 {
      let own = texts.filter { $0.hasPrefix("\(thread)-") }
      #expect(own.map(String.init) == (0..<2_000).map { "\(thread)-\($0)" })
    }
  }
}
