import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

private let url = ["url": "https://flags.test/api/frontend", "key": "*:dev.secret"]

private func status(_ status: Int, _ headers: [HTTPHeader] = []) -> ScriptedTransport.Answer {
  .success(HTTPResponse(status: status, headers: headers, body: Array("{}".utf8)))
}

extension ClientRig {
  fileprivate func start() {
    _ = face.start(bootstrap: nil) { _ in }
    scheduler.run()
  }
}

/// The life of a frontend client.
struct FrontendProviderTests {
  @Test("The first fetch comes at once and makes the client ready (UNL-24, UNL-05, UNL-49; starting)")
  func startFetchesAtOnce() throws {
    let rig = try #require(ClientRig(url))
    rig.transport.enqueue(toggles("a"))
    rig.start()
    #expect(rig.transport.requests.count == 1)
    #expect(rig.takeEvents() == ["ready"])
    #expect(rig.face.isReady && rig.isOn("a") && !rig.isOn("b"))
    #expect(rig.client.state == .ready)
  }

  @Test("Polling follows the interval, and 0 never polls (UNL-06, UNL-12, UNL-13; ready)")
  func pollingFollowsTheInterval() throws {
    let rig = try #require(ClientRig(url.merging(["refresh_interval": "15"]) { $1 }))
    rig.transport.setResponder { _ in toggles("a") }
    rig.start()
    rig.scheduler.advance(milliseconds: 14_999)
    #expect(rig.transport.requests.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.transport.requests.count == 2)
    rig.scheduler.advance(milliseconds: 45_000)
    #expect(rig.transport.requests.count == 5)
    let once = try #require(ClientRig(url))
    once.transport.setResponder { _ in toggles("a") }
    once.start()
    once.scheduler.advance(milliseconds: 3_600_000)
    #expect(once.transport.requests.count == 1)
  }

  @Test(
    "An overloaded server is asked less and less, one that answers 401 seldom, but until it takes the key (UNL-89, D.2; failing, refused)"
  )
  func failuresStretchThePolling() throws {
    let rig = try #require(ClientRig(url.merging(["refresh_interval": "10"]) { $1 }))
    rig.transport.setResponder { _ in status(503) }
    rig.start()
    rig.scheduler.advance(milliseconds: 19_999)
    #expect(rig.transport.requests.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.transport.requests.count == 2)
    rig.transport.setResponder { _ in status(401) }
    rig.scheduler.advance(milliseconds: 30_000)
    #expect(rig.transport.requests.count == 3)
    rig.scheduler.advance(milliseconds: 109_999)
    #expect(rig.transport.requests.count == 3 && rig.client.state == .error)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.transport.requests.count == 4)
    rig.transport.setResponder { _ in toggles("a") }
    _ = rig.face.updateContext(["userId": "u"], properties: [:]) { _ in }
    rig.scheduler.run()
    #expect(rig.client.state == .ready && rig.isOn("a"))
  }

  @Test(
    "G3: no failure ever takes good flags away",
    arguments: [
      status(500), status(404), status(204), toggles(), .failure(TransportFailure(.timeout, "slow")),
      .success(HTTPResponse(status: 200, body: Array("<html>".utf8))),
      .success(HTTPResponse(status: 200, body: Array("{\"toggles\":[{\"name\":1}]}".utf8))),
      .success(HTTPResponse(status: 200, body: Array((String(repeating: "[", count: 3000)).utf8))),
    ])
  func goodFlagsStay(_ answer: ScriptedTransport.Answer) throws {
    let rig = try #require(ClientRig(url))
    rig.transport.enqueue(toggles("a"), answer)
    rig.start()
    _ = rig.face.fetch { _ in }
    rig.scheduler.run()
    // An empty list is an answer, not a failure.
    if case .success(let response) = answer, response.body.count == 14 {
      #expect(!rig.isOn("a"))
    } else {
      #expect(rig.isOn("a"))
    }
  }

