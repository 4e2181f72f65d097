import HoistBase
import HoistCore
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

@Suite("What is served while contexts change (5.1, 5.5, 5.9)", .serialized)
struct ServedContextTests {
  /// The newest stream sends a complete set with one flag.
  private func put(_ fixture: LifeFixture, _ value: Int) throws {
    try wait(fixture) { fixture.network.streams.last?.isEnded == false }
    let stream = try #require(fixture.network.streams.last)
    stream.open()
    stream.receive("event: put\ndata: {\"n\":{\"value\":\(value),\"version\":\(value)}}\n\n")
    fixture.time.run()
  }

  private func value(_ fixture: LifeFixture) -> String {
    "n".withBytes { fixture.client.evaluate($0, nil, .any, .counted) { _, detail in detail().value.string } }
  }

  private func observe(_ fixture: LifeFixture, _ name: String = "all", _ what: ObservedChanges = .all) {
    #expect(fixture.face.observe(what, NotingObserver(name, fixture.told)) != 0)
  }

  private func identify(_ fixture: LifeFixture, _ key: String, _ options: IdentifyOptions = [], timeout: Int64 = -1) throws {
    let status = fixture.face.identify(
      try fixture.context(key), timeoutMilliseconds: timeout, options: options, completion: fixture.tell(key))
    #expect(status == .ok)
    try wait(fixture) { fixture.currentKey == key }
  }

  @Test("A start is complete with the first flags, which are there then (LD-03, complaints 5 and 13; starting)")
  func aStartIsCompleteWithTheFirstFlags() throws {
    let fixture = try LifeFixture(["autostart": "false"]).opened()
    _ = fixture.face.start(waitMilliseconds: 5_000, completion: fixture.tell("start"))
    #expect(fixture.heard() == [] && !fixture.face.common.isInitialized)
    try put(fixture, 1)
    #expect(fixture.heard() == ["start 0"] && value(fixture) == "1" && fixture.face.common.isInitialized)
  }

  @Test("401 completes a start at once, with the reason and without a timeout (LD-06, ruling A13; refused)")
  func aRefusedKeyCompletesAStart() throws {
    let fixture = try LifeFixture(["autostart": "false"]).opened()
    _ = fixture.face.start(waitMilliseconds: 5_000, completion: fixture.tell("start"))
    fixture.time.run()
    let stream = try #require(fixture.network.streams.last)
    stream.open(status: 401)
    #expect(fixture.heard() == ["start 1210"] && !fixture.face.common.isOnline && fixture.face.common.isInitialized)
  }

  @Test(
    "Without cached flags a new context has none until they come, and then all count as new (LD-24, LD-32, complaint 9; ready)")
  func withoutACacheFlagsComeFromNothing() throws {
    let fixture = try LifeFixture().opened()
    try put(fixture, 1)
    observe(fixture)
    try identify(fixture, "b")
    #expect(fixture.currentKey == "b" && value(fixture) == "null" && fixture.heard() == [])
    try put(fixture, 2)
    #expect(value(fixture) == "2")
    #expect(Set(fixture.heard()) == ["b 0", "all: n ->2"])
  }

  @Test("Cached flags of the new context are served and told at once (LD-76, complaint 9; ready)")
  func withACacheItIsServedAtOnce() throws {
    let fixture = try LifeFixture(["store": "memory"]).opened()
    try identify(fixture, "a")
    try put(fixture, 1)
    try identify(fixture, "b")
    fixture.settleStore()
    fixture.time.advance(milliseconds: 60_000)
    try put(fixture, 2)
    observe(fixture)
    _ = fixture.heard()
    try identify(fixture, "a")
    try wait(fixture) { value(fixture) == "1" }
    #expect(fixture.heard() == ["all: n 2>1"])
    fixture.settleStore()
    fixture.time.advance(milliseconds: 60_000)
    try put(fixture, 3)
    #expect(Set(fixture.heard()) == ["a 0", "all: n 1>3"])
  }

