import Glibc
import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("How a client closes (G4)") struct ClientClosingTests {
  /// Milliseconds that a call took in real time.
  func milliseconds(_ body: () -> Void) -> Int64 {
    let clock = SystemClock()
    let start = clock.monotonicNanoseconds
    body()
    return (clock.monotonicNanoseconds - start) / 1_000_000
  }

  @Test func closeFlushesStopsAndMayBeRepeated() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    #expect(fixture.close() == .ok)
    #expect(fixture.provider.calls == ["flush", "stop"])
    #expect(fixture.client.state == .closed)
    #expect(fixture.close() == .ok && fixture.close(0) == .ok)
    #expect(fixture.provider.calls == ["flush", "stop"])
  }

  @Test func aClosedClientAnswersWithFallbacksAndRefusesTheRest() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    #expect(fixture.close() == .ok)
    let client = fixture.client
    let detail = fixture.evaluate("on")
    #expect(detail.code == "PROVIDER_NOT_READY" && detail.words == "the client is closed")
    #expect(fixture.fast("on") == nil)
    #expect(client.waitReady(timeoutMilliseconds: -1) == .cancelled)
    #expect(client.flush(timeoutMilliseconds: 1) == .state)
    #expect(client.identifyAndWait(nil, timeoutMilliseconds: 1) == .state)
    #expect(client.identify(nil, completion: nil) == .state)
    #expect(client.setOnline(true) == .state && client.refresh() == .state)
    let event = TrackedEvent(key: "e", context: nil, value: nil, properties: [], unixMilliseconds: 0)
    #expect(client.track(event) == .state)
    client.setState(.ready, "late")
    #expect(client.state == .closed)
    #expect(fixture.provider.unknownCounts() == [:])
  }

  @Test func anEventThatAClosingClientMayNotHaveKeptIsNotCalledRecorded() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let event = TrackedEvent(key: "e", context: nil, value: nil, properties: [], unixMilliseconds: 0)
    #expect(fixture.client.track(event) == .ok)
    let client = fixture.client
    fixture.provider.setTrack { _ = client.close(timeoutMilliseconds: 0) }
    #expect(client.track(event) == .state)
  }

  @Test func closeWithoutTimeDoesNotFlush() throws {
    let fixture = try ClientFixture([("dispatch", "manual"), ("store", "none")])
    try fixture.serve()
    #expect(fixture.client.close(timeoutMilliseconds: 0) == .ok)
    fixture.scheduler.run()
    #expect(fixture.provider.calls == ["stop"])
  }

  @Test func closeWithoutLimitWaitsForTheFlush() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setFlush(nil)
    let results = Record<Status>()
    let closing = startThread { results.append(fixture.client.close(timeoutMilliseconds: -1)) }
    #expect(fixture.scheduler.run { fixture.provider.heldCount == 1 })
    #expect(results.all.isEmpty && fixture.provider.calls == ["flush"])
    fixture.provider.answerHeld(.ok)
    fixture.whileScheduling { closing.join() }
    #expect(results.all == [.ok] && fixture.provider.calls == ["flush", "stop"])
  }

  @Test("Contract 6: what the service has refused was told when it was; close is OK once nothing is left")
  func whatWasRefusedIsNotLeft() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setFlush(.rejected)
    #expect(fixture.close() == .ok)
    #expect(fixture.provider.calls == ["flush", "stop"])
  }

  @Test("Contract 6: where something was refused and something else is left, close tries again")
  func whatIsLeftBesideWhatWasRefused() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setWaiting(1)
    fixture.provider.setFlush(.rejected)
    let results = Record<Status>()
    let closing = startThread { results.append(fixture.client.close(timeoutMilliseconds: 60_000)) }
    #expect(fixture.scheduler.run { fixture.provider.calls == ["flush"] })
    fixture.provider.setWaiting(0)
    fixture.provider.setFlush(.ok)
    fixture.scheduler.advance(milliseconds: 100)
    fixture.whileScheduling { closing.join() }
    #expect(results.all == [.ok] && fixture.provider.calls == ["flush", "flush", "stop"])
  }

  @Test("Close keeps its limit when the provider never answers") func closeIsBounded() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setFlush(nil)
    let spent = milliseconds { #expect(fixture.close(80) == .timeout) }
    #expect(spent >= 60 && spent < 5_000)
    fixture.scheduler.run()
    #expect(fixture.provider.calls == ["flush", "stop"])
    // The answer that comes after all stops nobody a second time.
    fixture.provider.answerHeld(.ok)
    #expect(fixture.provider.calls == ["flush", "stop"])
  }

  @Test("Close keeps its limit when the scheduler stands still") func closeIsBoundedWithoutTheScheduler() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let spent = milliseconds { #expect(fixture.client.close(timeoutMilliseconds: 40) == .timeout) }
    #expect(spent < 5_000)
    fixture.scheduler.run()
    #expect(fixture.provider.calls.filter { $0 == "stop" }.count == 1)
  }

  @Test func aServiceThatDoesNotAnswerLeavesTimeForTheStore() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setFlush(nil)
    fixture.client.store.save("kept", [1, 2, 3])
    #expect(fixture.close(400) == .timeout)
    #expect(fixture.cache.load(key: "kept") == [1, 2, 3])
  }

  @Test("Close keeps its limit when an observer does not return") func aStuckObserverIsDetached() throws {
    let fixture = try ClientFixture([])
    try fixture.serve()
    let door = Door()
    let (heard, _) = fixture.observe(.error) { _ in door.pass() }
    fixture.client.notify(Notification(.error, message: "1"))
    fixture.client.notify(Notification(.error, message: "2"))
    #expect(door.waitForArrivals(1))
    let spent = milliseconds { #expect(fixture.close(40) == .timeout) }
    #expect(spent < 5_000)
    door.open()
    #expect(eventually { fixture.client.callbacks.counters.lane.finished >= 1 })
    #expect(heard.all == ["error  1"])
  }

  @Test func thoseWhoWaitAreToldThatTheClientCloses() throws {
    let fixture = try ClientFixture([])
    try fixture.serve()
    fixture.provider.setIdentify(nil)
    let answers = Record<Status>()
    _ = fixture.client.identify(nil) { answers.append($0) }
    let waiting = startThread { answers.append(fixture.client.identifyAndWait(nil, timeoutMilliseconds: -1)) }
    #expect(fixture.scheduler.run { fixture.provider.heldCount == 2 })
    #expect(fixture.close() == .ok)
    waiting.join()
    #expect(answers.all == [.cancelled, .cancelled])
  }

  @Test func anAnswerThatTheLaneHasNotDeliveredIsToldInsideTheClose() throws {
    let fixture = try ClientFixture([])
    try fixture.serve()
    let door = Door()
    _ = fixture.observe(.error) { _ in door.pass() }
    fixture.client.notify(Notification(.error))
    #expect(door.waitForArrivals(1))
    let answers = Record<Status>()
    for status in [Status.ok, .network, .superseded] {
      fixture.provider.setIdentify(status)
      let context = EvaluationContext(targetingKey: "\(status.rawValue)").reference()
      #expect(fixture.client.identify(context) { answers.append($0) } == .ok)
      fixture.scheduler.run()
    }
    fixture.provider.setIdentify(nil)
    #expect(fixture.client.identify(nil) { answers.append($0) } == .ok)
    fixture.scheduler.run()
    #expect(answers.all == [])
    #expect(fixture.close(20) == .timeout)
    // The one that nobody had answered first, then those that were on their way.
    #expect(answers.all == [.cancelled, .ok, .network, .superseded])
    fixture.provider.answerHeld(.ok)
    door.open()
    #expect(eventually { fixture.client.callbacks.counters.lane.finished >= 1 })
    #expect(answers.all.count == 4)
  }

  @Test func observersHearOfTheEndAndOfNothingAfter() throws {
    let fixture = try ClientFixture([])
    try fixture.serve()
    let (heard, token) = fixture.observe(.state)
    #expect(fixture.close() == .ok)
    #expect(heard.all == ["state  closed"])
    fixture.client.setState(.ready, "late")
    fixture.client.notify(Notification(.state, message: "late"))
    #expect(heard.all.count == 1)
    #expect(fixture.client.unobserve(token))
    #expect(!fixture.client.unobserve(token))
  }

  @Test func whoClosesSecondWaitsForTheFirst() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setFlush(nil)
    let results = Record<Status>()
    let first = startThread { results.append(fixture.client.close(timeoutMilliseconds: 60_000)) }
    #expect(fixture.scheduler.run { fixture.provider.heldCount == 1 })
    #expect(fixture.client.close(timeoutMilliseconds: 5) == .timeout)
    #expect(fixture.client.reopen() == .state)
    let second = startThread { results.append(fixture.client.close(timeoutMilliseconds: 60_000)) }
    fixture.provider.answerHeld(.ok)
    first.join()
    second.join()
    #expect(results.all == [.ok, .ok])
  }
}
