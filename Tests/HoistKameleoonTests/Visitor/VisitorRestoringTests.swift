import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

/// A store answers later than a visitor is opened; meanwhile it may be changed, linked and let go of.
@Suite("What happens to a visitor before its store answers (KAM-67, KAM-70, KAM-B29; ready)") struct VisitorRestoringTests {
  private let store = MemoryCacheManager()
  private let scheduler = ManualScheduler()

  private func rig() throws -> KameleoonRig {
    try KameleoonRig(configuration: customDataConfiguration, cacheManager: store, scheduler: scheduler)
  }

  /// Opens a visitor of whom nothing is there yet.
  private func opened(_ code: String, _ rig: KameleoonRig) throws -> KameleoonVisitor {
    try rig.visitors.open(bytes(code), of: rig.client, waits: false)
  }

  /// Leaves something of a visitor in the store.
  private func leave(_ code: String, _ data: VisitorDatum...) throws {
    let rig = try rig()
    let visitor = try rig.visitor(code)
    _ = visitor.setLegalConsent(false)
    _ = visitor.add(data)
    #expect(rig.kept(code, in: store) != nil)
  }

  private func record(_ code: String) -> StoredVisitor? {
    store.load(key: "visitor:\(code)").flatMap { StoredVisitor(json: $0) }
  }

  private func isLinked(_ code: String, to owner: String) -> Bool {
    if case .link(let kept, _) = record(code) { kept == bytes(owner) } else { false }
  }

  /// Everything that waits for the store is done, and written.
  private func settle(_ rig: KameleoonRig, until isDone: () -> Bool) {
    rig.settle {
      rig.advanceAfterStore(milliseconds: 60)
      return isDone()
    }
  }

  @Test("A visitor that is let go of at once keeps what an earlier run has left of it") func letGo() throws {
    try leave("visitor", custom(0, "old"))
    let rig = try rig()
    #expect(try opened("visitor", rig).add([.device(.phone)]) == .ok)
    settle(rig) { store.load(key: "visitor:visitor").map { text($0).contains("PHONE") } ?? false }
    let kept = try #require(store.load(key: "visitor:visitor").map { text($0) })
    #expect(kept.contains("old"))
    let visitor = try rig.visitor("visitor")
    #expect(visitor.legalConsent == .refused && visitor.facts.device == .phone)
    #expect(visitor.facts.customData.map(\.index) == [0])
  }

  @Test("What an earlier run has left of a visitor is not given to the one it is linked with meanwhile, but for a refusal")
  func linkedMeanwhile() throws {
    try leave("user", custom(0, "old"), custom(3, "user"))
    let rig = try rig()
    let anonymous = try rig.visitor("anonymous")
    let user = try opened("user", rig)
    #expect(anonymous.add([custom(3, "user")]) == .ok)
    settle(rig) { (rig.visitors.people.restored(bytes("user"))?.isGiven ?? true) && user.legalConsent != .unknown }
    for visitor in [anonymous, user] {
      #expect(visitor.facts.mappingIdentifier == bytes("anonymous"))
      #expect(visitor.facts.customData.map(\.index) == [3])
      #expect(visitor.legalConsent == .refused)
    }
  }

  @Test("A link stays, whatever waited to be written of the visitor before") func linkIsKept() throws {
    let rig = try rig()
    let (anonymous, user) = (try rig.visitor("anonymous"), try rig.visitor("user"))
    #expect(user.add([.device(.phone)]) == .ok)
    #expect(anonymous.add([custom(3, "user")]) == .ok)
    settle(rig) { record("anonymous") != nil && record("user") != nil }
    #expect(isLinked("user", to: "anonymous"))
  }

  @Test("What a linked visitor is told before its link is read is the others' too, and the link stays") func toldBeforeItsLink()
    throws
  {
    do {
      let rig = try rig()
      let anonymous = try rig.visitor("anonymous")
      #expect(anonymous.add([custom(0, "old"), custom(3, "user")]) == .ok)
      settle(rig) { record("anonymous") != nil && record("user") != nil }
      #expect(isLinked("user", to: "anonymous"))
    }
    let rig = try rig()
    let user = try opened("user", rig)
    #expect(user.add([.device(.phone)]) == .ok)
    settle(rig) { rig.visitors.people.restored(bytes("user"))?.isGiven ?? true }
    scheduler.advance(milliseconds: 100)
    let anonymous = try rig.visitor("anonymous")
    for visitor in [anonymous, user] {
      #expect(visitor.facts.device == .phone && visitor.facts.mappingIdentifier == bytes("anonymous"))
      #expect(visitor.facts.customData.map(\.index) == [0, 3])
    }
    settle(rig) { store.load(key: "visitor:anonymous").map { text($0).contains("PHONE") } ?? false }
    #expect(isLinked("user", to: "anonymous"))
  }

  @Test("Whether a linked visitor's code is unique is still known when it is opened again (KAM-07; ready)") func uniqueAgain()
    throws
  {
    let rig = try rig()
    let anonymous = try rig.visitor("anonymous")
    #expect(anonymous.add([custom(3, "user")]) == .ok)
    #expect(try rig.visitor("user").add([.uniqueIdentifier(true)]) == .ok)
    let again = try rig.visitor("user")
    #expect(again.isUnique && again.trackingIdentity.isMappingValue)
    #expect(!anonymous.isUnique)
  }

  @Test("Data that was put aside counts, also of a visitor that nobody holds any more (KAM-15; starting)") func asideOfNobody()
    throws
  {
    let rig = try KameleoonRig(["online": "true"], configuration: nil)
    #expect(try rig.visitor("visitor").add([.conversion(Conversion(goalID: 5)), custom(0, "gold")]) == .ok)
    rig.scheduler.run()
    rig.answerFetch(SiteAnswers.answer(customDataConfiguration))
    rig.settle { rig.face.isReady }
    let visitor = try rig.visitor("visitor")
    #expect(visitor.facts.customData.map(\.index) == [0] && visitor.facts.conversions.map(\.goalID) == [5])
    #expect(rig.sent(visitor).count == 2)
  }

  @Test("Visitors that nobody holds do not add up, however fast they come and go") func closedVisitorsAreLetGo() throws {
    let rig = try rig()
    for number in 0..<1_200 {
      #expect(try opened("visitor-\(number)", rig).add([custom(0, "a")], isTracked: false) == .ok)
      rig.scheduler.run()
    }
    // What waited is in the store now, and what closes next makes room.
    settle(rig) { store.load(key: "visitor:visitor-1199") != nil }
    for number in 0..<25 { _ = try rig.visitor("later-\(number)") }
    settle(rig) { rig.visitors.people.count <= VisitorLimits.closedVisitors + 10 }
    #expect(rig.visitors.people.count <= VisitorLimits.closedVisitors + 10)
  }
}

