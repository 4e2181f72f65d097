import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("What several have changed of a visitor is put together (KAM-03, KAM-60, KAM-70, contract 8; no client)")
struct KeptVisitorTests {
  /// A visitor at some time, as `body` makes it.
  private func visitor(_ former: KeptVisitor? = nil, at time: Int64 = 1_000, _ body: (inout VisitorDraft) -> Void = { _ in })
    -> KeptVisitor
  {
    var draft = VisitorDraft(former?.content ?? VisitorFacts.Content(code: bytes("v"), visitStart: 1_000))
    if let former { draft.rest = former.rest }
    let definitions = CustomDataDefinitions([CustomDataDefinition]())
    draft.begin(bytes("v"), VisitorEnvironment(now: time, definitions: definitions, requiresConsent: true))
    draft.noteEvent()
    body(&draft)
    return KeptVisitor(content: draft.content, rest: draft.rest)
  }

  private func merged(_ ours: KeptVisitor, _ base: KeptVisitor?, _ theirs: KeptVisitor) -> KeptVisitor {
    KeptVisitor.merge(ours, base: base, theirs: theirs)
  }

  private func json(_ visitor: KeptVisitor) -> String { text(StoredVisitor.json(visitor.content, visitor.rest)) }

  @Test func whatNobodyElseHasChangedIsAsItIsHere() {
    let base = visitor { $0.add(custom(0, "a"), isTracked: true, time: 1_000) }
    let ours = visitor(base, at: 2_000) {
      $0.add(custom(0, "b"), isTracked: true, time: 2_000)
      $0.add(.pageView(PageView(url: bytes("p"))), isTracked: true, time: 2_000)
      $0.add(.conversion(Conversion(goalID: 1)), isTracked: true, time: 2_000)
      $0.add(.device(.phone), isTracked: true, time: 2_000)
      $0.assign(1, 2, .experimentation, isTracked: true)
    }
    let both = merged(ours, base, base)
    #expect(json(both) == json(ours))
    #expect(both.content.assignments[1]?.isUnsent == true)
    #expect(json(merged(base, base, ours)) == json(ours))
  }

  @Test func countsAddUpAndDataStandSideBySide() {
    let base = visitor {
      $0.add(.pageView(PageView(url: bytes("p"))), isTracked: true, time: 1_000)
      $0.add(.conversion(Conversion(goalID: 1)), isTracked: true, time: 1_000)
    }
    func more(_ index: Int64, _ goal: Int64) -> KeptVisitor {
      visitor(base, at: 2_000) {
        $0.add(custom(index, "new"), isTracked: true, time: 2_000)
        $0.add(.pageView(PageView(url: bytes("p"))), isTracked: true, time: 2_000)
        $0.add(.conversion(Conversion(goalID: goal)), isTracked: true, time: 2_000)
        $0.assign(goal, 1, .experimentation, isTracked: true)
        $0.target([goal])
      }
    }
    let both = merged(more(0, 7), base, more(1, 8))
    #expect(both.content.pages.map(\.count) == [3])
    #expect(both.content.conversions.map(\.goalID) == [1, 8, 7] && both.rest.conversionCount == 3)
    #expect(both.content.customData.map(\.index) == [1, 0])
    #expect(Set(both.content.assignments.entries.map(\.experimentID)) == [7, 8] && both.rest.segments == [8, 7])
  }

  @Test("A refusal stands against an answer of who did not know of it; who did may agree again (KAM-60; no client)")
  func refusals() {
    func answered(_ consent: LegalConsent, _ former: KeptVisitor? = nil) -> KeptVisitor {
      visitor(former) { $0.content.consent = consent }
    }
    let (unknown, given, refused) = (answered(.unknown), answered(.given), answered(.refused))
    func consent(_ ours: KeptVisitor, _ base: KeptVisitor?, _ theirs: KeptVisitor) -> LegalConsent {
      merged(ours, base, theirs).content.consent
    }
    #expect(consent(given, unknown, refused) == .refused && consent(given, nil, refused) == .refused)
    #expect(consent(refused, given, given) == .refused && consent(refused, unknown, given) == .refused)
    #expect(consent(given, refused, refused) == .given)
    #expect(consent(given, given, refused) == .refused && consent(unknown, unknown, given) == .given)
    #expect(consent(refused, refused, given) == .given)
  }

