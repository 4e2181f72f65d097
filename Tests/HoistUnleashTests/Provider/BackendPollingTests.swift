import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

private typealias Service = BackendService

/// Polling of definitions and deltas: tags, pace, new beginnings.
struct BackendPollingTests {
  private func rig(_ fetchMode: String? = nil, _ options: [String: String] = [:], _ cache: (any CacheManager)? = nil) throws
    -> ClientRig
  {
    try #require(ClientRig(Service.options(fetchMode, options), cacheManager: cache))
  }

  @Test("Project, prefix and tags narrow deltas and streams too (UNL-102; starting)", arguments: ["delta", "streaming"])
  func queriesNarrowEveryMode(_ mode: String) throws {
    let rig = try rig(mode, ["project": "shop", "name_prefix": "new-", "tags": #"["team:web"]"#])
    rig.begin()
    #expect(
      rig.transport.requests.map(\.url) == ["https://flags.test/api/client/\(mode)?project=shop&namePrefix=new-&tag=team%3Aweb"])
  }

  @Test(
    "B.6, B.3: the URL of the client API, or of its definitions, means that of the API, for fetches and metrics",
    arguments: [
      "https://flags.test/api", "https://flags.test/api/", "https://flags.test/api/client", "https://flags.test/api/client/",
      "https://flags.test/api/client/features", "https://flags.test/api/client/features/?project=x",
    ])
  func theURLOfTheClientAPI(_ url: String) throws {
    let rig = try rig("delta", ["url": url, "disable_registration": "false"])
    rig.transport.setResponder { request in
      request.url.hasSuffix("/delta") ? Service.status(404) : Service.ok(Service.document("a"))
    }
    rig.start()
    _ = rig.isOn("a")
    _ = rig.flush()
    let sent = Set(rig.transport.requests.map(\.url))
    #expect(sent == Set(["register", "delta", "features", "metrics"].map { "https://flags.test/api/client/\($0)" }))
  }

  @Test(
    "B.6: other paths stay as they are",
    arguments: ["https://flags.test/client/features/api", "https://flags.test/features", "https://flags.test/clients"])
  func otherPathsStay(_ url: String) throws {
    let rig = try rig(nil, ["url": url])
    rig.begin()
    #expect(rig.transport.requests.map(\.url) == [url + "/client/features"])
  }

  @Test(
    "Equal definitions without a tag are `update` and UPDATED, and no change of the configuration (UNL-50, contract 2; ready)")
  func equalDefinitions() throws {
    let rig = try rig()
    let (updated, changed) = (rig.messages(of: .updated), rig.messages(of: .configurationChanged))
    rig.transport.setResponder { _ in Service.ok(Service.document("a")) }
    rig.begin()
    #expect(updated.take().isEmpty && changed.take().count == 1)
    _ = rig.takeEvents()
    rig.fetch()
    #expect(updated.take().count == 1 && changed.take().isEmpty && rig.takeEvents() == ["update"])
  }

  @Test(
    "Toggles where definitions are due are warned of as what they are, and not as a property that nobody has set (UNL-35, contract 1; before start, starting)",
    arguments: [true, false])
  func togglesInBackendMode(_ isGivenAtOpening: Bool) throws {
    let toggles = togglesText(["a"])
    let rig = try rig(nil, isGivenAtOpening ? ["bootstrap": toggles] : [:])
    if !isGivenAtOpening { rig.begin(bootstrap: toggles) }
    _ = rig.takeEvents()
    let line = try #require(rig.log.messages(.warning).first)
    #expect(
      line.contains("it has toggles, which frontend mode starts with; backend mode takes definitions")
        && !line.contains("property"))
    let frontendRig = try #require(ClientRig(frontend.merging(["bootstrap": Service.document("a")]) { $1 }))
    _ = frontendRig.takeEvents()
    #expect(frontendRig.log.messages(.warning).first?.contains("frontend mode takes toggles") == true)
  }

  @Test("Flags given at a new start are replaced by the next fetch, whatever tag was known (UNL-90, UNL-39; ready)")
  func bootstrapForgetsTheTag() throws {
    let rig = try rig()
    rig.transport.enqueue(Service.ok(Service.document("a"), ["ETag": "\"q:1:v1\""]))
    rig.begin()
    rig.begin(bootstrap: Service.document("boot"))
    #expect(rig.on("a", "boot") == ["boot"])
    rig.fetch()
    #expect(rig.sent("If-None-Match") == [nil, nil])
  }

