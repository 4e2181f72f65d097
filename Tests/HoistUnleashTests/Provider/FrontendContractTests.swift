import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

private let url = ["url": "https://flags.test/api/frontend", "key": "*:dev.secret"]

private let shop = """
  {"toggles":[
    {"name":"plain","enabled":true},
    {"name":"full","enabled":true,"impressionData":true,
     "variant":{"name":"red","enabled":true,"feature_enabled":true,"payload":{"type":"json","value":"{}"}}},
    {"name":"bare","enabled":true,"variant":{"name":"blue","enabled":true}}
  ]}
  """

extension ClientRig {
  fileprivate func begin(_ bodies: String...) {
    for body in bodies { transport.enqueue(answer(body)) }
    _ = face.start(bootstrap: nil) { _ in }
    scheduler.run()
  }
}

/// What the product document promises of flags, variants, events and options.
struct FrontendContractTests {
  @Test("Before the first state, and for unknown flags, the answer is off at once (UNL-07, UNL-27, UNL-28; before start, ready)")
  func unknownFlagsAreOff() throws {
    let rig = try #require(ClientRig(url))
    #expect(!rig.isOn("plain") && rig.variant("plain").name.string == "disabled")
    #expect(rig.transport.requests.isEmpty)
    rig.begin(shop)
    #expect(rig.isOn("plain") && !rig.isOn("unknown"))
  }

  @Test("Variants and payloads are read with all their optional parts (UNL-29 to UNL-33, UNL-36; ready)")
  func variantsAreReadWithTheirParts() throws {
    let rig = try #require(ClientRig(url))
    rig.begin(shop)
    let full = rig.variant("full")
    #expect(full.name.string == "red" && full.isEnabled && full.featureEnabled == true)
    #expect(full.payloadType?.string == "json" && full.payloadValue?.string == "{}")
    let bare = rig.variant("bare")
    #expect(bare.isEnabled && bare.featureEnabled == nil && bare.isFeatureEnabled && bare.payloadType == nil)
    let none = rig.variant("plain")
    #expect(none.name.string == "disabled" && !none.isEnabled && none.featureEnabled == false && none.isFeatureEnabled)
  }

  @Test("Bootstrap can be a list of toggles made in code (UNL-34; ready)")
  func bootstrapFromAList() throws {
    let list = [
      UnleashToggle(name: "Foo", isEnabled: true),
      UnleashToggle(
        name: "Bar", isEnabled: false,
        variant: .init(name: "bar", isEnabled: true, featureEnabled: true, payload: .init(type: "string", value: "baz"))),
    ]
    let rig = try #require(ClientRig(url))
    _ = rig.face.start(bootstrap: UnleashToggle.document(list)) { _ in }
    rig.scheduler.run()
    #expect(rig.isOn("Foo") && !rig.isOn("Bar"))
    #expect(rig.variant("Bar").payloadValue?.string == "baz")
  }

  @Test(
    "A bootstrap file that cannot be read or understood is logged and leaves an empty list (UNL-35; before start)",
    arguments: [
      ["bootstrap.file": "/nonexistent/flags.json"], ["bootstrap": "{\"toggles\":[{\"name\":\"a\"}]}"], ["bootstrap": "[]"],
    ])
  func badBootstrapIsNoFailure(_ properties: [String: String]) throws {
    let rig = try #require(ClientRig(url.merging(properties) { $1 }))
    #expect(!rig.isOn("a"))
    rig.begin(shop)
    #expect(rig.isOn("plain"))
  }

