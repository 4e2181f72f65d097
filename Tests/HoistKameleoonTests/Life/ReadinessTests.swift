import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("Readiness, and waiting for it (protocols/kameleoon.md 4.1)")
struct ReadinessTests {
  private func answers(_ rig: KameleoonRig, timeout: Int64) -> Locked<[Bool]> {
    let heard = Locked<[Bool]>([])
    #expect(rig.face.runWhenReady(timeoutMilliseconds: timeout) { ready in heard.change { $0.append(ready) } } == .ok)
    return heard
  }

  @Test("A client that is ready calls at once, but not from inside the call (KAM-18; ready)")
  func alreadyReady() throws {
    let rig = try KameleoonRig()
    let heard = answers(rig, timeout: 100)
    #expect(heard.value.isEmpty)
    rig.deliver()
    #expect(heard.value == [true])
  }

  @Test("Readiness calls with true, once, and the time that passes later does not call again (KAM-18; starting)")
  func readyInTime() throws {
    let rig = try KameleoonRig(configuration: nil)
    let heard = answers(rig, timeout: 100)
    rig.scheduler.advance(milliseconds: 99)
    rig.answerFetch()
    rig.scheduler.advance(milliseconds: 1000)
    rig.deliver()
    #expect(heard.value == [true])
  }

  @Test("The time that passes first calls with false, and readiness later does not call again (KAM-19; starting)")
  func tooLate() throws {
    let rig = try KameleoonRig(configuration: nil)
    let heard = answers(rig, timeout: 100)
    rig.scheduler.advance(milliseconds: 100)
    rig.answerFetch()
    rig.deliver()
    #expect(rig.face.isReady)
    #expect(heard.value == [false])
  }

  @Test("A negative timeout is none; 0 decides at once (KAM-18; starting)")
  func timeouts() throws {
    let rig = try KameleoonRig(configuration: nil)
    let withoutLimit = answers(rig, timeout: -1)
    let atOnce = answers(rig, timeout: 0)
    rig.deliver()
    #expect(atOnce.value == [false])
    rig.scheduler.advance(milliseconds: 60_000)
    rig.deliver()
    #expect(withoutLimit.value.isEmpty)
  }

  @Test(
    "A fetch that fails ends no waiting, since another one may be good; with the property it does (KAM-B26; starting, failing)",
    arguments: [false, true])
  func failingFast(_ failsFast: Bool) throws {
    let rig = try KameleoonRig(["ready.fails_fast": "\(failsFast)"], configuration: nil)
    let heard = answers(rig, timeout: 2000)
    rig.answerFetch(noAnswer)
    rig.answerFetch(noAnswer)
    rig.deliver()
    #expect(heard.value == (failsFast ? [false] : []))
    rig.scheduler.advance(milliseconds: 2000)
    rig.deliver()
    #expect(heard.value == [false])
  }

  @Test("Who waits when the client closes is told false, once, and nobody can wait afterwards (KAM-18, G4; closing, closed)")
  func closing() throws {
    let rig = try KameleoonRig(configuration: nil)
    let heard = answers(rig, timeout: 5000)
    rig.scheduler.run()
    #expect(rig.client.close(timeoutMilliseconds: 0) != .argument)
    #expect(heard.value == [false])
    rig.scheduler.advance(milliseconds: 10_000)
    rig.deliver()
    #expect(heard.value == [false])
    #expect(rig.face.runWhenReady(timeoutMilliseconds: 1) { _ in } == .state)
    #expect(!rig.face.isReady)
  }
}
