import Glibc
import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("A client's life (G4)") struct ClientLifeTests {
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

  private func user(_ key: String) -> ContextReference? { EvaluationContext(targetingKey: key).reference() }

  @Test("Ready: an equal context is done at once, and the provider is not asked; after a failure it is asked again")
  func equalContext() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let answers = Record<Status>()
    for status in [Status.network, .ok, .superseded] {
      fixture.provider.setIdentify(status)
      #expect(fixture.client.identify(user("a")) { answers.append($0) } == .ok)
      fixture.scheduler.run()
      fixture.dispatchAll()
    }
    #expect(answers.all == [.network, .ok, .ok])
    #expect(fixture.provider.calls == ["identify a", "identify a"])
  }

  @Test func identifyAnswersWithWhatTheProviderSays() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let answers = Record<Status>()
    for status in [Status.ok, .network, .superseded] {
      fixture.provider.setIdentify(status)
      #expect(fixture.client.identify(user("\(status.rawValue)")) { answers.append($0) } == .ok)
      fixture.scheduler.run()
      fixture.dispatchAll()
    }
    #expect(answers.all == [.ok, .network, .superseded])
    fixture.provider.setIdentify(nil)
    #expect(fixture.whileScheduling { fixture.client.identifyAndWait(user("a"), timeoutMilliseconds: 5) } == .timeout)
    fixture.provider.setIdentify(.network)
    #expect(fixture.whileScheduling { fixture.client.identifyAndWait(user("b"), timeoutMilliseconds: 5_000) } == .network)
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

  @Test("A flush is over when the store knows what was delivered, so that the next process does not send it again (G10)")
  func flushWaitsForTheStore() throws {
    let manager = ObstinateManager()
    var plugins = Plugins()
    plugins.cacheManager = manager
    let fixture = try ClientFixture(plugins: plugins)
    try fixture.serve()
    let door = Door()
    manager.block(at: door)
    fixture.client.store.removeEvents(ids: ["delivered"])
    #expect(fixture.whileScheduling { fixture.client.flush(timeoutMilliseconds: 20) } == .timeout)
    door.open()
    #expect(fixture.whileScheduling { fixture.client.flush(timeoutMilliseconds: 5_000) } == .ok)
    #expect(manager.calls.contains("delete delivered"))
    manager.fail(CacheFailure("no disk"))
    fixture.client.store.removeEvents(ids: ["another"])
    #expect(fixture.whileScheduling { fixture.client.flush(timeoutMilliseconds: 5_000) } == .ok)
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
    #expect(fixture.client.identifyAndWait(user("refused"), timeoutMilliseconds: 1) == .limit)
    #expect(fixture.client.identify(nil, completion: nil) == .ok)
    fixture.scheduler.run()
    fixture.provider.answerHeld(.ok)
    // The one that was refused has not begun.
    #expect(fixture.client.life.isContextSettled)
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

  @Test func aReopenedClientWorksAgainWithTheObserversOfBefore() throws {
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
    #expect(old.all == ["error  x"] && new.all == ["error  x"])
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
    let scheduler: ManualScheduler
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
      scheduler = fixture.scheduler
      (client, provider) = (fixture.client, fixture.provider)
      fixture.client.dispose()
      fixture.scheduler.run()
      #expect(fixture.provider.calls.last == "detach")
      #expect(fixture.client.state == .closed)
    }
    #expect(goes(scheduler) { client == nil && provider == nil && plugin.isRaised })
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