  @Test("Flags given at a new start are replaced by everything, not by what changed since (UNL-92; ready)")
  func bootstrapForgetsTheDelta() throws {
    let rig = try rig("delta")
    rig.transport.enqueue(Service.ok(Service.batch(Service.hydration(4, "a")), ["ETag": "\"4\""]))
    rig.begin()
    rig.begin(bootstrap: Service.document("boot"))
    rig.fetch()
    #expect(rig.sent("If-None-Match") == [nil, nil])
  }

  @Test("An answer without a tag is followed by the id of its last event (UNL-92; ready)")
  func aDeltaWithoutATag() throws {
    let rig = try rig("delta")
    rig.transport.enqueue(
      Service.ok(Service.batch(Service.hydration(4, "a"), Service.updated(5, "b"))),
      Service.ok(Service.batch(Service.updated(6, "c"))),
      Service.status(304))
    rig.begin()
    for _ in 0..<3 { rig.fetch() }
    #expect(rig.sent("If-None-Match") == [nil, "\"5\"", "\"6\"", "\"6\""])
    #expect(rig.on("a", "b", "c") == ["a", "b", "c"])
  }

  @Test("Events without a hydration change what is there already, as the engine has it (UNL-92; ready)")
  func deltasApplyToBootstrap() throws {
    let rig = try rig("delta")
    rig.transport.enqueue(Service.ok(Service.batch(Service.updated(6, "c"), Service.removed(7, "b"))))
    rig.begin(bootstrap: Service.document("a", "b"))
    rig.fetch()
    #expect(rig.on("a", "b", "c") == ["a", "c"])
  }