  @Test(
    "What is too old here is gone, but not what another has renewed; the first mapping identifier holds (KAM-03, KAM-70; no client)"
  )
  func expiry() {
    let base = visitor {
      $0.add(custom(0, "old"), isTracked: true, time: 1_000)
      $0.add(custom(1, "old"), isTracked: true, time: 1_000)
      $0.add(.conversion(Conversion(goalID: 1)), isTracked: true, time: 1_000)
      $0.add(.device(.phone), isTracked: true, time: 1_000)
    }
    let ours = visitor(base, at: 3_000) {
      $0.expire(before: 2_000)
      $0.adopt(mappingIdentifier: bytes("late"))
    }
    let theirs = visitor(base, at: 2_500) {
      $0.add(custom(1, "new"), isTracked: true, time: 2_500)
      $0.adopt(mappingIdentifier: bytes("first"))
    }
    let both = merged(ours, base, theirs)
    #expect(both.content.customData.map(\.values) == [[bytes("new")]])
    #expect(both.content.conversions.isEmpty && both.content.device == nil)
    #expect(both.content.mappingIdentifier == bytes("first"))
  }

  @Test("A visit that began at another's is this one's, too (KAM-B29; no client)") func visits() {
    let (base, later) = (visitor(), 1_000 + VisitorLimits.visitIdleMilliseconds + 5)
    let (ours, theirs) = (visitor(base, at: later), visitor(base, at: later + 10))
    #expect(merged(ours, base, base).content.visitStart == later && merged(base, base, theirs).content.visitStart == later + 10)
    let both = merged(ours, base, theirs)
    #expect(both.content.visitStart == later + 10 && both.content.visits?.number == 1 && both.content.lastEvent == later + 10)
  }

  @Test("What waited for the configuration is added once (KAM-15; no client)") func aside() {
    var draft = VisitorDraft(VisitorFacts.Content(code: bytes("v"), visitStart: 1_000))
    draft.begin(bytes("v"), VisitorEnvironment(now: 1_000))
    draft.add(custom(0, "a"), isTracked: true, time: 1_000)
    let base = KeptVisitor(content: draft.content, rest: draft.rest)
    let ours = visitor(base) { $0.addAside() }
    #expect(base.rest.aside.count == 1 && ours.rest.aside.isEmpty)
    let both = merged(ours, base, base)
    #expect(both.rest.aside.isEmpty && both.content.customData.count == 1)
  }
}

@Suite("Clients that share a store share their visitors (contract 8)") struct SharedVisitorStoreTests {
  private let store = MemoryCacheManager()
  private let scheduler = ManualScheduler()

  private func rig() throws -> KameleoonRig {
    try KameleoonRig(configuration: customDataConfiguration, cacheManager: store, scheduler: scheduler)
  }

  @Test func whatOneHasAddedTheOtherKeepsAndSees() throws {
    let rigs = [try rig(), try rig()]
    let visitors = try rigs.map { try $0.visitor("visitor") }
    _ = visitors[0].add([custom(0, "one"), .conversion(Conversion(goalID: 1))])
    _ = visitors[1].add([custom(1, "two"), .conversion(Conversion(goalID: 2))])
    #expect(rigs[0].kept("visitor", in: store) != nil)
    let all = try #require(rigs[1].kept("visitor", in: store))
    #expect(all.contains("one") && all.contains("two"))
    #expect(visitors[1].facts.customData.map(\.index) == [0, 1] && visitors[1].facts.conversions.map(\.goalID) == [1, 2])
    #expect(visitors[0].facts.customData.map(\.index) == [0])
    _ = visitors[0].add([.device(.phone)])
    #expect(rigs[0].kept("visitor", in: store)?.contains("two") == true)
    #expect(visitors[0].facts.customData.map(\.index) == [0, 1])
  }

  @Test("Who is linked by one is linked for the other, and nothing takes the link's place (KAM-67; second client)") func links()
    throws
  {
    let rigs = [try rig(), try rig()]
    let user = try rigs[1].visitor("user")
    _ = user.add([custom(0, "early")])
    #expect(rigs[1].kept("user", in: store) != nil)
    let anonymous = try rigs[0].visitor("anonymous")
    _ = anonymous.add([custom(3, "user")])
    #expect(rigs[0].kept("anonymous", in: store) != nil)
    rigs[0].settle { store.load(key: "visitor:user").map { text($0).contains("owner") } ?? false }
    _ = user.add([.device(.phone)])
    scheduler.advance(milliseconds: 60)
    rigs[1].settle {
      scheduler.advance(milliseconds: 60)
      return user.facts.mappingIdentifier == bytes("anonymous")
    }
    #expect(user.facts.mappingIdentifier == bytes("anonymous"))
    #expect(store.load(key: "visitor:user").map { text($0).contains("owner") } ?? false)
  }
}
