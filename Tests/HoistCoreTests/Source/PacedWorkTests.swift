import HoistCore
import HoistTestSupport
import Testing

@Suite("Work that is asked for more often than it can be done") struct PacedWorkTests {
  private let host = TestHost()
  private let runs = Locked(0)

  private func work(milliseconds: Int64, pause: Int64) -> PacedWork {
    let (host, runs) = (host, runs)
    return PacedWork(host: host) {
      runs.change { $0 += 1 }
      host.time.pass(milliseconds: milliseconds)
      return pause
    }
  }

  @Test func whatIsAskedForWithinThePauseIsDoneInOneAtItsEnd() {
    let work = work(milliseconds: 20, pause: 80)
    work.ask()
    #expect(runs.value == 1)
    for _ in 0..<100 { work.ask() }
    #expect(runs.value == 1 && work.isDue)
    host.time.advance(milliseconds: 79)
    #expect(runs.value == 1)
    host.time.advance(milliseconds: 1)
    #expect(runs.value == 2 && !work.isDue)
    host.time.advance(milliseconds: 10_000)
    work.ask()
    #expect(runs.value == 3, "after the pause it is done at once")
  }

  @Test func whatRestsIsDoneWhenItIsAskedForAgainWhatIsDroppedIsNot() {
    let work = work(milliseconds: 0, pause: 50)
    work.ask()
    work.ask()
    work.rest()
    host.time.advance(milliseconds: 1000)
    #expect(runs.value == 1 && work.isDue)
    work.ask()
    #expect(runs.value == 2)
    work.ask()
    work.drop()
    work.finish()
    host.time.advance(milliseconds: 1000)
    #expect(runs.value == 2)
    work.ask()
    work.ask()
    work.finish()
    #expect(runs.value == 4 && host.time.pendingTimerCount == 0)
  }

  /// Work that ends when its run is ended.
  private func lasting(_ begun: Locked<[PacedWork.Run]>) -> PacedWork {
    PacedWork(host: host, run: { run in begun.change { $0.append(run) } })
  }

  @Test func whatIsAskedForDuringARunIsDoneAfterItsPause() {
    let begun = Locked<[PacedWork.Run]>([])
    let work = lasting(begun)
    for _ in 0..<3 { work.ask() }
    host.time.advance(milliseconds: 1000)
    #expect(begun.value.count == 1 && work.isDue && begun.value[0].isWanted)
    begun.value[0].end(pause: 50)
    #expect(begun.value.count == 1 && work.isDue && !begun.value[0].isWanted)
    host.time.advance(milliseconds: 50)
    #expect(begun.value.count == 2)
    begun.value[1].end(pause: 0)
    #expect(!work.isDue)
  }

  @Test("A run that rests is to be done again, one that is dropped is not, nor one of the parent of a forked child")
  func calledOff() {
    let begun = Locked<[PacedWork.Run]>([])
    let work = lasting(begun)
    work.ask()
    work.rest()
    #expect(work.isDue && !begun.value[0].isWanted)
    begun.value[0].end(pause: 1000)
    work.ask()
    #expect(begun.value.count == 2, "its end was not this one's")
    work.drop()
    #expect(!work.isDue && !begun.value[1].isWanted)
    work.ask()
    work.abandonAfterFork()
    #expect(work.isDue && !begun.value[2].isWanted)
    work.ask()
    #expect(begun.value.count == 4)
  }
}
