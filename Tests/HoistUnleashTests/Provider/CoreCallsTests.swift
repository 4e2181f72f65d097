import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

private let boot = #"{"toggles":[{"name":"boot","enabled":true}]}"#

/// What the core's calls say of a frontend client: states, topics, fallbacks, stored flags.
struct CoreCallsTests {
  private func read(_ rig: ClientRig, _ name: String, _ want: WantedType = .bool) -> (
    code: ErrorCode, kind: ValueKind, isOn: Bool
  ) {
    name.withBytes {
      rig.client.evaluate($0, nil, want, []) { evaluation, _ in (evaluation.errorCode, evaluation.kind, evaluation.integer != 0) }
    }
  }

  // MARK: Off and unknown

  @Test(
    "A toggle that fetched flags do not list is off, and not unknown; before, nobody knows (UNL-28, B.4; before start, ready)")
  func unlistedIsOff() throws {
    let rig = try #require(ClientRig(frontend.merging(["bootstrap": boot]) { $1 }))
    #expect(read(rig, "gone").code == .flagNotFound && read(rig, "boot").isOn)
    rig.start(toggles("a"))
    let gone = read(rig, "gone")
    #expect(gone.code == .none && gone.kind == .bool && !gone.isOn)
    // A text has no value there, as of a toggle that is off.
    #expect(read(rig, "gone", .string).code == .none && read(rig, "gone", .string).kind == .none)
    let view = FlagView(rig.client, nil)
    #expect("gone".withBytes { view.evaluate($0, .bool) { $0.kind == .bool && $0.integer == 0 } } == true)
  }

  @Test("A toggle that is not listed is counted under its own name, and an explanation says that it is off (UNL-28; ready)")
  func unlistedIsCounted() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a"))
    _ = rig.isOn("gone")
    rig.transport.enqueue(.success(HTTPResponse(status: 200)))
    _ = rig.flush()
    let body = String(decoding: try #require(rig.posts.first?.body), as: UTF8.self)
    #expect(body.contains(#""toggles":{"gone":{"yes":0,"no":1,"variants":{}}}"#))
    let text = "gone".withBytes {
      rig.client.evaluate($0, nil, .bool, .explained) { _, detail in String(decoding: detail().json(), as: UTF8.self) }
    }
    #expect(text.contains(#""enabled":false"#))
  }

  @Test("Another context gets no word of a toggle that is not listed (UNL-28; ready)")
  func unlistedIsTheCurrentContexts() throws {
    let rig = try #require(ClientRig(frontend.merging(["context": #"{"userId":"u"}"#]) { $1 }))
    rig.start(toggles("a"))
    let other = EvaluationContext(targetingKey: "v")
    let code = "gone".withBytes { rig.client.evaluate($0, other.subject, .bool, []) { evaluation, _ in evaluation.errorCode } }
    #expect(code == .invalidContext)
  }

  @Test("Where the host keeps the toggles, one that is not listed is off too (UNL-60; ready)")
  func unlistedInAHostsStorage() throws {
    var plugins = Plugins()
    plugins.vendor[UnleashPlugins.storage] = ToggleMap()
    let rig = try #require(ClientRig(frontend, plugins: plugins))
    #expect(read(rig, "gone").code == .flagNotFound)
    rig.start(toggles("a"))
    #expect(read(rig, "gone").code == .none && read(rig, "a").isOn)
  }

  // MARK: Bootstrap

  @Test(
    "With a storage of the host's own, bootstrapped flags are readable right after open, whatever it does (UNL-23, UNL-60; before start, slow plug-in)"
  )
  func bootstrapBesideAHostsStorage() throws {
    let storage = ToggleMap(isOpen: false)
    defer { storage.open() }
    var plugins = Plugins()
    plugins.vendor[UnleashPlugins.storage] = storage
    let rig = try #require(ClientRig(frontend.merging(["bootstrap": boot]) { $1 }, plugins: plugins))
    #expect(read(rig, "boot").isOn && rig.client.waitReady(timeoutMilliseconds: 0) == .ok)
  }

