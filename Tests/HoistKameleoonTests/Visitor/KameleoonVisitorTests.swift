import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("Data that a host tells of a visitor") struct KameleoonVisitorTests {
  @Test("There is one of each type, and of custom data one of each index; index 0 is one (KAM-56, KAM-57, KAM-62, KAM-64; ready)")
  func oneOfEachTypeAndOfEachIndexIsKept() throws {
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    #expect(visitor.add([.device(.phone), .geolocation(Geolocation(country: bytes("FR")))]) == .ok)
    _ = visitor.add([custom(0, "a"), custom(4)])
    _ = visitor.add([.device(.tablet), .geolocation(Geolocation(country: bytes("DE"), latitude: 0)), custom(0, "b", "c")])
    let facts = visitor.facts
    #expect(facts.device == .tablet)
    #expect(facts.geolocation == Geolocation(country: bytes("DE"), latitude: 0))
    #expect(facts.customData.map(\.index) == [0, 4])
    #expect(facts.customData.first?.values.map { text($0) } == ["b", "c"])
  }

  @Test("Views are counted by URL, conversions are all kept (KAM-57, KAM-61, KAM-B21; ready)") func pagesAndConversions() throws {
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    _ = visitor.add([.pageView(PageView(url: bytes("a"), title: bytes("A"))), .pageView(PageView(url: bytes("b")))])
    rig.scheduler.advance(milliseconds: 5)
    _ = visitor.add([
      .pageView(PageView(url: bytes("a"), title: bytes("A2"))), .pageView(PageView(url: [])),
      .conversion(Conversion(goalID: 1)), .conversion(Conversion(goalID: 1)),
    ])
    let facts = visitor.facts
    #expect(facts.pages.map { text($0.url) } == ["a", "b"])
    #expect(facts.pages.map(\.count) == [2, 1])
    #expect(facts.pages.first?.title.map { text($0) } == "A2")
    #expect(facts.pages.first.map { $0.lastTime - facts.pages[1].lastTime } == 5)
    #expect(facts.conversions.map(\.goalID) == [1, 1])
    #expect(rig.logged("a page view without a URL is dropped") == 1)
  }

  @Test("Every other type is there once (KAM-63, KAM-B21; ready)") func otherTypes() throws {
    let browser = Browser(kind: .opera, version: 99.5)
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    _ = visitor.add([
      .browser(Browser(kind: .chrome, version: nil)), .browser(browser), .operatingSystem(.linux),
      .cookie([Cookie(name: bytes("a"), value: bytes("1"))]),
      .cookie([Cookie(name: bytes("b"), value: bytes("2"))]), .applicationVersion(bytes("1.2")),
    ])
    #expect(visitor.facts.browser == browser)
    #expect(visitor.facts.operatingSystem == .linux)
    #expect(visitor.facts.cookies.map { text($0.name) } == ["b"])
    #expect(visitor.facts.applicationVersion.map { text($0) } == "1.2")
  }

  @Test("Custom data is named as the configuration does; an unknown name drops it (KAM-B14; ready)") func namedCustomData() throws
  {
    let rig = try KameleoonRig(configuration: customDataConfiguration)
    let visitor = try rig.visitor("visitor")
    _ = visitor.add([
      .customData(CustomData(name: bytes("plan"), values: [bytes("gold")])),
      .customData(CustomData(name: bytes("nobody"), values: [bytes("x")])),
    ])
    #expect(visitor.facts.customData.map(\.index) == [0])
    #expect(rig.logged("custom data \"nobody\" is dropped") == 1)
    #expect(
      rig.sent(visitor) == ["eventType=customData&index=0&valuesCountMap=%7B%22gold%22%3A1%7D&overwrite=true&visitorCode=visitor"]
    )
  }

  @Test("What is not tracked, or is local, is never sent, nor what it took the place of (KAM-B19; ready)") func untracked() throws
  {
    let rig = try KameleoonRig(configuration: customDataConfiguration)
    let visitor = try rig.visitor("visitor")
    _ = visitor.add([.device(.phone), custom(0, "a"), custom(5, "local")])
    _ = visitor.add([.device(.tablet), custom(1, "b")], isTracked: false)
    #expect(visitor.facts.device == .tablet)
    #expect(visitor.facts.customData.map(\.index) == [0, 5, 1])
    #expect(
      rig.sent(visitor) == ["eventType=customData&index=0&valuesCountMap=%7B%22a%22%3A1%7D&overwrite=true&visitorCode=visitor"])
  }

  @Test("Data goes with an evaluation, a conversion or a flush, not by itself (KAM-56, KAM-58; ready)") func nothingBySelf()
    throws
  {
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    _ = visitor.add([.device(.phone)])
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.transport.requests.allSatisfy { !$0.url.contains("/visit/events") })
    #expect(rig.sent(visitor) == ["eventType=staticData&deviceType=PHONE&visitorCode=visitor"])
  }

  @Test("A visitor has a limited number of indexes, URLs and conversions") func limits() throws {
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    _ = visitor.add((0..<1_001).map { custom(Int64($0), "v") }, isTracked: false)
    #expect(visitor.facts.customData.count == 1_000)
    #expect(rig.logged("custom data 1000 is dropped") == 1)
    _ = visitor.add((0..<1_001).map { .pageView(PageView(url: bytes("\($0)"))) }, isTracked: false)
    #expect(visitor.facts.pages.count == 1_000)
    #expect(visitor.facts.pages.last.map { text($0.url) } == "1000")
    _ = visitor.add((0..<10_001).map { .conversion(Conversion(goalID: Int64($0))) }, isTracked: false)
    #expect(visitor.facts.conversions.count <= 10_000)
    #expect(visitor.facts.conversions.last?.goalID == 10_000)
  }

  @Test("Data waits for the first configuration, which says what it means (KAM-15, KAM-B14, KAM-67; starting)") func dataAside()
    throws
  {
    let rig = try KameleoonRig(["online": "true"], configuration: nil)
    let visitor = try rig.visitor("visitor")
    _ = visitor.add([
      .customData(CustomData(name: bytes("plan"), values: [bytes("gold")])), custom(3, "user"), custom(5, "local"),
      .device(.phone),
    ])
    #expect(visitor.facts.device == nil)
    #expect(visitor.force(100, variation: bytes("on")) == .kameleoonSDKNotReady)
    rig.answerFetch(SiteAnswers.answer(customDataConfiguration))
    rig.settle { rig.face.isReady }
    #expect(visitor.facts.device == .phone)
    #expect(visitor.facts.customData.map(\.index) == [0, 3, 5])
    #expect(visitor.facts.mappingIdentifier == bytes("visitor"))
    #expect(
      rig.sent(visitor).map { $0.split(separator: "&").prefix(2).joined(separator: "&") } == [
        "eventType=staticData&deviceType=PHONE", "eventType=customData&index=0", "eventType=customData&index=3",
      ])
  }
}