  @Test("The cache may be left aside, or used only where there is something (LD-86; ready)") func theUseOfTheCacheIsTheHosts()
    throws
  {
    let fixture = try LifeFixture(["store": "memory"]).opened()
    try identify(fixture, "a")
    try put(fixture, 1)
    observe(fixture)
    try identify(fixture, "b", .usesCacheIfAvailable)
    #expect(value(fixture) == "1")
    fixture.time.advance(milliseconds: 60_000)
    try put(fixture, 2)
    #expect(fixture.heard().contains("all: n 1>2"))
    try identify(fixture, "a", .usesNoCache)
    #expect(value(fixture) == "2")
    fixture.time.advance(milliseconds: 60_000)
    try put(fixture, 3)
    fixture.settleStore()
    try identify(fixture, "b", .usesCacheIfAvailable)
    try wait(fixture) { value(fixture) == "2" }
    #expect(fixture.heard().contains("all: n 3>2"))
  }

  @Test("After the timeout the flags arrive all the same (LD-23, complaint 11; ready)") func lateFlagsArrive() throws {
    let fixture = try LifeFixture().opened()
    try put(fixture, 1)
    observe(fixture)
    try identify(fixture, "b", timeout: 1_000)
    fixture.time.advance(milliseconds: 1_000)
    #expect(fixture.heard() == ["b 3"])
    try put(fixture, 2)
    #expect(fixture.heard() == ["all: n ->2"] && value(fixture) == "2")
  }

  @Test("An identify that 401 cuts short is an error (LD-22, ruling A7; refused)") func aRefusedKeyEndsAnIdentify() throws {
    let fixture = try LifeFixture().opened()
    try put(fixture, 1)
    try identify(fixture, "b")
    let stream = try #require(fixture.network.streams.last)
    stream.open(status: 401)
    #expect(fixture.heard() == ["b 1210"] && !fixture.face.common.isOnline)
  }

  @Test("Updates that change nothing, and modes of the connection, are told (LD-33, LD-34; ready, offline)") func theRestIsTold()
    throws
  {
    let fixture = try LifeFixture().opened()
    try put(fixture, 1)
    observe(fixture, "unchanged", .unchanged)
    observe(fixture, "mode", .connectionMode)
    try put(fixture, 1)
    #expect(fixture.heard() == ["unchanged: unchanged"])
    _ = fixture.face.setOnline(false, completion: nil)
    #expect(fixture.heard() == ["mode: mode 0"])
  }

  @Test("After close there are only defaults, and silence (LD-17; closed)") func closedMeansDefaults() throws {
    let fixture = try LifeFixture().opened()
    try put(fixture, 1)
    observe(fixture)
    _ = fixture.heard()
    fixture.close()
    let code = "n".withBytes { fixture.client.evaluate($0, nil, .any, .counted) { _, detail in "\(detail().errorCode)" } }
    #expect(code == "\(ErrorCode.providerNotReady)" && value(fixture) == "null")
    fixture.provider.observers.updated([])
    #expect(fixture.heard() == [])
    #expect(fixture.client.track(TrackedEvent(key: "e", context: nil, value: nil, properties: [], unixMilliseconds: 0)) == .state)
  }

  /// Keeps what cannot be read, and was confirmed just now, as the flags of a context.
  private func keepNonsense(_ fixture: LifeFixture, of name: String) throws {
    let host = try #require(fixture.provider.host)
    let environment = String(Hex.encode(SHA256.hash("mob-1")).prefix(16))
    let cache = FlagCache(store: host.store, environment: environment, maximumContexts: 5)
    let key = FlagCacheKey(try LDContext.read(try fixture.context(name)))
    cache.save(key, Array("{".utf8), entityTag: "\"kept\"", at: host.clock.unixMilliseconds)
    let isKept = Locked(false)
    cache.load(key) { isKept.value = $0 != nil }
    try wait(fixture) { isKept.value }
  }

  private func polls(_ fixture: LifeFixture) -> [ScriptedExchange] {
    fixture.network.exchanges.filter { $0.request.url.contains("/msdk/") }
  }

