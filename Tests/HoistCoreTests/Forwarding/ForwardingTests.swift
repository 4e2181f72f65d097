import HoistBase
@testable import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

/// Where batches of other processes go in these tests.
private final class Target: EventPolicy, @unchecked Sendable {
  let division: BodyDivision
  let bearer = Record<String>()
  var later: String?

  init(_ division: BodyDivision) { self.division = division }

  func encode(_ batch: EventBatch) -> EventEncoding { .later }
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict { .standard(answer) }

  func forwarded(_ batch: ForwardedBatch) -> ForwardedRequest {
    if let later { return .later(later) }
    let request = HTTPRequest(
      method: "POST", url: "https://events.test/in?key=k", headers: [HTTPHeader("id", batch.payloadID)], body: batch.body)
    return .request(request, division)
  }

  func prepareForwarded(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    var request = request
    request.headers.set("token", "t")
    completion(request)
  }
}

private let names: [Int32: String] = [0: "ok", 1: "argument", 8: "network", 10: "unsupported", 12: "cancelled", 15: "rejected"]

private struct Bench {
  let fixture: ClientFixture
  let target: Target
  let results = Record<String>()

  init(_ division: BodyDivision = .elements, _ properties: [(String, String)] = [], plugins: Plugins = Plugins()) throws {
    fixture = try ClientFixture([("dispatch", "manual")] + properties, plugins: plugins)
    target = Target(division)
    let host = try #require(fixture.provider.host)
    _ = EventPipeline(EventPipeline.Options(name: "events"), policy: target, host: host)
    try fixture.serve()
  }

  var requests: [HTTPRequest] { fixture.transport.requests }
  var bodies: [String] { requests.map(\.text) }

  @discardableResult
  func forward(_ body: String, id: String = "1", _ change: (inout ForwardedBatch) -> Void = { _ in }) -> Status {
    var batch = ForwardedBatch(
      service: "fake", keyDigest: Hex.encode(SHA256.hash("fake")), pipeline: "events", method: "POST", path: "/in", id: id,
      body: Array(body.utf8))
    change(&batch)
    let status = fixture.client.forward(batch) { [results] in
      results.append("\(names[$0.status.rawValue] ?? "?") \($0.message)|\(String(decoding: $0.refused, as: UTF8.self))")
    }
    settle()
    return status
  }

  func settle() {
    fixture.scheduler.run()
    fixture.dispatchAll()
  }

  func answer(_ status: Int, _ headers: [HTTPHeader] = []) {
    fixture.transport.open.first?.complete(.success(HTTPResponse(status: status, headers: headers)))
    settle()
  }

  func advance(_ milliseconds: Int64) {
    fixture.scheduler.advance(milliseconds: milliseconds)
    settle()
  }

  var counters: [String: Int64] {
    let mine = fixture.client.forwarding.statistics.map { ($0.name, $0.value) }
    return Dictionary(mine) { $1 }
  }
}

@Suite("What other processes have recorded, delivered by this client") struct ForwardingTests {
  @Test("Ready: a batch goes with the body that it came with, and what the service adds; accepted, it is told once")
  func accepted() throws {
    let bench = try Bench()
    #expect(bench.forward(#"[{"a":1}, {"b":2}]"#) == .ok)
    #expect(bench.bodies == [#"[{"a":1},{"b":2}]"#] && bench.requests[0].url == "https://events.test/in?key=k")
    #expect(bench.requests[0].headers.value(of: "token") == "t" && bench.results.all == [])
    bench.answer(202)
    #expect(bench.results.all == ["ok |"])
    #expect(bench.counters == ["accepted": 1, "rejected": 0, "returned": 0, "waiting": 0])
  }

