import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("What belongs to the scheduler's thread says so in debug builds") struct SchedulerThreadTests {
  @Test("The thread that turns it is the scheduler's, no other one is") func turning() {
    let scheduler = ManualScheduler()
    #expect(!scheduler.isCurrent && scheduler.standsInForItsThread)
    let seen = LockedValue<[Bool]>([])
    scheduler.post {
      seen.withLock { $0 += [scheduler.isCurrent, scheduler.standsInForItsThread] }
      let host = HostThread { seen.withLock { $0 += [scheduler.isCurrent, scheduler.standsInForItsThread] } }
      host.join()
    }
    scheduler.run()
    #expect(seen.withLock { $0 } == [true, true, false, false])
  }

  @Test("While it rests, the test stands in for it, and a thread of its host does not") func resting() {
    let scheduler = ManualScheduler()
    let seen = LockedValue<Bool?>(nil)
    HostThread { seen.withLock { $0 = scheduler.standsInForItsThread } }.join()
    #expect(seen.withLock { $0 } == false)
    scheduler.assertCurrent()
  }

  @Test("Another thread ends the process") func stops() async {
    await #expect(processExitsWith: .failure) {
      let scheduler = ManualScheduler()
      HostThread { scheduler.assertCurrent() }.join()
    }
  }
}