@Suite("Evaluations of the core know what a visitor has answered (KAM-60, 3.8; no consent)") struct CoreConsentTests {
  private static let configuration = """
    {"configuration":{"consentType":"REQUIRED","consentOptOutBehavior":"FULLY_BLOCK"},
    "featureFlags":[{"id":1,"featureKey":"f","defaultVariationKey":"off","environmentEnabled":true,
    "variations":[{"key":"off"},{"key":"on"}],"rules":[{"id":10,"type":"EXPERIMENTATION","exposition":1,"experimentId":100,
    "variationByExposition":[{"variationKey":"on","variationId":1,"exposition":1}]}]}]}
    """
  private let store = MemoryCacheManager()

  private func answer(_ rig: KameleoonRig, _ code: String) -> (isOn: Bool, isKnown: Bool) {
    let context = EvaluationContext(targetingKey: bytes(code), attributes: [])
    return withExtendedLifetime(context) {
      bytes("f").withUnsafeBytes { key in
        rig.client.evaluate(key, context.subject, .bool, []) { evaluation, _ in
          (evaluation.enabled, evaluation.errorCode != .providerNotReady)
        }
      }
    }
  }

  @Test func ofAVisitorThatNobodyHolds() throws {
    let rig = try KameleoonRig(configuration: Self.configuration)
    #expect(answer(rig, "other").isOn)
    _ = try rig.visitor("visitor").setLegalConsent(false)
    rig.scheduler.run()
    #expect(rig.visitors.people.handle(of: bytes("visitor")) == nil)
    #expect(!answer(rig, "visitor").isOn)
  }

  @Test func ofAVisitorOfAnEarlierRun() throws {
    do {
      let rig = try KameleoonRig(configuration: Self.configuration, cacheManager: store)
      _ = try rig.visitor("visitor").setLegalConsent(false)
      #expect(rig.kept("visitor", in: store) != nil)
    }
    let rig = try KameleoonRig(configuration: Self.configuration, cacheManager: store)
    #expect(!answer(rig, "visitor").isOn && !answer(rig, "visitor").isKnown)
    rig.settle { answer(rig, "visitor").isKnown }
    #expect(!answer(rig, "visitor").isOn && answer(rig, "visitor").isKnown)
    // Nothing is kept of that one.
    rig.settle { answer(rig, "new").isKnown }
    #expect(answer(rig, "new").isOn)
  }
}

