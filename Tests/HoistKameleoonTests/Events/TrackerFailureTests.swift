import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("When tracking requests fail (4.4, 2.11)") struct TrackerFailureTests {
  @Test(arguments: [0, 301, 400, 404, 408, 429, 500, 503])
  func aFailedRequestIsSentAgainAfterFiveSecondsThenWithTheNextInterval(_ status: Int) throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.host.network.setResponder { _ in status == 0 ? noAnswer : answer(status) }
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.record(Tracked.exposure(1, 1), of: anna)
    // Nobody waits for the service to come back.
    #expect(bench.flush(anna) == [.network])
    bench.advance(4_999)
    #expect(bench.sent.count == 1)
    bench.advance(1)
    #expect(bench.sent.count == 2)
    #expect(anna.exposures.value == ["1 is sent", "1 waits"])
    bench.host.network.setResponder { _ in answer(204) }
    bench.advance(1_000)
    #expect(bench.sent.count == 3 && Set(bench.nonces).count == 1 && bench.sent.first?.count == 2)
    #expect(anna.exposures.value == ["1 is sent", "1 waits", "1 is sent"])
    bench.advance(60_000)
    #expect(bench.sent.count == 3 && bench.count("delivered") == 2)
  }

  @Test("Clients that lost the service in one moment ask again in moments of their own (failing)") func pausesDiffer() {
    let pauses = Set(
      (UInt64(1)...20).map { seed in
        let (chance, failure) = (SeededEntropy(seed: seed, share: nil), FetchFailure(.network, "away"))
        var pace = TrackingPace(limitMilliseconds: 300_000)
        for _ in 0..<2 { #expect(pace.failed(failure, hasFlags: true, chance) == 0) }
        return pace.failed(failure, hasFlags: true, chance) ?? 0
      })
    #expect(pauses.count == 20 && pauses.allSatisfy { (2_500...5_000).contains($0) })
  }

  @Test("An outage that lasts is asked ever more slowly, and less often than every five minutes never")
  func pausesGrow() throws {
    let bench = try TrackerBench()
    bench.host.network.setResponder { _ in answer(500) }
    let anna = bench.visitor("anna")
    bench.tracker.record(Tracked.phone, of: anna)
    _ = bench.flush(anna)
    var counts: [Int] = []
    for _ in 0..<5 {
      bench.advance(60_000)
      counts.append(bench.sent.count)
    }
    #expect(counts == [10, 14, 14, 16, 16])
    for _ in 0..<60 { bench.advance(60_000) }
    #expect((20...26).contains(bench.sent.count - 16))
    bench.host.network.setResponder { _ in answer(204) }
    for _ in 0..<6 { bench.advance(60_000) }
    #expect(bench.count("delivered") == 1 && Set(bench.nonces).count == 1)
  }

  @Test("2.11: without a token 401 refuses the site, for the longest pause")
  func aRefusedSiteIsTriedAgainAfterTheLongestPause() throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.host.network.enqueue(answer(401))
    bench.tracker.record(Tracked.phone, of: anna)
    #expect(bench.flush(anna) == [.network])
    bench.advance(299_999)
    #expect(bench.sent.count == 1)
    bench.advance(1)
    #expect(bench.sent.count == 2 && Set(bench.nonces).count == 1 && bench.count("delivered") == 1)
  }

  @Test(arguments: [400, 404]) func whatTheServiceRefusesAgainAndAgainIsDroppedAlone(_ status: Int) throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.host.network.setResponder { request in answer(request.text.contains("eventType=conversion") ? status : 204) }
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.record(Tracked.conversion(1), of: anna)
    #expect(bench.flush(anna) == [.network])
    bench.advance(60_000)
    #expect(bench.sent.map(\.count) == [2, 2, 2, 1, 1] && Set(bench.nonces.joined()).count == 2)
    #expect(bench.count("delivered") == 1 && bench.count("rejected") == 1 && bench.count("waiting") == 0)
  }

  @Test("4.9: a flush of the client says what is refused, and does not ask again") func aFlushSaysWhatIsRefused() throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.host.network.setResponder { request in answer(request.text.contains("eventType=conversion") ? 400 : 204) }
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.record(Tracked.conversion(1), of: anna)
    let told = Locked<FlushResult?>(nil)
    bench.tracker.flush { told.value = $0 }
    bench.settle()
    #expect(told.value == .refused && bench.sent.map(\.count) == [2, 1, 1])
    #expect(bench.count("delivered") == 1 && bench.count("rejected") == 1)
  }

  /// G9
  @Test("Forked while the parent flushes and the service fails: the child begins anew (4.9; forked, failing)")
  func aForkedChildHasNoneOfItsParentsFailures() throws {
    let bench = try TrackerBench()
    let parents = bench.visitor("parents")
    bench.host.network.setResponder { _ in answer(413) }
    bench.tracker.record(Tracked.custom(1, String(repeating: "x", count: 100)), of: parents)
    bench.tracker.record(Tracked.phone, of: parents)
    _ = bench.flush(parents)
    bench.host.network.setResponder { _ in answer(400) }
    for number in 0..<3 as Range<Int64> {
      bench.tracker.record(Tracked.conversion(number), of: parents)
      _ = bench.flush(parents)
      bench.advance(6_000)
    }
    bench.host.network.setResponder(nil)
    bench.tracker.record(Tracked.phone, of: parents)
    bench.tracker.flush { _ in }
    bench.settle()
    let before = bench.sent.count
    bench.host.time.simulateFork()
    bench.tracker.abandonAfterFork()
    bench.tracker.start()
    bench.becomeReady()
    let rejected = bench.count("rejected")
    bench.host.network.enqueue(answer(400))
    bench.host.network.setResponder { _ in answer(200) }
    for code in ["anna", "bea"] {
      let visitor = bench.visitor(code)
      bench.tracker.record(Tracked.custom(1, String(repeating: "y", count: 5_000)), of: visitor)
      bench.tracker.queue(visitor)
    }
    bench.settle()
    bench.advance(1_000)
    bench.advance(5_000)
    #expect(bench.sent.dropFirst(before).map(\.count) == [2, 2] && bench.count("rejected") == rejected)
  }

  @Test(arguments: [200, 204, 304, 403]) func theseAreSuccess(_ status: Int) throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.host.network.setResponder { _ in answer(status) }
    bench.tracker.record(Tracked.phone, of: anna)
    #expect(bench.flush(anna) == [.ok])
    bench.advance(60_000)
    #expect(bench.sent.count == 1)
  }

  @Test("After a failure one visitor goes at each interval until a request arrives, and none during a pause (KAM-B25; failing)")
  func afterAFailureOneVisitorGoesAtEachInterval() throws {
    let bench = try TrackerBench()
    bench.host.network.setResponder { _ in answer(500) }
    func queue(_ code: String) {
      let visitor = bench.visitor(code)
      bench.tracker.record(Tracked.phone, of: visitor)
      bench.tracker.queue(visitor)
    }
    for code in ["p1", "p2", "p3"] { queue(code) }
    bench.settle()
    bench.advance(1_000)
    #expect(bench.sent.map(\.count) == [3])
    queue("p4")
    bench.advance(4_999)
    #expect(bench.sent.map(\.count) == [3])
    // Failed again, at the end of an interval.
    bench.advance(1)
    #expect(bench.sent.map(\.count) == [3, 3, 1])
    bench.advance(5_000)
    #expect(bench.sent.map(\.count) == [3, 3, 1, 1])
    bench.host.network.setResponder { _ in answer(200) }
    bench.advance(1_000)
    bench.advance(1_000)
    #expect(bench.sent.map(\.count) == [3, 3, 1, 1, 1, 3])
    #expect(bench.sent[2] == bench.sent[4] && bench.sent[2] == ["\(Tracked.phoneLine)&visitorCode=p1"])
    bench.advance(60_000)
    #expect(bench.sent.count == 6 && bench.count("delivered") == 4)
  }

  @Test("(KAM-B25; failing)") func aVisitorThatTheServiceRefusesHoldsUpNobody() throws {
    let bench = try TrackerBench()
    bench.host.network.setResponder { request in answer(request.text.contains("visitorCode=poison") ? 400 : 200) }
    for code in ["poison", "anna", "bea"] {
      let visitor = bench.visitor(code)
      bench.tracker.record(Tracked.conversion(1), of: visitor)
      bench.tracker.queue(visitor)
    }
    bench.settle()
    bench.advance(1_000)
    bench.advance(6_000)
    // The first alone, for the third time: it is what the service refuses.
    #expect(bench.sent.map(\.count) == [3, 3, 1] && bench.count("rejected") == 1)
    bench.advance(60_000)
    #expect(bench.count("delivered") == 2)
    #expect(bench.count("waiting") == 0 && bench.count("in_flight") == 0)
  }

  @Test("4.9") func aFlushThatIsAskedForDoesNotWaitForTheSecondAttempt() throws {
    let bench = try TrackerBench()
    bench.host.network.enqueue(answer(500))
    let anna = bench.visitor("anna")
    bench.tracker.record(Tracked.phone, of: anna)
    #expect(bench.flush(anna) == [.network])
    let told = Locked<Bool?>(nil)
    bench.tracker.flush { told.value = $0 == .accepted }
    bench.settle()
    #expect(bench.sent.count == 2 && told.value == true)
  }

  @Test func whoFlushesDuringThePauseIsSentAfterIt() throws {
    let bench = try TrackerBench()
    let (anna, bea) = (bench.visitor("anna"), bench.visitor("bea"))
    bench.host.network.enqueue(answer(500))
    bench.tracker.record(Tracked.phone, of: anna)
    _ = bench.flush(anna)
    bench.tracker.record(Tracked.phone, of: bea)
    #expect(bench.flush(bea) == [.network])
    bench.advance(4_999)
    #expect(bench.sent.count == 1)
    bench.advance(1_001)
    #expect(bench.sent.count == 3 && bench.sent.last == ["\(Tracked.phoneLine)&visitorCode=bea"])
    #expect(bench.count("delivered") == 2)
  }

  @Test("While the store cannot say who has refused nothing goes (KAM-60, contract 8; failing, no consent, second process)")
  func nothingGoesUnasked() throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.open.isStoreThere.value = false
    bench.tracker.record(Tracked.phone, of: anna)
    #expect(bench.flush(anna) == [.network] && bench.sent.isEmpty)
    bench.open.isStoreThere.value = true
    bench.advance(10_000)
    #expect(bench.sent == [["\(Tracked.phoneLine)&visitorCode=anna"]])
  }

  @Test func moreThanARequestTakesGoesWithTheNext() throws {
    let bench = try TrackerBench()
    let long = String(repeating: "x", count: 900_000)
    for number in 0..<5 {
      let visitor = bench.visitor("v\(number)")
      bench.tracker.record(Tracked.custom(1, long), of: visitor)
      bench.tracker.queue(visitor)
    }
    bench.settle()
    bench.advance(1_000)
    // The visitor with whom the limit is passed is still in.
    #expect(bench.sent.map(\.count) == [3])
    bench.advance(1_000)
    #expect(bench.sent.map(\.count) == [3, 2])
    #expect(bench.host.network.requests.allSatisfy { ($0.body?.count ?? 0) < 3_000_000 })
  }

  @Test func whatTheServiceFindsTooLargeGoesInParts() throws {
    let bench = try TrackerBench()
    bench.host.network.setResponder { request in answer((request.body?.count ?? 0) > 2_000 ? 413 : 200) }
    let anna = bench.visitor("anna")
    for index in 0..<20 as Range<Int64> {
      bench.tracker.record(Tracked.custom(index, String(repeating: "y", count: 300), place: index), of: anna)
    }
    bench.tracker.queue(anna)
    bench.settle()
    bench.advance(30_000)
    let arrived = bench.host.network.requests.filter { ($0.body?.count ?? 0) <= 2_000 }.flatMap(\.lines)
    #expect(Set(arrived.filter { $0.contains("customData") }.map { $0.dropFirst(23) }).count == 20)
    #expect(bench.count("rejected") == 0 && bench.count("waiting") == 0)
    bench.tracker.record(Tracked.custom(0, String(repeating: "z", count: 5_000)), of: anna)
    #expect(bench.flush(anna) == [.rejected] && bench.count("rejected") == 1)
  }

  @Test func aHostThatTakesTheRequestsOverEndsThemAsWell() throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.host.network.setResponder(nil)
    bench.tracker.record(Tracked.phone, of: anna)
    let told = Locked<[Status]>([])
    bench.tracker.flushNow(anna) { status in told.change { $0.append(status) } }
    bench.settle()
    bench.tracker.stop()
    bench.settle()
    #expect(told.value == [.cancelled])
    // Started again, the visitor is still due.
    bench.host.network.setResponder { _ in answer(200) }
    bench.tracker.start()
    bench.settle()
    bench.advance(1_000)
    #expect(bench.sent.count == 2 && Set(bench.nonces).count == 1)
  }

  @Test("(KAM-08; refused)") func aTokenThatIsRefusedIsGivenUpAndTheLastAttemptGoesWithout() throws {
    let bench = try TrackerBench(["client_id": "id", "client_secret": "secret"])
    bench.host.network.setResponder { request in
      request.url.contains("/oauth/token")
        ? answer(200, #"{"access_token":"tok","expires_in":7200}"#)
        : answer(request.headers.value(of: "Authorization") == nil ? 200 : 401)
    }
    let anna = bench.visitor("anna")
    bench.tracker.record(Tracked.phone, of: anna)
    _ = bench.flush(anna)
    bench.advance(5_000)
    let requests = bench.host.network.requests.map { request in
      "\(request.url.contains("/oauth/token") ? "token" : "events") \(request.headers.value(of: "Authorization") ?? "")"
    }
    #expect(requests.filter { $0.hasPrefix("events") } == ["events Bearer tok", "events Bearer tok", "events "])
    #expect(requests.filter { $0.hasPrefix("token") }.count == 2 && bench.count("delivered") == 1)
  }
}
