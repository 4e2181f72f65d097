import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("What becomes of a batch") struct DeliveryTests {
  @Test func aBatchThatFailedIsSentAgainAsItWas() {
    let bench = PipelineBench()
    bench.start()
    bench.record("a", "b")
    _ = bench.flush()
    bench.fail()
    bench.record("c")
    bench.advance(900)
    #expect(bench.sent == ["a,b"])
    bench.advance(100)
    #expect(bench.sent == ["a,b", "a,b"])
    bench.answer(503)
    // 1 s, 2 s, 4 s …
    bench.advance(1_900)
    #expect(bench.sent.count == 2)
    bench.advance(100)
    #expect(bench.sent == ["a,b", "a,b", "a,b"])
    bench.answer(200)
    #expect(bench.counters.delivered == 2 && bench.counters.retried == 2)
    let ids = bench.policy.batches.all.map(\.id)
    #expect(Set(ids).count == 1)
    #expect(bench.policy.batches.all.map(\.attempt) == [1, 2, 3])
    #expect(Set(bench.policy.batches.all.map { $0.rows.map(\.id) }).count == 1)
    // After a success the pauses begin anew.
    _ = bench.flush()
    bench.fail()
    bench.advance(1_000)
    #expect(bench.sent.suffix(2) == ["c", "c"])
  }

  @Test(arguments: [("7", 7_000), ("Wed, 15 Nov 2023 06:13:21 GMT", 3_600_000), ("99999999999", 3_600_000)])
  func retryAfterIsObeyedWithinReason(_ header: String, _ wait: Int64) {
    let bench = PipelineBench()
    bench.policy.verdict = { answer, _ in .standard(answer, nowUnixMilliseconds: 1_700_000_000_000) }
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.answer(429, [HTTPHeader("retry-after", header)])
    // Not even when somebody asks for a flush.
    #expect(bench.flush() == [false])
    bench.advance(wait - 1_000, step: 1_000)
    #expect(bench.sent.count == 1)
    bench.advance(1_000)
    #expect(bench.sent.count == 2)
  }

  @Test func pausesGrowAndChanceMayTakeAllOfThem() {
    var pauses: [[Int64]] = [[], []]
    for seed in 0..<20 as Range<UInt64> {
      let bench = PipelineBench(seed: seed) { $0.retryJitter = EventPipeline.Options(name: "events").retryJitter }
      bench.start()
      bench.record("a")
      _ = bench.flush()
      for attempt in pauses.indices {
        bench.fail()
        let sent = bench.sent.count
        var passed: Int64 = 0
        while bench.sent.count == sent, passed < 10_000 {
          bench.advance(50, step: 50)
          passed += 50
        }
        pauses[attempt].append(passed)
      }
    }
    // Up to 1 s, then up to 2 s: from next to nothing to next to all of it, each client another one.
    for (attempt, most) in [(0, 1_000), (1, 2_000)] as [(Int, Int64)] {
      #expect(pauses[attempt].allSatisfy { $0 <= most + 50 })
      #expect(pauses[attempt].contains { $0 < most / 4 } && pauses[attempt].contains { $0 > most * 3 / 4 })
    }
  }

  @Test func aRetryAfterOfNonsenseIsNoRetryAfter() {
    let answer = HTTPResponse(status: 503, headers: [HTTPHeader("Retry-After", "soon")])
    #expect(EventVerdict.standard(.success(answer), nowUnixMilliseconds: 0) == .retry(afterMilliseconds: nil))
  }

  @Test(arguments: [
    (200, "done"), (204, "done"), (302, "drop"), (400, "drop"), (401, "drop"), (408, "retry"), (413, "split"),
    (429, "retry"), (500, "retry"), (599, "retry"), (600, "drop"),
  ])
  func theStandardVerdictFollowsTheStatus(_ status: Int, _ verdict: String) {
    let result = EventVerdict.standard(.success(HTTPResponse(status: status)), nowUnixMilliseconds: 0)
    #expect("\(result)".hasPrefix(verdict))
  }

  @Test func aFlushCutsAPauseOfOurOwnShort() {
    let bench = PipelineBench()
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.fail()
    _ = bench.flush()
    #expect(bench.sent == ["a", "a"])
  }

  @Test func whatIsRefusedForGoodIsDroppedAndToldOncePerEpisode() {
    let bench = PipelineBench { $0.flushIntervalMilliseconds = 0 }
    bench.policy.limits = BatchLimits(rows: 1)
    bench.start()
    bench.record("a", "b", "c")
    bench.settle()
    bench.answer(400)
    bench.answer(400)
    #expect(bench.counters.rejected == 2)
    #expect(bench.warnings == ["warning events: 1 records of \"events\" are dropped: the service answered 400"])
    bench.answer(200)
    bench.record("d")
    bench.settle()
    bench.answer(400)
    #expect(bench.warnings.count == 2)
    #expect(bench.counters.waiting == 0)
  }

  /// One line for each episode, at the level that is logged by default: what, why, and that nothing is lost.
  @Test(arguments: [EventVerdict.rest(afterMilliseconds: nil), .retry(afterMilliseconds: nil), .pause(milliseconds: 10)])
  func whatCannotBeDeliveredIsToldOncePerEpisodeWithItsCause(_ verdict: EventVerdict) {
    let bench = PipelineBench { $0.flushAtRows = 1 }
    bench.policy.verdict = { answer, _ in if case .success(let response) = answer, response.status == 200 { .done } else { verdict } }
    bench.start()
    bench.record("a")
    bench.settle()
    bench.answer(403)
    _ = bench.flush()
    bench.fail()
    let first = #"warning events: records of "events" cannot be delivered now (the service answered 403); they are kept and tried again"#
    #expect(bench.warnings == [first])
    _ = bench.flush()
    bench.answer(200)
    #expect(bench.lines.all.last == #"info events: records of "events" are delivered again"#)
    bench.record("b")
    bench.settle()
    bench.fail()
    #expect(bench.warnings.count == 2 && bench.warnings.last?.contains("(down); they are kept") == true)
  }

  @Test func whatWasCalledOffIsNoFailureToTellOf() {
    let bench = PipelineBench()
    bench.policy.verdict = { _, _ in .rest(afterMilliseconds: nil) }
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.transport.open.first?.complete(.failure(TransportFailure(.cancelled, "cancelled")))
    bench.settle()
    #expect(bench.warnings.isEmpty && bench.counters.waiting == 1)
  }

  @Test func whatIsDroppedAtOnceIsNotSaidToBeKept() {
    let bench = PipelineBench { $0.maximumAttempts = 1 }
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.answer(503)
    #expect(bench.warnings == [#"warning events: 1 records of "events" are dropped: given up after 1 attempts: the service answered 503"#])
  }

  @Test func attemptsMayBeLimited() {
    let bench = PipelineBench { $0.maximumAttempts = 2 }
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.fail()
    bench.advance(1_000)
    bench.fail()
    #expect(bench.counters.rejected == 1 && bench.counters.waiting == 0)
    #expect(bench.warnings.last == "warning events: 1 records of \"events\" are dropped: given up after 2 attempts: down")
    bench.advance(100_000)
    #expect(bench.sent.count == 2)
  }

  @Test func afterTheLastAttemptRowsMayWaitForTheNextFlush() {
    let bench = PipelineBench {
      $0.maximumAttempts = 2
      $0.whenExhausted = .rest
    }
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.fail()
    bench.advance(1_000)
    bench.record("b")
    bench.fail()
    #expect(bench.counters.rejected == 0 && bench.counters.waiting == 2)
    bench.advance(29_900)
    #expect(bench.sent == ["a", "a"])
    bench.advance(100)
    #expect(bench.sent == ["a", "a", "a,b"])
  }

  @Test func aPolicyMayLetRowsRest() {
    let bench = PipelineBench { $0.flushAtRows = 1 }
    bench.policy.verdict = { _, _ in .rest(afterMilliseconds: 5_000) }
    bench.start()
    bench.record("a")
    bench.settle()
    bench.answer(500)
    bench.record("b")
    bench.advance(4_000)
    #expect(bench.sent == ["a"])
    bench.policy.verdict = nil
    bench.advance(27_000)
    #expect(bench.sent == ["a", "a,b"])
  }

  @Test func rowsThatRestMakeNoFlushDueButANewOneTakesThemAlong() {
    let bench = PipelineBench { $0.flushAtRows = 2 }
    bench.policy.limits.rows = 2
    bench.policy.verdict = { _, _ in .rest(afterMilliseconds: nil) }
    bench.start()
    bench.record("a", "b", "c")
    bench.settle()
    bench.answer(500)
    bench.advance(1_000)
    #expect(bench.sent == ["a,b"])
    bench.record("d")
    bench.advance(1_000)
    #expect(bench.sent == ["a,b"])
    bench.policy.verdict = nil
    bench.record("e")
    bench.settle()
    bench.answer(200)
    bench.answer(200)
    #expect(bench.sent == ["a,b", "a,b", "c,d", "e"])
  }

  @Test func rowsThatRestGoWithTheNextInterval() {
    let bench = PipelineBench {
      $0.flushAtRows = 1
      $0.flushIntervalMilliseconds = 5_000
      $0.flushTiming = .sinceStart
    }
    bench.policy.verdict = { _, _ in .rest(afterMilliseconds: nil) }
    bench.start()
    bench.record("a")
    bench.settle()
    bench.answer(500)
    bench.advance(4_900)
    #expect(bench.sent == ["a"])
    bench.advance(100)
    #expect(bench.sent == ["a", "a"])
  }

  @Test func aPipelineMayBeSentByAnotherBeforeItsOwnBatchGoes() {
    let bench = PipelineBench()
    let first = PipelineBench(scheduler: bench.scheduler)
    first.start()
    first.record("x")
    bench.policy.beforeFlush = { _ in first.pipeline.sendAtOnce() }
    bench.start()
    bench.record("a")
    let seen = Record<String>()
    first.transport.setResponder { _ in
      seen.append("x")
      return nil
    }
    bench.transport.setResponder { _ in
      seen.append("a")
      return nil
    }
    _ = bench.flush()
    #expect(seen.all == ["x", "a"])
  }

  @Test func whatIsTooLargeGoesInHalvesAndASingleGiantIsDropped() {
    let bench = PipelineBench()
    bench.policy.verdict = { _, batch in batch.rows.count > 1 || batch.text == "giant" ? .split : .done }
    bench.start()
    bench.record("a", "b", "giant", "c")
    _ = bench.flush()
    for _ in 0..<8 { bench.answer(413) }
    #expect(bench.sent == ["a,b,giant,c", "a,b", "a", "b", "giant", "c"])
    #expect(bench.counters.delivered == 3 && bench.counters.rejected == 1)
    // The next flush tries whole batches again.
    bench.policy.verdict = nil
    bench.record("d", "e")
    _ = bench.flush()
    #expect(bench.sent.last == "d,e")
  }

  @Test func rowsThatCannotBeEncodedAreLeftOut() {
    let bench = PipelineBench()
    bench.policy.encoding = { batch in
      let bad = batch.rows.filter { $0.text.hasPrefix("bad") }.map(\.id)
      return bad.isEmpty ? .request(PlainPolicy.request(batch)) : .reject(ids: bad, reason: "unreadable")
    }
    bench.start()
    bench.record("a", "bad 1", "b", "bad 2")
    _ = bench.flush()
    #expect(bench.sent == ["a,b"])
    bench.answer(200)
    bench.record("bad 3")
    #expect(bench.flush() == [true])
    #expect(bench.counters.rejected == 3)
  }

  @Test func aPolicyThatRejectsNothingOfABatchLosesIt() {
    let bench = PipelineBench()
    bench.policy.encoding = { _ in .reject(ids: ["unheard of"], reason: "confused") }
    bench.start()
    bench.record("a")
    #expect(bench.flush() == [true])
    #expect(bench.counters.rejected == 1)
  }

  @Test func whatCannotBeEncodedYetWaits() {
    let bench = PipelineBench()
    bench.policy.encoding = { _ in .later }
    bench.start()
    bench.record("a")
    #expect(bench.flush() == [false])
    bench.policy.encoding = nil
    bench.advance(30_000)
    #expect(bench.sent == ["a"])
  }

  @Test func aRecordMayBeEncodedAnewForEachAttempt() {
    let bench = PipelineBench { $0.encodesEveryAttempt = true }
    bench.policy.encoding = { batch in
      var request = PlainPolicy.request(batch)
      request.body = Array("attempt \(batch.attempt)".utf8)
      return .request(request)
    }
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.fail()
    bench.advance(1_000)
    #expect(bench.sent == ["attempt 1", "attempt 2"])
  }

  @Test func aRequestIsPreparedOncePerAttempt() {
    let bench = PipelineBench()
    let prepared = Record<Int>()
    bench.policy.preparing = { request, completion in
      prepared.append(1)
      var request = request
      request.headers.set("Authorization", "token \(prepared.all.count)")
      completion(prepared.all.count == 2 ? nil : request)
    }
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.fail()
    bench.advance(3_000)
    #expect(bench.transport.requests.map { $0.headers.value(of: "authorization") } == ["token 1", "token 3"])
    #expect(bench.counters.retried == 2)
  }

  @Test func rowIdentifiersAreUUIDsAndNoneComesTwice() {
    let bench = PipelineBench()
    bench.start()
    for _ in 0..<100 { bench.record("x") }
    _ = bench.flush()
    bench.pipeline.updateLive("l", [])
    bench.pipeline.sealLive("l")
    bench.answer(200)
    _ = bench.flush()
    bench.answer(200)
    let ids = bench.policy.batches.all.flatMap { $0.rows.map(\.id) }
    #expect(Set(ids).count == 101)
    #expect(ids.allSatisfy { $0.count == 36 && $0.dropFirst(14).first == "4" })
  }
}
