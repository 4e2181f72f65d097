import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

/// The quick reading of the clock stands still for four milliseconds at a time, as the system's does.
@Suite("One reading of the clock per call, and the later one is later (contract 9)") struct VisitorTimeTests {
  private static let here = "https://here"
  /// One flag, `exp`, that is on where a page of a visitor is `here`.
  private static func configuration(_ condition: String) -> String {
    """
    {"segments":[{"id":5,"conditionsData":{"firstLevel":[{"conditions":[{"targetingType":"\(condition)","matchType":"EXACT",
    "url":"\(here)"}]}]}}],"featureFlags":[{"id":1,"featureKey":"exp","defaultVariationKey":"off","environmentEnabled":true,
    "variations":[{"key":"off"},{"key":"on"}],"rules":[{"id":10,"type":"TARGETED_DELIVERY","exposition":1,"experimentId":100,
    "segmentId":5,"variationByExposition":[{"variationKey":"on","variationId":1,"exposition":1}]}]}]}
    """
  }

  private func clock(at millisecond: Int64) -> ManualScheduler {
    ManualScheduler(unixMilliseconds: 1_700_000_000_000 + millisecond, tickMilliseconds: 4)
  }

  private func page(_ url: String) -> VisitorDatum { .pageView(PageView(url: bytes(url))) }

  private func isOn(_ visitor: KameleoonVisitor) -> Bool {
    "exp".withBytes { visitor.isFeatureActive($0, isTracked: false).isActive }
  }

  @Test("What is told right after opening belongs to the visit (3.12)", arguments: 0...3 as ClosedRange<Int64>)
  func theVisitBeginsBeforeWhatIsToldInIt(millisecond: Int64) throws {
    let rig = try KameleoonRig(scheduler: clock(at: millisecond))
    let visitor = try rig.visitor("anna")
    #expect(visitor.add([.conversion(Conversion(goalID: 1)), page("a")]) == .ok)
    let facts = visitor.facts
    #expect(facts.conversions.allSatisfy { $0.time >= facts.visitStart } && facts.conversions.count == 1)
    #expect(facts.pages.allSatisfy { $0.lastTime >= facts.visitStart } && facts.lastEvent >= facts.visitStart)
  }

  @Test("Of pages told one after the other, ready and within one tick, the last is the current one (3.12)")
  func theLastPageIsTheCurrentOne() throws {
    let rig = try KameleoonRig(configuration: Self.configuration("PAGE_URL"), scheduler: clock(at: 0))
    let visitor = try rig.visitor("anna")
    for url in ["a", Self.here] { _ = visitor.add([page(url)]) }
    #expect(isOn(visitor))
    rig.scheduler.advance(milliseconds: 1)
    _ = visitor.add([page("a")])
    #expect(!isOn(visitor))
    _ = visitor.add([page(Self.here)])
    #expect(isOn(visitor))
  }

  @Test("The one before is the previous one (3.12)") func thePageBeforeIsThePreviousOne() throws {
    let rig = try KameleoonRig(configuration: Self.configuration("PREVIOUS_PAGE"), scheduler: clock(at: 0))
    let visitor = try rig.visitor("anna")
    for url in ["a", Self.here, "b"] { _ = visitor.add([page(url)]) }
    #expect(isOn(visitor))
  }

  @Test("Pages told before the first configuration likewise (KAM-15; starting)") func pagesThatWaitedForTheConfiguration() throws
  {
    let rig = try KameleoonRig(["online": "true"], configuration: nil, scheduler: clock(at: 0))
    let visitor = try rig.visitor("anna")
    for url in ["a", Self.here] { _ = visitor.add([page(url)]) }
    rig.answerFetch(SiteAnswers.answer(Self.configuration("PAGE_URL")))
    rig.settle { rig.face.isReady }
    #expect(isOn(visitor))
  }

  @Test("Pages of one call are of one moment, of which the first is the current one, as the vendor has it (3.12)")
  func pagesOfOneCall() throws {
    let rig = try KameleoonRig(configuration: Self.configuration("PAGE_URL"), scheduler: clock(at: 0))
    let visitor = try rig.visitor("anna")
    _ = visitor.add([page("a"), page("b")])
    _ = visitor.add([page(Self.here), page("c")])
    #expect(isOn(visitor))
  }

  @Test("The vendor's SDK has the first page of one moment, whoever told it when (strict_vendor)") func strictVendor() throws {
    let rig = try KameleoonRig(["strict_vendor": "true"], configuration: Self.configuration("PAGE_URL"), scheduler: clock(at: 0))
    let visitor = try rig.visitor("anna")
    for url in [Self.here, "a"] { _ = visitor.add([page(url)]) }
    #expect(isOn(visitor))
  }

  @Test("Ready, the service has visits of the next century: what is told after is the current one (2.7)") func futureVisits()
    throws
  {
    let future: Int64 = 4_900_000_000_000
    let rig = try KameleoonRig(configuration: Self.configuration("PAGE_URL"), scheduler: clock(at: 1)) { request in
      guard request.url.contains("/visit/visitor") else { return answer(304) }
      return answer(
        200,
        #"""
        {"currentVisit":{"pageEvents":[{"time":\#(future),"data":{"href":"a"}}],
        "conversionEvents":[{"time":\#(future),"data":{"goalId":1}}]},"previousVisits":[{"timeStarted":\#(future)}]}
        """#)
    }
    let visitor = try rig.visitor("anna")
    let filter = RemoteVisitorDataFilter()
    #expect(visitor.ask(.visitorData(filter, adds: true), completion: nil) == .ok)
    for _ in 0..<10 { rig.scheduler.run() }
    let facts = visitor.facts
    #expect(facts.pages.count == 1 && facts.conversions.count == 1 && facts.visits?.previous.count == 1)
    let now = rig.scheduler.unixMilliseconds
    #expect(facts.pages.allSatisfy { $0.lastTime <= now } && facts.conversions.allSatisfy { $0.time <= now })
    #expect(facts.visits?.previous.allSatisfy { $0.start <= now && $0.lastEvent <= now } == true)
    _ = visitor.add([page(Self.here)])
    #expect(isOn(visitor))
  }
}
