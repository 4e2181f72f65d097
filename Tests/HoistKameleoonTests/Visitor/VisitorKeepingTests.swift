import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("What is kept of a visitor") struct VisitorKeepingTests {
  private static let minute: Int64 = 60_000

  @Test("Everything but scores, forced and simulated variations is there in the next run (KAM-03, KAM-12, KAM-60, KAM-70; ready)")
  func everythingIsKept() throws {
    let (store, scheduler) = (MemoryCacheManager(), ManualScheduler())
    let before: VisitorFacts.Content
    do {
      let rig = try KameleoonRig(configuration: customDataConfiguration, cacheManager: store, scheduler: scheduler)
      let visitor = try rig.visitor("visitor")
      _ = visitor.setLegalConsent(true)
      _ = visitor.add([
        .device(.tablet), .browser(Browser(kind: .safari, version: 17.5)), .operatingSystem(.mac),
        .geolocation(Geolocation(country: bytes("FR"), city: bytes("Nîmes"), longitude: 4.25)),
        .applicationVersion(bytes("1.2.3")), .cookie([Cookie(name: bytes("a"), value: bytes("ü"))]), .userAgent(bytes("agent")),
        custom(0, "a", "b"), custom(3, "user"), .pageView(PageView(url: bytes("https://a/"), title: bytes("A"))),
        .pageView(PageView(url: bytes("https://a/"), title: bytes("A"))), .conversion(Conversion(goalID: 7)),
      ])
      visitor.assign([DecidedAssignment(experimentID: 100, variationID: 1, rule: .targetedDelivery, isTracked: true)])
      visitor.merge(
        RemoteVisitorData(
          personalizations: [PersonalizationSeen(id: 5, variationID: 6, time: scheduler.unixMilliseconds)],
          visits: VisitHistory(previous: [.init(start: 10, lastEvent: 20)], number: 3),
          banditScores: [BanditScore(experimentID: 1, variationID: 2, score: 3)]),
        isAdded: true)
      _ = visitor.force(100, variation: bytes("on"))
      before = visitor.facts
      #expect(rig.kept("visitor", in: store) != nil)
    }
    let rig = try KameleoonRig(configuration: customDataConfiguration, cacheManager: store, scheduler: scheduler)
    let visitor = try rig.visitor("visitor")
    let after = visitor.facts
    #expect(after.consent == .given && after.mappingIdentifier == bytes("visitor"))
    #expect(after.device == before.device && after.browser == before.browser && after.operatingSystem == before.operatingSystem)
    #expect(after.geolocation == before.geolocation && after.applicationVersion == before.applicationVersion)
    #expect(after.cookies == before.cookies && after.customData == before.customData && after.pages == before.pages)
    #expect(after.conversions == before.conversions && after.personalizations == before.personalizations)
    #expect(after.assignments[100]?.variationID == 1 && after.assignments[100]?.rule == .targetedDelivery)
    // Whether an exposure waits is the tracker's to know.
    #expect(before.assignments[100]?.isUnsent == true && after.assignments[100]?.isUnsent == false)
    #expect(after.visits == before.visits && after.visitStart == before.visitStart)
    #expect(visitor.trackingIdentity.userAgent == bytes("agent"))
    #expect(visitor.mappingDatum != nil)
    #expect(after.forced.isEmpty && after.banditScores.isEmpty)
  }

  @Test("With immediate durability what a call has told is in the store when it returns; else soon after (KAM-60, KAM-75; ready)")
  func durability() throws {
    for durability in ["immediate", "periodic"] {
      let store = MemoryCacheManager()
      let rig = try KameleoonRig(["events.durability": durability], configuration: customDataConfiguration, cacheManager: store)
      let visitor = try rig.visitor("visitor")
      func kept() -> String { store.load(key: "visitor:visitor").map { text($0) } ?? "" }
      let seen = Locked<[String]>([])
      let thread = HostThread {
        _ = visitor.setLegalConsent(true)
        seen.value.append(text(store.load(key: "visitor:visitor") ?? []))
        _ = visitor.add([.device(.phone)])
        seen.value.append(text(store.load(key: "visitor:visitor") ?? []))
      }
      // The clock stands still: nothing is written that waits for its time.
      rig.settle { seen.value.count == 2 }
      thread.join()
      let isImmediate = durability == "immediate"
      #expect(seen.value.map { $0.contains("\"consent\":1") } == [isImmediate, isImmediate])
      #expect(seen.value.last?.contains("Device") == isImmediate)
      rig.scheduler.advance(milliseconds: 50)
      #expect(rig.settle { kept().contains("Device") })
    }
  }

  @Test(
    "On a full disk what a call has told is known, and told as unsaved, until the store works again (KAM-56, KAM-60, KAM-75, contract 6; full disk)"
  )
  func fullDisk() throws {
    let manager = GatedManager()
    let rig = try KameleoonRig(["events.durability": "immediate"], configuration: customDataConfiguration, cacheManager: manager)
    let visitor = try rig.visitor("visitor")
    func told(_ call: () -> Status) -> Status { rig.scheduler.turning(while: call) }
    #expect(told { visitor.setLegalConsent(true) } == .ok && told { visitor.add([.device(.phone)], isTracked: false) } == .ok)
    manager.fill()
    #expect(told { visitor.setLegalConsent(false) } == .unsaved && visitor.legalConsent == .refused)
    #expect(told { visitor.add([.device(.tablet)], isTracked: false) } == .unsaved && visitor.facts.device == .tablet)
    #expect(told { visitor.trackConversion(Conversion(goalID: 1)) } == .unsaved)
    manager.makeRoom()
    // What had failed is written on the store's thread, after a pause that begins when it has failed.
    var last = Status.unsaved
    rig.settle {
      rig.scheduler.advance(milliseconds: 60_000)
      last = told { visitor.setLegalConsent(false) }
      return last == .ok
    }
    #expect(last == .ok)
    #expect(manager.inner.load(key: "visitor:visitor").map { text($0).contains(#""consent":2"#) } == true)
  }

  @Test("Before the store has answered what a call has told is in memory alone (KAM-60, KAM-75, contract 6; slow plug-in)")
  func slowStore() throws {
    let manager = GatedManager()
    let rig = try KameleoonRig(["events.durability": "immediate"], configuration: customDataConfiguration, cacheManager: manager)
    manager.shut("visitor:")
    let visitor = try rig.visitors.open(bytes("visitor"), of: rig.client, waits: false)
    #expect(rig.scheduler.turning { visitor.setLegalConsent(true) } == .unsaved)
    manager.open()
    #expect(rig.scheduler.turning { visitor.setLegalConsent(true) } == .ok)
  }

  @Test("Each datum goes by its own age; consent and mapping identifier stay (KAM-03; ready)") func expiry() throws {
    let (store, scheduler) = (MemoryCacheManager(), ManualScheduler())
    let properties = ["data_expiration_interval_minute": "10"]
    do {
      let rig = try KameleoonRig(properties, configuration: customDataConfiguration, cacheManager: store, scheduler: scheduler)
      let visitor = try rig.visitor("visitor")
      _ = visitor.setLegalConsent(true)
      _ = visitor.add([.device(.phone), custom(0, "old"), custom(3, "user"), .conversion(Conversion(goalID: 1))])
      scheduler.advance(milliseconds: 6 * Self.minute)
      _ = visitor.add([.operatingSystem(.ios), custom(1, "new"), .conversion(Conversion(goalID: 2))])
      #expect(rig.kept("visitor", in: store) != nil)
    }
    scheduler.advance(milliseconds: 5 * Self.minute)
    let rig = try KameleoonRig(properties, configuration: customDataConfiguration, cacheManager: store, scheduler: scheduler)
    let visitor = try rig.visitor("visitor")
    #expect(visitor.facts.device == nil && visitor.facts.operatingSystem == .ios)
    // Who the visitor is elsewhere goes with every request.
    #expect(visitor.facts.customData.map(\.index) == [3, 1])
    #expect(visitor.facts.conversions.map(\.goalID) == [2])
    #expect(visitor.facts.consent == .given && visitor.facts.mappingIdentifier == bytes("visitor"))
    // In a process that goes on as well.
    scheduler.advance(milliseconds: 6 * Self.minute)
    _ = visitor.add([.device(.desktop)])
    #expect(visitor.facts.operatingSystem == nil)
  }

  @Test("Data that waits for the first configuration is kept too (KAM-15; offline)") func asideIsKept() throws {
    let store = MemoryCacheManager()
    do {
      let rig = try KameleoonRig(["online": "false"], configuration: nil, cacheManager: store)
      _ = try rig.visitor("visitor").add([
        .customData(CustomData(name: bytes("plan"), values: [bytes("gold")])), custom(3, "user"),
        .conversion(
          Conversion(goalID: 3, revenue: 1.5, isNegative: true, metadata: [CustomData(index: 1, values: [bytes("m")])])),
      ])
      #expect(rig.kept("visitor", in: store) != nil)
    }
    let rig = try KameleoonRig(configuration: customDataConfiguration, cacheManager: store)
    let visitor = try rig.visitor("visitor")
    #expect(visitor.facts.customData.map(\.index) == [0, 3])
    #expect(visitor.facts.conversions.map(\.goalID) == [3])
    #expect(try rig.visitor("user").facts.mappingIdentifier == bytes("visitor"))
    #expect(rig.sent(visitor).count == 3)
  }

  @Test("What cannot be read is left aside", arguments: ["", "{", "[]", #"{"version":2,"code":"visitor"}"#, #"{"version":1}"#])
  func unreadable(_ kept: String) throws {
    let store = MemoryCacheManager()
    store.save(key: "visitor:visitor", value: bytes(kept))
    let rig = try KameleoonRig(cacheManager: store)
    let visitor = try rig.visitor("visitor")
    #expect(visitor.facts.device == nil)
    #expect(rig.logged("what is kept of a visitor cannot be read") == 1)
    #expect(visitor.add([.device(.phone)]) == .ok)
  }

  @Test("A link that leads nowhere, or in a circle, is none") func brokenLinks() throws {
    let store = MemoryCacheManager()
    for (code, owner) in [("a", "b"), ("b", "a"), ("c", "nobody"), ("d", "d")] {
      store.save(key: "visitor:\(code)", value: StoredVisitor.link(to: bytes(owner), isUnique: false))
    }
    let rig = try KameleoonRig(cacheManager: store)
    for code in ["a", "c", "d"] { #expect(try rig.visitor(code).add([.device(.phone)]) == .ok) }
  }

  @Test(
    "Data survives its JSON, of every type (KAM-65; no client)",
    arguments: [
      .customData(CustomData(index: 1, values: [bytes("a\u{0}b"), []], overwrites: false)),
      .customData(CustomData(name: bytes("n"), values: [])),
      .conversion(
        Conversion(goalID: .max, revenue: -0.5, isNegative: true, metadata: [CustomData(name: bytes("n"), values: [bytes("v")])])),
      .device(.desktop), .geolocation(Geolocation(country: bytes("FR"), latitude: 0, longitude: -180)),
      .browser(Browser(kind: .internetExplorer, version: 11)), .operatingSystem(.windowsPhone),
      .pageView(PageView(url: bytes("u"), title: bytes("t"), referrers: [1, -2])), .userAgent(bytes("é")),
      .cookie([Cookie(name: bytes("n"), value: bytes("v"))]), .applicationVersion(bytes("1")), .uniqueIdentifier(false),
    ] as [VisitorDatum]) func json(_ datum: VisitorDatum) throws
  {
    let read = try #require(VisitorDatum(json: datum.json))
    #expect(text(read.json) == text(datum.json))
    #expect(read.kind == datum.kind)
  }
}

@Suite("Visits (KAM-B29; ready)") struct VisitHistoryTests {
  private static let minute: Int64 = 60_000

  @Test("A visit ends when nothing has happened for half an hour, also across runs (KAM-B29; ready)") func visits() throws {
    let (store, scheduler) = (MemoryCacheManager(), ManualScheduler())
    let start = scheduler.unixMilliseconds
    do {
      let rig = try KameleoonRig(cacheManager: store, scheduler: scheduler)
      let visitor = try rig.visitor("visitor")
      _ = visitor.add([.device(.phone)])
      #expect(visitor.facts.visits == nil && visitor.facts.visitStart == start)
      scheduler.advance(milliseconds: 29 * Self.minute)
      _ = visitor.add([.device(.tablet)])
      #expect(visitor.facts.visits == nil)
      #expect(rig.kept("visitor", in: store) != nil)
    }
    scheduler.advance(milliseconds: 29 * Self.minute)
    do {
      let rig = try KameleoonRig(cacheManager: store, scheduler: scheduler)
      let visitor = try rig.visitor("visitor")
      #expect(visitor.facts.visits == nil && visitor.facts.visitStart == start)
      scheduler.advance(milliseconds: 30 * Self.minute)
      _ = visitor.add([.device(.phone)], isTracked: false)
      #expect(
        visitor.facts.visits == VisitHistory(previous: [.init(start: start, lastEvent: start + 58 * Self.minute)], number: 1))
      #expect(visitor.facts.visitStart == start + 88 * Self.minute)
      let gap = 30 * Self.minute
      #expect(rig.sent(visitor).contains("eventType=staticData&visitNumber=1&timeSincePreviousVisit=\(gap)&visitorCode=visitor"))
      #expect(rig.kept("visitor", in: store) != nil)
    }
    scheduler.advance(milliseconds: 31 * Self.minute)
    let rig = try KameleoonRig(cacheManager: store, scheduler: scheduler)
    let visitor = try rig.visitor("visitor")
    #expect(visitor.facts.visits?.previous.map(\.start) == [start + 88 * Self.minute, start])
    #expect(visitor.facts.visits?.number == 2)
  }

  @Test("The service's history takes the place of what this installation has seen (KAM-46, KAM-B29; ready)") func remoteHistory()
    throws
  {
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    rig.scheduler.advance(milliseconds: 31 * Self.minute)
    _ = visitor.add([.device(.phone)], isTracked: false)
    #expect(visitor.facts.visits?.previous.count == 1)
    let remote = VisitHistory(previous: [.init(start: 5, lastEvent: 6), .init(start: 1, lastEvent: 2)], number: 9)
    visitor.merge(RemoteVisitorData(visits: remote), isAdded: true)
    #expect(visitor.facts.visits == remote)
    visitor.merge(RemoteVisitorData(visits: VisitHistory(previous: [.init(start: 7, lastEvent: 8)], number: 1)), isAdded: true)
    #expect(visitor.facts.visits == remote)
  }
}

@Suite("An answer about visits that the host has already (KAM-46; ready, closed)") struct GivenVisitsTests {
  private static let answer = bytes(
    #"{"currentVisit":{"visitorCode":"other","customDataEvents":[{"time":5,"data":{"index":0,"valuesCountMap":{"gold":1}}}]},"#
      + #""previousVisits":[{"timeStarted":3,"timeLastEvent":4},{"timeStarted":1,"timeLastEvent":2}]}"#)

  @Test func itIsAddedAndNotSentUnlessThatIsWanted() throws {
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    #expect(visitor.add(remoteVisitorData: Self.answer, isTracked: false) == .ok)
    #expect(visitor.facts.visits?.previous.count == 2 && visitor.facts.customData.map(\.index) == [0])
    #expect(visitor.facts.mappingIdentifier == bytes("other"))
    #expect(visitor.data.read { _, rest in rest.fetched.isEmpty })
    #expect(visitor.add(remoteVisitorData: bytes("[]"), isTracked: true) == .parse)
    #expect(rig.scheduler.turning { rig.client.close(timeoutMilliseconds: 20_000) } != .state)
    #expect(visitor.add(remoteVisitorData: Self.answer, isTracked: true) == .state)
  }
}

@Suite("What the service has of a visitor is added (KAM-46, KAM-48, KAM-66, KAM-68, KAM-B22; ready)") struct RemoteMergingTests {
  private var remote: RemoteVisitorData {
    var remote = RemoteVisitorData(
      customData: [CustomData(index: 0, values: [bytes("remote")]), CustomData(index: 6, values: [bytes("shared")])],
      pages: [PageVisit(url: bytes("a"), title: bytes("old"), lastTime: 5, count: 2)], device: .desktop,
      browser: Browser(kind: .chrome, version: 1), operatingSystem: .linux, geolocation: Geolocation(country: bytes("DE")))
    remote.conversions = [(Conversion(goalID: 4), 5)]
    remote.assignments = [
      Assignment(experimentID: 100, variationID: 8, rule: .unknown, isUnsent: false, time: 5),
      Assignment(experimentID: 101, variationID: 9, rule: .unknown, isUnsent: false, time: 5),
    ]
    remote.personalizations = [PersonalizationSeen(id: 5, variationID: 6, time: 5)]
    remote.keyMomentScores = [KeyMomentScore(keyMomentID: 1, goalID: 2, score: 3)]
    remote.banditScores = [BanditScore(experimentID: 1, variationID: 2, score: 3)]
    return remote
  }

  @Test("What is known here wins; conversions and views add up, scores are replaced (KAM-46, KAM-B22; ready)") func localWins()
    throws
  {
    let rig = try KameleoonRig(configuration: customDataConfiguration)
    let visitor = try rig.visitor("visitor")
    _ = visitor.add(
      [.device(.phone), custom(0, "local"), .conversion(Conversion(goalID: 1)), .pageView(PageView(url: bytes("a")))],
      isTracked: false)
    visitor.assign([DecidedAssignment(experimentID: 100, variationID: 1, rule: .experimentation, isTracked: false)])
    visitor.merge(remote, isAdded: true)
    let facts = visitor.facts
    #expect(facts.device == .phone && facts.browser?.kind == .chrome && facts.operatingSystem == .linux)
    #expect(facts.geolocation?.country == bytes("DE"))
    #expect(facts.customData.map { $0.values.map { text($0) } } == [["local"], ["shared"]])
    #expect(facts.conversions.map(\.goalID) == [1, 4])
    #expect(facts.pages.map(\.count) == [3])
    #expect(facts.pages.first?.lastTime == rig.scheduler.unixMilliseconds)
    #expect(facts.assignments[100]?.variationID == 1 && facts.assignments[101]?.variationID == 9)
    #expect(facts.personalizations.map(\.id) == [5])
    #expect(facts.keyMomentScores.count == 1 && facts.banditScores.count == 1)
    var second = RemoteVisitorData()
    second.keyMomentScores = []
    second.banditScores = []
    visitor.merge(second, isAdded: true)
    #expect(visitor.facts.keyMomentScores.isEmpty && visitor.facts.banditScores.count == 1)
  }

  @Test("Only custom data of the visitor's scope goes back to the service (KAM-47, KAM-66; ready)") func sentBack() throws {
    let rig = try KameleoonRig(configuration: customDataConfiguration)
    let visitor = try rig.visitor("visitor")
    visitor.merge(remote, isAdded: true)
    #expect(
      rig.sent(visitor) == [
        "eventType=customData&index=6&valuesCountMap=%7B%22shared%22%3A1%7D&overwrite=true&visitorCode=visitor"
      ])
  }

  @Test("Also what was fetched before the first configuration, which says what that is (KAM-66, 2.7, 4.1; starting)")
  func sentBackLater() throws {
    let rig = try KameleoonRig(["online": "true"], configuration: nil) { request in
      request.url.contains("/visit/events") ? answer(200) : nil
    }
    let visitor = try rig.visitor("visitor")
    visitor.merge(remote, isAdded: true)
    rig.scheduler.run()
    rig.answerFetch(SiteAnswers.answer(customDataConfiguration))
    rig.settle { rig.face.isReady }
    #expect(
      rig.sent(visitor) == [
        "eventType=customData&index=6&valuesCountMap=%7B%22shared%22%3A1%7D&overwrite=true&visitorCode=visitor"
      ])
  }

  @Test("Nothing is added where that is not wanted (KAM-48; ready)") func notAdded() throws {
    let rig = try KameleoonRig(configuration: customDataConfiguration)
    let visitor = try rig.visitor("visitor")
    visitor.merge(remote, isAdded: false)
    #expect(visitor.facts.customData.isEmpty && visitor.facts.device == nil && visitor.facts.conversions.isEmpty)
  }
}
