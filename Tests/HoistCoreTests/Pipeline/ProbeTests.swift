import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("While a service fails one batch goes after each pause, to find out (contract 6)") struct ProbeTests {
  private func bench(_ change: (inout EventPipeline.Options) -> Void = { _ in }) -> PipelineBench {
    let bench = PipelineBench {
      $0.maximumInFlight = 3
      $0.flushAtRows = 1
      change(&$0)
    }
    bench.policy.limits.rows = 1
    bench.start()
    return bench
  }

  @Test("Those that failed beside it wait with it, and follow when it is accepted") func oneGoesAndTheOthersFollow() {
    let bench = bench()
    bench.record("a", "b", "c", "d", "e")
    bench.settle()
    #expect(bench.sent == ["a", "b", "c"])
    for _ in 0..<3 { bench.answer(503) }
    bench.advance(1_000)
    #expect(bench.sent.count == 4)
    bench.advance(10_000)
    #expect(bench.sent.count == 4)
    bench.answer(503)
    bench.advance(2_000)
    #expect(bench.sent.count == 5)
    bench.record("f")
    bench.settle()
    #expect(bench.sent.count == 5)
    bench.answer(200)
    #expect(bench.sent.count == 8)
    for _ in 0..<5 { bench.answer(200) }
    #expect(bench.counters.delivered == 6 && bench.counters.waiting == 0)
  }

  @Test func whereRowsRestANewOneSendsOneBatch() {
    let bench = bench()
    bench.policy.verdict = { answer, _ in EventVerdict.standard(answer).resting }
    bench.record("a", "b", "c")
    bench.settle()
    for _ in 0..<3 { bench.answer(503) }
    bench.advance(1_000)
    #expect(bench.sent.count == 3)
    bench.record("d")
    bench.settle()
    #expect(bench.sent.count == 4)
    bench.answer(503)
    bench.record("e")
    bench.advance(2_000)
    #expect(bench.sent.count == 5)
    bench.answer(200)
    #expect(bench.sent.count == 8)
  }

  @Test func whatWasOnItsWayBeforeTheFailureSaysNothingOfTheService() {
    let bench = bench()
    bench.record("a", "b", "c")
    bench.settle()
    bench.answer(503)
    bench.answer(200)
    bench.answer(503)
    bench.advance(1_000)
    #expect(bench.sent == ["a", "b", "c", "a"])
    bench.answer(200)
    #expect(bench.sent == ["a", "b", "c", "a", "c"])
  }

  @Test func nothingGoesBesideWhatHasNotBeenAnswered() {
    let bench = bench()
    bench.record("a", "b")
    bench.settle()
    bench.answer(503)
    bench.advance(5_000)
    #expect(bench.sent == ["a", "b"])
    bench.answer(503)
    bench.advance(2_000)
    #expect(bench.sent.count == 3)
  }

  @Test func aRefusalShowsThatTheServiceWorks() {
    let bench = bench()
    bench.record("a", "b", "c")
    bench.settle()
    for _ in 0..<3 { bench.answer(503) }
    bench.advance(1_000)
    bench.answer(400)
    #expect(bench.sent.count == 6 && bench.counters.rejected == 1)
  }

  @Test("One batch that always fails holds up no other, and is tried ever more rarely while they are accepted")
  func aBadBatchAmongGoodOnes() {
    for atOnce in [1, 3] {
      let bench = bench { $0.maximumInFlight = atOnce }
      bench.record("bad", "a", "b", "c", "d")
      bench.answerAll { $0 == "bad" ? 503 : 200 }
      #expect(bench.counters.delivered == 4, "\(bench.sent)")
      let before = bench.sent.count { $0 == "bad" }
      for number in 0..<200 {
        bench.record("\(number)")
        bench.advance(1_000, step: 1_000)
        bench.answerAll(for: 0) { $0 == "bad" ? 503 : 200 }
      }
      bench.answerAll(for: 10_000) { $0 == "bad" ? 503 : 200 }
      #expect(bench.counters.delivered == 204 && bench.counters.inFlight == 1)
      let attempts = bench.sent.count { $0 == "bad" } - before
      #expect((3...12).contains(attempts), "\(attempts)")
      bench.answerAll(for: 600_000) { _ in 200 }
      #expect(bench.counters.delivered == 205)
    }
  }

  @Test("Nothing that waits to be sent is passed over for good, however many always fail")
  func severalBadBatches() {
    let bench = bench {
      $0.maximumInFlight = 2
      $0.pace = RegularPace(interval: 0, limit: 1_000, base: 1_000, jitter: 0)
    }
    bench.record("bad1", "bad2", "bad3", "bad4", "good")
    bench.answerAll(for: 120_000) { $0.hasPrefix("bad") ? 500 : 200 }
    #expect(bench.counters.delivered == 1, "\(bench.sent)")
  }

  @Test("A flush tries what failed once more, and is answered with what is left")
  func aFlushOverABadBatch() {
    let bench = bench { $0.maximumInFlight = 1 }
    bench.record("bad", "a")
    bench.answerAll { $0 == "bad" ? 503 : 200 }
    let before = bench.sent.count
    let answers = Record<FlushResult>()
    bench.record("b")
    bench.pipeline.flush { answers.append($0) }
    bench.answerAll(for: 0) { $0 == "bad" ? 503 : 200 }
    #expect(bench.sent[before...].sorted() == ["b", "bad"] && answers.all == [.left])
  }

  @Test("Where rows rest the next flush begins with others")
  func aBadRowAmongRestingOnes() {
    let bench = bench { $0.maximumInFlight = 1 }
    bench.policy.verdict = { answer, _ in EventVerdict.standard(answer).resting }
    bench.record("bad", "a", "b")
    for number in 0..<6 {
      bench.answerAll(for: 0) { $0 == "bad" ? 503 : 200 }
      bench.advance(60_000, step: 10_000)
      bench.record("\(number)")
    }
    bench.answerAll(for: 0) { $0 == "bad" ? 503 : 200 }
    #expect(bench.counters.delivered == 8 && bench.counters.waiting == 1, "\(bench.sent)")
  }

  @Test func aFlushSendsOneAndIsAnsweredWhenAllAre() {
    let bench = bench()
    bench.record("a", "b", "c")
    bench.settle()
    for _ in 0..<3 { bench.answer(503) }
    let answers = Record<FlushResult>()
    bench.pipeline.flush { answers.append($0) }
    bench.settle()
    #expect(bench.sent.count == 4)
    bench.answer(200)
    #expect(bench.sent.count == 6 && answers.all.isEmpty)
    bench.answer(200)
    bench.answer(200)
    #expect(answers.all == [.accepted])
  }
}
