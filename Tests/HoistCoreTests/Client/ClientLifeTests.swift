import Glibc
import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("A client's life (G4)") struct ClientLifeTests {
  /// Milliseconds that a call took in real time.
  func milliseconds(_ body: () -> Void) -> Int64 {
    let clock = SystemClock()
    let start = clock.monotonicNanoseconds
    body()
    return (clock.monotonicNanoseconds - start) / 1_000_000
  }

  @Test func openReturnsAtOnceAndStartsTheProvider() throws {
    let fixture = try ClientFixture()
    fixture.client.open()
    #expect(fixture.provider.calls == [])
    fixture.scheduler.run()
    #expect(fixture.provider.calls == ["start"])
    #expect(fixture.client.state == .notReady)
    #expect(fixture.client.waitReady(timeoutMilliseconds: 0) == .timeout)
    fixture.client.setState(.ready, "")
    #expect(fixture.client.waitReady(timeoutMilliseconds: 0) == .ok)
  }

  @Test func aRefusedConfigurationNamesThePropertyAndLeavesNothingBehind() throws {
    #expect(throws: ConfigurationFailure("must_be", "property \"must_be\" is wrong")) {
      _ = try ClientFixture([("must_be", "wrong")])
    }
    let factory = FakeFactory()
    let required = [Property("key", .secret, required: true, "Needed.")]
    let fixture = try ClientFixture()
    #expect(throws: ConfigurationFailure("key", "property \"key\" is required")) {
      _ = try Client(
        factory: factory, values: PropertyValues(table: CoreProperties.table + factory.properties + required),
        plugins: Plugins(), services: fixture.client.services)
    }
    #expect(factory.last == nil)
  }

  @Test func callsGoToTheProviderInOrder() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let client = fixture.client
    #expect(client.setOnline(false) == .ok && !client.isOnline)
    #expect(client.refresh() == .ok)
    #expect(client.setOnline(true) == .ok && client.isOnline)
    #expect(client.identify(EvaluationContext(targetingKey: "u").reference(), completion: nil) == .ok)
    #expect(client.identify(nil, completion: nil) == .ok)
    fixture.scheduler.run()
    #expect(fixture.provider.calls == ["online false", "refresh", "online true", "identify u", "identify nobody"])
  }

  @Test func identifyAnswersWithWhatTheProviderSays() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let answers = Record<Status>()
    for status in [Status.ok, .network, .superseded] {
      fixture.provider.setIdentify(status)
      #expect(fixture.client.identify(nil) { answers.append($0) } == .ok)
      fixture.scheduler.run()
      fixture.dispatchAll()
    }
    #expect(answers.all == [.ok, .network, .superseded])
    fixture.provider.setIdentify(nil)
    #expect(fixture.whileScheduling { fixture.client.identifyAndWait(nil, timeoutMilliseconds: 5) } == .timeout)
    fixture.provider.setIdentify(.network)
    #expect(fixture.whileScheduling { fixture.client.identifyAndWait(nil, timeoutMilliseconds: 5_000) } == .network)
  }

  @Test func aProviderThatAnswersTwiceIsHeardOnce() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setIdentify(nil)
    let answers = Record<Status>()
    _ = fixture.client.identify(nil) { answers.append($0) }
    _ = fixture.client.identify(nil) { answers.append($0) }
    fixture.scheduler.run()
    let pending = fixture.client.pending
    fixture.provider.answerHeld(.ok)
    pending.end(.cancelled)
    fixture.dispatchAll()
    #expect(answers.all == [.ok, .ok])
  }

  @Test func flushAnswersWithWhatTheProviderSays() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    for status in [Status.ok, .network] {
      fixture.provider.setFlush(status)
      #expect(fixture.whileScheduling { fixture.client.flush(timeoutMilliseconds: 5_000) } == status)
    }
    fixture.provider.setFlush(nil)
    #expect(fixture.whileScheduling { fixture.client.flush(timeoutMilliseconds: 5) } == .timeout)
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
    for limit in [Int64(0), -1] {
      let fixture = try ClientFixture([("dispatch", "manual"), ("store", "none")])
      try fixture.serve()
      #expect(fixture.client.close(timeoutMilliseconds: limit) == .ok)
      fixture.scheduler.run()
      #expect(fixture.provider.calls == ["stop"])
    }
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
    #expect(eventually { fixture.client.courier.counters.lane.finished >= 1 })
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
      #expect(fixture.client.identify(nil) { answers.append($0) } == .ok)
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
    #expect(eventually { fixture.client.courier.counters.lane.finished >= 1 })
    #expect(answers.all.count == 4)
  }

  @Test func freeingAClientTellsThoseWhoWait() throws {
    let fixture = try ClientFixture([])
    try fixture.serve()
    fixture.provider.setIdentify(nil)
    let answers = Record<Status>()
    for _ in 0..<3 { _ = fixture.client.identify(nil) { answers.append($0) } }
    fixture.client.dispose()
    #expect(answers.all == [.cancelled, .cancelled, .cancelled])
    #expect(fixture.client.identify(nil) { answers.append($0) } == .state)
    fixture.scheduler.run()
    #expect(answers.all.count == 3)
  }

  @Test("Calls that wait for answers are bounded (G5)") func tooManyCallsAtOnceAreRefused() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setIdentify(nil)
    let answers = Record<Status>()
    for _ in 0..<10_000 { #expect(fixture.client.identify(nil) { answers.append($0) } == .ok) }
    #expect(fixture.client.identify(nil) { answers.append($0) } == .limit)
    #expect(fixture.client.identify(nil, completion: nil) == .ok)
    fixture.scheduler.run()
    fixture.provider.answerHeld(.superseded)
    fixture.dispatchAll()
    #expect(answers.all.count == 10_000)
    fixture.provider.setIdentify(.ok)
    #expect(fixture.client.identify(nil) { answers.append($0) } == .ok)
    fixture.scheduler.run()
    fixture.dispatchAll()
    #expect(answers.all.last == .ok)
  }

  @Test func anAnswerWaitsForRoomInTheQueue() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let (heard, _) = fixture.observe(.error)
    for _ in 0..<10_000 { fixture.client.notify(Notification(.error)) }
    let answers = Record<Status>()
    #expect(fixture.client.identify(nil) { answers.append($0) } == .ok)
    fixture.scheduler.run()
    fixture.dispatchAll()
    #expect(heard.all.count == 10_000 && answers.all == [])
    fixture.scheduler.advance(milliseconds: 50)
    fixture.dispatchAll()
    #expect(answers.all == [.ok])
  }

  @Test func observersHearOfTheEndAndOfNothingAfter() throws {
    let fixture = try ClientFixture([])
    try fixture.serve()
    let (heard, token) = fixture.observe(.state)
    #expect(fixture.close() == .ok)
    #expect(heard.all == ["state  closed"])
    fixture.client.setState(.ready, "late")
    fixture.client.notify(Notification(.state, message: "late"))
    #expect(!fixture.client.unobserve(token))
    #expect(heard.all.count == 1)
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

  @Test func aReopenedClientWorksAgainWithNewObservers() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let (old, _) = fixture.observe(.error)
    #expect(fixture.client.reopen() == .state)
    #expect(fixture.close() == .ok)
    fixture.provider.forgetCalls()
    #expect(fixture.client.reopen() == .ok)
    #expect(fixture.client.reopen() == .state)
    fixture.scheduler.run()
    #expect(fixture.provider.calls == ["start"])
    #expect(fixture.client.state == .notReady)
    let (new, _) = fixture.observe(.error)
    fixture.client.notify(Notification(.error, message: "x"))
    fixture.client.setState(.ready, "")
    fixture.dispatchAll()
    #expect(old.all == [] && new.all == ["error  x"])
    #expect(fixture.fast("on") == true)
    fixture.client.store.save("again", [1])
    #expect(fixture.close() == .ok)
    #expect(fixture.cache.load(key: "again") == [1])
  }

  @Test func aStoreOfTheProvidersOwnClosesAndWorksAgainWithTheClient() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let manager = MemoryCacheManager()
    let own = fixture.client.store(over: manager)
    own.save("key", [1])
    #expect(fixture.close() == .ok)
    #expect(manager.load(key: "key") == [1])
    own.save("key", [2])
    #expect(fixture.client.reopen() == .ok)
    #expect(fixture.close() == .ok)
    #expect(manager.load(key: "key") == [2])
  }

  @Test func anAnswerFromBeforeDoesNotStopAReopenedClient() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setFlush(nil)
    #expect(fixture.close(20) == .timeout)
    fixture.scheduler.run()
    #expect(fixture.client.reopen() == .ok)
    fixture.scheduler.run()
    fixture.provider.forgetCalls()
    fixture.provider.answerHeld(.ok)
    fixture.scheduler.run()
    #expect(fixture.provider.calls == [])
  }

  @Test func aDisposedClientDetachesItsProviderAndGoes() throws {
    weak var client: Client?
    weak var provider: FakeProvider?
    let plugin = Flag()
    final class Sink: LogSink {
      let gone: Flag
      init(_ gone: Flag) { self.gone = gone }
      deinit { gone.raise() }
      func write(_ level: LogLevel, _ message: String) {}
    }
    do {
      var plugins = Plugins()
      plugins.logSink = Sink(plugin)
      let fixture = try ClientFixture([], plugins: plugins)
      try fixture.serve()
      (client, provider) = (fixture.client, fixture.provider)
      fixture.client.dispose()
      fixture.scheduler.run()
      #expect(fixture.provider.calls.last == "detach")
      #expect(fixture.client.state == .closed)
    }
    #expect(eventually { client == nil && provider == nil && plugin.isRaised })
  }

  @Test func aClientMayBeDisposedOfInACallback() throws {
    let fixture = try ClientFixture([("store", "none")])
    try fixture.serve()
    let client = fixture.client
    let (heard, _) = fixture.observe(.error) { [weak client] _ in client?.dispose() }
    client.notify(Notification(.error))
    client.notify(Notification(.error))
    #expect(fixture.scheduler.run { fixture.provider.calls.last == "detach" })
    #expect(client.state == .closed)
    #expect(heard.all.count == 1)
  }
}