@Suite("Consent, forced and simulated variations") struct VisitorChoiceTests {
  @Test("Consent has three states; without it only what may goes, the rest later (KAM-60; no consent)") func consent() throws {
    let configuration = #"{"configuration":{"consentType":"REQUIRED"}}"#
    let rig = try KameleoonRig(configuration: configuration)
    let visitor = try rig.visitor("visitor")
    #expect(visitor.legalConsent == .unknown)
    _ = visitor.add([.device(.phone), .conversion(Conversion(goalID: 1))])
    #expect(rig.sent(visitor) == ["eventType=conversion&goalId=1&revenue=0.0&negative=false&visitorCode=visitor"])
    #expect(!visitor.hasConsentToTrack)
    #expect(visitor.setLegalConsent(false) == .ok)
    #expect(visitor.facts.consent == .refused)
    #expect(rig.sent(visitor) == [])
    _ = visitor.setLegalConsent(true)
    #expect(rig.sent(visitor) == ["eventType=staticData&deviceType=PHONE&visitorCode=visitor"])
  }

  @Test("A variation is forced where the experiment has it, the last one counts (KAM-B01; ready)") func forced() throws {
    let rig = try KameleoonRig(configuration: customDataConfiguration)
    let visitor = try rig.visitor("visitor")
    #expect(visitor.force(1, variation: bytes("on")) == .kameleoonFeatureExperimentNotFound)
    #expect(visitor.force(100, variation: bytes("off")) == .kameleoonFeatureVariationNotFound)
    #expect(visitor.force(100, variation: bytes("on"), forcesTargeting: false) == .ok)
    #expect(visitor.force(100, variation: bytes("on")) == .ok)
    #expect(visitor.facts.forced == [ForcedVariation(experimentID: 100, variationKey: bytes("on"), forcesTargeting: true)])
    #expect(visitor.force(1, variation: nil) == .ok)
    #expect(visitor.facts.forced.count == 1)
    #expect(visitor.force(100, variation: nil) == .ok)
    #expect(visitor.facts.forced.isEmpty)
  }