  @Test("A batch that cannot be applied is told, changes nothing, and is no part of the next one (UNL-92, G3; failing)")
  func aBadBatchChangesNothing() throws {
    let rig = try rig("delta")
    rig.transport.enqueue(
      Service.ok(Service.batch(Service.hydration(4, "a", "b")), ["ETag": "4"]),
      Service.ok(Service.batch(Service.removed(5, "a"), #"{"type":"segment-updated","eventId":6}"#), ["ETag": "6"]))
    rig.begin()
    let told = rig.messages(of: .error)
    #expect(rig.fetch().value == .unleashDecoding)
    #expect(told.take() == ["fetching flags failed: the service's answer cannot be read: event 2: segment must be there"])
    #expect(rig.on("a", "b") == ["a", "b"] && rig.client.state == .stale)
    rig.transport.enqueue(Service.ok(Service.batch(Service.hydration(9, "c")), ["ETag": "9"]))
    rig.fetch()
    #expect(rig.sent("If-None-Match") == [nil, "\"4\"", nil] && rig.on("a", "b", "c") == ["c"] && rig.client.state == .ready)
  }

  @Test("A new start asks for deltas again (UNL-92; ready)")
  func aNewStartAsksForDeltasAgain() throws {
    let rig = try rig("delta")
    rig.transport.enqueue(
      Service.status(404), Service.ok(Service.document("a")), Service.ok(Service.batch(Service.hydration(1, "b"))))
    rig.begin()
    rig.begin()
    #expect(rig.transport.requests.map { String($0.url.suffix(8)) } == ["nt/delta", "features", "nt/delta"])
    #expect(rig.on("a", "b") == ["b"])
  }

  @Test("A refused key is tried seldom, and at once when the context is changed (UNL-89, D.2; refused)", arguments: [401, 403])
  func aRefusedKeyIsTriedSeldom(_ code: Int) throws {
    let rig = try rig(nil, ["refresh_interval": "15"])
    rig.transport.setResponder { _ in Service.status(code) }
    #expect(rig.begin().value == .unleashNetwork && rig.client.state == .error)
    rig.scheduler.advance(milliseconds: 164_999)
    #expect(rig.transport.requests.count == 1)
    rig.transport.setResponder { _ in Service.ok(Service.document("a")) }
    let changed = Outcome()
    _ = rig.face.updateContext(["userId": "u"], properties: [:]) { changed.set($0) }
    rig.scheduler.run()
    #expect(rig.transport.requests.count == 2 && changed.value == .ok && rig.on("a") == ["a"])
    rig.scheduler.advance(milliseconds: 15_000)
    #expect(rig.transport.requests.count == 3)
    // A context alone is no reason to fetch.
    _ = rig.face.updateContext(["userId": "v"], properties: [:]) { _ in }
    rig.scheduler.run()
    #expect(rig.transport.requests.count == 3)
  }

  @Test("A service in trouble is asked less and less, and Retry-After is obeyed (UNL-89; failing)")
  func troubleStretchesTheWaits() throws {
    let rig = try rig(nil, ["refresh_interval": "10"])
    rig.transport.enqueue(
      Service.ok(Service.document("a")), Service.status(500), Service.status(404), Service.status(429, ["Retry-After": "100"]),
      .failure(TransportFailure(.connectionReset, "reset")), Service.ok(Service.document("b")))
    rig.begin()
    var waits: [Int64] = []
    for _ in 0..<5 {
      let count = rig.transport.requests.count
      waits.append(try #require(rig.milliseconds(step: 100) { rig.transport.requests.count > count }))
    }
    #expect(waits == [10_000, 20_000, 30_000, 100_000, 5_000])
    #expect(rig.on("a", "b") == ["b"])
  }

  @Test("At the interval 0 definitions are fetched once (UNL-90; ready)")
  func intervalZeroFetchesOnce() throws {
    let rig = try rig()
    rig.transport.enqueue(Service.ok(Service.document("a")))
    rig.begin()
    rig.scheduler.advance(milliseconds: 86_400_000)
    #expect(rig.transport.requests.count == 1)
  }

  @Test("A registration that was called off is made up for (UNL-91; starting)")
  func registrationSurvivesARestart() throws {
    let rig = try rig(nil, ["disable_registration": "false"])
    rig.begin()  // nothing answers
    rig.begin()
    let posts = rig.transport.exchanges.filter { $0.request.method == "POST" }
    #expect(posts.map(\.isCancelled) == [true, false])
    posts.last?.complete(Service.status(202))
    rig.begin()
    #expect(rig.transport.requests.filter { $0.method == "POST" }.count == 2)
  }

  @Test("The next run starts from stored definitions and sends their tag (UNL-101, UNL-81; starting)")
  func storedDefinitionsKeepTheirTag() throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let first = try rig(nil, [:], cache)
    first.transport.enqueue(Service.ok(Service.document("a"), ["ETag": "\"q:1:v1\""]))
    first.begin()
    first.settle { first.client.state == .ready }
    _ = first.client.store.close(untilNanoseconds: .max)
    let second = try rig(nil, [:], cache)
    second.transport.setResponder { _ in Service.status(304) }
    second.begin()
    second.settle { second.client.state == .ready }
    #expect(second.on("a") == ["a"] && second.sent("If-None-Match") == ["\"q:1:v1\""])
    // The 304 made it ready, so what comes next is an update (D.1).
    #expect(second.takeEvents().filter { $0 != "initialized" } == ["ready"])
    second.transport.enqueue(Service.ok(Service.document("b")))
    second.fetch()
    #expect(second.on("b") == ["b"] && second.takeEvents() == ["update"])
    // Another selection of flags is another document.
    let third = try rig(nil, ["name_prefix": "x"], cache)
    third.begin()
    third.settle { !third.transport.requests.isEmpty }
    #expect(third.on("a") == [] && third.sent("If-None-Match") == [nil])
  }

  @Test("A failed start serves the stored definitions, and says what failed (UNL-101, G3; failing)")
  func aFailedStartServesStoredDefinitions() throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let first = try rig(nil, [:], cache)
    first.transport.enqueue(Service.ok(Service.document("a")))
    first.begin()
    first.settle { first.client.state == .ready }
    _ = first.client.store.close(untilNanoseconds: .max)
    let second = try rig(nil, [:], cache)
    let told = second.messages(of: .error)
    second.transport.setResponder { _ in .failure(TransportFailure(.unreachable, "connection refused")) }
    second.begin()
    second.settle { second.transport.requests.count == 1 && second.client.state == .stale }
    #expect(second.on("a") == ["a"])
    #expect(told.take() == ["fetching flags failed: no answer from the service: connection refused"])
  }
}
