import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

private struct Case: Sendable, CustomTestStringConvertible {
  var name: String
  var answer: ScriptedTransport.Answer
  var status: Status
  var testDescription: String { name }
}

private func without(_ status: Int) -> ScriptedTransport.Answer {
  var response = HTTPResponse(status: status)
  response.hasNoBody = true
  return .success(response)
}

/// The table of protocols/unleash.md B.5: what each answer means.
struct FrontendAnswerTests {
  private static let cases: [Case] = [
    Case(name: "nothing at all", answer: .failure(TransportFailure(.unreachable, "no route")), status: .unleashNoResponse),
    Case(name: "a time-out", answer: .failure(TransportFailure(.timeout, "slow")), status: .unleashNoResponse),
    Case(name: "a URL nobody can send to", answer: .failure(TransportFailure(.invalidURL, "no")), status: .unleashURL),
    Case(name: "304", answer: answer("", status: 304), status: .ok),
    Case(name: "400", answer: answer("{}", status: 400), status: .unleashNetwork),
    Case(name: "401", answer: answer("{}", status: 401), status: .unleashNetwork),
    Case(name: "598", answer: answer("{}", status: 598), status: .unleashNetwork),
    Case(name: "598 without body", answer: without(598), status: .unleashNetwork),
    Case(name: "200 without body", answer: without(200), status: .ok),
    Case(name: "204 without body", answer: without(204), status: .ok),
    Case(name: "201", answer: answer("{}", status: 201), status: .unleashUnhandledStatus),
    Case(name: "204", answer: answer("", status: 204), status: .unleashUnhandledStatus),
    Case(name: "302", answer: answer("{}", status: 302), status: .unleashUnhandledStatus),
    Case(name: "599", answer: answer("{}", status: 599), status: .unleashUnhandledStatus),
    Case(name: "200, empty", answer: answer(""), status: .unleashDecoding),
    Case(name: "200, cut off", answer: answer(#"{"toggles":[{"name":"a","#), status: .unleashDecoding),
    Case(name: "200, a wrong type", answer: answer(#"{"toggles":[{"name":1,"enabled":true}]}"#), status: .unleashDecoding),
    Case(name: "200, no toggles", answer: answer(#"{"features":[]}"#), status: .unleashDecoding),
    Case(
      name: "200, one bad toggle among good ones", answer: answer(#"{"toggles":[{"name":"b","enabled":true},{"name":"c"}]}"#),
      status: .unleashDecoding),
    Case(name: "200, read", answer: toggles("a", "b"), status: .ok),
  ]

  @Test(
    "Each kind of answer has its completion, and none but a good one changes flags, tag or readiness (UNL-72; starting, failing)",
    arguments: cases)
  private func kinds(_ one: Case) throws {
    let fresh = try #require(ClientRig(frontend))
    #expect(fresh.start(one.answer).value == one.status)
    #expect(fresh.face.isReady == (one.name == "200, read"))
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a", etag: "\"1\""))
    _ = rig.takeEvents()
    #expect(rig.fetch(one.answer).value == one.status)
    #expect(rig.isOn("a") && rig.face.lastFailure == one.status && rig.isOn("b") == (one.name == "200, read"))
    let expected: [String] = one.status != .ok ? ["fetch_error"] : one.name == "200, read" ? ["update"] : []
    #expect(rig.takeEvents() == expected)
    rig.fetch(toggles("a"))
    #expect(rig.header("If-None-Match", ofRequest: 2) == "\"1\"")
  }

  @Test("B.5, G-9: a tag is kept only with an answer that could be read, and echoed byte for byte")
  func tagsComeWithGoodAnswers() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a", etag: "W/\"12-å\""))
    #expect(rig.header("If-None-Match", ofRequest: 0) == nil)
    rig.fetch(answer("{\"toggles\":[", etag: "\"bad\""))
    rig.fetch(answer("{}", status: 500, etag: "\"worse\""))
    // An answer without a tag, or with an empty one, leaves the former.
    rig.fetch(toggles("b"))
    rig.fetch(toggles("b", etag: ""))
    rig.fetch(toggles("b", etag: "\"next\""))
    rig.fetch(answer("", status: 304))
    #expect((1...5).allSatisfy { rig.header("If-None-Match", ofRequest: $0) == "W/\"12-å\"" })
    #expect(rig.header("If-None-Match", ofRequest: 6) == "\"next\"")
  }

  @Test("B.4, G-10: of toggles of one name the first counts, and unknown members are passed over")
  func duplicatesAndStrangers() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(answer(#"{"x":{"y":[1]},"toggles":[{"name":"a","enabled":true,"new":{}},{"name":"a","enabled":false}]}"#))
    #expect(rig.isOn("a"))
  }

  @Test("D.1: inside one fetch the flags come first, then the event, then the completion")
  func flagsThenEventThenCompletion() throws {
    let rig = try #require(ClientRig(frontend))
    let order = LockedValue<[String]>([])
    let client = rig.client
    _ = client.observe(
      .ready, key: nil,
      ClosureObserver { _ in
        let isServed = "a".withBytes { client.evaluate($0, nil, .bool, []) { evaluation, _ in evaluation.integer != 0 } }
        order.withLock { $0.append("ready \(isServed)") }
      })
    rig.transport.enqueue(toggles("a"))
    _ = client.promise({ _ in order.withLock { $0.append("done") } }) { rig.face.start(bootstrap: nil, completion: $0) }
    rig.settle { rig.client.state == .ready }
    _ = rig.takeEvents()
    #expect(order.withLock { $0 } == ["ready true", "done"])
  }
}