  @Test(
    "Variations are simulated by the text of the cookie, encoded or not (KAM-B27; ready)",
    arguments: [
      (#"{"f":{"expId":1,"varId":2},"g":{"expId":0},"h":7}"#, [("f", 1, 2), ("g", 0, 0)]),
      ("%7B%22f%22%3A%7B%22expId%22%3A1%2C%22varId%22%3A2%7D%7D", [("f", 1, 2)]),
      ("", []),
    ] as [(String, [(String, Int64, Int64)])])
  func simulated(_ cookie: String, _ expected: [(String, Int64, Int64)]) throws {
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    _ = visitor.simulate(bytes(#"{"x":{"expId":9}}"#))
    #expect(visitor.simulate(bytes(cookie)) == .ok)
    #expect(
      visitor.facts.simulated
        == expected.map { SimulatedVariation(featureKey: bytes($0.0), experimentID: $0.1, variationID: $0.2) })
    #expect(visitor.simulate(bytes("[1]")) == .parse)
    #expect(visitor.facts.simulated.count == expected.count)
  }
}

@Suite("Variations that a visitor got (KAM-28, KAM-29; ready)") struct VisitorAssignmentTests {
  private func decided(_ variation: Int64 = 1, isTracked: Bool) -> [DecidedAssignment] {
    [DecidedAssignment(experimentID: 100, variationID: variation, rule: .experimentation, isTracked: isTracked)]
  }

  private let exposure = "eventType=experiment&id=100&variationId=1&visitorCode=visitor"

  @Test("An exposure is sent once until it is decided again; untracked ones are kept and not sent (KAM-28, KAM-29; ready)")
  func exposures() throws {
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    visitor.assign(decided(isTracked: false))
    #expect(visitor.facts.assignments[100]?.variationID == 1)
    #expect(rig.sent(visitor) == ["eventType=activity&visitorCode=visitor"])
    visitor.assign(decided(isTracked: true))
    visitor.assign(decided(isTracked: true))
    #expect(rig.sent(visitor) == [exposure])
    #expect(visitor.facts.assignments[100]?.isUnsent == false)
    visitor.assign(decided(isTracked: true))
    #expect(rig.sent(visitor) == [exposure])
  }

  @Test("An exposure that waits survives an untracked decision of the same variation, not of another one (A8)")
  func waitingExposure() throws {
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    visitor.assign(decided(isTracked: true))
    visitor.assign(decided(isTracked: false))
    #expect(rig.sent(visitor) == [exposure])
    visitor.assign(decided(isTracked: true))
    visitor.assign(decided(2, isTracked: false))
    #expect(rig.sent(visitor) == ["eventType=activity&visitorCode=visitor"])
  }

  @Test("The vendor's SDK loses it (A8)") func strictVendor() throws {
    let rig = try KameleoonRig(["strict_vendor": "true"])
    let visitor = try rig.visitor("visitor")
    visitor.assign(decided(isTracked: true))
    visitor.assign(decided(isTracked: false))
    #expect(rig.sent(visitor) == ["eventType=activity&visitorCode=visitor"])
  }

  @Test func aDecisionThatChangesNothingWritesNothing() throws {
    let rig = try KameleoonRig(["online": "false"], configuration: customDataConfiguration)
    let visitor = try rig.visitor("visitor")
    func decide() { _ = "exp".withBytes { visitor.isFeatureActive($0) } }
    decide()
    let facts = visitor.heldFacts
    rig.scheduler.advance(milliseconds: 59_000)
    decide()
    #expect(visitor.heldFacts === facts)
    rig.scheduler.advance(milliseconds: 2_000)
    decide()
    // That something happens is noted once a minute, so that the visit goes on.
    #expect(visitor.heldFacts !== facts)
    #expect(visitor.facts.lastEvent == rig.scheduler.unixMilliseconds)
  }
}
