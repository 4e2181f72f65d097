import HoistBase
import HoistTestSupport
import Testing

@testable import HoistCore

@Suite("Callers are told that a record is stored when it is") struct StoreProgressTests {
  let manager = ObstinateManager()

  @Test("Of two calls of the store the earlier fails, and the later does not: what the earlier was to store is not stored")
  func failureBeforeASuccess() {
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    manager.fail(CacheFailure("busy"))
    _ = "a".withBytes { bench.pipeline.record($0, unixMilliseconds: 0, waits: .never) }
    bench.settle()
    bench.pipeline.noteAttempted(upTo: [1], committed: true)
    #expect(!bench.pipeline.intake.progress.waitForCommit(of: 0, untilNanoseconds: 0))
  }

  @Test("nor is it while it is under way again (failing)") func failureUnderWayAgain() {
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    manager.fail(CacheFailure("busy"))
    _ = "a".withBytes { bench.pipeline.record($0, unixMilliseconds: 0, waits: .never) }
    bench.settle()
    manager.fail(nil)
    // The store has not answered this one before the scheduler is turned.
    #expect(bench.pipeline.putNow())
    bench.pipeline.noteAttempted(upTo: [1], committed: true)
    #expect(!bench.pipeline.intake.progress.waitForCommit(of: 0, untilNanoseconds: 0))
    bench.advance(30_000)
    #expect(bench.pipeline.intake.progress.waitForCommit(of: 0, untilNanoseconds: 0))
  }
}
