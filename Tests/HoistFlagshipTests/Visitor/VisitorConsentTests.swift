import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Consent, and what is cached (protocols/flagship.md 5.6, 6.1)") struct VisitorConsentTests {
  @Test("An answer is remembered in any case, also before the start (FS-34, FS-64, 5.1; before start, no consent)")
  func anAnswerIsRememberedAlsoBeforeTheStart() throws {
    let rig = try FlagshipRig(["autostart": "false"])
    let visitor = try rig.visitor("v")
    #expect(visitor.setConsent(false) == .ok && !visitor.hasConsented)
    #expect(visitor.setConsent(true) == .ok && visitor.hasConsented)
  }

  @Test(
    "Every answer is reported: at each newVisitor and each setConsent, whichever value, also when nothing changes (FS-64, FS-67; ready, no consent)"
  )
  func everyAnswerIsReported() throws {
    let rig = try FlagshipRig()
    let visitor = try rig.visitor("v")
    #expect(visitor.setConsent(true) == .ok)
    #expect(visitor.setConsent(false) == .ok)
    _ = try rig.visitor("w", consent: false)
    #expect(rig.sent("fs_consent") == 4)
    #expect(rig.sent("hoist:false") == 2)
  }

  @Test("Without consent nothing is cached, and decisions go on, with the refusal in them (FS-65, FS-66; no consent)")
  func withoutConsentNothingIsCachedAndDecisionsGoOn() throws {
    let manager = MemoryCacheManager()
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(cacheManager: manager, respond: decisions.respond)
    let visitor = try rig.visitor("v")
    #expect(rig.fetch(visitor) == .ok)
    rig.settle { manager.load(key: "visitor:v") != nil }
    #expect(manager.load(key: "visitor:v") != nil)
    #expect(visitor.setConsent(false) == .ok)
    rig.settle { manager.hasForgotten("v") }
    #expect(manager.hasForgotten("v"))
    #expect(rig.fetch(visitor) == .ok)
    #expect(decisions.bodies.value.last?.contains(#""visitor_consent":false"#) == true)
    #expect(visitor.snapshotOfState.flags.count == 2)
    #expect(rig.provider.visitors.caching.counters.written == 2, "one record, one removal")
  }

  /// 5.3: after every fetch, also one that failed.
  @Test func everyFetchIsCached() throws {
    let manager = MemoryCacheManager()
    let decisions = ScriptedDecisions(.status(500))
    let rig = try FlagshipRig(cacheManager: manager, respond: decisions.respond)
    let visitor = try rig.visitor("v")
    #expect(rig.fetch(visitor) == .flagshipFetchFailed)
    rig.settle { manager.load(key: "visitor:v") != nil }
    #expect(manager.load(key: "visitor:v").map { text($0).contains(#""campaigns":[]"#) } == true)
    decisions.now(.status(200, ScriptedDecisions.one))
    #expect(rig.fetch(visitor) == .ok)
    rig.settle { manager.load(key: "visitor:v").map { text($0).contains(#""f":"x""#) } ?? false }
    let record = manager.load(key: "visitor:v").map { text($0) } ?? ""
    #expect(record.contains(#""campaignId":"c1","campaignName":"Campaign","variationGroupId":"g1""#))
    #expect(record.contains(#""type":"ab","slug":"","activated":false,"flags":{"f":"x","n":null}}]"#))
    #expect(record.hasSuffix(#""assignationHistory":{"g1":"v1"}}}"#))
  }

  @Test("A fetch that ends while the client closes is cached (FS-100, 5.3; closing)")
  func aFetchThatEndsWhileTheClientClosesIsCached() throws {
    let manager = MemoryCacheManager()
    let rig = try FlagshipRig(cacheManager: manager) { $0.url.contains("/campaigns") ? nil : .status(200) }
    let visitor = try rig.visitor("v")
    rig.settle { rig.provider.visitors.installation.isComplete }
    #expect(visitor.fetch(completion: nil) == .ok)
    rig.settle { !rig.transport.open.isEmpty }
    rig.transport.open.first?.complete(.status(200, ScriptedDecisions.one))
    let closing = rig.close()
    #expect(closing == .ok)
    #expect(manager.load(key: "visitor:v").map { text($0).contains(#""f":"x""#) } == true)
  }

  @Test("An earlier run's flags are served and announced until the service answers (FS-10, FS-51, FS-100; failing)")
  func flagsOfAnEarlierRunAreServedAndAnnounced() throws {
    let manager = MemoryCacheManager()
    let decisions = ScriptedDecisions()
    do {
      let rig = try FlagshipRig(cacheManager: manager, respond: decisions.respond)
      #expect(rig.fetch(try rig.visitor("v")) == .ok)
      rig.settle { manager.load(key: "visitor:v").map { text($0).contains(#""f":"x""#) } ?? false }
    }
    decisions.now(.noAnswer)
    let rig = try FlagshipRig(cacheManager: manager, respond: decisions.respond)
    let heard = HeardFetches()
    let visitor = try rig.visitor("v", listener: heard)
    #expect(rig.take(heard) == ["FETCH_REQUIRED FETCHED_FROM_CACHE"])
    let flag = Array("f".utf8).withBytes { visitor.snapshotOfState.flags.find($0).map { text($0.json) } }
    #expect(flag == #""x""#)
    #expect(rig.fetch(visitor) == .flagshipFetchFailed)
    #expect(visitor.snapshotOfState.flags.count == 2)
    #expect(visitor.snapshotOfState.history.variation(of: "g1").map { text($0) } == "v1")
  }

  /// 6.1: by the anonymous id where nothing is kept of the visitor's.
  @Test func aKnownVisitorIsFoundByItsAnonymousID() throws {
    let cache = ScriptedCache(.answered([:]))
    var plugins = Plugins()
    plugins.vendor[FlagshipPlugins.visitorCache] = cache
    let rig = try FlagshipRig(plugins: plugins)
    let visitor = try rig.visitor("v") { $0.isAuthenticated = true }
    #expect(cache.calls == ["lookup v", "lookup \(text(visitor.anonymousID ?? []))"])
  }

  @Test("A look-up that takes long holds back fetches, and no longer than its limit (FS-24; slow plug-in)")
  func fetchesWaitForTheLookUpAndNoLonger() throws {
    let cache = ScriptedCache(.later)
    var plugins = Plugins()
    plugins.vendor[FlagshipPlugins.visitorCache] = cache
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(plugins: plugins, respond: decisions.respond)
    guard let visitor = rig.provider.visitors.make(VisitorOptions(id: [118], hasConsented: true), for: rig.client, waits: false)
    else { throw FlagshipRig.Missing() }
    let ended = Locked<Status?>(nil)
    #expect(visitor.fetch { ended.value = $0 } == .ok)
    rig.settle { cache.question != nil }
    #expect(decisions.bodies.value.isEmpty && visitor.fetchProgress == (.fetchRequired, .visitorCreate))
    rig.scheduler.advance(milliseconds: 200)
    rig.settle { ended.value != nil }
    #expect(ended.value == .ok && visitor.fetchStatus == .fetched)
  }

  @Test("Look-ups by both ids have the time of one (FS-24; slow plug-in)")
  func bothLookUpsShareOneLimit() throws {
    let cache = ScriptedCache(.later)
    var plugins = Plugins()
    plugins.vendor[FlagshipPlugins.visitorCache] = cache
    let rig = try FlagshipRig(plugins: plugins)
    var options = VisitorOptions(id: Array("v".utf8), hasConsented: true)
    options.isAuthenticated = true
    let made = rig.provider.visitors.make(options, for: rig.client, waits: false)
    let visitor = try #require(made)
    func isWaiting() -> Bool { visitor.lock.withLock { visitor.turns.afterLookUp != nil } }
    rig.settle { cache.question != nil }
    rig.scheduler.advance(milliseconds: 150)
    #expect(cache.question?.reply(nil) == true)
    rig.settle { cache.calls.count == 2 }
    #expect(isWaiting())
    rig.scheduler.advance(milliseconds: 50)
    rig.settle { !isWaiting() }
    #expect(!isWaiting())
    let late = rig.provider.visitors.make(options, for: rig.client, waits: false)
    rig.settle { cache.calls.count == 3 }
    rig.scheduler.advance(milliseconds: 200)
    rig.settle { late?.lock.withLock { late?.turns.afterLookUp == nil } ?? true }
    #expect(cache.calls.count == 3, "nobody has time for the second question")
  }

  @Test("A record without flags is as if there were none (FS-52; failing)")
  func aRecordWithoutFlagsAnnouncesNothing() throws {
    let manager = MemoryCacheManager()
    let decisions = ScriptedDecisions(.status(500))
    do {
      let rig = try FlagshipRig(cacheManager: manager, respond: decisions.respond)
      #expect(rig.fetch(try rig.visitor("v")) == .flagshipFetchFailed)
      rig.settle { manager.load(key: "visitor:v") != nil }
    }
    let rig = try FlagshipRig(cacheManager: manager, respond: decisions.respond)
    #expect(try rig.visitor("v").fetchProgress == (.fetchRequired, .visitorCreate))
  }

  /// What is handed over stands in for the cache.
  @Test func anExportIsWhatAnotherVisitorBeginsWith() throws {
    let decisions = ScriptedDecisions()
    let cache = ScriptedCache()
    var plugins = Plugins()
    plugins.vendor[FlagshipPlugins.visitorCache] = cache
    let rig = try FlagshipRig(plugins: plugins, respond: decisions.respond)
    let visitor = try rig.visitor("v")
    #expect(rig.fetch(visitor) == .ok)
    let asked = cache.calls.count
    let other = try rig.visitor("v") { $0.record = visitor.export }
    #expect(other.fetchProgress == (.fetchRequired, .fetchedFromCache))
    #expect(other.snapshotOfState.flags.keys.map { text($0) } == ["f", "n"])
    #expect(cache.calls.filter { $0.hasPrefix("lookup") }.count == 1 && asked >= 1)
    let foreign = try rig.visitor("w") { $0.record = visitor.export }
    #expect(foreign.fetchProgress == (.fetchRequired, .visitorCreate) && foreign.snapshotOfState.flags.count == 0)
  }
}
