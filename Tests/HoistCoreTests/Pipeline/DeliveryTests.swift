import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

private func failure(_ next: FetchFailure.Next = .after(milliseconds: 0)) -> FetchFailure {
  FetchFailure(.network, "", next: next)
}

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

  @Test(arguments: [("7", 7_000), ("Wed, 15 Nov 2023 06:13:21 GMT", 3_600_000), ("7200", 3_600_000)])
  func retryAfterIsObeyedWithinReason(_ header: String, _ wait: Int64) {
    let bench = PipelineBench()
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

  @Test("Contract 9: a pause of more than a day is not believed") func aPauseOfYearsIsNotBelieved() {
    let bench = PipelineBench()
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.answer(429, [HTTPHeader("retry-after", "99999999999")])
    bench.advance(60_000, step: 1_000)
    #expect(bench.sent.count > 1)
  }

  @Test func pausesGrowAndChanceMayTakeAllOfThem() {
    var pauses: [[Int64]] = [[], []]
    for seed in 0..<20 as Range<UInt64> {
      let bench = PipelineBench(seed: seed) { $0.pace = EventPipeline.Options(name: "events").pace }
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
    let bench = PipelineBench()
    bench.start()
    bench.record("a")
    _ = bench.flush()
    bench.answer(503, [HTTPHeader("Retry-After", "soon")])
    bench.advance(1_000)
    #expect(bench.sent.count == 2)
  }

  @Test(arguments: [
    (200, "done"), (204, "done"), (302, "failed"), (400, "refused"), (401, "failed"), (404, "refused"), (408, "failed"),
    (413, "split"), (422, "refused"), (429, "failed"), (500, "failed"), (599, "failed"), (600, "failed"),
  ])
  func theStandardVerdictFollowsTheStatus(_ status: Int, _ verdict: String) {
    let result = EventVerdict.standard(.success(HTTPResponse(status: status)))
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

  @Test func whatIsRefusedForGoodIsDroppedAndNamedOnce() {
    let bench = PipelineBench { $0.flushIntervalMilliseconds = 0 }
    bench.policy.limits = BatchLimits(rows: 1)
    bench.start()
    bench.record("a", "b", "c")
    bench.settle()
    bench.answer(400)
    bench.answer(400)
    #expect(bench.counters.rejected == 2)
    let first = "warning events: a record of \"events\", text a, is dropped: the service answered 400"
    #expect(bench.warnings.first == first && bench.warnings.count == 2)
    bench.answer(200)
    bench.record("d")
    bench.settle()
    bench.answer(400)
    #expect(bench.warnings.count == 3)
    #expect(bench.counters.waiting == 0)
  }

  /// One line for each episode, at the level that is logged by default: what, why, and where it waits.
  @Test(arguments: [EventVerdict.rest(failure()), .failed(failure()), .failed(failure(.after(milliseconds: 10)))])
  func whatCannotBeDeliveredIsToldOncePerEpisodeWithItsCause(_ verdict: EventVerdict) {
    let bench = PipelineBench { $0.flushAtRows = 1 }
    bench.policy.verdict = { answer, _ in
      if case .success(let response) = answer, response.status == 200 { .done } else { verdict }
    }
    bench.start()
    bench.record("a")
    bench.settle()
    bench.answer(403)
    _ = bench.flush()
    bench.fail()
    let first =
      #"warning events: records of "events" cannot be delivered now (the service answered 403); they are kept in memory and tried again"#
    #expect(bench.warnings == [first])
    _ = bench.flush()
    bench.answer(200)
    #expect(bench.lines.all.last == #"info events: recovered: records of "events" are delivered again after 0 s"#)
    // Each failure is told, and the recovery once.
    #expect(bench.news.all == ["sendFailed", "error", "sendFailed", "error", "eventsSent", "recovered"])
    bench.record("b")
    bench.settle()
    bench.fail()
    #expect(bench.warnings.count == 2 && bench.warnings.last?.contains("(down); they are kept") == true)
  }

  @Test func whatWasCalledOffIsNoFailureToTellOf() {
    let bench = PipelineBench()
    bench.policy.verdict = { _, _ in .rest(failure()) }
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
    #expect(
      bench.warnings.last
        == #"warning events: a record of "events", text a, is dropped: given up after 1 attempts: the service answered 503"#)
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
    #expect(bench.warnings.last == "warning events: a record of \"events\", text a, is dropped: given up after 2 attempts: down")
    bench.advance(100_000)
    #expect(bench.sent.count == 2)
  }

  @Test func aPolicyMayLetRowsRest() {
    let bench = PipelineBench { $0.flushAtRows = 1 }
    bench.policy.verdict = { _, _ in .rest(failure(.after(milliseconds: 5_000))) }
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
    bench.policy.verdict = { _, _ in .rest(failure()) }
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

  @Test func whatIsRecordedDuringAPauseIsNewWhateverElseFailsThen() {
    let bench = PipelineBench {
      $0.flushAtRows = 1
      $0.maximumInFlight = 2
      $0.flushIntervalMilliseconds = 3_600_000
    }
    bench.policy.limits.rows = 1
    bench.policy.verdict = { _, _ in .rest(failure(.after(milliseconds: 1_000))) }
    bench.start()
    bench.record("a")
    bench.settle()
    bench.record("b")
    bench.settle()
    bench.answer(500)
    bench.record("c")
    bench.settle()
    bench.answer(500)
    #expect(bench.sent == ["a", "b"])
    bench.policy.verdict = nil
    bench.advance(1_000)
    bench.answer(200)
    bench.answer(200)
    bench.answer(200)
    #expect(bench.sent.dropFirst(2).sorted() == ["a", "b", "c"])
  }

  @Test func rowsThatRestGoWithTheNextInterval() {
    let bench = PipelineBench {
      $0.flushAtRows = 1
      $0.flushIntervalMilliseconds = 5_000
      $0.flushTiming = .sinceStart
    }
    bench.policy.verdict = { _, _ in .rest(failure()) }
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
    #expect(bench.sent == ["a,b,giant,c", "a,b", "a", "b", "giant,c", "giant", "c"])
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
    #expect(bench.flushed() == .refused && bench.flushed() == .accepted)
    #expect(bench.counters.rejected == 3)
  }

  @Test func aPolicyThatRejectsNothingOfABatchLosesIt() {
    let bench = PipelineBench()
    bench.policy.encoding = { _ in .reject(ids: ["unheard of"], reason: "confused") }
    bench.start()
    bench.record("a")
    #expect(bench.flushed() == .refused)
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
