import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("How a server's events are delivered (protocols/launchdarkly-server.md 2.4, 7.9)")
struct ServerDeliveryTests {
  private func ids(_ rig: ServerEventRig) -> [String?] { rig.requests.map { $0.headers.value(of: "X-LaunchDarkly-Payload-ID") } }

  @Test("Every five seconds one payload in the order of recording, with the summary last; nothing without events (LDS-49; ready)")
  func interval() {
    let rig = ServerEventRig()
    rig.host.network.setResponder { _ in answer(202) }
    rig.time.advance(milliseconds: 20_000)
    #expect(rig.requests.isEmpty)
    rig.evaluate("f")
    rig.track("a")
    rig.time.advance(milliseconds: 4_999)
    #expect(rig.requests.isEmpty)
    rig.time.advance(milliseconds: 1)
    #expect(rig.payloads == [["index", "a", "summary"]])
    #expect(rig.requests.first?.url == "https://e.test/bulk")
  }

  @Test("A full buffer drops the new event and counts it; the summary stands beside the capacity (LDS-49; full queue)")
  func capacity() {
    let rig = ServerEventRig { $0.capacity = 3 }
    #expect(rig.track("a") == .ok && rig.track("b") == .ok && rig.track("c") == .limit)
    rig.evaluate("f") { $0.isTracked = true }
    #expect(rig.identify() == .limit)
    #expect(rig.outlet.capacity.dropped == 3)
    rig.flush()
    #expect(rig.payloads == [["index", "a", "b", "summary"]])
    #expect(rig.track("d") == .ok)
  }

  @Test(
    "What may pass goes again after a second, the same bytes under the same id (LDS-49; failing)",
    arguments: [400, 408, 429, 500, 503])
  func retry(status: Int) {
    let rig = ServerEventRig()
    rig.answer(answer(status), answer(202))
    rig.track("a")
    rig.flush()
    rig.time.advance(milliseconds: 999)
    #expect(rig.requests.count == 1)
    rig.time.advance(milliseconds: 1)
    #expect(rig.requests.count == 2)
    #expect(rig.requests.first?.body == rig.requests.last?.body)
    #expect(ids(rig)[0] == ids(rig)[1] && ids(rig)[0] != nil)
  }

  @Test("What has failed twice is kept, and tried after pauses that grow (LDS-49; failing)")
  func kept() {
    let rig = ServerEventRig()
    rig.answer(noAnswer, answer(500), answer(503), answer(202))
    rig.track("a")
    rig.flush()
    rig.time.advance(milliseconds: 1_000)
    #expect(rig.requests.count == 2)
    rig.time.advance(milliseconds: 2_000)
    rig.time.advance(milliseconds: 4_000)
    #expect(rig.requests.count == 4 && Set(ids(rig)).count == 1)
    #expect(rig.outlet.pipeline.counters.delivered == 2 && rig.outlet.pipeline.counters.rejected == 0)
  }

  @Test("With strict_vendor what has failed twice is dropped (LDS-49; failing)")
  func strict() {
    let rig = ServerEventRig { $0.dropsAfterRetry = true }
    rig.answer(answer(503), answer(503))
    rig.track("a")
    rig.flush()
    rig.time.advance(milliseconds: 120_000)
    #expect(rig.requests.count == 2 && rig.outlet.pipeline.counters.rejected == 2)
  }

  @Test(
    "A payload that is too large goes in parts, and so does one that is refused twice; the bad event is dropped alone (LDS-49; refused)",
    arguments: [400, 413])
  func parts(status: Int) {
    let rig = ServerEventRig()
    rig.host.network.setResponder { answer($0.text.contains("bad") ? status : 202) }
    for key in ["a", "bad", "b"] { rig.track(key) }
    rig.flush()
    rig.time.advance(milliseconds: 1_000)
    let counters = rig.outlet.pipeline.counters
    #expect(counters.delivered == 3 && counters.rejected == 1)
    #expect(rig.deliveries.ended == nil)
    #expect(rig.payloads.count { $0 == ["bad"] } == 1)
  }

