import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

/// What calls were told, in order.
final class HeardAnswers: Sendable {
  private let kept = Locked<[RemoteAnswer]>([])
  var all: [RemoteAnswer] { kept.value }
  var statuses: [Status] { all.map(\.status) }
  /// The data of the last one, as JSON.
  var data: [String] { all.last?.data.map { text($0.json) } ?? [] }
  func take(_ answer: RemoteAnswer) { kept.change { $0.append(answer) } }
}

@Suite("Visitor data, remote data, warehouse audiences")
struct RemoteDataTests {
  private static let configuration =
    #"{"customData":[{"id":1,"index":0},{"id":3,"index":2,"scope":"VISITOR"},{"id":4,"index":3,"scope":"VISITOR","isMappingIdentifier":true}]}"#
  private static let visits =
    #"{"currentVisit":{"visitorCode":"anon","customDataEvents":[{"time":1,"data":{"index":2,"valuesCountMap":{"a":1}}}],"conversionEvents":[{"time":5,"data":{"goalId":7,"revenue":2.5}}]},"previousVisits":[]}"#

  private func rig(
    _ properties: [String: String] = [:], respond: (@Sendable (HTTPRequest) -> ScriptedTransport.Answer?)? = nil
  ) throws -> KameleoonRig {
    try KameleoonRig(properties, configuration: Self.configuration) { request in
      request.url.contains("/v3/") ? answer(304) : respond?(request)
    }
  }

  /// Data requests; those for configurations and tracking are others' affair.
  private func asked(_ rig: KameleoonRig) -> [HTTPRequest] {
    rig.transport.requests.filter { $0.url.contains("/visit/visitor") || $0.url.contains("/map/map") }
  }

  private func open(_ rig: KameleoonRig) throws -> ScriptedExchange {
    try #require(rig.transport.open.first { $0.request.url.contains("/visit/visitor") || $0.request.url.contains("/map/map") })
  }

  @discardableResult
  private func ask(_ rig: KameleoonRig, _ visitor: KameleoonVisitor, _ question: RemoteQuestion, timeout: Int64 = -1)
    -> HeardAnswers
  {
    let heard = HeardAnswers()
    #expect(visitor.ask(question, timeoutMilliseconds: timeout) { heard.take($0) } == .ok)
    rig.scheduler.run()
    _ = rig.client.dispatch(limit: 100)
    return heard
  }

  private let visitorData = RemoteQuestion.visitorData(RemoteVisitorDataFilter(), adds: true)

  // MARK: Visitor data

