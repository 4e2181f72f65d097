import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@Suite("A lane in a forked child starts empty and works (G9)", .enabled(if: ForkedChild.isSupported))
struct LaneForkTests {
  let scheduler = ManualScheduler()
  /// From now on: fifty forks of a busy process take longer than any one of them may.
  var patience: Int64 { SystemClock().monotonicNanoseconds + 10_000_000_000 }

  func lane() -> Lane { Lane(options: Lane.Options(name: "test-lane"), clock: scheduler, scheduler: scheduler) }

  @Test func whatWaitedIsTheParentsToDo() {
    let lane = lane()
    let door = Door()
    let seen = Record<String>()
    _ = lane.perform(withinNanoseconds: 1_000_000_000) {
      door.pass()
    } abandoned: {
    }
    _ = lane.perform { seen.append("parent") }
    #expect(door.waitForArrivals(1))
    let ending = ForkedChild.run {
      guard lane.counters.waiting == 0, lane.drain(untilNanoseconds: 0) else { return 1 }
      guard lane.perform({ seen.append("child") }) else { return 2 }
      guard lane.drain(untilNanoseconds: patience) else { return 3 }
      return seen.all == ["child"] ? 0 : 4
    }
    #expect(ending == .exited(0))
    door.open()
    #expect(lane.drain(untilNanoseconds: patience))
    #expect(seen.all == ["parent"])
  }

  @Test func closeInAChildWaitsForNobody() {
    let lane = lane()
    let door = Door()
    _ = lane.perform { door.pass() }
    #expect(door.waitForArrivals(1))
    let ending = ForkedChild.run {
      lane.close()
      return lane.drain(untilNanoseconds: 0) && !lane.perform {} ? 0 : 1
    }
    #expect(ending == .exited(0))
    door.open()
  }

  @Test func everyChildOfABusyParentHasAWorkingLane() {
    let lane = lane()
    let stop = Door()
    _ = Thread.start(name: "load") {
      while stop.arrivals == 0 { _ = lane.perform {} }
    }
    var endings: [ForkedChild.Ending] = []
    for _ in 0..<50 {
      endings.append(
        ForkedChild.run {
          // The lane may be full of nothing: what waited stayed with the parent.
          guard lane.perform({}) else { return 1 }
          return lane.drain(untilNanoseconds: patience) ? 0 : 2
        })
    }
    stop.open()
    stop.pass()
    #expect(endings.allSatisfy { $0 == .exited(0) })
  }
}
