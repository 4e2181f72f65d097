import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Events are recorded, wait and travel together (4.4.6, 4.4.7)")
struct EventDeliveryTests {
  @Test("2.4: the request says what it is, and how often it may be counted")
  func request() throws {
    let rig = RecorderRig()
    rig.answer(answer(202))
    #expect(rig.flush() == true)
    let request = try #require(rig.requests.first)
    #expect(request.method == "POST")
    #expect(request.url == "https://e.test/mobile/events/bulk")
    #expect(request.headers.value(of: "Content-Type") == "application/json")
    #expect(request.headers.value(of: "X-LaunchDarkly-Event-Schema") == "4")
    #expect(request.headers.value(of: "X-LaunchDarkly-Payload-ID")?.utf8.count == 36)
    #expect(!request.compressesBody)
  }

  @Test("With compression the body is to be sent as gzip (LD-84; ready)")
  func compression() {
    let rig = RecorderRig { $0.policy.compresses = true }
    rig.flush()
    #expect(rig.requests.map(\.compressesBody) == [true])
  }

  @Test("The first payload goes one interval after going online, then one each (LD-41; ready)")
  func interval() {
    let rig = RecorderRig()
    rig.host.network.setResponder { _ in answer(202) }
    rig.time.advance(milliseconds: 29_999)
    #expect(rig.requests.isEmpty)
    rig.time.advance(milliseconds: 1)
    #expect(rig.payloads == [["identify"]])
    rig.track("a")
    rig.track("b")
    rig.time.advance(milliseconds: 29_999)
    #expect(rig.requests.count == 1)
    rig.time.advance(milliseconds: 1)
    #expect(rig.payloads == [["identify"], ["a", "b"]])
  }

  @Test("4.4.7: without anything to send there is no request")
  func nothing() {
    let rig = RecorderRig(identifies: false)
    #expect(rig.flush() == true)
    rig.time.advance(milliseconds: 120_000)
    #expect(rig.requests.isEmpty)
  }

  @Test("A payload has everything, in the order of recording, with the summary last (LD-40, 4.4.7; ready)")
  func onePayload() {
    let rig = RecorderRig()
    rig.countUnknown("nope")
    rig.track("a")
    rig.track("b")
    rig.flush()
    #expect(rig.payloads == [["identify", "a", "b", "summary"]])
  }

  @Test("Every payload has an id of its own (LD-43; ready)")
  func payloadIDs() {
    let rig = RecorderRig()
    rig.host.network.setResponder { _ in answer(202) }
    rig.flush()
    rig.track("a")
    rig.flush()
    #expect(Set(rig.requests.map { $0.headers.value(of: "X-LaunchDarkly-Payload-ID") }).count == 2)
  }

  @Test("Offline everything waits, and is sent one interval after going online (LD-10, LD-41; offline)")
  func offline() {
    let rig = RecorderRig(isOnline: false)
    rig.host.network.setResponder { _ in answer(202) }
    rig.track("a")
    rig.countUnknown("nope")
    #expect(rig.flush() == false)
    rig.time.advance(milliseconds: 100_000)
    #expect(rig.requests.isEmpty)
    rig.recorder.onlineChanged(true)
    rig.time.advance(milliseconds: 29_000)
    #expect(rig.requests.isEmpty)
    rig.time.advance(milliseconds: 1_000)
    #expect(rig.payloads == [["identify", "a", "summary"]])
  }

  @Test("4.4.5: while offline the summary's period goes on")
  func periodOffline() {
    let rig = RecorderRig(isOnline: false)
    let start = rig.time.unixMilliseconds
    rig.countUnknown("nope")
    rig.flush()
    rig.time.advance(milliseconds: 70_000)
    rig.countUnknown("nope")
    rig.recorder.onlineChanged(true)
    rig.time.run()
    rig.flush()
    #expect(rig.requests.first?.text.contains(#""startDate":\#(start),"endDate":\#(start + 70_000),"#) == true)
    #expect(rig.requests.first?.text.contains(#""count":2"#) == true)
  }

