import Dispatch
import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

private let boot = #"{"toggles":[{"name":"boot","enabled":true}]}"#

/// Readiness, bootstrap, contexts, stored flags: protocols/unleash.md D.1, D.3, D.5, D.8.
struct FrontendStateTests {
  // MARK: Events

  @Test("A changed answer is an update also when unchanged ones are not announced (UNL-50, G-2; ready)")
  func changedAnswersAreAlwaysUpdates() throws {
    let rig = try #require(ClientRig(frontend.merging(["notify_unchanged": "false"]) { $1 }))
    rig.start(toggles("a"))
    rig.fetch(toggles("a"))
    rig.fetch(toggles("a", "b"))
    rig.fetch(toggles("a", "b"))
    #expect(rig.takeEvents() == ["ready", "update"])
  }

  @Test(
    "When fresh stored flags or a 304 have made the client ready, the next answer is an update (UNL-49, UNL-50, UNL-82; ready)",
    arguments: ["60", "0"])
  func whatFollowsReadyIsAnUpdate(_ timeToLive: String) throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let properties = frontend.merging(["storage_ttl": timeToLive]) { $1 }
    let first = try #require(ClientRig(properties, cacheManager: cache))
    first.start(toggles("a", etag: "\"1\""))
    _ = first.client.store.close(untilNanoseconds: .max)
    // What is stored may be there before the client is started by hand.
    let readiness = News()
    let second = try #require(
      ClientRig(properties, cacheManager: cache, beforeOpening: { _ = $0.observe(.ready, key: nil, readiness) }))
    second.start(answer("", status: 304))
    _ = second.takeEvents()
    #expect(readiness.all.count == 1)
    second.transport.setResponder { _ in toggles("b") }
    // What the time to live left over of the scripted answers.
    second.fetch()
    if timeToLive == "60" { second.fetch() }
    #expect(second.takeEvents() == ["update"] && second.isOn("b"))
  }

  @Test("Initialized comes once, when what was stored has been read, also before a start by hand (UNL-85; before start)")
  func initializedComesOnceWithStoredFlags() throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let first = try #require(ClientRig(frontend, cacheManager: cache))
    first.start(toggles("a"))
    _ = first.client.store.close(untilNanoseconds: .max)
    let news = News()
    let second = try #require(
      ClientRig(frontend, cacheManager: cache, beforeOpening: { _ = $0.observe(.initialized, key: nil, news) }))
    second.settle {
      _ = second.takeEvents()
      return !news.all.isEmpty
    }
    #expect(second.isOn("a") && second.transport.requests.isEmpty && !second.face.isReady)
    second.start(toggles("b"))
    let late = second.news(of: .initialized)
    _ = second.takeEvents()
    #expect(news.all.count == 1 && late.all.count == 1, "who comes late is told at once")
  }

  // MARK: Bootstrap

  @Test(
    "An empty list is no bootstrap: nothing is put off, and stored flags are used (UNL-23, UNL-25, D.3; before start, starting)",
    arguments: [#"{"toggles":[]}"#, #" { "toggles" : [ ] } "#])
  func anEmptyListIsNoBootstrap(_ empty: String) throws {
    let rig = try #require(ClientRig(frontend.merging(["refresh_interval": "15", "bootstrap": empty]) { $1 }))
    #expect(rig.client.state == .notReady)
    rig.start(toggles("a"), bootstrap: empty)
    #expect(rig.transport.requests.count == 1 && rig.isOn("a"))
  }

  @Test("Bootstrap given at a later start is replaced too: the tag of the flags before is not sent with it (UNL-39; ready)")
  func bootstrapForgetsTheTag() throws {
    let rig = try #require(ClientRig(frontend.merging(["refresh_interval": "15"]) { $1 }))
    rig.start(toggles("a", etag: "\"1\""))
    rig.start(bootstrap: boot)
    #expect(rig.isOn("boot") && !rig.isOn("a") && rig.client.state == .stale)
    rig.transport.enqueue(toggles("a", etag: "\"1\""))
    rig.scheduler.advance(milliseconds: 15_000)
    #expect(rig.header("If-None-Match", ofRequest: 1) == nil && rig.isOn("a") && !rig.isOn("boot"))
  }

  @Test("Also an empty answer replaces bootstrapped flags (UNL-39, D.3; starting)")
  func anEmptyAnswerReplacesBootstrap() throws {
    let rig = try #require(ClientRig(frontend.merging(["bootstrap": boot]) { $1 }))
    rig.start(toggles())
    #expect(!rig.isOn("boot") && rig.face.isReady)
  }

  @Test("With interval 0, bootstrap given at start means that nothing is ever fetched (UNL-13, UNL-25; starting)")
  func bootstrapWithoutInterval() throws {
    let rig = try #require(ClientRig(frontend))
    #expect(rig.start(bootstrap: boot).value == .ok)
    rig.scheduler.advance(milliseconds: 86_400_000)
    #expect(rig.transport.requests.isEmpty && rig.isOn("boot") && !rig.face.isReady && rig.takeEvents().isEmpty)
  }

  @Test("A host's storage is emptied when bootstrapped flags are dropped (UNL-60, G-1; starting)")
  func aHostsStorageIsEmptied() throws {
    let storage = CallsOfAStorage()
    var plugins = Plugins()
    plugins.vendor[UnleashPlugins.storage] = storage
    let rig = try #require(
      ClientRig(frontend.merging(["bootstrap": boot, "drop_bootstrap_on_update": "true"]) { $1 }, plugins: plugins))
    rig.settle { storage.calls.count == 1 }
    _ = rig.face.updateContext(["userId": "u"], properties: [:]) { _ in }
    rig.settle { storage.calls.count == 3 }
    #expect(storage.calls == ["set boot", "set ", "clear"])
  }

  // MARK: Contexts

  @Test("A context change before the start begins polling and metrics, as a start does (UNL-61, D.5; before start)")
  func aContextChangeBeforeTheStartStarts() throws {
    let rig = try #require(ClientRig(frontend.merging(["refresh_interval": "15", "metrics_interval": "30"]) { $1 }))
    rig.transport.setResponder { _ in toggles("a") }
    _ = rig.face.updateContext(["userId": "u"], properties: [:]) { _ in }
    rig.scheduler.run()
    #expect(rig.isOn("a"))
    rig.scheduler.advance(milliseconds: 15_000)
    #expect(rig.transport.requests.count == 2 && rig.transport.requests.allSatisfy { $0.url.contains("userId=u") })
    rig.scheduler.advance(milliseconds: 15_000)
    #expect(rig.posts.count == 1)
  }

  @Test("A context has its flags also when the service says that they are the same (UNL-41, D.5; ready, failing)")
  func aContextWithTheSameFlags() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a", etag: "\"1\""))
    let news = rig.news(of: .contextChanged)
    let done = Outcome()
    rig.transport.enqueue(answer("", status: 304), .failure(TransportFailure(.timeout, "slow")))
    _ = rig.face.updateContext(["userId": "u"], properties: [:]) { done.set($0) }
    rig.scheduler.run()
    #expect(done.value == .ok && rig.client.state == .ready && rig.isOn("a"))
    let states = News()
    let client = rig.client
    _ = client.observe(.error, key: nil, ClosureObserver { news in if client.state == .stale { states.notify(news) } })
    _ = rig.face.updateContext(["userId": "v"], properties: [:]) { done.set($0) }
    rig.scheduler.run()
    _ = rig.takeEvents()
    #expect(done.value == .unleashNoResponse && rig.isOn("a"))
    #expect(news.all.count == 1 && states.all.count == 1)
  }

  @Test("A field is set among the others, and a property that is called like a field stays a property (UNL-87; ready)")
  func fieldsAndPropertiesStayApart() throws {
    let rig = try #require(ClientRig(frontend))
    rig.transport.setResponder { _ in toggles("a") }
    rig.start()
    _ = rig.face.updateContext(["userId": "u", "sessionId": "s"], properties: ["userId": "shadow", "tier": "gold"]) { _ in }
    rig.scheduler.run()
    for (name, value) in [("remoteAddress", "10.0.0.1"), ("tier", nil), ("userId", nil), ("appName", "mine"), ("sessionId", nil)]
    {
      _ = rig.face.setContextField(name, value)
    }
    rig.scheduler.run()
    let sent = try #require(rig.transport.requests.last?.url)
    #expect(
      sent.hasSuffix(
        "?appName=unleash-swift-client&environment=default&sessionId=s&remoteAddress=10.0.0.1&properties%5BuserId%5D=shadow"))
  }

  @Test("Fields set on several threads at once are all kept (UNL-87, UNL-59; before start)")
  func fieldsOfManyThreads() throws {
    let rig = try #require(ClientRig(frontend))
    let face = rig.face
    let names = (0..<4).map { thread in (0..<50).map { "field-\(thread)-\($0)" } }
    DispatchQueue.concurrentPerform(iterations: names.count) { thread in
      for name in names[thread] { _ = face.setContextField(name, "x") }
    }
    #expect(names.joined().allSatisfy { face.flattenedContext[$0] == "x" })
    let current = try #require(rig.client.currentContext)
    #expect(Set(FrontendContext.members(of: current.frozen).keys).isSuperset(of: names.joined()))
  }

  @Test("An impression's context has the session of the fetches, also after identify (UNL-56; ready)")
  func impressionsNameTheSession() throws {
    let rig = try #require(ClientRig(frontend.merging(["impression_data_all": "true"]) { $1 }))
    rig.transport.setResponder { _ in toggles("a") }
    rig.start()
    let news = rig.news(of: .impression)
    _ = rig.client.identify(EvaluationContext(targetingKey: "u").reference(), completion: nil)
    rig.scheduler.run()
    _ = rig.isOn("a")
    _ = rig.takeEvents()
    let session = try #require(rig.face.flattenedContext["sessionId"])
    let text = String(decoding: try #require(news.all.first).json, as: UTF8.self)
    #expect(
      text.contains(
        #""context":{"appName":"unleash-swift-client","environment":"default","sessionId":"\#(session)","userId":"u"}"#))
  }

  // MARK: Stored flags

  @Test("Stored flags are another context's business only when that one is the current one (UNL-81; before start)")
  func storedFlagsAreTheCurrentContexts() throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let properties = frontend.merging(["context": #"{"userId":"u"}"#]) { $1 }
    let first = try #require(ClientRig(properties, cacheManager: cache))
    first.start(toggles("a"))
    _ = first.client.store.close(untilNanoseconds: .max)
    let second = try #require(ClientRig(properties, cacheManager: cache))
    second.settle { second.isOn("a") }
    let other = EvaluationContext(targetingKey: "other")
    let code = "a".withBytes { second.client.evaluate($0, other.subject, .bool, []) { evaluation, _ in evaluation.errorCode } }
    #expect(code == .invalidContext)
  }

  @Test("A 304 stores what it confirms: for the context it was asked for, and as fresh (UNL-81, UNL-82; ready)")
  func a304ConfirmsStoredFlags() throws {
    let cache = Values()
    let properties = frontend.merging(["storage_ttl": "60", "context": #"{"userId":"one"}"#]) { $1 }
    let first = try #require(ClientRig(properties, cacheManager: cache))
    first.start(toggles("a", etag: "\"1\""))
    first.scheduler.advance(milliseconds: 50_000)
    first.transport.setResponder { _ in answer("", status: 304) }
    _ = first.face.updateContext(["userId": "two"], properties: [:]) { _ in }
    first.settle { first.transport.requests.count == 2 && first.client.state == .ready }
    first.settle { cache.saves == 2 }
    _ = first.client.store.close(untilNanoseconds: .max)
    let second = try #require(ClientRig(properties.merging(["context": #"{"userId":"two"}"#]) { $1 }, cacheManager: cache))
    second.scheduler.advance(milliseconds: 100_000)
    second.start()
    #expect(second.isOn("a") && second.face.isReady && second.transport.requests.isEmpty)
  }

  @Test(
    "G2: a stored time that no clock ever shows makes the flags old, and harms nobody", arguments: [Int64.min, Int64.max, -1])
  func absurdStoredTimes(_ time: Int64) throws {
    let cache = Values(forAll: "{\"etag\":\"\",\"saved\":\(time)}\n" + togglesText(["a"]))
    let rig = try #require(ClientRig(frontend.merging(["storage_ttl": "60"]) { $1 }, cacheManager: cache))
    rig.settle { rig.isOn("a") }
    #expect(rig.client.state == .stale)
    rig.start(toggles("b"))
    #expect(rig.isOn("b"))
  }

  // MARK: Forks

  @Test("G9: a forked child goes on fetching what was started by hand, and only that")
  func aChildGoesOn() throws {
    let rig = try #require(ClientRig(frontend))
    let idle = try #require(ClientRig(frontend))
    for rig in [rig, idle] { rig.transport.setResponder { _ in toggles("a") } }
    rig.start()
    for rig in [rig, idle] {
      rig.client.onScheduler {
        $0.provider?.abandonAfterFork()
        $0.provider?.start()
      }
      rig.scheduler.run()
    }
    #expect(rig.transport.requests.count == 2 && idle.transport.requests.isEmpty)
  }
}

private final class CallsOfAStorage: UnleashStorage, @unchecked Sendable {
  private let kept = LockedValue<[String]>([])
  var calls: [String] { kept.withLock { $0 } }
  func set(_ toggles: [UnleashToggle]) { kept.withLock { $0.append("set " + toggles.map(\.name).joined(separator: ",")) } }
  func value(_ name: String) -> UnleashToggle? { nil }
  func clear() { kept.withLock { $0.append("clear") } }
}

/// A cache of values only.
private final class Values: CacheManager, @unchecked Sendable {
  private let kept = LockedValue<(values: [String: [UInt8]], saves: Int)>(([:], 0))
  private let common: [UInt8]?
  var saves: Int { kept.withLock { $0.saves } }
  /// - Parameter common: what there is under every key.
  init(forAll common: String? = nil) { self.common = common.map { Array($0.utf8) } }
  func load(key: String) -> [UInt8]? { kept.withLock { $0.values[key] } ?? common }
  func save(key: String, value: [UInt8]) {
    kept.withLock {
      $0.values[key] = value
      $0.saves += 1
    }
  }
  func remove(key: String) {}
  func putEvents(_ rows: [EventRow], owner: EventOwner) {}
  func claimEvents(pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner) -> [EventRow] { [] }
  func removeEvents(ids: [String], owner: EventOwner) {}
  func purgeEvents(subject: String, pipeline: String) {}
  func renewLease(owner: EventOwner) {}
  func releaseEvents(owner: EventOwner) {}
  func close() {}
}