@Suite("Headers from the host") struct HeaderProviderTests {
  private final class Headers: HeaderProvider {
    let answer: @Sendable (String) -> [HTTPHeader]?
    init(_ answer: @escaping @Sendable (String) -> [HTTPHeader]?) { self.answer = answer }
    func headers(for url: String) -> [HTTPHeader]? { answer(url) }
  }

  func fixture(_ answer: (@Sendable (String) -> [HTTPHeader]?)?) throws -> ClientFixture {
    var plugins = Plugins()
    plugins.headerProvider = answer.map { Headers($0) }
    return try ClientFixture(plugins: plugins)
  }

  @Test func theyAreAskedOnALaneAndAnsweredOnTheScheduler() throws {
    let isOwn = Record<Bool>()
    let fixture = try fixture { url in
      isOwn.append(Thread.isOwn)
      return [HTTPHeader("Authorization", url)]
    }
    let scheduler = fixture.scheduler
    let got = Record<[HTTPHeader]>()
    let wasCurrent = Record<Bool>()
    fixture.client.dynamicHeaders(for: "https://x/y") {
      got.append($0)
      wasCurrent.append(scheduler.isCurrent)
    }
    #expect(scheduler.run { got.all.count == 1 })
    #expect(got.all == [[HTTPHeader("Authorization", "https://x/y")]])
    #expect(isOwn.all == [true] && wasCurrent.all == [true])
  }

