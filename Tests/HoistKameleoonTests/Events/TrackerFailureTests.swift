import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("When tracking requests fail (4.4, 2.11)") struct TrackerFailureTests {
  @Test(arguments: [0, 301, 400, 401, 404, 429, 500, 503])
  func aFailedRequestIsSentAgainAfterFiveSecondsThenWithTheNextInterval(_ status: Int) throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.host.network.setResponder { _ in status == 0 ? noAnswer : answer(status) }
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.record(Tracked.exposure(1, 1), of: anna)
    let told = Locked<[Status]>([])
    bench.tracker.flushNow(anna) { status in told.change { $0.append(status) } }
    bench.settle()
    bench.advance(4_999)
    #expect(bench.sent.count == 1 && told.value == [])
    bench.advance(1)
    #expect(bench.sent.count == 2 && told.value == [.network])
    #expect(anna.exposures.value == ["1 is sent", "1 waits"])
    bench.host.network.setResponder { _ in answer(204) }
    bench.advance(1_000)
    #expect(bench.sent.count == 3 && Set(bench.nonces).count == 1 && bench.sent[0].count == 2)
    #expect(anna.exposures.value == ["1 is sent", "1 waits", "1 is sent"])
    bench.advance(60_000)
    #expect(bench.sent.count == 3 && bench.count("delivered") == 2)
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

  @Test("KAM-B25") func afterAFailureOneVisitorGoesAtEachIntervalUntilARequestArrives() throws {
    let bench = try TrackerBench()
    bench.host.network.setResponder { _ in answer(500) }
    let visitors = ["p1", "p2", "p3"].map { bench.visitor($0) }
    for visitor in visitors {
      bench.tracker.record(Tracked.phone, of: visitor)
      bench.tracker.queue(visitor)
    }
    bench.settle()
    bench.advance(1_000)
    bench.advance(5_000)
    #expect(bench.sent.map(\.count) == [3, 3])
    bench.advance(1_000)
    bench.advance(5_000)
    #expect(bench.sent.map(\.count) == [3, 3, 1, 1])
    bench.host.network.setResponder { _ in answer(200) }
    bench.advance(1_000)
    bench.advance(1_000)
    #expect(bench.sent.map(\.count) == [3, 3, 1, 1, 1, 2])
    #expect(bench.sent[2] == bench.sent[4] && bench.sent[2] == ["\(Tracked.phoneLine)&visitorCode=p1"])
    bench.advance(10_000)
    #expect(bench.sent.count == 6)
  }

  @Test("KAM-B25") func aVisitorThatTheServiceRefusesHoldsUpNobody() throws {
    let bench = try TrackerBench()
    bench.host.network.setResponder { request in answer(request.text.contains("visitorCode=poison") ? 400 : 200) }
    for code in ["poison", "anna", "bea"] {
      let visitor = bench.visitor(code)
      bench.tracker.record(Tracked.conversion(1), of: visitor)
      bench.tracker.queue(visitor)
    }
    bench.settle()
    for _ in 0..<60 { bench.advance(1_000) }
    #expect(bench.count("delivered") == 2 && (bench.count("waiting") ?? 0) + (bench.count("in_flight") ?? 0) == 1)
  }

  @Test("4.9") func aFlushThatIsAskedForDoesNotWaitForTheSecondAttempt() throws {
    let bench = try TrackerBench()
    bench.host.network.enqueue(answer(500))
    let anna = bench.visitor("anna")
    bench.tracker.record(Tracked.phone, of: anna)
    #expect(bench.flush(anna) == [])
    let told = Locked<Bool?>(nil)
    bench.tracker.flush { told.value = $0 }
    bench.settle()
    #expect(bench.sent.count == 2 && told.value == true)
  }

  @Test func aRequestThatWaitsToBeSentAgainHoldsUpNobody() throws {
    let bench = try TrackerBench()
    let (anna, bea) = (bench.visitor("anna"), bench.visitor("bea"))
    bench.host.network.enqueue(answer(500))
    bench.tracker.record(Tracked.phone, of: anna)
    _ = bench.flush(anna)
    bench.tracker.record(Tracked.phone, of: bea)
    #expect(bench.flush(bea) == [.ok])
    bench.advance(5_000)
    #expect(bench.sent.count == 3)
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
    _ = bench.flush(anna)
    bench.advance(10_000)
    #expect(bench.count("rejected") == 1)
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
    #expect(bench.sent.count == 2 && bench.nonces[0] == bench.nonces[1])
  }

  @Test("KAM-08") func aTokenThatIsRefusedIsGivenUpAndTheLastAttemptGoesWithout() throws {
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
