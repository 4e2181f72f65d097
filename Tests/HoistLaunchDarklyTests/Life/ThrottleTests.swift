import HoistBase
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

@Suite("Tries to go online are held back (LD-04, LD-13, LD-14, 5.4; no client)") struct ThrottleTests {
  private final class Notes: @unchecked Sendable {
    let all = Locked<[String]>([])
    func note(_ text: String) { all.change { $0.append(text) } }
  }

  private let time = ManualScheduler()
  private let notes = Notes()
  private let throttle: Throttle

  init() { throttle = Throttle(scheduler: time, clock: time, entropy: SeededEntropy(seed: 3)) }

  private func call(_ name: String) {
    let notes = notes
    throttle.run {
      notes.note("ran \(name)")
    } replaced: {
      notes.note("replaced \(name)")
    }
  }

  @Test func theFirstTwoGoAtOnceAndTheThirdWaitsOneToTwoSeconds() {
    for name in ["a", "b", "c"] { call(name) }
    #expect(notes.all.value == ["ran a", "ran b"])
    #expect(throttle.isWaiting)
    time.advance(milliseconds: 999)
    #expect(notes.all.value.count == 2)
    time.advance(milliseconds: 1_001)
    #expect(notes.all.value == ["ran a", "ran b", "ran c"])
    #expect(!throttle.isWaiting)
  }

  @Test("The one that waits is told when a newer one takes its place (complaint 2)") func theReplacedAreTold() {
    for name in ["a", "b", "c", "d"] { call(name) }
    #expect(notes.all.value == ["ran a", "ran b", "replaced c"])
    time.advance(milliseconds: 60_000)
    #expect(notes.all.value == ["ran a", "ran b", "replaced c", "ran d"])
  }

  @Test func aCallThatIsFreeAgainReplacesOneThatWaits() {
    for name in ["a", "b", "c", "d", "e", "f"] { call(name) }
    // f waits 8 to 16 s at most; by then most of the tries before it count no more.
    #expect(throttle.isWaiting)
    throttle.cancel()
    #expect(notes.all.value.last == "replaced f")
    time.advance(milliseconds: 120_000)
    call("g")
    #expect(notes.all.value.last == "ran g")
  }

  @Test func whatIsCancelledNeverRunsAndIsToldOnce() {
    for name in ["a", "b", "c"] { call(name) }
    throttle.cancel()
    throttle.cancel()
    time.advance(milliseconds: 60_000)
    #expect(notes.all.value == ["ran a", "ran b", "replaced c"])
  }

  @Test("In a forked child nobody is told of the parent's calls (LD-13, G9; forked)") func aChildForgetsWhatWaits() {
    for name in ["a", "b", "c"] { call(name) }
    time.simulateFork()
    throttle.abandonAfterFork()
    time.advance(milliseconds: 60_000)
    #expect(notes.all.value == ["ran a", "ran b"])
  }

  @Test func delaysStayWithinAMinuteAndWhatIsRememberedIsBounded() {
    var pace = ThrottlePace()
    var last: ClosedRange<Int64> = 0...0
    for _ in 0..<5_000 { last = pace.next(at: 0) }
    #expect(last == 30_000...60_000)
    // A minute later none of them counts.
    #expect(pace.next(at: 60_001) == 0...0)
  }
}