  @Test("A context change keeps bootstrapped flags until its fetch succeeds, or drops them when asked to (UNL-40, G-1; starting)")
  func contextChangesAndBootstrap() throws {
    let boot = url.merging(["bootstrap": #"{"toggles":[{"name":"boot","enabled":true}]}"#]) { $1 }
    let keeping = try #require(ClientRig(boot))
    _ = keeping.face.updateContext(["userId": "u"], properties: [:]) { _ in }
    keeping.scheduler.run()
    #expect(keeping.isOn("boot"))
    let dropping = try #require(ClientRig(boot.merging(["drop_bootstrap_on_update": "true"]) { $1 }))
    _ = dropping.face.updateContext(["userId": "u"], properties: [:]) { _ in }
    dropping.scheduler.run()
    #expect(!dropping.isOn("boot"))
  }

  @Test("Properties are the second argument, and fixed fields win in the flat map (UNL-42, UNL-73; ready)")
  func propertiesAreTheSecondArgument() throws {
    let rig = try #require(ClientRig(url))
    rig.begin(shop, shop)
    _ = rig.face.updateContext(["userId": "u"], properties: ["tier": "gold", "userId": "shadow"]) { _ in }
    rig.scheduler.run()
    let sent = try #require(rig.transport.requests.last?.url)
    #expect(
      sent.contains("&userId=u&") && sent.contains("properties%5BuserId%5D=shadow") && sent.contains("properties%5Btier%5D=gold"))
    #expect(rig.face.flattenedContext["userId"] == "u" && rig.face.flattenedContext["tier"] == "gold")
  }

  @Test("Ready comes once, update with every later answer, also an unchanged one (UNL-49, UNL-50; ready)")
  func readyOnceThenUpdates() throws {
    let rig = try #require(ClientRig(url))
    rig.begin(shop, shop, shop)
    for _ in 0..<2 {
      _ = rig.face.fetch { _ in }
      rig.scheduler.run()
    }
    #expect(rig.takeEvents() == ["ready", "update", "update"])
    let quiet = try #require(ClientRig(url.merging(["notify_unchanged": "false"]) { $1 }))
    quiet.begin(shop, shop)
    _ = quiet.face.fetch { _ in }
    quiet.scheduler.run()
    #expect(quiet.takeEvents() == ["ready"])
  }

  @Test("Metrics go out at their interval, the first one earlier when asked to (UNL-16, UNL-51, UNL-83; ready)")
  func metricsFollowTheirInterval() throws {
    let timing = ["metrics_interval": "30", "metrics_initial_delay": "2"]
    let rig = try #require(ClientRig(url.merging(timing) { $1 }))
    rig.begin(shop)
    rig.transport.setResponder { _ in .success(HTTPResponse(status: 202)) }
    _ = rig.takeEvents()
    _ = rig.isOn("plain")
    rig.scheduler.advance(milliseconds: 2000)
    #expect(rig.takeEvents() == ["sent"])
    _ = rig.isOn("plain")
    rig.scheduler.advance(milliseconds: 27_999)
    #expect(rig.takeEvents().isEmpty)
    rig.scheduler.advance(milliseconds: 2_001)
    #expect(rig.takeEvents() == ["sent"])
  }

  @Test("Impressions tell of both kinds of reads, only where impression data is on (UNL-53 to UNL-57; ready)")
  func impressionsTellOfReads() throws {
    let rig = try #require(ClientRig(url.merging(["context": #"{"userId":"u-1"}"#]) { $1 }))
    rig.begin(shop)
    let news = rig.news(of: "impression")
    _ = rig.isOn("full")
    _ = rig.variant("full")
    _ = rig.isOn("plain")
    _ = rig.variant("unknown")
    _ = rig.takeEvents()
    #expect(news.all.map(\.keys) == [["full"], ["full"]])
    let texts = news.all.map { String(decoding: $0.json, as: UTF8.self) }
    #expect(texts[0].hasPrefix(#"{"toggleName":"full","enabled":true,"context":{"#) && texts[0].contains(#""userId":"u-1""#))
    #expect(texts[0].contains(#""eventType":"isEnabled""#))
    #expect(texts[1].hasPrefix(#"{"toggleName":"full","enabled":true,"variant":"red","context":{"#))
  }

  @Test("Impressions of every flag when asked for (UNL-79; ready)")
  func impressionsOfEveryFlag() throws {
    let rig = try #require(ClientRig(url.merging(["impression_data_all": "true"]) { $1 }))
    rig.begin(shop)
    let news = rig.news(of: "impression")
    _ = rig.isOn("plain")
    _ = rig.takeEvents()
    #expect(news.all.map(\.keys) == [["plain"]])
  }

  @Test("Events are known by the vendor's names (UNL-54, UNL-55; no client)")
  func eventsHaveNames() {
    #expect(UnleashFace.topic(ofEvent: "ready") == .unleashReady && UnleashFace.topic(ofEvent: "update") == .unleashUpdate)
    #expect(UnleashFace.topic(ofEvent: "sent") == .eventsSent && UnleashFace.topic(ofEvent: "error") == .sendFailed)
    #expect(UnleashFace.topic(ofEvent: "impression") == .impression && UnleashFace.topic(ofEvent: "Ready") == nil)
  }

  @Test("Bootstrap wins over stored flags, or does not when told so (UNL-80; starting)", arguments: [true, false])
  func bootstrapAgainstStoredFlags(_ overrides: Bool) throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let first = try #require(ClientRig(url, cacheManager: cache))
    first.transport.enqueue(answer(shop))
    _ = first.face.start(bootstrap: nil) { _ in }
    first.settle { first.client.state == .ready }
    _ = first.client.store.close(untilNanoseconds: .max)
    let boot = ["bootstrap": #"{"toggles":[{"name":"boot","enabled":true}]}"#, "bootstrap.override": "\(overrides)"]
    let second = try #require(ClientRig(url.merging(boot) { $1 }, cacheManager: cache))
    _ = second.face.start(bootstrap: nil) { _ in }
    second.settle { !second.transport.requests.isEmpty }
    #expect(second.isOn("boot") == overrides && second.isOn("plain") == !overrides)
  }

  @Test("Stored flags young enough spare the first fetch (UNL-82; starting)")
  func youngStoredFlagsSpareTheFetch() throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let properties = url.merging(["storage_ttl": "60", "refresh_interval": "15"]) { $1 }
    let first = try #require(ClientRig(properties, cacheManager: cache))
    first.transport.enqueue(answer(shop))
    _ = first.face.start(bootstrap: nil) { _ in }
    first.settle { first.client.state == .ready }
    _ = first.client.store.close(untilNanoseconds: .max)
    let second = try #require(ClientRig(properties, cacheManager: cache))
    let done = Outcome()
    _ = second.face.start(bootstrap: nil) { done.set($0) }
    second.settle { done.value != nil }
    #expect(second.transport.requests.isEmpty && second.client.state == .ready && second.isOn("plain"))
    second.scheduler.advance(milliseconds: 15_000)
    #expect(second.transport.requests.count == 1)
  }

