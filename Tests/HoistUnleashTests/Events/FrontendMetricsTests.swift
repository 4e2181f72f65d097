import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

private let accepted = ScriptedTransport.Answer.success(HTTPResponse(status: 200))

extension ClientRig {
  /// Of flag "a", over all posts.
  fileprivate var yes: Int64 {
    posts.reduce(0) { sum, post in
      guard let document = try? JSONDocument(parsing: post.body ?? []) else { return sum }
      return sum + document.withRoot { $0["bucket"]?["toggles"]?["a"]?["yes"]?.int64 ?? 0 }
    }
  }
}

/// When metrics are sent, and with what: protocols/unleash.md D.4, D.8.
struct FrontendMetricsTests {
  @Test("Sending follows the interval, an empty bucket is not sent, and 0 sends on flush only (UNL-16, UNL-61, G-14; ready)")
  func sendingFollowsTheInterval() throws {
    let rig = try #require(ClientRig(frontend.merging(["metrics_interval": "30"]) { $1 }))
    rig.start(toggles("a"))
    rig.transport.setResponder { _ in accepted }
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.posts.isEmpty)
    _ = rig.isOn("a")
    rig.scheduler.advance(milliseconds: 29_999)
    #expect(rig.posts.isEmpty)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.posts.count == 1 && rig.posts[0].url == "https://flags.test/api/frontend/client/metrics")
    let manual = try #require(ClientRig(frontend.merging(["metrics_interval": "0"]) { $1 }))
    manual.start(toggles("a"))
    manual.transport.setResponder { _ in accepted }
    _ = manual.isOn("a")
    manual.scheduler.advance(milliseconds: 86_400_000)
    #expect(manual.posts.isEmpty)
    #expect(manual.flush().value == .ok && manual.posts.count == 1)
  }

  @Test(
    "The first sending has a delay of its own, shorter or longer, and intervals count from it (UNL-83; ready)",
    arguments: [2, 50])
  func theFirstSendingHasItsDelay(_ delay: Int64) throws {
    let rig = try #require(ClientRig(frontend.merging(["metrics_interval": "30", "metrics_initial_delay": "\(delay)"]) { $1 }))
    rig.start(toggles("a"))
    rig.transport.setResponder { _ in accepted }
    _ = rig.isOn("a")
    rig.scheduler.advance(milliseconds: delay * 1000 - 1)
    #expect(rig.posts.isEmpty)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.posts.count == 1)
    _ = rig.isOn("a")
    rig.scheduler.advance(milliseconds: 29_999)
    #expect(rig.posts.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.posts.count == 2)
  }

  @Test("A flush does not wait for the first delay (UNL-83, UNL-84; ready)")
  func aFlushDoesNotWait() throws {
    let rig = try #require(ClientRig(frontend.merging(["metrics_interval": "30", "metrics_initial_delay": "50"]) { $1 }))
    rig.start(toggles("a"))
    rig.transport.setResponder { _ in accepted }
    _ = rig.isOn("a")
    #expect(rig.flush().value == .ok && rig.posts.count == 1)
  }

  @Test("Stop sends what was counted, once, and nothing afterwards (UNL-70, D.4; closing)")
  func stopSendsWhatWasCounted() throws {
    let rig = try #require(ClientRig(frontend.merging(["metrics_interval": "30"]) { $1 }))
    rig.start(toggles("a"))
    rig.transport.setResponder { _ in accepted }
    _ = rig.isOn("a")
    _ = rig.face.stop()
    rig.scheduler.run()
    #expect(rig.yes == 1)
    _ = rig.isOn("a")
    rig.scheduler.advance(milliseconds: 3_600_000)
    #expect(rig.posts.count == 1)
    // What is counted after a stop waits for the next start, a flush, or the end.
    #expect(rig.flush().value == .ok && rig.yes == 2)
    _ = rig.isOn("a")
    rig.start(toggles("a"))
    rig.scheduler.advance(milliseconds: 30_000)
    #expect(rig.yes == 3)
  }

  @Test("A flush while a stop still sends is not cut short by it (UNL-70, D.4; closing)")
  func aFlushDuringAStopSendsToo() throws {
    let rig = try #require(ClientRig(frontend.merging(["metrics_interval": "30"]) { $1 }))
    rig.start(toggles("a"))
    _ = rig.isOn("a")
    _ = rig.face.stop()
    rig.scheduler.run()
    _ = rig.isOn("a")
    let flushed = Outcome()
    rig.client.onScheduler { $0.provider?.flush { flushed.set($0.status) } }
    rig.scheduler.run()
    rig.scheduler.advance(milliseconds: 6000)
    try #require(rig.transport.open.last).complete(accepted)
    rig.scheduler.run()
    try #require(rig.transport.open.last).complete(accepted)
    rig.scheduler.run()
    #expect(flushed.value == .ok && rig.yes == 2)
    _ = rig.isOn("a")
    rig.scheduler.advance(milliseconds: 3_600_000)
    #expect(rig.posts.count == 2)
  }

  @Test(
    "A service that does not answer holds a stop up for five seconds only, and costs no count (UNL-70, D.4; closing, failing)")
  func stopWaitsForFiveSeconds() throws {
    let rig = try #require(ClientRig(frontend.merging(["metrics_interval": "30"]) { $1 }))
    rig.start(toggles("a"))
    _ = rig.isOn("a")
    _ = rig.face.stop()
    rig.scheduler.run()
    let last = try #require(rig.transport.exchanges.last)
    #expect(last.request.method == "POST")
    rig.scheduler.advance(milliseconds: 4_999)
    #expect(!last.isCancelled)
    rig.scheduler.advance(milliseconds: 1)
    #expect(last.isCancelled)
    rig.start(toggles("a"))
    rig.transport.setResponder { _ in accepted }
    rig.scheduler.advance(milliseconds: 30_000)
    let bodies = rig.posts.map(\.body)
    #expect(bodies.count == 2 && bodies[0] == bodies[1])
  }

  @Test("A start right after a stop takes back nothing but the stop (UNL-70; closing)")
  func aStartCutsAStopShort() throws {
    let rig = try #require(ClientRig(frontend.merging(["metrics_interval": "30"]) { $1 }))
    rig.start(toggles("a"))
    rig.transport.setResponder { $0.method == "GET" ? toggles("a") : accepted }
    _ = rig.isOn("a")
    _ = rig.face.stop()
    #expect(rig.start().value == .ok)
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.yes == 1)
    _ = rig.isOn("a")
    rig.scheduler.advance(milliseconds: 30_000)
    #expect(rig.yes == 2)
  }

  @Test("D.8: going online again and again does not multiply timers")
  func goingOnlineKeepsOneTimer() throws {
    let rig = try #require(ClientRig(frontend.merging(["metrics_interval": "30"]) { $1 }))
    rig.transport.setResponder { _ in toggles("a") }
    rig.start()
    let before = rig.scheduler.pendingTimerCount
    for _ in 0..<10 {
      for isOnline in [false, true] {
        _ = rig.client.setOnline(isOnline)
        rig.scheduler.run()
      }
    }
    #expect(rig.scheduler.pendingTimerCount <= before)
  }

  @Test(
    "Any 2xx is sent, what may pass is an error with its cause, and is kept (UNL-51, UNL-52, G-3, D.2; ready, refused, failing)",
    arguments: [200, 202, 204, 401, 403, 404, 429, 500, 503])
  func successIs2xx(_ status: Int) throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a"))
    _ = rig.takeEvents()
    let news = rig.news(of: .sendFailed)
    _ = rig.isOn("a")
    rig.transport.enqueue(.success(HTTPResponse(status: status)))
    let isGood = status < 300
    #expect(rig.flush().value == (isGood ? .ok : .network))
    #expect(rig.takeEvents() == [isGood ? "sent" : "error"])
    #expect(news.all.allSatisfy { $0.status == .unleashNetwork && $0.message.contains("\(status)") })
    rig.transport.setResponder { _ in accepted }
    rig.scheduler.advance(milliseconds: 3_600_000)
    _ = rig.flush()
    #expect(rig.posts.count == (isGood ? 1 : 2) && rig.posts.first?.body == rig.posts.last?.body)
  }

  @Test("D.4, G-15: metrics that the service refuses are told and dropped, and the flush says so", arguments: [400, 413, 422])
  func refusedMetrics(_ status: Int) throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a"))
    let news = rig.news(of: .sendFailed)
    _ = rig.isOn("a")
    rig.transport.enqueue(.success(HTTPResponse(status: status)))
    #expect(rig.flush().value == .rejected)
    _ = rig.takeEvents()
    #expect(news.all.map(\.status) == [.rejected])
    rig.transport.setResponder { _ in accepted }
    #expect(rig.flush().value == .ok)
    rig.scheduler.advance(milliseconds: 3_600_000)
    #expect(rig.posts.count == 1)
    // What is counted afterwards is not held up.
    _ = rig.isOn("a")
    #expect(rig.flush().value == .ok && rig.posts.count == 2)
  }

  @Test("D.4, G-15: an event that the service refuses is dropped by name, and those beside it are sent")
  func aRefusedEventHoldsNoOthersUp() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a"))
    let news = rig.news(of: .sendFailed)
    for key in ["one", "bad", "three"] {
      let event = TrackedEvent(key: key, context: nil, value: nil, properties: [], unixMilliseconds: 0)
      #expect(rig.client.track(event) == .ok)
    }
    let has: @Sendable (String, HTTPRequest) -> Bool = { key, post in
      String(decoding: post.body ?? [], as: UTF8.self).contains(#""name":"\#(key)""#)
    }
    rig.transport.setResponder { has("bad", $0) ? .success(HTTPResponse(status: 400)) : accepted }
    #expect(rig.flush().value == .rejected)
    let sent = rig.posts.filter { !has("bad", $0) }
    #expect(sent.filter { has("one", $0) }.count == 1 && sent.filter { has("three", $0) }.count == 1)
    _ = rig.takeEvents()
    #expect(news.all.count == 1 && news.all.allSatisfy { $0.status == .rejected && $0.message.contains("event bad") })
    let count = rig.posts.count
    #expect(rig.flush().value == .ok && rig.posts.count == count)
  }

  @Test("What an earlier run has left is not sent by one that has metrics disabled (UNL-17; ready)")
  func disabledMetricsSendNothingOfBefore() throws {
    func posts(_ properties: [String: String]) throws -> Int {
      let rig = try #require(ClientRig(frontend.merging(properties) { $1 }, cacheManager: LeftBehind()))
      rig.start(toggles("a"))
      rig.transport.setResponder { _ in accepted }
      #expect(rig.flush().value == .ok)
      rig.scheduler.advance(milliseconds: 60_000)
      return rig.posts.count
    }
    #expect(try posts(["disable_metrics": "true", "metrics_interval": "1"]) == 0)
    #expect(try posts([:]) > 0)
  }

  @Test("What an offline client has counted is left, whether a checkpoint has come or not (UNL-61, contract 6; offline, closed)")
  func countsOfAnOfflineClientAreLeft() throws {
    let rig = try #require(ClientRig(frontend.merging(["metrics_interval": "30"]) { $1 }))
    rig.start(toggles("a"))
    rig.transport.setResponder { _ in accepted }
    _ = rig.client.setOnline(false)
    #expect(rig.flush().value == .ok)
    _ = rig.isOn("a")
    #expect(rig.flush().value == .network && rig.posts.isEmpty)
    _ = rig.client.setOnline(true)
    #expect(rig.flush().value == .ok && rig.yes == 1)
  }

  @Test("A client without an address and a cache of the host's counts nothing: there is no place for it (UNL-17; offline)")
  func aClientWithoutAnAddressCountsNothing() throws {
    let rig = try #require(ClientRig(["mode": "backend", "online": "false", "bootstrap": #"{"version":2,"features":[]}"#]))
    _ = rig.isOn("unknown")
    #expect(rig.flush().value == .ok)
  }

  @Test("With metrics disabled no evaluation, no impact metric and no event is sent (UNL-17; ready)")
  func disabledMetricsCountNothing() throws {
    let rig = try #require(ClientRig(frontend.merging(["disable_metrics": "true"]) { $1 }))
    rig.start(toggles("a"))
    for name in ["a", "unknown"] {
      _ = rig.isOn(name)
      _ = rig.variant(name)
    }
    _ = rig.face.define("purchases", help: "", .counter)
    #expect(rig.face.increment("purchases", by: 1, [:]) == .ok)
    #expect(rig.client.track(TrackedEvent(key: "bought", context: nil, value: nil, properties: [], unixMilliseconds: 0)) == .ok)
    #expect(rig.flush().value == .ok && rig.posts.isEmpty)
  }

  @Test(
    "A transport of the host's carries metrics too, unless it is for fetches only (UNL-20, G-6; ready)", arguments: [true, false])
  func theHostsTransportAndMetrics(_ isForBoth: Bool) throws {
    let scheduler = ManualScheduler()
    let own = ScriptedTransport(scheduler: scheduler) { _ in toggles("a") }
    var plugins = Plugins()
    plugins.transport = own
    let rig = try #require(
      ClientRig(frontend.merging(["metrics_over_plugin_transport": "\(isForBoth)"]) { $1 }, plugins: plugins))
    rig.transport.setResponder { _ in accepted }
    _ = rig.face.start(bootstrap: nil) { _ in }
    rig.settle {
      scheduler.run()
      return rig.client.state == .ready
    }
    _ = rig.isOn("a")
    let done = Outcome()
    rig.client.onScheduler { $0.provider?.flush { done.set($0.status) } }
    rig.settle {
      scheduler.run()
      return done.value != nil
    }
    #expect(own.requests.map(\.method) == (isForBoth ? ["GET", "POST"] : ["GET"]))
    #expect(rig.transport.requests.map(\.method) == (isForBoth ? [] : ["POST"]))
  }

  @Test(
    "A poller fetches with what is its own, metrics go with what is the client's (UNL-19, UNL-38, D.3.5; before start, ready)")
  func aPollerFetchesAndTheClientReports() throws {
    var poller = PropertyValues(table: CoreProperties.table + UnleashProperties.table)
    let given = [
      "url": "https://poller.test/api/frontend", "key": "poller-key", "refresh_interval": "5",
      "custom_headers": #"{"X-Who":"poller"}"#, "bootstrap": #"{"toggles":[{"name":"mine","enabled":true}]}"#,
    ]
    for (name, value) in given { try poller.set(name, value) }
    var plugins = Plugins()
    plugins.vendor[UnleashPlugins.poller] = UnleashPoller(values: poller, headerProvider: nil)
    let own = [
      "refresh_interval": "60", "custom_headers": #"{"X-Who":"client"}"#, "app_name": "shop",
      "bootstrap": #"{"toggles":[{"name":"unused","enabled":true}]}"#, "context": #"{"userId":"u"}"#,
    ]
    let rig = try #require(
      ClientRig(frontend.merging(own) { $1 }, providerHeaders: ["X-Dynamic": "client"], plugins: plugins))
    #expect(rig.isOn("mine") && !rig.isOn("unused"))
    rig.start(toggles("a"))
    rig.transport.setResponder { $0.method == "GET" ? toggles("a") : accepted }
    rig.scheduler.advance(milliseconds: 5_000)
    _ = rig.flush()
    let fetches = rig.transport.requests.filter { $0.method == "GET" }
    #expect(fetches.count == 2 && fetches.allSatisfy { $0.url.hasPrefix("https://poller.test/api/frontend?appName=shop&") })
    #expect(fetches.allSatisfy { $0.url.contains("userId=u") && $0.headers.value(of: "Authorization") == "poller-key" })
    #expect(fetches.allSatisfy { $0.headers.value(of: "X-Who") == "poller" && $0.headers.value(of: "X-Dynamic") == nil })
    let post = try #require(rig.posts.first)
    #expect(
      post.url == "https://flags.test/api/frontend/client/metrics" && post.headers.value(of: "Authorization") == "*:dev.secret")
    #expect(post.headers.value(of: "X-Who") == "client" && post.headers.value(of: "X-Dynamic") == "client")
    let connections = Set(rig.transport.requests.map { $0.headers.value(of: "unleash-connection-id") })
    #expect(connections.count == 1)
  }
}

/// A cache with a bucket of an earlier run.
private final class LeftBehind: CacheManager, @unchecked Sendable {
  private let rows = Locked([EventRow(id: "1", pipeline: "metrics", createdUnixMilliseconds: 0, payload: Array("{}".utf8))])
  func load(key: String) -> [UInt8]? { nil }
  func save(key: String, value: [UInt8]) {}
  func remove(key: String) {}
  func putEvents(_ rows: [EventRow], owner: EventOwner) {}
  func claimEvents(pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner) -> [EventRow] {
    let claimed = rows.value.filter { $0.pipeline == pipeline }
    rows.change { $0.removeAll { $0.pipeline == pipeline } }
    return claimed
  }
  func removeEvents(ids: [String], owner: EventOwner) {}
  func purgeEvents(subject: String, pipeline: String) {}
  func renewLease(owner: EventOwner) {}
  func releaseEvents(owner: EventOwner) {}
  func close() {}
}