  @Test(
    "Failing: a batch is tried again as it is, under its id, no sooner than the service asks, and nothing else goes meanwhile")
  func retryAfter() throws {
    let bench = try Bench()
    bench.forward(#"[{"a":1}]"#)
    bench.answer(503, [HTTPHeader("Retry-After", "30")])
    bench.forward(#"[{"b":2}]"#, id: "2")
    bench.advance(29_000)
    #expect(bench.bodies == [#"[{"a":1}]"#] && bench.results.all == [])
    bench.advance(2_000)
    #expect(bench.bodies[1] == #"[{"a":1}]"#)
    #expect(bench.requests[1].headers.value(of: "id") == bench.requests[0].headers.value(of: "id"))
    bench.answer(200)
    bench.answer(200)
    #expect(bench.bodies.count == 3 && bench.results.all == ["ok |", "ok |"])
  }

  @Test(
    "Refused: 401, 403 and an address that is none are tried again slowly; nothing is given up", arguments: [401, 403, 404, 405])
  func refusedKey(status: Int) throws {
    let bench = try Bench()
    bench.forward(#"[{"a":1}]"#)
    bench.answer(status)
    bench.advance(200_000)
    #expect(bench.bodies.count == 1 && bench.results.all == [])
    bench.advance(101_000)
    bench.answer(200)
    #expect(bench.bodies.count == 2 && bench.results.all == ["ok |"])
  }

  @Test("Ready: what is too large goes in halves, each under an id of its own")
  func tooLarge() throws {
    let bench = try Bench()
    bench.forward(#"[{"a":1},{"b":2},{"c":3}]"#)
    bench.answer(413)
    bench.answer(200)
    #expect(bench.results.all == [])
    bench.answer(200)
    #expect(bench.bodies == [#"[{"a":1},{"b":2},{"c":3}]"#, #"[{"a":1}]"#, #"[{"b":2},{"c":3}]"#])
    #expect(Set(bench.requests.map { $0.headers.value(of: "id") ?? "" }).count == 3 && bench.results.all == ["ok |"])
  }

  @Test(
    "Ready: of what is refused the bad part stands alone, and is told with the reason as a body of its own; the others arrive")
  func oneBadPart() throws {
    let bench = try Bench(.elementsOf("list"))
    bench.forward(#"{"v":1,"list":[{"a":1},{"bad":2},{"c":3}],"end":0}"#)
    while let open = bench.fixture.transport.open.first { bench.answer(open.request.text.contains("bad") ? 400 : 200) }
    #expect(bench.results.all == [#"rejected the service answered 400|{"v":1,"list":[{"bad":2}],"end":0}"#])
    #expect(bench.bodies.last == #"{"v":1,"list":[{"c":3}],"end":0}"#)
    #expect(bench.counters["rejected"] == 1)
  }

  @Test(
    "Ready: a body that cannot be divided is refused whole",
    arguments: [
      (BodyDivision.none, #"[{"a":1},{"b":2}]"#), (.elements, #"[1,2]"#), (.elements, "no JSON"), (.elements, "[]"),
      (.elementsOf("list"), #"{"list":{}}"#), (.elementsOf("list"), #"{"other":[{}]}"#), (.lines, "a"), (.lines, ""),
    ])
  func undivided(division: BodyDivision, body: String) throws {
    let bench = try Bench(division)
    bench.forward(body)
    bench.answer(400)
    #expect(bench.bodies == [body] && bench.results.all == ["rejected the service answered 400|\(body)"])
  }

  @Test("Ready: lines are divided, too") func lines() throws {
    let bench = try Bench(.lines)
    bench.forward("a\nbad\nc")
    while let open = bench.fixture.transport.open.first { bench.answer(open.request.text.contains("bad") ? 400 : 200) }
    #expect(bench.bodies == ["a\nbad\nc", "a", "bad\nc", "bad", "c"])
    #expect(bench.results.all == ["rejected the service answered 400|bad"])
  }

  @Test("Ready: what is none of the client's is told to be so, and why; nothing goes out") func foreign() throws {
    let bench = try Bench()
    bench.forward("[]") { $0.service = "other" }
    bench.forward("[]") { $0.keyDigest = "5eed" }
    bench.forward("[]") { $0.pipeline = "hits" }
    bench.forward("[]") { $0.path = "/out" }
    bench.forward("[]") { $0.method = "PUT" }
    #expect(
      bench.results.all.map { String($0.dropFirst("argument the batch is none of this client's: ".count)) } == [
        #"its service is "other", and the client's "fake"|"#, "it was recorded with another key|",
        #"the client has no pipeline "hits"|"#, #""events" sends POST /in|"#, #""events" sends POST /in|"#,
      ])
    bench.target.later = "no address yet"
    bench.forward("[]")
    #expect(bench.results.all.last == "network no address yet|" && bench.requests.isEmpty)
  }

  @Test("Ready: what a policy knows no way for is told to be unsupported") func unsupported() throws {
    let bench = try Bench()
    let host = try #require(bench.fixture.provider.host)
    _ = EventPipeline(EventPipeline.Options(name: "plain"), policy: PlainPolicy(), host: host)
    bench.forward("[]") { $0.pipeline = "plain" }
    #expect(bench.results.all == [#"unsupported what "plain" sends cannot be forwarded|"#])
  }

  @Test("Offline: nothing goes out, and all of it when the client is online again") func offline() throws {
    let bench = try Bench(.elements, [("online", "false")])
    bench.forward(#"[{"a":1}]"#)
    bench.advance(600_000)
    #expect(bench.requests.isEmpty && bench.results.all == [])
    #expect(bench.fixture.client.setOnline(true) == .ok)
    bench.settle()
    bench.answer(200)
    #expect(bench.results.all == ["ok |"])
    #expect(bench.fixture.client.setOnline(false) == .ok)
    bench.forward(#"[{"b":1}]"#)
    #expect(bench.requests.count == 1)
  }

  @Test("Where the service is to be sent nothing, forwarded batches wait as well, and go when that is over (panic)")
  func silenced() throws {
    let bench = try Bench()
    let host = try #require(bench.fixture.provider.host)
    let pipeline = EventPipeline(EventPipeline.Options(name: "events"), policy: bench.target, host: host)
    pipeline.hold(.silenced)
    bench.forward(#"[{"a":1}]"#)
    bench.advance(600_000)
    #expect(bench.requests.isEmpty && bench.results.all == [])
    pipeline.lift(.silenced)
    bench.settle()
    bench.answer(200)
    #expect(bench.results.all == ["ok |"])
    pipeline.hold(.silenced)
    bench.forward(#"[{"b":1}]"#)
    #expect(bench.requests.count == 1)
  }

  @Test("Full queue: more batches are refused as too many, until one has ended; a large one goes alone") func full() throws {
    let bench = try Bench(.none, [("online", "false")])
    for number in 0..<1_000 { #expect(bench.forward("x", id: "\(number)") == .ok) }
    #expect(bench.forward("x") == .limit && bench.counters["waiting"] == 1_000)
    _ = bench.fixture.client.setOnline(true)
    bench.settle()
    bench.answer(200)
    #expect(bench.forward("x") == .ok)
    let large = try Bench(.none, [("online", "false")])
    #expect(large.forward(String(repeating: "x", count: 33 << 20)) == .ok && large.forward("x") == .limit)
  }

  @Test("Closed: what is under way is given up and told so, and nothing of it goes later; reopened: batches go again")
  func closed() throws {
    let bench = try Bench()
    bench.forward(#"[{"a":1}]"#)
    #expect(bench.fixture.close() == .ok)
    bench.fixture.dispatchAll()
    #expect(bench.results.all == ["cancelled the client is closed|"])
    #expect(bench.fixture.transport.exchanges[0].isCancelled && bench.forward("[]") == .state)
    #expect(bench.fixture.client.reopen() == .ok)
    bench.advance(600_000)
    #expect(bench.bodies.count == 1)
    bench.forward(#"[{"b":1}]"#)
    bench.answer(200)
    #expect(bench.results.all.last == "ok |" && bench.counters == ["accepted": 1, "rejected": 0, "returned": 1, "waiting": 0])
  }

  @Test("A client with a dispatcher sends them to the service all the same: it may be where they came from") func dispatcher()
    throws
  {
    final class Nowhere: EventSink {
      func deliver(_ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void) -> (any Cancellable)? {
        completion(.taken)
        return nil
      }
    }
    var plugins = Plugins()
    plugins.eventSink = Nowhere()
    let bench = try Bench(plugins: plugins)
    bench.forward(#"[{"a":1}]"#)
    bench.answer(200)
    #expect(bench.bodies == [#"[{"a":1}]"#] && bench.results.all == ["ok |"])
  }
}

@Suite("A forked child forwards what it is given itself (G9)", .serialized, .enabled(if: ForkedChild.isSupported))
struct ForwardingForkTests {
  @Test("Forked: what is under way is the parent's, and has no place in the child") func forked() throws {
    let bench = try Bench()
    bench.forward(#"[{"a":1}]"#)
    let ending = ForkedChild.run {
      bench.fixture.scheduler.simulateFork()
      bench.forward(#"[{"b":2}]"#, id: "2")
      guard bench.bodies.last == #"[{"b":2}]"#, bench.bodies.count == 2 else { return 1 }
      bench.fixture.transport.open.last?.complete(.success(HTTPResponse(status: 200)))
      bench.settle()
      guard bench.results.all == ["ok |"] else { return 2 }
      return bench.counters == ["accepted": 1, "rejected": 0, "returned": 0, "waiting": 0] ? 0 : 3
    }
    #expect(ending == .exited(0))
    bench.answer(200)
    #expect(bench.results.all == ["ok |"])
  }
}