  @Test(
    "Custom data of the visitor's other devices is there for targeting, and the code for bucketing (KAM-46, KAM-47, KAM-53, KAM-66, KAM-69; ready)"
  )
  func visitorDataIsAdded() throws {
    let rig = try rig { _ in answer(200, Self.visits) }
    let visitor = try rig.visitor("v 1")
    let heard = ask(rig, visitor, visitorData)
    #expect(
      asked(rig).map(\.url) == [
        "https://data.kameleoon.io/visit/visitor?siteCode=site&visitorCode=v%201&maxNumberPreviousVisits=1&version=0&staticData=true&currentVisit=true&customData=true"
      ])
    #expect(heard.statuses == [.ok])
    #expect(
      heard.data == [
        #"{"type":"CustomData","index":2,"values":["a"]}"#, #"{"type":"Conversion","goalId":7,"revenue":2.5,"negative":false}"#,
      ])
    #expect(visitor.facts.customData.map(\.index) == [2])
    #expect(visitor.facts.conversions == [GoalReached(goalID: 7, time: 5)])
    #expect(visitor.facts.mappingIdentifier.map { text($0) } == "anon")
  }

  @Test("Without adding, data is told and the code alone is taken over (KAM-48, KAM-53; ready)")
  func visitorDataIsOnlyTold() throws {
    let rig = try rig { _ in answer(200, Self.visits) }
    let visitor = try rig.visitor("v")
    let heard = ask(rig, visitor, .visitorData(RemoteVisitorDataFilter(), adds: false))
    #expect(heard.data.count == 2)
    #expect(visitor.facts.customData.isEmpty)
    #expect(visitor.facts.conversions.isEmpty)
    #expect(visitor.facts.mappingIdentifier.map { text($0) } == "anon")
    let other = try rig.visitor("w")
    ask(rig, other, .visitorData(RemoteVisitorDataFilter(parts: [.customData]), adds: false))
    #expect(other.facts.mappingIdentifier == nil)
  }

  @Test("A unique identifier is asked for as mapping value (KAM-07, KAM-46; ready)")
  func uniqueIdentifier() throws {
    let rig = try rig(["is_unique_identifier": "true"])
    ask(rig, try rig.visitor("v"), visitorData)
    #expect(asked(rig).first?.url.contains("&mappingValue=v&") == true)
  }

  @Test("Linked visitors share what is fetched (KAM-68; ready)")
  func linkedVisitorsShare() throws {
    let rig = try rig { _ in answer(200, Self.visits) }
    let anonymous = try rig.visitor("anonymous")
    _ = anonymous.add([.customData(CustomData(index: 3, values: [bytes("user")]))])
    let user = try rig.visitor("user")
    ask(rig, user, visitorData)
    #expect(anonymous.facts.customData.map(\.index).contains(2))
    #expect(user.facts.customData.map(\.index).contains(2))
    #expect(user.facts.mappingIdentifier.map { text($0) } == "anonymous")
  }

  @Test("A number of visits that the service does not take is brought into its range, with a warning (KAM-49; ready)")
  func previousVisits() throws {
    for (strict, asks) in [("false", "=25&"), ("true", "=26&")] {
      let rig = try rig(["strict_vendor": strict])
      ask(rig, try rig.visitor("v"), .visitorData(RemoteVisitorDataFilter(previousVisitAmount: 26), adds: true))
      #expect(asked(rig).first?.url.contains("maxNumberPreviousVisits\(asks)") == true)
      #expect(rig.log.lines.contains { $0.message.contains("previousVisitAmount 26 becomes 25") } == (strict == "false"))
    }
  }

  // MARK: Remote data

  @Test("Remote data is handed over as it is kept; without a key it is that of the visitor's code (KAM-45; ready)")
  func remoteData() throws {
    let body = #"{ "json_value" : "x", "n": [1, 2, {"a": null}] }"#
    let rig = try rig { _ in answer(200, body) }
    let visitor = try rig.visitor("v/1")
    let heard = HeardAnswers()
    for key in [bytes("a b"), nil, []] as [[UInt8]?] {
      #expect(visitor.ask(.data(key: key)) { heard.take($0) } == .ok)
    }
    rig.scheduler.run()
    _ = rig.client.dispatch(limit: 100)
    let base = "https://data.kameleoon.io/map/map?siteCode=site&key="
    #expect(asked(rig).map(\.url) == ["\(base)a%20b", "\(base)v%2F1", "\(base)v%2F1"])
    #expect(heard.all.map { $0.body.map { text($0) } } == [body, body, body])
  }

  @Test(
    "An answer that means success and has no content is none (KAM-45; ready)",
    arguments: [
      answer(304, "ignored"), answer(403, "ignored"), answer(200), answer(204),
    ])
  func remoteDataWithoutContent(response: ScriptedTransport.Answer) throws {
    let rig = try rig { _ in response }
    let heard = ask(rig, try rig.visitor("v"), .data(key: bytes("k")))
    #expect(heard.statuses == [.ok])
    #expect(heard.all.first?.body == nil)
  }

  // MARK: Warehouse audiences

  @Test("Names of audiences become values of a custom data (KAM-55; ready)")
  func warehouse() throws {
    let rig = try rig { _ in answer(200, #"{"warehouseAudiences":{"seg1":1,"seg2":{}}}"#) }
    let visitor = try rig.visitor("v")
    let heard = ask(rig, visitor, .warehouseAudience(key: bytes("user 7"), index: 10))
    ask(rig, visitor, .warehouseAudience(key: nil, index: 11))
    ask(rig, visitor, .warehouseAudience(key: [], index: 11))
    let base = "https://data.kameleoon.io/map/map?siteCode=site&key="
    #expect(asked(rig).map(\.url) == ["\(base)user%207", "\(base)v", "\(base)v"])
    #expect(heard.data == [#"{"type":"CustomData","index":10,"values":["seg1","seg2"]}"#])
    #expect(visitor.facts.customData.map { $0.values.map { text($0) } } == [["seg1", "seg2"], ["seg1", "seg2"]])
  }

  @Test(
    "An answer without audiences is a custom data without values (KAM-55; ready)",
    arguments: ["{}", "[1]", "7", #"{"warehouseAudiences":[]}"#])
  func noAudiences(body: String) throws {
    let rig = try rig { _ in answer(200, body) }
    let visitor = try rig.visitor("v")
    #expect(ask(rig, visitor, .warehouseAudience(key: nil, index: 10)).data == [#"{"type":"CustomData","index":10,"values":[]}"#])
    #expect(visitor.facts.customData.map(\.index) == [10])
  }

  @Test(
    "An answer that is none adds nothing (KAM-55, KAM-74; failing)",
    arguments: [
      (answer(200, "null"), Status.parse), (answer(200, ""), .parse), (answer(200, "{"), .parse), (answer(304), .notFound),
      (answer(404), .notFound), (answer(500), .network), (noAnswer, .network),
    ])
  func noWarehouse(_ outcome: ScriptedTransport.Answer, _ status: Status) throws {
    let rig = try rig { _ in outcome }
    let visitor = try rig.visitor("v")
    #expect(ask(rig, visitor, .warehouseAudience(key: nil, index: 10)).statuses == [status])
    #expect(visitor.facts.customData.isEmpty)
    #expect(visitor.ask(.warehouseAudience(key: nil, index: -1)) { _ in } == .argument)
  }

  // MARK: Failures

  /// A5
  @Test(
    "A failure is told as such, once, after one attempt (KAM-46, KAM-74; failing)",
    arguments: [
      (answer(500), Status.network), (answer(404), .notFound), (answer(401), .network), (answer(304), .network),
      (answer(403), .network), (answer(200, "[]"), .parse), (answer(200, "x"), .parse), (answer(200, ""), .parse),
      (noAnswer, .network), (.failure(TransportFailure(.timeout, "t")), .timeout),
      (.failure(TransportFailure(.tooLarge, "t")), .limit), (.failure(TransportFailure(.tls, "t")), .network),
    ])
  func failures(_ outcome: ScriptedTransport.Answer, _ status: Status) throws {
    let rig = try rig { _ in outcome }
    let visitor = try rig.visitor("v")
    #expect(ask(rig, visitor, visitorData).statuses == [status])
    #expect(asked(rig).count == 1)
    #expect(visitor.facts.customData.isEmpty)
    #expect(rig.log.lines.contains { $0.message.contains("visitor data: ") })
    let vendor = try self.rig(["strict_vendor": "true"]) { _ in outcome }
    let heard = ask(vendor, try vendor.visitor("v"), visitorData)
    #expect(heard.statuses == [.ok])
    #expect(heard.data.isEmpty)
  }

  @Test("Answers are bounded (KAM-75; ready)")
  func sizes() throws {
    let rig = try rig(["network.max_response_bytes": "1048576"])
    let visitor = try rig.visitor("v")
    ask(rig, visitor, visitorData)
    ask(rig, visitor, .data(key: nil))
    #expect(asked(rig).map(\.maximumResponseBytes) == [1 << 20, 1 << 20])
    let standard = try self.rig()
    ask(standard, try standard.visitor("v"), visitorData)
    #expect(asked(standard).first?.maximumResponseBytes == 8 << 20)
  }

  @Test("The client's time limit is the call's, unless the call has its own (KAM-04; failing)")
  func timeLimits() throws {
    let rig = try rig(["default_timeout_millisecond": "4000"])
    let visitor = try rig.visitor("v")
    let (first, second) = (ask(rig, visitor, visitorData), ask(rig, visitor, .data(key: nil), timeout: 700))
    let third = ask(rig, visitor, .data(key: nil), timeout: .max)
    #expect(asked(rig).map(\.timeoutMilliseconds) == [4_000, 700, 86_400_000])
    rig.scheduler.advance(milliseconds: 700)
    _ = rig.client.dispatch(limit: 100)
    #expect(second.statuses == [.timeout])
    #expect(first.statuses.isEmpty)
    rig.scheduler.advance(milliseconds: 3_300)
    _ = rig.client.dispatch(limit: 100)
    #expect(first.statuses == [.timeout])
    #expect(third.statuses.isEmpty)
  }

  @Test("What comes after the time is over changes nothing (KAM-04, KAM-74; failing)")
  func late() throws {
    let rig = try rig()
    let visitor = try rig.visitor("v")
    let heard = ask(rig, visitor, visitorData, timeout: 100)
    let exchange = try open(rig)
    rig.scheduler.advance(milliseconds: 100)
    exchange.complete(answer(200, Self.visits))
    rig.scheduler.run()
    _ = rig.client.dispatch(limit: 100)
    #expect(heard.statuses == [.timeout])
    #expect(visitor.facts.customData.isEmpty)
  }

  @Test("A client that closes tells everybody who waits, once (KAM-74; closing)")
  func closing() throws {
    let rig = try rig()
    let visitor = try rig.visitor("v")
    let heard = ask(rig, visitor, visitorData)
    let exchange = try open(rig)
    #expect(heard.all.isEmpty)
    let isClosed = Locked(false)
    let thread = HostThread { [client = rig.client] in
      _ = client.close(timeoutMilliseconds: 5_000)
      isClosed.value = true
    }
    rig.settle { isClosed.value }
    thread.join()
    exchange.completeUnduly(answer(200, Self.visits))
    rig.scheduler.run()
    #expect(heard.statuses == [.cancelled])
    #expect(visitor.ask(visitorData) { _ in } == .state)
    #expect(visitor.facts.customData.isEmpty)
  }

  @Test("Offline nobody is asked, and who waits is told (KAM-74; offline)")
  func offline() throws {
    let rig = try rig()
    let visitor = try rig.visitor("v")
    let waiting = ask(rig, visitor, visitorData)
    _ = rig.client.setOnline(false)
    rig.scheduler.run()
    let refused = ask(rig, visitor, visitorData)
    rig.settle { !waiting.all.isEmpty && !refused.all.isEmpty }
    #expect(waiting.statuses == [.network])
    #expect(refused.statuses == [.network])
    #expect(asked(rig).count == 1)
  }

  // MARK: Tokens

  private static let credentials = ["client_id": "cid", "client_secret": "csecret"]
  private static let token = answer(200, #"{"access_token":"tok","expires_in":7200}"#)

  @Test("With credentials requests are authorised; a token that is refused is tried without, at once (KAM-08; refused)")
  func tokens() throws {
    let rig = try rig(Self.credentials) { request in
      if request.url.contains("/oauth/token") { return Self.token }
      return request.headers.value(of: "Authorization") == nil ? answer(200, Self.visits) : answer(401)
    }
    let visitor = try rig.visitor("v")
    #expect(ask(rig, visitor, visitorData).statuses == [.ok])
    #expect(asked(rig).map { $0.headers.value(of: "Authorization") } == ["Bearer tok", nil])
    ask(rig, visitor, .data(key: nil))
    #expect(rig.transport.requests.filter { $0.url.contains("/oauth/token") }.count == 2)
  }

  @Test("A service of tokens that hangs leaves half of the time for asking without one (KAM-04, KAM-08; failing)")
  func hangingTokens() throws {
    let rig = try rig(Self.credentials)
    let heard = ask(rig, try rig.visitor("v"), visitorData, timeout: 1_000)
    #expect(asked(rig).isEmpty)
    rig.scheduler.advance(milliseconds: 500)
    #expect(asked(rig).map(\.timeoutMilliseconds) == [500])
    try open(rig).complete(answer(200, Self.visits))
    rig.settle { !heard.all.isEmpty }
    #expect(heard.statuses == [.ok])
  }

  // MARK: Waiting

  @Test("The forms that wait hand out the answer, and are refused on threads of the library's own (KAM-B04; ready)")
  func waiting() throws {
    let rig = try rig { _ in answer(200, Self.visits) }
    let visitor = try rig.visitor("v")
    let refused = Locked<Status?>(nil)
    let waited = Locked<[RemoteAnswer]>([])
    let isStarted = Thread.start(name: "own") { [visitorData] in refused.value = visitor.askAndWait(visitorData).status }
    #expect(isStarted)
    let thread = HostThread { [visitorData] in
      // Before the lock is taken: whoever settles looks at what is behind it.
      let answer = visitor.askAndWait(visitorData)
      waited.change { $0.append(answer) }
    }
    rig.settle { refused.value != nil && !waited.value.isEmpty }
    thread.join()
    #expect(refused.value == .state)
    #expect(waited.value.first?.status == .ok)
    #expect(waited.value.first?.data.count == 2)
  }
}
