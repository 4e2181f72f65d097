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
