import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("A journal that fails costs time only (design 6, G10)") struct JournalFaultTests: JournalledPipeline {
  let manager = ObstinateManager()
  let journal = PaperJournal()

  @Test("what an erasure that failed may have taken along is stored at once") func whatIsLostIsStoredAtOnce() {
    let bench = bench()
    let other = PaperJournal()
    manager.keep(other)
    #expect(bench.record("a", "b") == [.stored, .stored])
    journal.breakOnErasure()
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    #expect(puts.count == 1 && puts[0].split(separator: ",").count == 2)
    #expect(journal.leftAtClose == [] && journal.wasClosedOnLane)
    #expect(waiting(bench, "c") == .stored)
    bench.settle()
    #expect(bench.record("d") == [.stored])
    #expect(other.entries == ["d"])
  }

  @Test("a broken journal that holds what has not been taken in is kept, so that nobody else sends it")
  func aBrokenJournalIsKeptAsLongAsItIsNeeded() {
    let bench = bench()
    let door = Door()
    #expect(bench.record("a") == [.stored])
    manager.block(at: door)
    bench.scheduler.advance(milliseconds: 100)
    bench.scheduler.run()
    #expect(bench.record("b") == [.stored])
    bench.scheduler.run()
    journal.breakDown()
    door.open()
    bench.settle()
    #expect(puts.count == 2)
    #expect(journal.leftAtClose == [])
  }

  @Test func aJournalThatFailsToOpenIsAskedForAgainAndToldOnce() {
    manager.keep(journal)
    manager.failJournals(CacheFailure("no more files"))
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    for text in ["a", "b"] { #expect(waiting(bench, text) == .stored) }
    #expect(manager.journalsAskedFor == 1)
    bench.advance(100_000, step: 1_000)
    #expect(waiting(bench, "c") == .stored)
    #expect(manager.journalsAskedFor == 2)
    manager.failJournals(nil)
    bench.advance(100_000, step: 1_000)
    #expect(waiting(bench, "d") == .stored)
    bench.settle()
    #expect(bench.record("e") == [.stored])
    #expect(journal.entries == ["e"])
    let told = bench.lines.all.filter { $0.contains("wait for") }
    #expect(told.count == 2 && told.first?.contains("wait for the store: no more files") == true, "\(told)")
  }

  @Test func aManagerThatKeepsNoJournalIsAskedOnceAndNobodyIsTold() {
    manager.keep(nil)
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    #expect(waiting(bench, "a") == .stored)
    bench.advance(200_000, step: 1_000)
    #expect(waiting(bench, "b") == .stored)
    #expect(manager.journalsAskedFor == 1)
    #expect(!bench.lines.all.contains { $0.contains("wait for") })
  }

  @Test("where there can be no journal at all, it is asked for again at a start only")
  func aPlaceThatIsUnfitIsAskedOnce() {
    manager.keep(journal)
    manager.failJournals(CacheFailure("a disk of another machine", isPermanent: true))
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    #expect(waiting(bench, "a") == .stored)
    bench.advance(200_000, step: 1_000)
    #expect(waiting(bench, "b") == .stored)
    #expect(manager.journalsAskedFor == 1)
    #expect(bench.lines.all.filter { $0.contains("wait for the store") }.count == 1)
  }

  @Test func whoRecordsWaitsForOthersNoLongerThanForTheCommit() throws {
    let bench = bench()
    let before = SystemClock().monotonicNanoseconds
    bench.record("a")
    let deadline = try #require(journal.patience.last)
    let limit = bench.pipeline.options.commitLimitMilliseconds * 1_000_000
    #expect(deadline >= before + limit && deadline <= SystemClock().monotonicNanoseconds + limit)
  }
}