  @Test(
    "A bootstrap that cannot be read is warned of where flags can be fetched, and refused where they cannot (UNL-35; before start)",
    arguments: [
      ["bootstrap": "[]"], ["bootstrap.file": "/nonexistent/flags.json"],
    ])
  func badBootstrap(_ properties: [String: String]) throws {
    let rig = try #require(ClientRig(frontend.merging(properties) { $1 }))
    rig.start(toggles("a"))
    #expect(rig.isOn("a"))
    #expect(ClientRig(["key": "k"].merging(properties) { $1 }) == nil)
    #expect(ClientRig(frontend.merging(properties.merging(["online": "false"]) { $1 }) { $1 }) == nil)
  }

  // MARK: States and topics

  @Test("Bootstrapped flags make a client stale and readable; `ready` waits for a fetch (UNL-49, D.1; before start, ready)")
  func bootstrapIsStale() throws {
    let ready = News()
    let rig = try #require(
      ClientRig(frontend.merging(["bootstrap": boot]) { $1 }, beforeOpening: { _ = $0.observe(.ready, key: nil, ready) }))
    _ = rig.takeEvents()
    #expect(ready.all.count == 1 && rig.client.state == .stale && !rig.face.isReady)
    rig.start(toggles("a"))
    #expect(rig.takeEvents() == ["ready"] && ready.all.count == 1 && rig.client.state == .ready)
  }

  @Test("The core tells of each later answer, changed or not, and of changed flags only where there are some (UNL-50; ready)")
  func laterAnswers() throws {
    let rig = try #require(ClientRig(frontend))
    let (updated, changed) = (rig.news(of: .updated), rig.news(of: .configurationChanged))
    rig.start(toggles("a"))
    rig.fetch(toggles("a"))
    rig.fetch(answer("", status: 304))
    _ = rig.takeEvents()
    #expect(updated.all.count == 2 && changed.all.count == 1)
    rig.fetch(toggles("b"))
    _ = rig.takeEvents()
    #expect(updated.all.count == 3 && changed.all.count == 2)
  }

  @Test("D.2: a start that fails is followed by further attempts, also where flags are fetched once")
  func aFailedStartGoesOn() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(answer("{}", status: 503))
    #expect(rig.client.state == .error)
    rig.transport.setResponder { _ in toggles("a") }
    rig.scheduler.advance(milliseconds: 30_000)
    #expect(rig.isOn("a") && rig.client.state == .ready)
    rig.scheduler.advance(milliseconds: 3_600_000)
    #expect(rig.transport.requests.count == 2)
  }

  @Test("D.3: a start by hand with flags of the host's own makes a client that was ready stale, until the service confirms")
  func aSecondStartIsStale() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a"))
    rig.start(bootstrap: boot)
    #expect(rig.client.state == .stale && read(rig, "a").code == .flagNotFound)
  }

  @Test("client.h, statistics: of the buckets of metrics each is recorded, waits, and is delivered; state: ready")
  func bucketsAreRecorded() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a"))
    func counts() -> [Int64] {
      let statistics = rig.client.provider?.statistics ?? []
      return ["recorded", "waiting", "delivered"].compactMap { name in
        statistics.first { $0.group == "metrics" && $0.name == name }?.value
      }
    }
    #expect(counts() == [0, 0, 0])
    _ = rig.isOn("a")
    rig.scheduler.advance(milliseconds: 1000)
    #expect(counts() == [1, 1, 0])
    rig.transport.setResponder { _ in .success(HTTPResponse(status: 202)) }
    #expect(rig.flush().value == .ok && counts() == [1, 0, 1])
    _ = rig.isOn("a")
    #expect(rig.flush().value == .ok && counts() == [2, 0, 2])
  }

  // MARK: Contexts

  @Test("The stored flags of a new context are served at once, and stay when the network never answers (UNL-81, D.5; failing)")
  func storedFlagsOfANewContext() throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let first = try #require(ClientRig(frontend, cacheManager: cache))
    first.transport.setResponder { request in request.url.contains("userId=v") ? toggles("vs") : toggles("us") }
    for user in ["v", "u"] {
      let done = Outcome()
      _ = first.face.updateContext(["userId": user], properties: [:]) { done.set($0) }
      first.settle { done.value != nil }
    }
    _ = first.client.store.close(untilNanoseconds: .max)
    let second = try #require(ClientRig(frontend.merging(["context": #"{"userId":"u"}"#]) { $1 }, cacheManager: cache))
    second.settle { second.isOn("us") }
    let changed = second.news(of: .contextChanged)
    let done = Outcome()
    _ = second.client.identify(EvaluationContext(targetingKey: "v").reference()) { done.set($0) }
    second.settle { second.isOn("vs") }
    _ = second.takeEvents()
    #expect(changed.all.count == 1 && done.value == nil && second.client.state == .reconciling)
    #expect(second.client.waitReady(timeoutMilliseconds: 0) == .ok)
    second.transport.open.last?.complete(.failure(TransportFailure(.timeout, "gone")))
    second.settle {
      _ = second.takeEvents()
      return done.value != nil
    }
    #expect(done.value == .network && second.isOn("vs") && second.client.state == .stale && changed.all.count == 1)
  }

  @Test("Offline, the stored flags of a new context are served, and told of as that (UNL-81, contract 3; offline)")
  func offlineContextsWithStoredFlags() throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let rig = try #require(ClientRig(frontend, cacheManager: cache))
    rig.transport.setResponder { request in request.url.contains("userId=v") ? toggles("vs") : toggles("us") }
    for user in ["v", "u"] {
      let done = Outcome()
      _ = rig.face.updateContext(["userId": user], properties: [:]) { done.set($0) }
      rig.settle { done.value != nil }
    }
    _ = rig.client.setOnline(false)
    rig.scheduler.run()
    _ = rig.takeEvents()
    let changed = rig.news(of: .contextChanged)
    let done = Outcome()
    _ = rig.client.identify(EvaluationContext(targetingKey: "v").reference()) { done.set($0) }
    rig.settle {
      _ = rig.takeEvents()
      return done.value != nil
    }
    #expect(done.value == .ok && rig.isOn("vs") && !rig.isOn("us") && rig.client.state == .stale)
    #expect(changed.all.count == 1 && rig.transport.requests.count == 2)
  }

  @Test("D.5: offline, a new context without stored flags is not told of as served")
  func offlineContexts() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a"))
    _ = rig.client.setOnline(false)
    rig.scheduler.run()
    let changed = rig.news(of: .contextChanged)
    let done = Outcome()
    _ = rig.client.identify(EvaluationContext(targetingKey: "v").reference()) { done.set($0) }
    rig.settle {
      _ = rig.takeEvents()
      return done.value != nil
    }
    #expect(done.value == .network && changed.all.isEmpty && rig.client.state == .stale && rig.isOn("a"))
  }
}

/// A storage of the host's own, which takes no toggles before it is open.
private final class ToggleMap: UnleashStorage, @unchecked Sendable {
  private let lock = Lock()
  private let changed = Condition()
  private var isOpen: Bool
  private var kept: [String: UnleashToggle] = [:]

  init(isOpen: Bool = true) { self.isOpen = isOpen }

  func open() {
    lock.withLock { isOpen = true }
    changed.broadcast()
  }
  func set(_ toggles: [UnleashToggle]) {
    lock.withLock {
      while !isOpen { _ = changed.wait(lock, untilNanoseconds: .max) }
      kept = Dictionary(toggles.map { ($0.name, $0) }) { first, _ in first }
    }
  }
  func value(_ name: String) -> UnleashToggle? { lock.withLock { kept[name] } }
  func clear() { lock.withLock { kept = [:] } }
}