  @Test("Readiness, the last error, and recovery are told (UNL-85; failing)")
  func readinessErrorsAndRecoveryAreTold() throws {
    let rig = try #require(ClientRig(url))
    rig.transport.enqueue(.success(HTTPResponse(status: 503)), answer(shop))
    _ = rig.face.start(bootstrap: nil) { _ in }
    rig.scheduler.run()
    #expect(!rig.face.isReady && rig.face.lastFailure == .unleashNetwork)
    _ = rig.face.fetch { _ in }
    rig.scheduler.run()
    #expect(rig.face.isReady && rig.face.lastFailure == .ok)
    #expect(rig.takeEvents() == ["fetch_error", "recovered", "ready"])
  }

  @Test("A check neither counts nor announces (UNL-104; ready)")
  func checksDoNotCount() throws {
    let rig = try #require(ClientRig(url))
    rig.begin(shop)
    let news = rig.news(of: "impression")
    _ = "full".withBytes { rig.face.variant($0, nil, []) }
    _ = "zz".withBytes { rig.client.evaluate($0, nil, .bool, []) { _, _ in 0 } }
    let done = Outcome()
    rig.client.onScheduler { $0.provider?.flush { done.set($0.status) } }
    rig.settle { done.value != nil }
    _ = rig.takeEvents()
    #expect(news.all.isEmpty && rig.transport.requests.count == 1)
  }
}
