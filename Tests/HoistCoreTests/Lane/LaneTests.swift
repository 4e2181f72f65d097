import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@Suite struct LaneTests {
  let scheduler = ManualScheduler()
  var patience: Int64 { SystemClock().monotonicNanoseconds + 10_000_000_000 }

  func lane(capacity: Int = 64, maximumSetAside: Int = 4) -> Lane {
    var options = Lane.Options(name: "test-lane")
    options.capacity = capacity
    options.maximumSetAside = maximumSetAside
    return Lane(options: options, clock: scheduler, scheduler: scheduler)
  }

  @Test func workRunsInOrderOnOneThreadOfTheLane() {
    let lane = lane(capacity: 200)
    let seen = Record<Int>()
    let owned = Record<Bool>()
    for number in 0..<100 {
      #expect(
        lane.perform {
          seen.append(number)
          owned.append(Thread.isOwn)
        })
    }
    #expect(lane.drain(untilNanoseconds: patience))
    #expect(seen.all == Array(0..<100))
    #expect(owned.all.allSatisfy { $0 })
    #expect(lane.counters.finished == 100)
  }

  @Test func whoAsksMayWaitForTheAnswerButNoLongerThanTheLimit() {
    let lane = lane()
    #expect(lane.answer(withinNanoseconds: 10_000_000_000) { 7 } == 7)
    let door = Door()
    defer { door.open() }
    #expect(
      lane.answer(withinNanoseconds: 1_000_000) {
        door.pass()
        return 8
      } == nil)
    scheduler.advance(milliseconds: 1)
    #expect(lane.answer(withinNanoseconds: 10_000_000_000) { 9 } == 9)
    lane.close()
    #expect(lane.answer(withinNanoseconds: 10_000_000_000) { 10 } == nil)
  }

  @Test func aFullLaneRefusesAndCounts() {
    let lane = lane(capacity: 2)
    let door = Door()
    #expect(lane.perform { door.pass() })
    #expect(door.waitForArrivals(1))
    #expect(lane.perform {})
    #expect(lane.perform {})
    #expect(!lane.perform {})
    #expect(lane.counters.waiting == 2)
    #expect(lane.counters.dropped == 1)
    door.open()
    #expect(lane.drain(untilNanoseconds: patience))
    #expect(lane.counters.finished == 3)
  }

  @Test func drainGivesUpAtItsDeadlineAndRefusesToWaitOnTheLaneItself() {
    let lane = lane()
    let door = Door()
    let inside = Record<Bool>()
    let patience = patience
    _ = lane.perform {
      inside.append(lane.drain(untilNanoseconds: patience))
      door.pass()
    }
    #expect(door.waitForArrivals(1))
    #expect(inside.all == [false])
    #expect(!lane.drain(untilNanoseconds: SystemClock().monotonicNanoseconds))
    door.open()
    #expect(lane.drain(untilNanoseconds: patience))
  }

  @Test("a stuck call is set aside at its limit, although nobody waits for it (G11)")
  func stuckCallIsSetAsideAtItsLimit() {
    let lane = lane()
    let door = Door()
    let told = Record<String>()
    let seen = Record<String>()
    _ = lane.perform(withinNanoseconds: 200_000_000) {
      door.pass()
    } abandoned: {
      told.append("late")
    }
    _ = lane.perform { seen.append("next") }
    #expect(door.waitForArrivals(1))
    scheduler.advance(milliseconds: 199)
    #expect(told.all.isEmpty && lane.counters.setAside == 0)
    scheduler.advance(milliseconds: 1)
    #expect(told.all == ["late"])
    #expect(lane.drain(untilNanoseconds: patience))
    #expect(seen.all == ["next"])
    #expect(lane.counters.setAside == 1 && lane.counters.stuck == 1)
    door.open()
    #expect(scheduler.run { lane.counters.late == 1 })
    #expect(lane.counters.stuck == 0)
    #expect(told.all == ["late"])
  }

  @Test func workThatWaitedPastItsLimitNeverBegins() {
    let lane = lane()
    let door = Door()
    let told = Record<String>()
    _ = lane.perform { door.pass() }
    _ = lane.perform(withinNanoseconds: 50_000_000) {
      told.append("ran")
    } abandoned: {
      told.append("expired")
    }
    #expect(door.waitForArrivals(1))
    scheduler.advance(milliseconds: 50)
    #expect(told.all == ["expired"])
    door.open()
    #expect(lane.drain(untilNanoseconds: patience))
    #expect(told.all == ["expired"])
    #expect(lane.counters.expired == 1 && lane.counters.setAside == 0)
  }

  @Test func workThatBeganLateStillHasItsWholeLimitToRun() {
    let lane = lane()
    let first = Door()
    let second = Door()
    let told = Record<String>()
    _ = lane.perform { first.pass() }
    _ = lane.perform(withinNanoseconds: 100_000_000) {
      second.pass()
    } abandoned: {
      told.append("expired")
    }
    #expect(first.waitForArrivals(1))
    scheduler.advance(milliseconds: 60)
    first.open()
    #expect(second.waitForArrivals(1))
    scheduler.advance(milliseconds: 40)
    #expect(told.all == ["expired"])
    #expect(lane.counters.setAside == 0)
    scheduler.advance(milliseconds: 59)
    #expect(lane.counters.setAside == 0)
    scheduler.advance(milliseconds: 1)
    #expect(lane.counters.setAside == 1)
    second.open()
  }

  @Test func aLaneWithTooManyStuckThreadsRefusesUntilOneReturns() {
    let lane = lane(maximumSetAside: 2)
    let doors = (0..<3).map { _ in Door() }
    for door in doors {
      _ = lane.perform(withinNanoseconds: 1_000_000) {
        door.pass()
      } abandoned: {
      }
      #expect(door.waitForArrivals(1))
      scheduler.advance(milliseconds: 1)
    }
    #expect(lane.counters.setAside == 2 && lane.counters.stuck == 2)
    #expect(!lane.perform {})
    #expect(lane.counters.dropped == 1)
    doors[0].open()
    #expect(scheduler.run { lane.counters.setAside == 3 })
    let seen = Record<Int>()
    #expect(lane.perform { seen.append(1) })
    #expect(lane.drain(untilNanoseconds: patience))
    #expect(seen.all == [1])
    doors.forEach { $0.open() }
    #expect(scheduler.run { lane.counters.stuck == 0 })
  }

  @Test func aStuckLaneIsFreeAgainWhenItsLastThreadReturns() {
    let lane = lane(maximumSetAside: 0)
    let door = Door()
    _ = lane.perform(withinNanoseconds: 1_000_000) {
      door.pass()
    } abandoned: {
    }
    #expect(door.waitForArrivals(1))
    scheduler.advance(milliseconds: 1)
    #expect(!lane.perform {})
    door.open()
    #expect(scheduler.run { lane.counters.finished == 1 })
    #expect(lane.perform {})
  }

  @Test("after close nothing begins, what waited is discarded, what runs is left alone (G4)")
  func closeDiscardsWhatWaits() {
    let lane = lane()
    let door = Door()
    let seen = Record<String>()
    _ = lane.perform { door.pass() }
    _ = lane.perform { seen.append("ran") }
    _ = lane.perform(withinNanoseconds: 1_000_000) {
      seen.append("ran")
    } abandoned: {
      seen.append("discarded")
    }
    #expect(door.waitForArrivals(1))
    lane.close()
    lane.close()
    #expect(!lane.perform { seen.append("ran") })
    scheduler.run()
    #expect(seen.all == ["discarded"])
    #expect(!lane.drain(untilNanoseconds: SystemClock().monotonicNanoseconds))
    door.open()
    #expect(lane.drain(untilNanoseconds: patience))
    #expect(seen.all == ["discarded"])
    #expect(lane.counters.dropped == 3)
  }

  @Test func capturesOfFinishedWorkAreReleased() {
    final class Witness: Sendable {
      let record: Record<String>
      init(_ record: Record<String>) { self.record = record }
      deinit { record.append("released") }
    }
    let lane = lane()
    let record = Record<String>()
    do {
      let witness = Witness(record)
      _ = lane.perform { withExtendedLifetime(witness) {} }
    }
    #expect(scheduler.run { record.all == ["released"] })
  }

  @Test func anAnswerComesOnTheSchedulerAndOnlyOnce() {
    let lane = lane()
    let answers = Record<Int?>()
    lane.ask(withinNanoseconds: 1_000_000_000) {
      42
    } answer: {
      answers.append(scheduler.isCurrent ? $0 : -1)
    }
    #expect(lane.drain(untilNanoseconds: patience))
    #expect(answers.all.isEmpty)
    scheduler.advance(milliseconds: 2_000)
    #expect(answers.all == [42])
  }

  @Test("a late answer is ignored: the question was answered with nil at its limit (G11)")
  func lateAnswerIsIgnored() {
    let lane = lane()
    let door = Door()
    let answers = Record<Int?>()
    lane.ask(withinNanoseconds: 1_000_000) { () -> Int in
      door.pass()
      return 42
    } answer: {
      answers.append($0)
    }
    #expect(door.waitForArrivals(1))
    scheduler.advance(milliseconds: 1)
    #expect(answers.all == [nil])
    door.open()
    #expect(scheduler.run { lane.counters.late == 1 })
    scheduler.run()
    #expect(answers.all == [nil])
  }

  @Test func aRefusedQuestionIsAnsweredToo() {
    let lane = lane()
    lane.close()
    let answers = Record<Int?>()
    lane.ask(withinNanoseconds: 1_000_000) {
      42
    } answer: {
      answers.append($0)
    }
    #expect(answers.all.isEmpty)
    scheduler.run()
    #expect(answers.all == [nil])
  }

  @Test func anIdleThreadEndsAndWorkAfterwardsGetsANewOne() {
    var options = Lane.Options(name: "test-lane")
    options.idleNanoseconds = 0
    let lane = Lane(options: options, clock: scheduler, scheduler: scheduler)
    for _ in 0..<50 {
      #expect(lane.perform {})
      #expect(lane.drain(untilNanoseconds: patience))
    }
    #expect(lane.counters.finished == 50)
  }

  @Test func manyThreadsMayUseOneLane() {
    let lane = lane(capacity: 100_000)
    let total = Record<Int>()
    let door = Door()
    for thread in 0..<4 {
      _ = Thread.start(name: "submitter") {
        for number in 0..<500 {
          if number % 2 == 0 {
            _ = lane.perform { total.append(thread) }
          } else {
            lane.ask(withinNanoseconds: 60_000_000_000) {
              total.append(thread)
            } answer: { _ in
            }
          }
        }
        door.pass()
      }
    }
    #expect(door.waitForArrivals(4))
    #expect(lane.drain(untilNanoseconds: patience))
    #expect(total.all.count == 2_000)
    door.open()
  }
}
