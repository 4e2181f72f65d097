import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("A journal makes immediate durability quick (design 6)") struct JournalTests: JournalledPipeline {
  let manager = ObstinateManager()
  let journal = PaperJournal()

  @Test("What is left in a journal has its age, whatever the wall clock has shown (reopened)") func age() {
    let bench = bench { $0.maximumAgeMilliseconds = 3_600_000 }
    bench.scheduler.boot = 7
    #expect(waiting(bench, "kept") == .stored)
    var payload = journal.payloads.last ?? []
    #expect(BootMoment.take(from: &payload) == bench.scheduler.bootMoment && payload == Array("kept".utf8))
  }

  @Test func whoRecordsDoesNotWaitForTheStoreWhichIsGivenGroups() {
    let bench = bench()
    #expect(bench.record("a", "b") == [.stored, .stored])
    bench.advance(90, step: 10)
    #expect(puts.isEmpty && journal.entries == ["a", "b"])
    #expect(bench.record("c") == [.stored])
    bench.advance(10)
    #expect(puts.count == 1 && puts[0].split(separator: ",").count == 3)
    #expect(journal.entries.isEmpty)
    _ = bench.flush()
    #expect(bench.sent.last == "a,b,c")
  }

  @Test func theFirstRecordWaitsForTheStoreAndAsksForAJournalOnce() {
    manager.keep(nil)
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    for text in ["a", "b", "c"] { #expect(waiting(bench, text) == .stored) }
    #expect(manager.journalsAskedFor == 1)
    #expect(puts.count == 3)
  }

  @Test("what an evaluation records does not wait for a disk, and is stored at once (G1)")
  func whatMayNotWaitIsNotInTheJournal() {
    let bench = bench()
    #expect(inPassing(bench, "a") == .queued)
    #expect(journal.entries.isEmpty)
    bench.settle()
    #expect(puts.count == 1)
    #expect(bench.record("b") == [.stored])
    #expect(inPassing(bench, "c") == .queued)
    bench.settle()
    // The group goes with it.
    #expect(puts.count == 2 && puts[1].split(separator: ",").count == 2)
    #expect(journal.entries.isEmpty)
  }

  @Test func whatIsDeliveredBeforeItsGroupIsNeverStoredAndLeavesTheJournal() {
    let bench = bench { $0.flushAtRows = 1 }
    bench.record("a")
    bench.settle()
    #expect(bench.sent.last == "a")
    #expect(journal.entries == ["a"])
    bench.answer(200)
    // A death right now sends nothing again.
    #expect(journal.entries.isEmpty)
    bench.advance(100)
    #expect(puts.isEmpty)
  }

  @Test func aFlushEndsWhenTheJournalIsEmpty() {
    let bench = bench()
    bench.record("a")
    let answers = Record<[String]>()
    bench.pipeline.flush { _ in answers.append(journal.entries) }
    bench.settle()
    bench.answer(200)
    #expect(answers.all.count == 1)
    #expect(journal.entries.isEmpty && puts.isEmpty)
  }

  @Test func aJournalThatCannotBeWrittenCostsTimeOnly() {
    let bench = bench()
    journal.fail(true)
    #expect(waiting(bench, "a") == .stored)
    #expect(puts.count == 1)
    journal.fail(false)
    journal.takeNothing(true)
    #expect(waiting(bench, "b") == .stored)
    #expect(puts.count == 2)
    #expect(bench.counters.recorded == 3)
    _ = bench.flush()
    #expect(bench.sent.last == "a,b")
  }

  @Test func nothingLeavesTheJournalWhileTheStoreFails() {
    let bench = bench()
    manager.fail(CacheFailure("disk full"))
    bench.record("a")
    bench.advance(100)
    #expect(bench.record("b") == [.stored])
    bench.advance(1_000)
    #expect(journal.entries == ["a", "b"])
    manager.fail(nil)
    bench.advance(5_000)
    #expect(journal.entries.isEmpty)
    #expect(puts.last?.split(separator: ",").count == 2)
  }

  @Test("it holds what is kept, which is not made again") func itHoldsTheFormThatIsKept() {
    manager.keep(journal)
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.policy.form = { recorded in
      let text = String(decoding: recorded, as: UTF8.self)
      return Array((text.hasPrefix("kept ") ? text : "kept \(text)").utf8)
    }
    bench.start()
    #expect(waiting(bench, "first") == .stored)
    bench.settle()
    "long".withBytes { head in
      "er".withBytes { tail in _ = bench.pipeline.record(head, tail: tail, unixMilliseconds: 0) }
    }
    #expect(journal.entries == ["kept longer"])
    _ = bench.flush()
    #expect(bench.sent == ["kept first,kept longer"])
  }

  @Test func aPurgeIsCarriedOutInTheJournal() {
    let bench = bench()
    bench.record("a", subject: "u1")
    bench.record("b", subject: "u2")
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    #expect(journal.entries == ["b"])
    #expect(bench.record("c", subject: "u1") == [.stored])
    #expect(journal.entries == ["b", "c"])
  }

  /// With such a record on the disk, the purge is there, too.
  @Test func whatIsRecordedAfterAPurgeIsKeptNoSoonerThanThat() {
    let bench = bench()
    manager.fail(CacheFailure("disk full"))
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    #expect(waiting(bench, "a") == .unsaved)
    #expect(journal.entries.isEmpty)
    manager.fail(nil)
    bench.advance(5_000)
    #expect(puts.count == 1)
    #expect(
      manager.calls.filter { $0.hasPrefix("purge ") || $0.hasPrefix("put ") }.suffix(2).map { $0.prefix(4) } == ["purg", "put "])
    #expect(bench.record("b") == [.stored])
    #expect(journal.entries == ["b"])
  }

  @Test func stopStoresWhatIsInTheJournalAndStartOpensAnother() {
    let bench = bench()
    bench.record("a", "b")
    bench.scheduler.post { bench.pipeline.stop() }
    bench.settle()
    #expect(puts.count == 1 && journal.entries.isEmpty && journal.isClosed)
    let asked = manager.journalsAskedFor
    manager.keep(PaperJournal())
    bench.start()
    #expect(waiting(bench, "c") == .stored)
    bench.settle()
    #expect(manager.journalsAskedFor == asked + 1)
    #expect(bench.record("d") == [.stored])
    #expect(journal.entries.isEmpty)
  }

  /// What is in it is in memory as well, and nobody else may have it meanwhile.
  @Test func aJournalThatStillHoldsSomethingGoesOnAfterStopAndStart() {
    let bench = bench()
    manager.fail(CacheFailure("disk full"))
    bench.record("a")
    bench.scheduler.post { bench.pipeline.stop() }
    bench.settle()
    #expect(journal.entries == ["a"] && !journal.isClosed)
    manager.fail(nil)
    bench.start()
    #expect(bench.record("b") == [.stored])
    bench.advance(3_000)
    #expect(journal.entries.isEmpty && manager.journalsAskedFor == 1)
    _ = bench.flush()
    #expect(bench.sent.last == "a,b")
  }

  @Test func aBrokenJournalIsReplaced() {
    let bench = bench()
    journal.breakDown()
    let other = PaperJournal()
    manager.keep(other)
    #expect(waiting(bench, "a") == .stored)
    #expect(waiting(bench, "b") == .stored)
    bench.settle()
    #expect(bench.record("c") == [.stored])
    #expect(other.entries == ["c"] && journal.entries.isEmpty)
  }

  @Test func whatWasDeliveredLeavesTheJournalWhileTheStoreFails() {
    let bench = bench()
    manager.fail(CacheFailure("disk full"))
    bench.record("a")
    _ = bench.flush()
    bench.record("b")
    bench.advance(100)
    #expect(journal.entries == ["a", "b"])
    bench.answer(200)
    bench.advance(70_000, step: 1_000)
    #expect(journal.entries == ["b"])
  }

  @Test("with a store that is off for good the journal is used as before, and purges ask it no more")
  func aStoreThatIsOffIsNotAskedAgain() {
    let bench = bench()
    manager.fail(CacheFailure("disk gone", isPermanent: true))
    #expect(bench.record("a") == [.stored])
    bench.advance(100)
    _ = bench.flush()
    bench.answer(200)
    bench.advance(2_000)
    #expect(journal.entries.isEmpty)
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    let refused = bench.store.statistics.first { $0.name == "refused" }?.value ?? 0
    bench.advance(20_000, step: 1_000)
    // A claim may have been tried meanwhile.
    #expect(bench.store.statistics.first { $0.name == "refused" }?.value ?? 0 <= refused + 1)
  }

  @Test func aPurgeOfOnePipelineKeepsRecordsOfAnotherOutOfItsJournal() {
    let bench = bench()
    bench.store.beginPurge()
    #expect(waiting(bench, "a") == .stored)
    #expect(puts.count == 1 && journal.entries.isEmpty)
    bench.store.endPurges(1)
    #expect(bench.record("b") == [.stored])
    #expect(journal.entries == ["b"])
  }

  @Test func withoutAStoreAPurgeWaitsForNothing() {
    let bench = PipelineBench { $0.durability = .immediate }
    bench.start()
    let timers = bench.scheduler.pendingTimerCount
    bench.pipeline.purge(subject: "u1")
    bench.settle()
    #expect(bench.scheduler.pendingTimerCount == timers)
  }

  @Test func flushesThatEndWhileTheStoreIsGivenTheSameLoseNoStep() {
    let bench = bench()
    let door = Door()
    bench.record("a")
    manager.block(at: door)
    bench.scheduler.advance(milliseconds: 100)
    bench.scheduler.run()
    let ended = Record<Bool>()
    bench.pipeline.flush { ended.append($0 == .accepted) }
    bench.scheduler.run()
    bench.transport.open.first?.complete(.success(HTTPResponse(status: 200, headers: [])))
    bench.scheduler.run()
    bench.pipeline.flush { ended.append($0 == .accepted) }
    bench.scheduler.run()
    #expect(ended.all == [true, true] && journal.entries == ["a"])
    #expect(bench.record("b") == [.stored])
    bench.scheduler.post { bench.pipeline.stop() }
    bench.scheduler.run()
    door.open()
    bench.settle()
    #expect(journal.entries.isEmpty && journal.isClosed)
  }

  @Test("progress counts what was given and what is under way") func progressIsInSteps() {
    let bench = bench()
    let before = journal.progress.last?.round ?? 0
    for number in 0..<2_500 { bench.record("\(number)") }
    bench.scheduler.post { bench.pipeline.stop() }
    bench.settle()
    let rounds = journal.progress.filter { $0.round > before }
    #expect(Set(rounds.map(\.round)).count == 1)
    #expect(rounds.map(\.step) == [0, 1, 2, 3])
    #expect(rounds.map(\.below) == [1_001, 2_001, 2_501, 2_501])
  }

  @Test("a forked child writes nothing into its parent's (G9)") func aForkedChildHasItsOwn() {
    let bench = bench()
    bench.record("parent")
    bench.scheduler.simulateFork()
    let other = PaperJournal()
    manager.keep(other)
    #expect(waiting(bench, "child") == .stored)
    bench.settle()
    #expect(bench.record("more") == [.stored])
    #expect(journal.entries == ["parent"])
    #expect(other.entries == ["more"])
  }

  @Test func manyThreadsRecordInTheOrderOfTheirNumbers() {
    let bench = bench { $0.maximumRows = 10_000 }
    let outcomes = Record<EventPipeline.Outcome>()
    for thread in 0..<4 {
      _ = hostThread {
        for number in 0..<200 {
          outcomes.append(bench.pipeline.record("\(thread)-\(number)", subject: "", unixMilliseconds: 0))
        }
      }
    }
    #expect(bench.scheduler.run { outcomes.all.count == 800 })
    #expect(outcomes.all.allSatisfy { $0 == .stored })
    bench.advance(400)
    #expect(journal.entries.isEmpty)
    #expect(puts.reduce(0) { $0 + $1.split(separator: ",").count } == 800)
  }
}