  @Test(
    "Any other 4xx ends events: nothing is recorded or sent, until the client is set online again (LDS-49; refused)",
    arguments: [401, 403, 404, 405, 410])
  func ended(status: Int) {
    let rig = ServerEventRig()
    rig.answer(answer(status), answer(202))
    rig.track("a")
    #expect(rig.flush() != .accepted)
    #expect(rig.deliveries.ended == status)
    rig.evaluate("f") { $0.isTracked = true }
    rig.unknown("no")
    #expect(rig.track("b") == .rejected && rig.identify() == .rejected)
    rig.time.advance(milliseconds: 200_000)
    #expect(rig.requests.count == 1 && rig.outlet.pipeline.counters.rejected == 2)
    rig.outlet.onlineChanged(true)
    #expect(rig.track("c") == .ok)
    rig.flush()
    #expect(rig.payloads.last == ["c"])
  }

  @Test("What waits while events end is kept for the next start (LDS-49; refused)")
  func keptAtTheEnd() {
    nonisolated(unsafe) let rig = ServerEventRig()
    rig.host.network.setResponder { _ in
      rig.track("b")
      return answer(401)
    }
    rig.track("a")
    rig.flush()
    rig.host.network.setResponder { _ in answer(202) }
    rig.time.advance(milliseconds: 600_000)
    #expect(rig.payloads == [["index", "a"]])
    rig.outlet.onlineChanged(true)
    rig.time.advance(milliseconds: 5_000)
    #expect(rig.payloads == [["index", "a"], ["b"]])
  }

  @Test("On request a refused key is tried again later (LDS-49; refused)", arguments: [401, 403])
  func refusalsAreRepeated(status: Int) {
    let rig = ServerEventRig { $0.policy.retriesRefusals = true }
    rig.answer(answer(status), answer(202))
    rig.track("a")
    rig.flush()
    #expect(rig.deliveries.ended == nil && rig.track("b") == .ok)
    rig.time.advance(milliseconds: 300_000)
    #expect(rig.payloads.contains(["index", "a"]) && rig.outlet.pipeline.counters.rejected == 0)
  }

  @Test("Offline everything waits (LDS-49; offline)")
  func offline() {
    let rig = ServerEventRig(isOnline: false)
    rig.track("a")
    rig.evaluate("f")
    #expect(rig.flush() == .held)
    rig.outlet.onlineChanged(true)
    rig.time.advance(milliseconds: 5_000)
    #expect(rig.payloads == [["index", "a", "summary"]])
  }

  @Test("Offline, what was counted is left, whether a checkpoint has come or not (LDS-49, contract 6; offline)")
  func countsAreLeftOffline() {
    let rig = ServerEventRig()
    rig.answer(.success(HTTPResponse(status: 202)))
    rig.evaluate("f")
    #expect(rig.flush() == .accepted)
    rig.outlet.onlineChanged(false)
    #expect(rig.flush() == .accepted)
    rig.evaluate("f")
    #expect(rig.flush() == .held && rig.requests.count == 1)
  }

  @Test("Closed, what is recorded waits for the next start, where no context has been seen (LDS-40, LDS-49; closed, reopened)")
  func reopened() {
    let rig = ServerEventRig()
    rig.evaluate("f")
    rig.events.stop()
    rig.time.advance(milliseconds: 600_000)
    #expect(rig.requests.isEmpty)
    rig.events.start()
    rig.evaluate("f")
    rig.flush()
    #expect(rig.payloads == [["index", "index", "summary"]])
  }

  @Test("Of a process that dies without a word the next one sends what was recorded (LDS-49; second process)")
  func death() {
    let store = MemoryCacheManager()
    let first = ServerEventRig(manager: store, isOnline: false)
    first.track("a")
    first.unknown("nope")
    for _ in 0..<3 {
      first.time.advance(milliseconds: 150)
      let isDone = Locked(false)
      first.host.store.load("nothing") { _ in isDone.value = true }
      first.host.settle { isDone.value }
    }
    #expect(first.host.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
    let second = ServerEventRig(manager: store, seed: 8)
    second.host.network.setResponder { _ in answer(202) }
    second.host.settle { second.outlet.pipeline.counters.adopted == 3 }
    second.flush()
    second.host.settle { !second.payloads.isEmpty }
    #expect(second.payloads == [["index", "a", "summary"]])
  }
}