  @Test("Kept flags that cannot be read say nothing of freshness, and lend no entity tag (LD-76, LD-85, 5.10; starting)")
  func unreadableFlagsAreNone() throws {
    let fixture = try LifeFixture(["store": "memory", "streaming_mode": "polling", "context": #"{"kind":"user","key":"a"}"#])
    try keepNonsense(fixture, of: "a")
    _ = fixture.opened()
    try wait(fixture) { !polls(fixture).isEmpty }
    let poll = try #require(polls(fixture).last)
    #expect(poll.request.header("If-None-Match") == nil && fixture.client.state != .stale)
  }

  @Test("Nor are they there for an identify (LD-86, 5.10; ready)")
  func unreadableFlagsAreNoneForAnIdentify() throws {
    let fixture = try LifeFixture(["store": "memory", "streaming_mode": "polling", "context": #"{"kind":"user","key":"a"}"#])
    try keepNonsense(fixture, of: "b")
    _ = fixture.opened()
    try wait(fixture) { !polls(fixture).isEmpty }
    polls(fixture).last?.complete(answer(200, #"{"n":{"value":1,"version":1}}"#))
    fixture.time.run()
    try identify(fixture, "b", .usesCacheIfAvailable)
    fixture.time.run()
    #expect(value(fixture) == "1")
    #expect(polls(fixture).count == 2 && polls(fixture).last?.request.header("If-None-Match") == nil)
  }

  @Test("3.2: a user's kind may be written down or left out", arguments: [true, false])
  func aUsersKindMayBeLeftOut(isWritten: Bool) throws {
    let fixture = try LifeFixture(["online": "false"]).opened()
    func user(_ key: String, _ kind: String?) throws -> EvaluationContext {
      let context = EvaluationContext(targetingKey: key)
      if let kind { try context.set(Array("kind".utf8), .string(Array(kind.utf8))) }
      return context
    }
    func code(_ context: EvaluationContext) -> ErrorCode {
      "n".withBytes { fixture.client.evaluate($0, context.subject, .any, .counted) { _, detail in detail().errorCode } }
    }
    _ = try fixture.client.identify(user("ann", isWritten ? "user" : nil).reference(), completion: nil)
    fixture.time.run()
    #expect(fixture.provider.took(.put(Array(#"{"n":{"value":1}}"#.utf8), entityTag: nil)) == .applied)
    #expect(try code(user("ann", nil)) == .none && code(user("ann", "user")) == .none)
    #expect(try code(user("ann", "org")) == .invalidContext && code(user("ben", "user")) == .invalidContext)
  }

  @Test("5.5: the current context in another spelling is the current one, and so it stays in the former")
  func anotherSpellingIsServed() throws {
    let fixture = try LifeFixture(["online": "false"]).opened()
    try identify(fixture, "ann")
    #expect(fixture.provider.took(.put(Array(#"{"n":{"value":1}}"#.utf8), entityTag: nil)) == .applied)
    func spelled() throws -> EvaluationContext {
      let context = EvaluationContext(targetingKey: "ann")
      try context.set(Array("name".utf8), .null)
      return context
    }
    func code(_ context: EvaluationContext) -> ErrorCode {
      "n".withBytes { fixture.client.evaluate($0, context.subject, .any, .counted) { _, detail in detail().errorCode } }
    }
    #expect(try code(spelled()) == .invalidContext)
    _ = try fixture.client.identify(spelled().reference(), completion: nil)
    fixture.time.run()
    #expect(try code(spelled()) == .none && code(EvaluationContext(targetingKey: "ann")) == .none)
    #expect(code(EvaluationContext(targetingKey: "ben")) == .invalidContext)
    #expect(fixture.provider.took(.put(Array(#"{"n":{"value":2}}"#.utf8), entityTag: nil)) == .applied)
    #expect(try code(spelled()) == .none && value(fixture) == "2")
  }

  /// Lets a store's lane answer.
  private func wait(_ fixture: LifeFixture, until isDone: () -> Bool) throws {
    let clock = SystemClock()
    let deadline = clock.monotonicNanoseconds + 10_000_000_000
    while !isDone(), clock.monotonicNanoseconds < deadline { fixture.time.run() }
    try #require(isDone())
  }
}
