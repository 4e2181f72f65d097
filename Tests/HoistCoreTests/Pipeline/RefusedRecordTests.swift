import HoistBase
@testable import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

/// Contract 6: what is refused, how fast, and under which name it comes again.
@Suite("What is refused, and what comes again") struct RefusedRecordTests {
  @Test func oneBadRecordStandsAloneAndTheOthersArrive() {
    let bench = PipelineBench()
    bench.start()
    bench.record("a", "b", "bad", "c", "d")
    let answers = Record<FlushResult>()
    bench.pipeline.flush { answers.append($0) }
    bench.settle()
    while let open = bench.transport.open.first {
      let isBad = String(decoding: open.request.body ?? [], as: UTF8.self).contains("bad")
      bench.answer(isBad ? 400 : 200)
    }
    #expect(bench.counters.delivered == 4 && bench.counters.rejected == 1 && bench.counters.waiting == 0)
    #expect(bench.sent == ["a,b,bad,c,d", "a,b", "bad,c,d", "bad", "c,d"])
    #expect(bench.warnings == [#"warning events: a record of "events", text bad, is dropped: the service answered 400"#])
    #expect(
      bench.policy.told.all.filter { $0.hasPrefix("divided") } == [#"divided ["a,b", "bad,c,d"]"#, #"divided ["bad", "c,d"]"#])
    #expect(bench.news.all.filter { $0 == "error" }.count == 1)
    #expect(answers.all == [.refused] && bench.flushed() == .accepted)
  }

  @Test(
    "A batch of which a part was purged on its way is refused: what is left goes again, and is not dropped for it (consent withdrawn)"
  )
  func whatAPurgeLeaves() {
    let bench = PipelineBench()
    bench.start()
    bench.record("a", subject: "anna")
    bench.record("b")
    _ = bench.flush()
    bench.pipeline.purge(subject: "anna")
    bench.settle()
    bench.answer(400)
    #expect(bench.sent == ["a,b", "b"])
    bench.answer(200)
    #expect(bench.counters.delivered == 1 && bench.counters.rejected == 0 && bench.counters.purged == 1)
  }

  private func told(of records: [String], _ encode: (@Sendable (EventBatch) -> [UInt8])? = nil) -> String {
    let bench = PipelineBench { $0.flushAtRows = records.count }
    if let encode {
      bench.policy.encoding = { .request(HTTPRequest(method: "POST", url: "http://events.test/", body: encode($0))) }
    }
    bench.policy.verdict = { _, _ in .drop(reason: "no") }
    bench.start()
    for record in records { bench.record(record) }
    bench.settle()
    bench.answer(200)
    return String(decoding: bench.notes.all.first { $0.topic == .sendFailed }?.json ?? [], as: UTF8.self)
  }

  @Test("Observers hear what was refused, as it went, so that it can be mended (ready)") func bodies() {
    #expect(told(of: ["a", "é"]).hasSuffix(#"],"body_size":4,"body":"a,é"}"#))
    #expect(told(of: ["a"]) { _ in [0xFF, 0] }.hasSuffix(#"],"body_size":2,"body_base64":"/wA="}"#))
  }

  @Test("of which a long one is cut, between two characters (large)") func longBody() {
    let long = told(of: ["a"]) { _ in [65] + Array(String(repeating: "é", count: 40_000).utf8) }
    #expect(long.contains(#""body_size":80001,"#) && long.hasSuffix(#"é"}"#))
    #expect(long.utf8.count < 66_000)
  }

  @Test("and nothing of a person whose records were purged on its way (consent withdrawn)") func purgedBody() {
    let bench = PipelineBench()
    bench.policy.verdict = { _, _ in .drop(reason: "no") }
    bench.start()
    bench.record("a", subject: "anna")
    bench.record("b")
    _ = bench.flush()
    bench.pipeline.purge(subject: "anna")
    bench.settle()
    bench.answer(200)
    #expect(!bench.notes.all.contains { String(decoding: $0.json, as: UTF8.self).contains("body") })
  }

  @Test func whatFailsIsNotSentWithEachNewRecord() {
    let bench = PipelineBench {
      $0.flushAtRows = 1
      $0.maximumInFlight = 4
    }
    bench.start()
    bench.record("a")
    bench.settle()
    bench.answer(503)
    for _ in 0..<9 {
      bench.record("b")
      bench.advance(100)
    }
    #expect(bench.sent == ["a"])
    bench.advance(100)
    #expect(bench.sent == ["a", "a"])
    bench.answer(200)
    #expect(bench.sent.count == 3)
  }

  @Test func batchesThatFailTogetherMakeOnePause() {
    let bench = PipelineBench { $0.maximumInFlight = 3 }
    bench.policy.limits.rows = 1
    bench.start()
    bench.record("a", "b", "c")
    _ = bench.flush()
    for _ in 0..<3 { bench.answer(500) }
    bench.advance(900)
    #expect(bench.sent.count == 3)
    bench.advance(100)
    bench.answer(200)
    #expect(bench.sent.count == 6)
  }

  @Test func aRefusedKeyIsTriedAtTheSlowestPace() {
    let bench = PipelineBench()
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.answer(401)
    bench.advance(299_000, step: 1_000)
    #expect(bench.sent.count == 1)
    bench.advance(1_000)
    #expect(bench.sent.count == 2)
    #expect(bench.counters.rejected == 0)
  }

  @Test("a batch keeps its id in the next process, with the same rows and no others") func aBatchKeepsItsIdentity() {
    let manager = ObstinateManager()
    let first = PipelineBench(manager: manager) { $0.keepsBatches = true }
    first.start()
    first.record("a", "b")
    _ = first.flush()
    first.record("c")
    first.settle()
    let id = first.policy.told.all.filter { $0.hasPrefix("prepare") }
    #expect(id == ["prepare 1: a,b"] && first.sent == ["a,b"])
    // Ends without an answer.
    first.scheduler.post { first.pipeline.stop() }
    first.settle()
    _ = first.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000)

    let second = PipelineBench(manager: manager, seed: 2) { $0.keepsBatches = true }
    second.start()
    second.record("d")
    _ = second.flush()
    second.answer(200)
    second.answer(200)
    #expect(second.sent.first == "a,b")
    #expect(Set(second.sent.dropFirst().joined(separator: ",").split(separator: ",")) == ["c", "d"])
    #expect(second.policy.batches.all.first?.rows.map(\.text) == ["a", "b"])
    #expect(second.counters.delivered == 4 && second.flushed() == .accepted)
    // Nothing of it is left in the store.
    second.scheduler.post { second.pipeline.stop() }
    second.settle()
    _ = second.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000)
    let third = PipelineBench(manager: manager, seed: 3) { $0.keepsBatches = true }
    third.start()
    #expect(third.flushed() == .accepted && third.sent.isEmpty && third.counters.adopted == 0)
  }

  @Test func recordsThatWaitForConsentHaveARoomOfTheirOwn() {
    let bench = PipelineBench {
      $0.maximumRows = 3
      $0.consentRows = 2
      $0.consentAgeMilliseconds = 60_000
    }
    bench.policy.awaiting = { $0.text.hasPrefix("undecided") }
    bench.policy.admitted = { !$0.text.hasPrefix("undecided") }
    bench.start()
    func undecided(_ text: String) -> EventPipeline.Outcome {
      defer { bench.settle() }
      return "undecided \(text)".withBytes {
        bench.pipeline.record($0, unixMilliseconds: bench.clock.unixMilliseconds, awaitsConsent: true)
      }
    }
    #expect([undecided("1"), undecided("2"), undecided("3")] == [.queued, .queued, .dropped])
    #expect(bench.warnings == [#"warning events: 2 records of "events" wait for consent; further ones are dropped"#])
    // They do not stand in the way.
    #expect(bench.record("a", "b", "c") == [.queued, .queued, .queued])
    _ = bench.flush()
    bench.answer(200)
    #expect(bench.sent == ["a,b,c"] && bench.counters.waiting == 2 && bench.counters.dropped == 1)
    bench.advance(62_000, step: 1_000)
    bench.record("d")
    _ = bench.flush()
    #expect(bench.counters.expired == 2)
    #expect(undecided("4") == .queued)
  }

  @Test func whatIsInMemoryOnlyIsUnsaved() {
    let manager = ObstinateManager()
    manager.fail(CacheFailure("no disk"))
    let bench = PipelineBench(manager: manager) {
      $0.durability = .immediate
      $0.commitLimitMilliseconds = 50
    }
    bench.start()
    #expect(bench.record("a") == [.unsaved])
    #expect(bench.record("b").map(\.status) == [.unsaved])
  }

  @Test("What cannot be written out for lack of memory goes after a pause, and is not refused (memory runs out)")
  func memoryRunsOut() {
    let bench = PipelineBench { $0.flushIntervalMilliseconds = 0 }
    let lacks = Record<Bool>()
    bench.policy.encoding = { batch throws(JSONFailure) in
      if lacks.all.count < 3 {
        lacks.append(true)
        throw JSONFailure(.outOfMemory, "out of memory")
      }
      return .request(PlainPolicy.request(batch))
    }
    bench.start()
    bench.record("a", "b")
    #expect(bench.flushed() == .left)
    bench.advance(10_000)
    bench.answer(200)
    #expect(bench.sent == ["a,b"] && bench.counters == EventPipeline.Counters(recorded: 2, delivered: 2))
  }
}