  @Test func noneAndNothingAreBothNoHeaders() throws {
    for fixture in [try fixture(nil), try fixture { _ in nil }, try fixture { _ in [] }] {
      let got = Record<[HTTPHeader]>()
      fixture.client.dynamicHeaders(for: "u") { got.append($0) }
      #expect(fixture.scheduler.run { got.all.count == 1 })
      #expect(got.all == [[]])
      fixture.dispatchAll()
      #expect(fixture.log.lines == [])
    }
  }

  /// G11: the request goes out without them, and the next question finds another thread.
  @Test func aProviderThatNeverAnswersIsGivenUpAfterItsLimit() throws {
    let door = Door()
    let fixture = try fixture { url in
      if url == "stuck" { door.pass() }
      return [HTTPHeader("a", url)]
    }
    let got = Record<[HTTPHeader]>()
    fixture.client.dynamicHeaders(for: "stuck") { got.append($0) }
    #expect(door.waitForArrivals(1))
    fixture.scheduler.advance(milliseconds: 4_999)
    #expect(got.all == [])
    fixture.scheduler.advance(milliseconds: 2)
    #expect(got.all == [[]])
    fixture.dispatchAll()
    #expect(fixture.log.messages(.warning).count == 1)
    fixture.client.dynamicHeaders(for: "next") { got.append($0) }
    #expect(fixture.scheduler.run { got.all.count == 2 })
    #expect(got.all.last == [HTTPHeader("a", "next")])
    door.open()
    #expect(fixture.scheduler.run { fixture.client.pluginLane.counters.late == 1 })
    #expect(got.all.count == 2)
  }
}
