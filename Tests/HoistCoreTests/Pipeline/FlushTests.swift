import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("When records are sent") struct FlushTests {
  @Test func recordsGoTogetherOneIntervalAfterTheFirst() {
    let bench = PipelineBench()
    bench.start()
    bench.record("a")
    bench.advance(10_000)
    bench.record("b")
    bench.advance(19_900)
    #expect(bench.sent.isEmpty)
    bench.advance(100)
    #expect(bench.sent == ["a,b"])
    #expect(bench.counters.inFlight == 2)
    bench.answer(202)
    #expect(bench.counters == EventPipeline.Counters(recorded: 2, delivered: 2))
    #expect(bench.policy.deliveries.all == ["a,b"])
    // The next interval begins with the next record.
    bench.advance(29_000)
    bench.record("c")
    bench.advance(29_900)
    #expect(bench.sent.count == 1)
    bench.advance(100)
    #expect(bench.sent == ["a,b", "c"])
  }

  @Test func intervalsMayBeCountedFromTheStart() {
    let bench = PipelineBench { $0.flushTiming = .sinceStart }
    bench.start()
    bench.advance(25_000)
    bench.record("a")
    bench.advance(5_000)
    #expect(bench.sent == ["a"])
    bench.answer(200)
    bench.advance(10_000)
    bench.record("b")
    bench.advance(19_900)
    #expect(bench.sent == ["a"])
    bench.advance(100)
    #expect(bench.sent == ["a", "b"])
  }

  @Test func anIntervalOfZeroSendsAtOnce() {
    let bench = PipelineBench { $0.flushIntervalMilliseconds = 0 }
    bench.start()
    bench.record("a")
    bench.settle()
    #expect(bench.sent == ["a"])
    // What comes while a batch is on its way goes with the next one.
    bench.record("b", "c")
    bench.settle()
    #expect(bench.sent == ["a"])
    bench.answer(200)
    #expect(bench.sent == ["a", "b,c"])
  }

  @Test(
    "An interval of zero looks again when something has come, not all the time",
    arguments: ["on its way", "not admitted"])
  func anIntervalOfZeroDoesNotSpin(cause: String) {
    let bench = PipelineBench {
      $0.flushIntervalMilliseconds = 0
      $0.maximumInFlight = 3
    }
    let (pipeline, looks) = (bench.pipeline, Record<Bool>())
    bench.policy.beforeFlush = { _ in
      looks.append(true)
      // Else it would never end.
      if looks.all.count > 50 { pipeline.hold(.offline) }
    }
    if cause == "not admitted" { bench.policy.admitted = { !$0.text.hasPrefix("a") } }
    bench.start()
    bench.record("a")
    bench.advance(1_000)
    #expect(looks.all.count <= 2 && bench.counters.waiting + bench.counters.inFlight == 1)
    bench.policy.limits.rows = 1
    bench.policy.admitted = { _ in true }
    bench.record("b")
    bench.advance(1_000)
    #expect(bench.sent == ["a", "b"] && looks.all.count <= 4)
    bench.answer(200)
    bench.answer(200)
    #expect(bench.counters.delivered == 2 && looks.all.count <= 4)
  }

  @Test func enoughRowsAreSentWithoutWaiting() {
    let bench = PipelineBench {
      $0.flushAtRows = 3
    }
    bench.policy.limits = BatchLimits(rows: 3)
    bench.start()
    bench.record("a", "b")
    bench.settle()
    #expect(bench.sent.isEmpty)
    bench.record("c", "d")
    bench.settle()
    #expect(bench.sent == ["a,b,c"])
    bench.answer(200)
    // A flush goes on until nothing is left.
    #expect(bench.sent == ["a,b,c", "d"])
  }

  @Test func batchesKeepToTheirLimits() {
    let bench = PipelineBench()
    bench.policy.limits = BatchLimits(rows: 3, bytes: 10)
    bench.start()
    bench.record("12345", "67890", "x", String(repeating: "y", count: 20), "z")
    #expect(bench.flush() == [])
    for _ in 0..<4 { bench.answer(200) }
    #expect(bench.sent == ["12345,67890", "x", String(repeating: "y", count: 20), "z"])
  }

  @Test func thePolicyCutsABatchWhereItsRowsDoNotBelongTogether() {
    let bench = PipelineBench()
    bench.policy.length = { rows in rows.prefix { $0.text.first == rows[0].text.first }.count }
    bench.start()
    bench.record("a1", "a2", "b1", "a3")
    _ = bench.flush()
    for _ in 0..<3 { bench.answer(200) }
    #expect(bench.sent == ["a1,a2", "b1", "a3"])
  }

  @Test func aFlushIsAnsweredWhenNothingIsLeft() {
    let bench = PipelineBench()
    bench.start()
    #expect(bench.flush() == [true])
    bench.record("a")
    let answers = Record<Bool>()
    bench.pipeline.flush { answers.append($0 == .accepted) }
    bench.settle()
    #expect(answers.all.isEmpty)
    bench.answer(200)
    #expect(answers.all == [true])
  }

  @Test func aFlushIsAnsweredAsSoonAsSomethingHasToWait() {
    let bench = PipelineBench()
    bench.start()
    bench.record("a")
    let answers = Record<Bool>()
    bench.pipeline.flush { answers.append($0 == .accepted) }
    bench.settle()
    bench.answer(500)
    #expect(answers.all == [false])
    bench.pipeline.hold(.offline)
    #expect(bench.flush() == [false])
  }

  @Test func aFlushWaitsForWhatOthersHaveLeft() {
    let manager = ObstinateManager()
    let gone = PipelineBench(manager: manager)
    gone.start()
    gone.record("left")
    gone.scheduler.post { gone.pipeline.stop() }
    gone.settle()
    _ = gone.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000)

    let bench = PipelineBench(manager: manager, seed: 2)
    let door = Door()
    manager.block(at: door)
    let answers = Record<Bool>()
    bench.scheduler.post { bench.pipeline.start() }
    bench.pipeline.flush { answers.append($0 == .accepted) }
    bench.scheduler.run()
    #expect(answers.all.isEmpty)
    door.open()
    bench.settle()
    #expect(bench.sent == ["left"])
    #expect(answers.all.isEmpty)
    bench.answer(200)
    #expect(answers.all == [true])
  }

  @Test func aStoreThatFailsHoldsUpNoFlush() {
    let manager = ObstinateManager()
    manager.fail(CacheFailure("no disk"))
    let bench = PipelineBench(manager: manager)
    let answers = Record<FlushResult>()
    bench.scheduler.post { bench.pipeline.start() }
    bench.pipeline.flush { answers.append($0) }
    bench.settle()
    #expect(answers.all == [.accepted])
  }

  @Test func aHeldPipelineKeepsItsRowsUntilTheLastHoldIsLifted() {
    let bench = PipelineBench { $0.flushIntervalMilliseconds = 0 }
    bench.record("before start")
    bench.settle()
    #expect(bench.sent.isEmpty)
    bench.pipeline.hold(.notReady)
    bench.pipeline.hold(.offline)
    bench.start()
    bench.record("a")
    bench.pipeline.lift(.offline)
    bench.advance(1_000)
    #expect(bench.sent.isEmpty)
    #expect(bench.counters.waiting == 2)
    bench.pipeline.lift(.notReady)
    bench.settle()
    #expect(bench.sent == ["before start,a"])
  }

  @Test func rowsThatAreNotAdmittedAreOvertaken() {
    let bench = PipelineBench { $0.flushAtRows = 2 }
    bench.policy.admitted = { !$0.text.hasPrefix("held") }
    bench.start()
    bench.record("held 1", "a", "held 2", "b")
    bench.settle()
    #expect(bench.sent == ["a,b"])
    bench.answer(200)
    #expect(bench.counters.waiting == 2)
    // Those that stay behind do not count for the next flush.
    bench.record("c")
    bench.settle()
    #expect(bench.sent == ["a,b"])
    bench.record("d")
    bench.settle()
    #expect(bench.sent == ["a,b", "c,d"])
    bench.answer(200)
    bench.policy.admitted = { _ in true }
    bench.pipeline.reconsider()
    bench.settle()
    #expect(bench.sent.last == "held 1,held 2")
  }

  @Test func theFlushHookMayAddWhatWasCounted() {
    let bench = PipelineBench {
      $0.flushesWhenEmpty = true
      $0.flushTiming = .sinceStart
    }
    bench.policy.beforeFlush = { pipeline in
      pipeline.updateLive("summary", Array("counts".utf8))
      pipeline.sealLive("summary")
    }
    bench.start()
    bench.advance(30_000)
    #expect(bench.sent == ["counts"])
    bench.answer(200)
    bench.record("a")
    bench.advance(30_000)
    #expect(bench.sent == ["counts", "a,counts"])
  }

  @Test func severalBatchesMayBeOnTheirWay() {
    let bench = PipelineBench { $0.maximumInFlight = 2 }
    bench.policy.limits = BatchLimits(rows: 1)
    bench.start()
    bench.record("a", "b", "c")
    _ = bench.flush()
    #expect(bench.sent == ["a", "b"])
    bench.transport.open.last?.complete(.success(HTTPResponse(status: 200)))
    bench.settle()
    #expect(bench.sent == ["a", "b", "c"])
    bench.answer(200)
    bench.answer(200)
    #expect(bench.counters.delivered == 3)
  }

  @Test func afterStopRowsWaitForTheNextStart() {
    let bench = PipelineBench()
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.record("b")
    bench.pipeline.stop()
    bench.settle()
    #expect(bench.transport.exchanges[0].isCancelled)
    #expect(bench.counters.inFlight == 0 && bench.counters.waiting == 2)
    #expect(bench.counters.ignoredAnswers == 0)
    bench.advance(100_000)
    #expect(bench.sent.count == 1)
    bench.start()
    _ = bench.flush()
    #expect(bench.sent == ["a", "a,b"])
  }

  @Test("a forked child starts empty; the parent sends (G9)") func aForkedChildStartsEmpty() {
    let bench = PipelineBench()
    bench.start()
    bench.record("in flight")
    _ = bench.flush()
    bench.record("parent")
    bench.settle()
    bench.scheduler.simulateFork()
    bench.record("child")
    #expect(bench.counters.waiting == 1)
    bench.start()
    _ = bench.flush()
    #expect(bench.sent == ["in flight", "child"])
    bench.transport.exchanges[1].complete(.success(HTTPResponse(status: 200)))
    bench.settle()
    #expect(bench.counters.delivered == 1)
    #expect(bench.counters.waiting == 0 && bench.counters.inFlight == 0)
  }
}
