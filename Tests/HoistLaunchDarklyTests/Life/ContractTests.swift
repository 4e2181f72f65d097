import HoistBase
import HoistCore
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

@Suite("What the core promises of every service (contract 1, 2, 3, 7)", .serialized) struct ContractTests {
  private static let ann = #"{"kind":"user","key":"ann"}"#

  private func fixture(_ properties: [String: String] = [:]) throws -> LifeFixture {
    try LifeFixture(["context": Self.ann].merging(properties) { $1 })
  }

  /// Writes down what topics are told, with what a read sees meanwhile.
  private func watch(_ fixture: LifeFixture, _ topics: Topic..., of client: Client? = nil, name: String = "") {
    let (client, told) = (client ?? fixture.client, fixture.told)
    for topic in topics {
      _ = client.observe(
        topic, key: nil,
        ClosureObserver { [unowned client] notification in
          let value = "n".withBytes { client.evaluate($0, nil, .any, .counted) { _, detail in detail().value.string } }
          told.change { $0.append("\(name)\(notification.topic) \(value)") }
        })
    }
  }

  private func stream(_ fixture: LifeFixture) throws -> ScriptedExchange {
    fixture.time.settle { fixture.network.streams.last?.isEnded == false }
    return try #require(fixture.network.streams.last)
  }

  private func put(_ fixture: LifeFixture, _ value: Int) throws {
    let stream = try stream(fixture)
    stream.open()
    stream.receive("event: put\ndata: {\"n\":{\"value\":\(value),\"version\":\(value)}}\n\n")
    fixture.time.run()
  }

  private func identify(_ fixture: LifeFixture, _ key: String) throws {
    #expect(fixture.client.identify(try fixture.context(key), completion: fixture.tell(key)) == .ok)
    fixture.time.settle { fixture.currentKey == key }
  }

  private func isReady(_ fixture: LifeFixture) -> Bool { fixture.client.waitReady(timeoutMilliseconds: 0) == .ok }

  @Test("Starting, without a store: NOT_READY, ERROR while attempts fail, READY with the first flags")
  func startsWithoutAStore() throws {
    let fixture = try fixture()
    watch(fixture, .initialized, .ready, .recovered)
    #expect(fixture.opened().client.state == .notReady && !isReady(fixture))
    #expect(fixture.heard() == ["initialized null"])
    try stream(fixture).open(status: 503)
    fixture.time.run()
    #expect(fixture.client.state == .error && !isReady(fixture))
    fixture.time.advance(milliseconds: 2_000)
    try put(fixture, 1)
    #expect(fixture.client.state == .ready && isReady(fixture))
    #expect(fixture.heard() == ["recovered 1", "ready 1"])
  }

  @Test(
    "Key refused, stream refused: FATAL, with flags or without, told once; refresh and set_online(true) try again",
    arguments: [
      401, 403, 404,
    ])
  func refusalsAreFatal(status: Int) throws {
    let fixture = try fixture().opened()
    for hasFlags in [false, true] {
      if hasFlags { try put(fixture, 1) }
      watch(fixture, .error, .fetchFailed)
      let count = fixture.network.streams.count
      if hasFlags {
        try stream(fixture).endStream()
        fixture.time.advance(milliseconds: 4_000)
      }
      try stream(fixture).open(status: status)
      #expect(fixture.heard().map { $0.prefix(5) }.sorted() == ["error", "fetch"])
      fixture.client.removeObservers()
      fixture.time.advance(milliseconds: 3_600_000)
      #expect(fixture.client.state == .fatal && isReady(fixture) == hasFlags)
      #expect(fixture.network.streams.count == count + (hasFlags ? 1 : 0))
      #expect(fixture.log.messages(.error).last?.contains("refresh, set_online(true) or reopen") == true)
      if hasFlags { _ = fixture.client.setOnline(true) } else { _ = fixture.client.refresh() }
      fixture.time.run()
      #expect(try !stream(fixture).isEnded && fixture.client.state == (hasFlags ? .stale : .notReady))
    }
    try put(fixture, 2)
    #expect(fixture.client.state == .ready)
  }

  @Test(
    "Key refused for events while flags are served: FATAL, and a reopened client tries again (LD-17, LD-41; refused, reopened)")
  func reopenTriesAgain() throws {
    let fixture = try fixture(["diagnostic_opt_out": "true"]).opened()
    try put(fixture, 1)
    fixture.provider.flush { _ in }
    fixture.time.run()
    try #require(fixture.network.exchanges.last { $0.request.url.hasSuffix("/bulk") }).complete(answer(401))
    fixture.time.run()
    #expect(fixture.client.state == .fatal && isReady(fixture) && !fixture.face.common.isOnline)
    fixture.close()
    #expect(fixture.client.state == .closed && fixture.client.reopen() == .ok)
    fixture.time.run()
    #expect(fixture.client.state == .stale && isReady(fixture) && fixture.face.common.isOnline)
  }

  @Test(
    "Whoever finds the client ready by the service's word finds it initialized; by stored flags alone it is not (LD-11; ready, reopened)"
  )
  func readyIsInitialized() throws {
    let fixture = try fixture(["store": "memory"]).opened()
    let (provider, found) = (fixture.provider, Locked<[Bool]>([]))
    let observer = NotingObserver("", Locked([]))
    observer.then = { found.change { $0.append(provider.online.isInitialized) } }
    _ = provider.observers.add(observer, for: .connectionMode)
    try put(fixture, 1)
    _ = fixture.client.dispatch(limit: 100)
    #expect(found.value.last == true && isReady(fixture) && fixture.client.state == .ready)
    fixture.settleStore()
    fixture.close()
    #expect(fixture.client.reopen() == .ok)
    fixture.time.settle { isReady(fixture) }
    #expect(fixture.client.state == .stale && !fixture.face.common.isInitialized)
    try stream(fixture).open(status: 503)
    fixture.time.run()
    #expect(isReady(fixture) && !fixture.face.common.isInitialized)
    fixture.time.advance(milliseconds: 2_000)
    try put(fixture, 2)
    #expect(fixture.client.state == .ready && fixture.face.common.isInitialized)
  }

  @Test("In the background events are sent, with default options (LD-41, 5.7; background)") func theBackgroundSendsEvents() throws
  {
    let fixture = try fixture(["diagnostic_opt_out": "true"]).opened()
    try put(fixture, 1)
    #expect(fixture.face.setInBackground(true) == .ok)
    fixture.time.run()
    #expect(!fixture.face.common.isOnline)
    fixture.time.advance(milliseconds: 30_000)
    #expect(fixture.network.exchanges.contains { $0.request.url.hasSuffix("/mobile/events/bulk") })
    _ = fixture.client.setOnline(false)
    fixture.time.run()
    let count = fixture.network.exchanges.count
    fixture.time.advance(milliseconds: 60_000)
    #expect(fixture.network.exchanges.count == count)
  }

  @Test("Offline with stored flags: STALE, and ready (LD-10, LD-76; offline)") func offlineIsStale() throws {
    let first = try fixture(["store": "memory"]).opened()
    try put(first, 1)
    #expect(first.client.state == .ready)
    _ = first.client.setOnline(false)
    first.time.run()
    #expect(first.client.state == .stale && isReady(first))
    try identify(first, "ben")
    #expect(first.client.state == .notReady && !isReady(first))
    watch(first, .contextChanged)
    try identify(first, "ann")
    first.time.settle { first.client.state == .stale }
    #expect(first.client.state == .stale && isReady(first))
    #expect(first.heard().contains("contextChanged 1"))
  }

  @Test(
    "Another context while the service fails: stored flags are served and told of at once, and reads see them (LD-24, LD-76; failing)"
  )
  func storedFlagsOfAnotherContext() throws {
    let fixture = try fixture(["store": "memory"]).opened()
    try put(fixture, 1)
    try identify(fixture, "ben")
    try put(fixture, 2)
    _ = fixture.heard()
    watch(fixture, .contextChanged)
    fixture.time.advance(milliseconds: 60_000)
    try identify(fixture, "ann")
    #expect(fixture.client.state == .reconciling && isReady(fixture))
    try stream(fixture).open(status: 503)
    #expect(fixture.heard() == ["contextChanged 1"] && fixture.client.state == .reconciling && isReady(fixture))
    fixture.time.advance(milliseconds: 2_000)
    try put(fixture, 3)
    #expect(fixture.heard() == ["ann 0"] && fixture.client.state == .ready)
  }

  @Test("Another context without stored flags: nobody is ready until they come, and then it is told, once")
  func anotherContextWithoutFlags() throws {
    let fixture = try fixture().opened()
    try put(fixture, 1)
    watch(fixture, .contextChanged)
    try identify(fixture, "ben")
    #expect(fixture.client.state == .reconciling && !isReady(fixture) && fixture.heard().isEmpty)
    try put(fixture, 2)
    #expect(fixture.client.state == .ready && isReady(fixture))
    #expect(fixture.heard().sorted() == ["ben 0", "contextChanged 2"])
    // An equal one is done at once, without a request.
    let count = fixture.network.exchanges.count
    try identify(fixture, "ben")
    #expect(fixture.heard() == ["ben 0"] && fixture.network.exchanges.count == count && fixture.client.state == .ready)
  }

  @Test("The vendor's identify is told of as the core's is, in every environment when its flags are there")
  func everyEnvironmentIsToldOfItsOwn() throws {
    let fixture = try fixture(["secondary_mobile_keys": #"{"b":"mob-2"}"#]).opened()
    let other = try fixture.environment("b").client
    fixture.time.advance(milliseconds: 60_000)
    watch(fixture, .contextChanged, name: "a ")
    watch(fixture, .contextChanged, of: other, name: "b ")
    for isVendors in [true, false] {
      let context = try fixture.context(isVendors ? "ben" : "cid")
      if isVendors {
        #expect(fixture.face.identify(context, timeoutMilliseconds: 1_000, options: [], completion: nil) == .ok)
      } else {
        #expect(fixture.client.identify(context, completion: nil) == .ok)
      }
      fixture.time.advance(milliseconds: 60_000)
      #expect(fixture.client.state == .reconciling && other.state == .reconciling && fixture.heard().isEmpty)
      let streams = fixture.network.streams.filter { !$0.isEnded }
      #expect(streams.count == 2)
      for (stream, name) in zip(streams, ["a", "b"]) {
        stream.open()
        stream.receive("event: put\ndata: {\"n\":{\"value\":7}}\n\n")
        #expect(fixture.heard() == ["\(name) contextChanged 7"])
      }
      #expect(fixture.client.state == .ready && other.state == .ready)
    }
  }

  @Test("A context that is given after the vendor's call is not taken for the current one, though it is that still")
  func theOrderOfCallsCounts() throws {
    let fixture = try fixture(["online": "false"]).opened()
    _ = fixture.face.identify(
      try fixture.context("ben"), timeoutMilliseconds: -1, options: [.unsheddable], completion: fixture.tell("ben"))
    _ = fixture.client.identify(try fixture.context("ann"), completion: fixture.tell("ann"))
    // Each is a change of its own. Offline there are no flags: the vendor's call is done, the core's says so.
    #expect(fixture.heard() == ["ben 0", "ann \(Status.network.rawValue)"])
    #expect(fixture.currentKey == "ann")
  }

  @Test(
    "In the background, where flags are not kept fresh: STALE; back in front a refused stream is tried again (LD-15, LD-75; background, refused)"
  )
  func theBackgroundIsStale() throws {
    let fixture = try fixture().opened()
    try put(fixture, 1)
    _ = fixture.face.setInBackground(true)
    fixture.time.run()
    #expect(fixture.client.state == .stale && isReady(fixture) && !fixture.face.common.isOnline)
    _ = fixture.client.refresh()
    _ = fixture.face.setInBackground(false)
    fixture.time.run()
    #expect(fixture.client.state == .stale)
    try stream(fixture).open(status: 403)
    fixture.time.run()
    #expect(fixture.client.state == .fatal)
    for isBack in [true, false] { _ = fixture.face.setInBackground(isBack) }
    fixture.time.run()
    try put(fixture, 2)
    #expect(fixture.client.state == .ready)
  }

  @Test("With retry_refused attempts go on, so that nothing is FATAL; the host is told at error (LD-93; refused)")
  func slowAttemptsAreNotFatal() throws {
    let fixture = try fixture(["retry_refused": "true"]).opened()
    try stream(fixture).open(status: 401)
    _ = fixture.heard()
    #expect(fixture.client.state == .error && fixture.log.messages(.error).contains { $0.contains("401") })
    fixture.time.advance(milliseconds: 300_000)
    try put(fixture, 1)
    #expect(fixture.client.state == .ready)
  }

  @Test(
    "Closing while a change waits: it is cancelled, and the reopened client is not RECONCILING (LD-17, LD-24; closing, reopened)")
  func closingEndsAChange() throws {
    let fixture = try fixture().opened()
    try put(fixture, 1)
    try identify(fixture, "ben")
    #expect(fixture.client.state == .reconciling)
    fixture.close()
    #expect(fixture.told.value == ["ben 12"] && fixture.client.reopen() == .ok)
    fixture.time.run()
    #expect(fixture.client.state == .notReady && fixture.currentKey == "ben")
    fixture.time.advance(milliseconds: 60_000)
    try put(fixture, 2)
    #expect(fixture.client.state == .ready)
  }
}
