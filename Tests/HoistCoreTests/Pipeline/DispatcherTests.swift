import HoistBase
import HoistTestSupport
import Testing

@testable import HoistCore

/// A dispatcher of the host's that answers when, and as often as, the test says.
final class LooseSink: EventSink, @unchecked Sendable {
  private let lock = Lock()
  private var completions: [@Sendable (EventAnswer) -> Void] = []
  let deliveries = Record<EventDelivery>()
  let answersAtOnce: EventAnswer?
  init(answersAtOnce: EventAnswer? = nil) { self.answersAtOnce = answersAtOnce }

  func deliver(_ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void) -> (any Cancellable)? {
    deliveries.append(delivery)
    lock.withLock { completions.append(completion) }
    if let answersAtOnce { completion(answersAtOnce) }
    return nil
  }

  func answer(_ number: Int, _ answer: EventAnswer) { lock.withLock { completions[number] }(answer) }
}

@Suite("A dispatcher of the host's may answer at once, late, twice or never (G11)") struct DispatcherTests {
  @Test func aDispatcherGetsTheRequestAndTheRecordsIdentifiers() {
    let sink = LooseSink()
    let bench = PipelineBench(sink: sink)
    bench.start()
    bench.record("a", "b")
    _ = bench.flush()
    let delivery = sink.deliveries.all[0]
    #expect(delivery.pipeline == "events" && delivery.attempt == 1)
    #expect(delivery.request.url == "http://events.test/")
    #expect(Set(delivery.eventIDs).count == 2)
    sink.answer(0, .taken)
    bench.settle()
    #expect(bench.counters.delivered == 2)
    #expect(bench.policy.deliveries.all == ["a,b"])
    // A host's answer is not the service's: the policy is not asked what it means.
    #expect(bench.policy.batches.all.isEmpty)
  }

  @Test func onlyTheFirstAnswerCounts() {
    let sink = LooseSink()
    let bench = PipelineBench(sink: sink)
    bench.start()
    bench.record("a")
    _ = bench.flush()
    sink.answer(0, .failed("not now"))
    sink.answer(0, .taken)
    bench.settle()
    #expect(bench.counters.delivered == 0 && bench.counters.ignoredAnswers == 1)
    bench.advance(1_000)
    sink.answer(1, .taken)
    sink.answer(1, .refused("no"))
    bench.settle()
    sink.answer(0, .refused("no"))
    bench.settle()
    #expect(bench.counters.delivered == 1 && bench.counters.rejected == 0 && bench.counters.ignoredAnswers == 3)
    #expect(sink.deliveries.all.map(\.attempt) == [1, 2])
    #expect(Set(sink.deliveries.all.map(\.eventIDs)).count == 1)
  }

  @Test func anAnswerWithinTheCallIsAllRight() {
    let sink = LooseSink(answersAtOnce: .taken)
    let bench = PipelineBench(sink: sink) { $0.flushIntervalMilliseconds = 0 }
    bench.start()
    bench.record("a")
    bench.settle()
    bench.record("b")
    bench.settle()
    #expect(bench.counters.delivered == 2)
  }

  @Test func aMissingAnswerIsAFailedAttempt() {
    let sink = LooseSink()
    let bench = PipelineBench(sink: sink)
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.advance(39_900)
    #expect(sink.deliveries.all.count == 1)
    bench.advance(1_200)
    #expect(sink.deliveries.all.count == 2)
    sink.answer(0, .taken)
    bench.settle()
    #expect(bench.counters.delivered == 0 && bench.counters.ignoredAnswers == 1)
  }

  @Test func whatADispatcherRefusesIsDropped() {
    let sink = LooseSink(answersAtOnce: .refused("unknown pipeline"))
    let bench = PipelineBench(sink: sink)
    bench.start()
    bench.record("a")
    _ = bench.flush()
    #expect(bench.counters.rejected == 1)
    #expect(bench.warnings.first?.contains("unknown pipeline") == true)
  }

  @Test func whatHasToBeMendedFirstIsKeptAndTriedAgainSlowly() {
    let sink = LooseSink()
    let bench = PipelineBench(sink: sink)
    bench.start()
    bench.record("a")
    _ = bench.flush()
    sink.answer(0, .forbidden("the topic may not be written"))
    bench.settle()
    #expect(bench.lines.all.contains { $0.hasPrefix("error") && $0.contains("the topic may not be written") })
    bench.advance(299_000)
    #expect(sink.deliveries.all.count == 1)
    bench.advance(2_000)
    #expect(sink.deliveries.all.map(\.attempt) == [1, 2])
    #expect(bench.counters.rejected == 0)
  }

  @Test func whatIsTooLargeIsDividedAndARecordThatIsSoAloneIsDropped() {
    let sink = LooseSink()
    let bench = PipelineBench(sink: sink)
    bench.start()
    bench.record("a", "b")
    _ = bench.flush()
    sink.answer(0, .tooLarge("larger than 10 bytes"))
    bench.settle()
    #expect(sink.deliveries.all.map(\.eventIDs.count) == [2, 1])
    sink.answer(1, .tooLarge("larger than 10 bytes"))
    bench.settle()
    sink.answer(2, .taken)
    bench.settle()
    #expect(bench.counters.delivered == 1 && bench.counters.rejected == 1)
    #expect(bench.warnings.contains { $0.contains("larger than 10 bytes") })
  }

  @Test func whatWaitsForConsentIsNotGivenToADispatcher() {
    let sink = LooseSink(answersAtOnce: .taken)
    let bench = PipelineBench(sink: sink)
    bench.policy.admitted = { $0.subject != "anna" }
    bench.start()
    bench.record("a", subject: "anna")
    bench.record("b", subject: "bert")
    _ = bench.flush()
    bench.settle()
    #expect(sink.deliveries.all.map(\.subject) == ["bert"])
    #expect(bench.counters.delivered == 1 && bench.counters.rejected == 0)
  }

  @Test func aDispatcherIsToldWhoseRecordsTheyAreAndHowLongItHas() {
    let sink = LooseSink(answersAtOnce: .taken)
    let bench = PipelineBench(sink: sink)
    bench.start()
    for subjects in [["anna", "anna"], ["anna", "bert"], ["", "anna"], [""]] {
      for subject in subjects { bench.record("a", subject: subject) }
      _ = bench.flush()
      bench.settle()
    }
    #expect(sink.deliveries.all.map(\.subject) == ["anna", "", "", ""])
    #expect(Set(sink.deliveries.all.map(\.limitMilliseconds)) == [40_000])
  }
}