  @Test("A full store drops the new event, and counts it; the summary is beyond capacity (LD-42; full queue)")
  func capacity() {
    let rig = RecorderRig { $0.capacity = 3 }
    #expect(rig.track("a") == .ok)
    #expect(rig.track("b") == .ok)
    #expect(rig.track("c") == .limit)
    rig.countUnknown("nope")
    rig.evaluate("f") { $0.events.isTracked = true }
    #expect(rig.recorder.capacity.dropped == 2)
    rig.flush()
    #expect(rig.payloads == [["identify", "a", "b", "summary"]])
    #expect(rig.track("d") == .ok)
    #expect(rig.recorder.statistics.contains { $0.name == "dropped" && $0.value == 2 })
  }

  @Test("4.4.6: identify counts against the capacity too")
  func capacityOfIdentify() {
    let rig = RecorderRig { $0.capacity = 1 }
    rig.recorder.identify(RecorderRig.user)
    rig.flush()
    #expect(rig.payloads == [["identify"]])
  }

  @Test("With sendEvents false nothing is recorded and nothing sent (LD-87; ready)")
  func disabled() {
    let rig = RecorderRig { $0.isEnabled = false }
    #expect(rig.track("a") == .ok)
    rig.countUnknown("nope")
    rig.evaluate("f") { $0.events.isTracked = true }
    #expect(rig.flush() == true)
    rig.time.advance(milliseconds: 120_000)
    #expect(rig.requests.isEmpty)
  }

  @Test func withoutContextNothingIsTracked() {
    let rig = RecorderRig(identifies: false)
    #expect(rig.track("a") == .state)
    rig.countUnknown("nope")
    #expect(rig.flush() == true)
    #expect(rig.requests.isEmpty)
  }

  @Test func aStoppedRecorderKeepsWhatItHas() {
    let rig = RecorderRig()
    rig.countUnknown("nope")
    rig.recorder.stop()
    rig.track("a")
    rig.time.advance(milliseconds: 120_000)
    #expect(rig.requests.isEmpty)
    rig.recorder.start()
    rig.flush()
    #expect(rig.payloads == [["identify", "a", "summary"]])
  }
}

@Suite("What answers to events mean (2.4)")
struct EventAnswerTests {
  private static let passing: [ScriptedTransport.Answer] = [
    noAnswer, answer(301), answer(304), answer(408), answer(429), answer(500), answer(503), answer(599),
  ]

  @Test("What may pass is tried again after a second, the same bytes under the same id", arguments: passing.indices)
  func retry(of index: Int) throws {
    let rig = RecorderRig()
    rig.answer(Self.passing[index], answer(202))
    rig.countUnknown("nope")
    #expect(rig.flush() == false)
    rig.track("later")
    rig.time.advance(milliseconds: 999)
    #expect(rig.requests.count == 1)
    rig.time.advance(milliseconds: 1)
    #expect(rig.requests.count == 2)
    #expect(rig.requests.first?.body == rig.requests.last?.body)
    let ids = rig.requests.map { $0.headers.value(of: "X-LaunchDarkly-Payload-ID") }
    #expect(ids[0] == ids[1] && ids[0] != nil)
    rig.time.advance(milliseconds: 30_000)
    #expect(rig.payloads.last == ["later"])
    #expect(rig.requests.count == 3)
  }

  @Test("Somebody who asks for a flush does not wait for the second, unless the service asks for it")
  func flushDuringTheSecond() {
    let rig = RecorderRig()
    rig.answer(answer(503), answer(503, "", [HTTPHeader("Retry-After", "1")]), answer(202))
    rig.flush()
    rig.time.advance(milliseconds: 500)
    rig.flush()
    #expect(rig.requests.count == 2)
    rig.time.advance(milliseconds: 500)
    rig.flush()
    #expect(rig.requests.count == 2)
    rig.time.advance(milliseconds: 500)
    #expect(rig.flush() == true)
    #expect(rig.requests.count == 3)
  }