@Suite("Time that passes while a visitor is only evaluated (KAM-03, KAM-B29; ready)") struct RestingVisitorTests {
  private static let minute: Int64 = 60_000
  private static let configuration = """
    {"segments":[{"id":1,"audienceTracking":true,"conditionsData":{"firstLevel":[{"conditions":[\
    {"targetingType":"VISITS","matchType":"EQUAL","visitCount":2}]}]}},
    {"id":2,"conditionsData":{"firstLevel":[{"conditions":[{"targetingType":"DEVICE_TYPE","device":"PHONE"}]}]}}],
    "featureFlags":[{"id":1,"featureKey":"second","defaultVariationKey":"off","environmentEnabled":true,
    "variations":[{"key":"off"},{"key":"on"}],"rules":[{"id":10,"type":"TARGETED_DELIVERY","exposition":1,"segmentId":1,
    "variationByExposition":[{"variationKey":"on","variationId":1,"exposition":1}]}]},
    {"id":2,"featureKey":"phone","defaultVariationKey":"off","environmentEnabled":true,
    "variations":[{"key":"off"},{"key":"on"}],"rules":[{"id":11,"type":"TARGETED_DELIVERY","exposition":1,"segmentId":2,
    "variationByExposition":[{"variationKey":"on","exposition":1}]}]}]}
    """

  private func isActive(_ key: String, _ visitor: KameleoonVisitor) -> Bool {
    bytes(key).withUnsafeBytes { visitor.isFeatureActive($0, isTracked: false).isActive }
  }

  private func isActive(_ key: String, _ rig: KameleoonRig, _ code: String) -> Bool {
    let context = EvaluationContext(targetingKey: bytes(code), attributes: [])
    return withExtendedLifetime(context) {
      bytes(key).withUnsafeBytes { key in
        rig.client.evaluate(key, context.subject, .bool, []) { evaluation, _ in evaluation.enabled }
      }
    }
  }

  @Test("Evaluations of the core begin another visit after half an hour, as the vendor's own do (KAM-B29; ready)")
  func anotherVisit() throws {
    let rig = try KameleoonRig(configuration: Self.configuration)
    let (own, other) = (try rig.visitor("own"), try rig.visitor("other"))
    #expect(!isActive("second", own) && !isActive("second", rig, "other"))
    rig.scheduler.advance(milliseconds: 31 * Self.minute)
    #expect(isActive("second", own))
    #expect(isActive("second", rig, "other"))
    withExtendedLifetime(other) {}
  }

  @Test("Audiences are those of the visit that begins (KAM-B12, KAM-B29; ready)") func audiences() throws {
    let rig = try KameleoonRig(configuration: Self.configuration)
    let visitor = try rig.visitor("visitor")
    rig.scheduler.advance(milliseconds: 31 * Self.minute)
    #expect(visitor.evaluateAudiences() == .ok)
    #expect(rig.sent(visitor).contains { $0.hasPrefix("eventType=targetingSegment&id=1") })
  }

  @Test("Data that is too old counts no more, a minute later at the latest (KAM-03; ready)") func tooOld() throws {
    let rig = try KameleoonRig(["data_expiration_interval_minute": "5"], configuration: Self.configuration)
    let visitor = try rig.visitor("visitor")
    #expect(visitor.add([.device(.phone)]) == .ok)
    rig.scheduler.advance(milliseconds: 4 * Self.minute)
    #expect(isActive("phone", visitor) && isActive("phone", rig, "visitor"))
    rig.scheduler.advance(milliseconds: 2 * Self.minute)
    #expect(!isActive("phone", rig, "visitor"))
    #expect(!isActive("phone", visitor))
  }
}