  @Test(
    "Bootstrap is readable before the start, and the first fetch replaces it wholly (UNL-23, UNL-37, UNL-39; before start, starting)"
  )
  func bootstrapServesUntilTheFirstFetch() throws {
    let boot = ["bootstrap": #"{"toggles":[{"name":"boot","enabled":true}]}"#]
    let rig = try #require(ClientRig(url.merging(boot) { $1 }))
    #expect(rig.isOn("boot") && !rig.face.isReady)
    rig.transport.enqueue(toggles("a"))
    rig.start()
    #expect(!rig.isOn("boot") && rig.isOn("a"))
  }

  @Test("Bootstrap given at start puts the first fetch off by one interval (UNL-25, UNL-26; starting)")
  func bootstrapAtStartDelaysTheFetch() throws {
    let rig = try #require(ClientRig(url.merging(["refresh_interval": "15"]) { $1 }))
    rig.transport.setResponder { _ in toggles("a") }
    let done = Outcome()
    _ = rig.face.start(bootstrap: Array(#"{"toggles":[{"name":"boot","enabled":true}]}"#.utf8)) { done.set($0) }
    rig.scheduler.run()
    #expect(done.value == .ok && rig.isOn("boot") && rig.transport.requests.isEmpty)
    rig.scheduler.advance(milliseconds: 15_000)
    #expect(rig.transport.requests.count == 1 && rig.isOn("a"))
  }

  @Test("The answer to an older context that comes late is dropped and reported as superseded (UNL-41, D.5; starting)")
  func lateAnswersAreDropped() throws {
    let rig = try #require(ClientRig(url))
    rig.start()
    let first = Outcome()
    _ = rig.face.updateContext(["userId": "one"], properties: [:]) { first.set($0) }
    rig.scheduler.run()
    let second = Outcome()
    _ = rig.face.updateContext(["userId": "two"], properties: [:]) { second.set($0) }
    rig.scheduler.run()
    #expect(first.value == .superseded)
    let exchanges = rig.transport.exchanges
    try #require(exchanges.count == 3)
    #expect(exchanges[1].isCancelled && exchanges[2].request.url.contains("userId=two"))
    exchanges[2].complete(toggles("two"))
    exchanges[1].completeUnduly(toggles("one"))
    rig.scheduler.run()
    #expect(second.value == .ok && rig.isOn("two") && !rig.isOn("one"))
  }

  @Test("Stored flags serve the next run before the network answers, and their tag is sent (UNL-81; starting)")
  func storedFlagsServeTheNextRun() throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let first = try #require(ClientRig(url, cacheManager: cache))
    first.transport.enqueue(toggles("a", etag: "\"7\""))
    first.start()
    first.settle { first.client.state == .ready }
    _ = first.client.store.close(untilNanoseconds: .max)
    let second = try #require(ClientRig(url, cacheManager: cache))
    _ = second.face.start(bootstrap: nil) { _ in }
    second.settle { !second.transport.requests.isEmpty }
    #expect(second.isOn("a") && second.client.state == .stale)
    #expect(second.transport.requests.first?.headers.value(of: "If-None-Match") == "\"7\"")
    second.transport.exchanges.first?.complete(status(304))
    second.scheduler.run()
    #expect(second.client.state == .ready)
  }

  @Test("A host's storage is replaced as a whole and asked at every read (UNL-60; ready)")
  func aHostsStorageIsAsked() throws {
    let storage = RecordingStorage()
    var plugins = Plugins()
    plugins.vendor[UnleashPlugins.storage] = storage
    let rig = try #require(ClientRig(url, plugins: plugins))
    rig.transport.enqueue(toggles("a"))
    rig.start()
    rig.settle { storage.sets == 1 }
    #expect(rig.isOn("a"))
    storage.put(UnleashToggle(name: "mine", isEnabled: true))
    #expect(rig.isOn("mine") && !rig.isOn("other"))
  }

  @Test("Stop ends fetching and every subscription; flags stay readable (UNL-70, UNL-71; closing)")
  func stopEndsFetching() throws {
    let rig = try #require(ClientRig(url.merging(["refresh_interval": "15"]) { $1 }))
    rig.transport.setResponder { _ in toggles("a") }
    rig.start()
    _ = rig.takeEvents()
    _ = rig.face.stop()
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.transport.requests.count == 1 && rig.isOn("a"))
    rig.start()
    #expect(rig.transport.requests.count == 2 && rig.takeEvents().isEmpty)
  }

  @Test("Several changed fields are fetched once (UNL-87; ready)")
  func changedFieldsAreFetchedOnce() throws {
    let rig = try #require(ClientRig(url))
    rig.transport.setResponder { _ in toggles("a") }
    rig.start()
    for (name, value) in [("userId", "u"), ("tier", "gold"), ("city", "Oslo")] { _ = rig.face.setContextField(name, value) }
    rig.scheduler.run()
    #expect(rig.transport.requests.count == 2)
    let sent = try #require(rig.transport.requests.last?.url)
    #expect(sent.contains("userId=u") && sent.contains("tier%5D=gold") && sent.contains("city%5D=Oslo"))
  }

  @Test("Metrics that could not be sent are kept and sent again, with the same bytes (UNL-52, G-15; failing)")
  func failedMetricsAreKept() throws {
    let rig = try #require(ClientRig(url.merging(["metrics_interval": "30"]) { $1 }))
    rig.transport.enqueue(toggles("a"), status(503), status(202))
    rig.start()
    _ = rig.takeEvents()
    _ = rig.isOn("a")
    rig.scheduler.advance(milliseconds: 30_000)
    #expect(rig.takeEvents() == ["error"])
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.takeEvents() == ["sent", "recovered"])
    let posts = rig.transport.requests.filter { $0.method == "POST" }
    #expect(posts.count == 2 && posts.first?.body == posts.last?.body)
  }

  @Test("With metrics disabled nothing is counted or sent (UNL-17; ready)")
  func disabledMetricsSendNothing() throws {
    let rig = try #require(ClientRig(url.merging(["disable_metrics": "true", "metrics_interval": "1"]) { $1 }))
    rig.transport.enqueue(toggles("a"))
    rig.start()
    _ = rig.isOn("a")
    rig.scheduler.advance(milliseconds: 10_000)
    #expect(rig.transport.requests.count == 1)
  }
}

private final class RecordingStorage: UnleashStorage, @unchecked Sendable {
  private let kept = LockedValue<(toggles: [String: UnleashToggle], sets: Int)>(([:], 0))
  var sets: Int { kept.withLock { $0.sets } }
  func put(_ toggle: UnleashToggle) { kept.withLock { $0.toggles[toggle.name] = toggle } }
  func set(_ toggles: [UnleashToggle]) {
    kept.withLock { kept in
      kept.toggles = Dictionary(toggles.map { ($0.name, $0) }) { first, _ in first }
      kept.sets += 1
    }
  }
  func value(_ name: String) -> UnleashToggle? { kept.withLock { $0.toggles[name] } }
  func clear() { kept.withLock { $0.toggles = [:] } }
}