  @Test("What fails again is tried after pauses that grow, under the id it has, and nothing is lost (LD-41; failing)")
  func kept() {
    let rig = RecorderRig()
    rig.answer(answer(503), noAnswer, answer(500), answer(202))
    rig.flush()
    for (pause, count) in [(1_000, 1), (2_000, 2), (4_000, 3)] as [(Int64, Int)] {
      rig.time.advance(milliseconds: pause - 1)
      #expect(rig.requests.count == count)
      rig.time.advance(milliseconds: 1)
      #expect(rig.requests.count == count + 1)
    }
    #expect(Set(rig.requests.map { $0.headers.value(of: "X-LaunchDarkly-Payload-ID") }).count == 1)
    rig.time.advance(milliseconds: 120_000)
    #expect(rig.requests.count == 4)
    #expect(rig.recorder.pipeline.counters.delivered == 1)
  }

  @Test("What a payload is refused for goes in parts, until the bad event stands alone and is dropped", arguments: [400, 413])
  func refusedInParts(status: Int) {
    let rig = RecorderRig()
    rig.host.network.setResponder { request in answer(request.text.contains("bad") ? status : 202) }
    for key in ["a", "bad", "b"] { rig.track(key) }
    #expect(rig.flush() == false)
    #expect(rig.payloads.filter { !$0.contains("bad") }.flatMap { $0 }.sorted() == ["a", "b", "identify"])
    #expect(rig.payloads.last { $0.contains("bad") } == ["bad"])
    #expect(Set(rig.requests.map { $0.headers.value(of: "X-LaunchDarkly-Payload-ID") }).count == rig.requests.count)
    let counters = rig.recorder.pipeline.counters
    #expect(counters.delivered == 3 && counters.rejected == 1)
    rig.time.advance(milliseconds: 120_000)
    #expect(rig.payloads.count { $0 == ["bad"] } == 1)
  }

  @Test("A flush that is asked for sends at once what failed twice")
  func keptUntilFlush() {
    let rig = RecorderRig()
    rig.answer(answer(503), answer(503), answer(202))
    rig.flush()
    rig.time.advance(milliseconds: 1_000)
    #expect(rig.requests.count == 2)
    #expect(rig.flush() == true)
    #expect(rig.requests.count == 3)
  }

  @Test("With strict_vendor what failed twice is dropped")
  func strict() {
    let rig = RecorderRig { $0.dropsAfterRetry = true }
    rig.answer(answer(503), answer(503))
    rig.flush()
    rig.time.advance(milliseconds: 120_000)
    #expect(rig.requests.count == 2)
    #expect(rig.recorder.pipeline.counters.rejected == 1)
  }

  @Test(
    "What the service refuses is dropped, and later payloads are tried",
    arguments: [400, 402, 403, 404, 405, 413, 418, 431, 499])
  func refused(status: Int) {
    let rig = RecorderRig()
    rig.answer(answer(status), answer(202))
    rig.flush()
    rig.time.advance(milliseconds: 5_000)
    #expect(rig.requests.count == 1)
    rig.track("later")
    #expect(rig.flush() == true)
    #expect(rig.payloads == [["identify"], ["later"]])
  }

  @Test("401 drops the payload and takes the client offline (LD-41; refused)")
  func unauthorized() {
    let rig = RecorderRig()
    rig.answer(answer(401))
    rig.flush()
    #expect(rig.deliveries.ended == 401)
    #expect(rig.requests.count == 1)
    #expect(rig.recorder.pipeline.counters.rejected == 1)
  }

  @Test("On request what a refused key was to deliver is kept for five minutes (LD-93; refused)", arguments: [401, 403])
  func refusalsAreRepeated(status: Int) {
    let rig = RecorderRig { $0.policy.retriesRefusals = true }
    rig.answer(answer(status), answer(202))
    rig.flush()
    rig.time.advance(milliseconds: 299_999)
    #expect(rig.requests.count == 1)
    rig.time.advance(milliseconds: 1)
    #expect(rig.payloads == [["identify"], ["identify"]] && rig.recorder.pipeline.counters.rejected == 0)
    #expect(rig.deliveries.ended == nil)
  }

  @Test("5.8: what was no success is told")
  func failures() {
    let rig = RecorderRig { $0.dropsAfterRetry = true }
    rig.answer(answer(503), noAnswer)
    rig.flush()
    rig.time.advance(milliseconds: 1_000)
    let (told, causes) = (rig.deliveries.failures.map(\.status), rig.deliveries.failures.map(\.cause))
    #expect(told == [503, nil] && causes.first == "" && causes.last?.isEmpty == false)
  }
}
