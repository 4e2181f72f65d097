import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("What a refusal erases (protocols/flagship.md 5.1, 5.6)") struct VisitorRefusalTests {
  private func requests(_ rig: FlagshipRig) -> String {
    rig.advanceAfterStore(milliseconds: 5_000)
    for _ in 0..<4 { rig.scheduler.run() }
    return rig.transport.requests.filter { $0.url.hasSuffix("events.flagship.io/") }.map(\.text).joined()
  }

  @Test("In panic nothing is sent, and after it nothing of who refused meanwhile (FS-66, FS-67, 5.1; panic, no consent)")
  func inPanic() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let visitor = try rig.visitor("v")
    let other = try rig.visitor("other") { $0.isShared = false }
    #expect(visitor.send(.screen("refused")) == .ok)
    #expect(other.send(.screen("kept")) == .ok)
    decisions.now(.status(200, ScriptedDecisions.panic))
    #expect(rig.fetch(other) == .flagshipPanic)
    #expect(visitor.setConsent(false) == .ok)
    decisions.now(.status(200, ScriptedDecisions.one))
    #expect(rig.fetch(other) == .ok)
    let sent = requests(rig)
    #expect(sent.contains(#""dl":"kept""#) && !sent.contains(#""dl":"refused""#))
    #expect(!sent.contains("hoist:false"), "remembered, not told")
  }

  @Test("Before the start, what an earlier run has left of who refuses goes as well (FS-66, 5.1; before start, no consent)")
  func beforeTheStart() throws {
    let manager = MemoryCacheManager()
    let durable = ["events.durability": "periodic", "hits.strategy": "periodic_caching"]
    do {
      let rig = try FlagshipRig(durable, cacheManager: manager) { _ in .noAnswer }
      for id in ["v", "w"] { #expect(try rig.visitor(id).send(.screen(id)) == .ok) }
      #expect(rig.fetch(try rig.visitor("v")) == .flagshipFetchFailed)
      rig.settle { manager.load(key: "visitor:v") != nil }
      #expect(rig.close(timeoutMilliseconds: 400) == .timeout, "hits are left")
    }
    let rig = try FlagshipRig(durable.merging(["autostart": "false"]) { $1 }, cacheManager: manager) { _ in .status(200) }
    _ = try rig.visitor("v", consent: false)
    rig.settle { manager.hasForgotten("v") }
    #expect(manager.hasForgotten("v"))
    rig.scheduler.post { rig.provider.life.start() }
    rig.settle { rig.transport.requests.contains { $0.url.hasSuffix("events.flagship.io/") } }
    let sent = requests(rig)
    #expect(sent.contains(#""dl":"w""#) && !sent.contains(#""dl":"v""#))
  }

  @Test("All ids that a visitor has borne are forgotten (FS-66, FS-68, FS-69, 5.6, 5.7; no consent)") func formerIDs() throws {
    let manager = MemoryCacheManager()
    let rig = try FlagshipRig(cacheManager: manager, respond: ScriptedDecisions().respond)
    let visitor = try rig.visitor("anon")
    let friend = try rig.visitor("friend") { $0.isShared = false }
    for id in ["first", "second"] {
      #expect(visitor.authenticate(as: Array(id.utf8)) == .ok)
      #expect(visitor.send(.screen("as \(id)")) == .ok)
      #expect(rig.fetch(visitor) == .ok)
    }
    #expect(visitor.unauthenticate() == .ok && visitor.send(.screen("as anon")) == .ok)
    #expect(rig.fetch(visitor) == .ok && friend.send(.screen("as friend")) == .ok)
    let ids = ["first", "second", "anon"]
    rig.settle { ids.allSatisfy { manager.load(key: "visitor:\($0)") != nil } }
    #expect(visitor.setConsent(false) == .ok)
    rig.settle { ids.allSatisfy { manager.hasForgotten($0) } }
    for id in ids { #expect(manager.hasForgotten(id), "\(id)") }
    rig.settle { requests(rig).contains("as friend") }
    let sent = requests(rig)
    #expect(sent.contains("as friend") && !sent.contains("as first") && !sent.contains("as second") && !sent.contains("as anon"))
  }

  @Test(
    "Of whom another client has stored a refusal nothing goes and nothing is kept, until they agree again (FS-65, FS-66, contract 8; second client, no consent)"
  )
  func refusedElsewhere() throws {
    let manager = MemoryCacheManager()
    let rigs = try (0..<2).map { _ in try FlagshipRig(cacheManager: manager, respond: ScriptedDecisions().respond) }
    let visitors = try rigs.map { try $0.visitor("v") }
    #expect(rigs[0].fetch(visitors[0]) == .ok)
    rigs[0].settle { manager.load(key: "visitor:v") != nil }
    #expect(visitors[1].setConsent(false) == .ok)
    rigs[1].settle { manager.hasForgotten("v") }
    let other = try rigs[0].visitor("other") { $0.isShared = false }
    for visitor in [visitors[0], other] {
      #expect(visitor.send(.screen("of \(text(visitor.id))")) == .ok)
      #expect(rigs[0].fetch(visitor) == .ok)
    }
    rigs[0].settle { requests(rigs[0]).contains("of other") && !manager.hasForgotten("other") }
    #expect(requests(rigs[0]).contains("of other") && !requests(rigs[0]).contains("of v"))
    #expect(manager.hasForgotten("v"))
    #expect(visitors[0].setConsent(true) == .ok && visitors[0].send(.screen("agreed")) == .ok)
    rigs[0].settle { requests(rigs[0]).contains("agreed") }
    #expect(requests(rigs[0]).contains("agreed"))
  }

  @Test(
    "Who agrees again has agreed under every id that the refusal was stored under (FS-64, FS-66, FS-68, FS-69, 5.6; ready, no consent)"
  )
  func agreeingUnderAllIDs() throws {
    let manager = MemoryCacheManager()
    let rig = try FlagshipRig(cacheManager: manager, respond: ScriptedDecisions().respond)
    let visitor = try rig.visitor("anon")
    for id in ["first", "second"] { #expect(visitor.authenticate(as: Array(id.utf8)) == .ok) }
    #expect(visitor.setConsent(false) == .ok)
    for id in ["first", "second", "anon"] { #expect(track(rig, of: id) == .flagshipNoConsent, "\(id)") }
    #expect(visitor.setConsent(true) == .ok)
    for id in ["first", "", "first", "second"] {
      #expect((id.isEmpty ? visitor.unauthenticate() : visitor.authenticate(as: Array(id.utf8))) == .ok)
      #expect(visitor.send(.screen("as \(text(visitor.id))")) == .ok && rig.fetch(visitor) == .ok)
    }
    for id in ["first", "second", "anon"] {
      rig.settle { requests(rig).contains("as \(id)") && !manager.hasForgotten(id) }
      #expect(requests(rig).contains("as \(id)") && !manager.hasForgotten(id), "\(id)")
    }
  }

  @Test(
    "A yes counts although another client has stored a no of which this one has not heard (FS-64, contract 8; second client, no consent)"
  )
  func agreeingUnheard() throws {
    let manager = MemoryCacheManager()
    let rigs = try (0..<2).map { _ in try FlagshipRig(cacheManager: manager, respond: ScriptedDecisions().respond) }
    let visitors = try rigs.map { try $0.visitor("v") }
    #expect(visitors[1].setConsent(false) == .ok)
    rigs[1].settle { manager.load(key: "visitor:v").map { CachedVisitor.isRefusal($0) } == true }
    #expect(visitors[0].setConsent(true) == .ok && visitors[0].send(.screen("agreed")) == .ok)
    rigs[0].settle { requests(rigs[0]).contains("agreed") }
    #expect(requests(rigs[0]).contains("agreed") && visitors[0].hasConsented)
  }

  @Test(
    "A no that another client has stored is adopted by every visitor of that id when it is heard of (FS-65, contract 8; second client, no consent)"
  )
  func adopting() throws {
    let manager = MemoryCacheManager()
    let rigs = try (0..<2).map { _ in try FlagshipRig(cacheManager: manager, respond: ScriptedDecisions().respond) }
    let (shared, own) = (try rigs[0].visitor("v"), try rigs[0].visitor("v") { $0.isShared = false })
    let other = try rigs[0].visitor("other") { $0.isShared = false }
    #expect(try rigs[1].visitor("v").setConsent(false) == .ok)
    rigs[1].settle { manager.load(key: "visitor:v").map { CachedVisitor.isRefusal($0) } == true }
    #expect(shared.send(.screen("unheard")) == .ok && other.send(.screen("of other")) == .ok)
    rigs[0].settle { requests(rigs[0]).contains("of other") }
    #expect(!shared.hasConsented && !own.hasConsented && other.hasConsented)
    #expect(shared.send(.screen("heard")) == .flagshipNoConsent && own.send(.screen("heard")) == .flagshipNoConsent)
    #expect(!requests(rigs[0]).contains("heard"))
  }

  @Test(
    "A no that another client announces is adopted before anything is sent, and what waits of the person goes; of others nothing is looked for (FS-65, FS-66, FLT 1, contract 8; offline, second client, no consent)"
  )
  func announced() throws {
    let said = Announcements()
    let manager = GatedManager(announcements: said)
    let loads = Locked<[String]>([])
    let rigs = try ["false", "true"].map { online in
      try FlagshipRig(["online": online], cacheManager: manager, respond: ScriptedDecisions().respond)
    }
    let (shared, other) = (try rigs[0].visitor("v"), try rigs[0].visitor("other") { $0.isShared = false })
    rigs[0].settle { said.listeners.value.count == 2 }
    #expect(shared.send(.screen("waits")) == .ok && other.send(.screen("waits, too")) == .ok)
    let waiting: () -> Set<String> = {
      var found: Set<String> = []
      rigs[0].provider.hits.pipeline.forEachWaiting { found.insert($0.subject) }
      // What is said of consent survives even a refusal.
      return found.subtracting([""])
    }
    #expect(waiting() == ["v", "other"])
    manager.afterEachLoad { key in loads.change { $0.append(key) } }
    #expect(try rigs[1].visitor("v").setConsent(false) == .ok)
    rigs[1].settle { said.keys.value == ["visitor:v"] }
    said.post("visitor:unknown")
    rigs[0].scheduler.advance(milliseconds: 250)
    rigs[0].settle { !shared.hasConsented && waiting() == ["other"] }
    #expect(!shared.hasConsented && other.hasConsented && shared.send(.screen("heard")) == .flagshipNoConsent)
    #expect(waiting() == ["other"] && rigs[0].transport.requests.isEmpty)
    #expect(!loads.value.contains("visitor:unknown"))
    // A yes is no news.
    #expect(shared.setConsent(true) == .ok)
    rigs[0].settle { manager.inner.load(key: "visitor:v").map { CachedVisitor.isRefusal($0) } != true }
    #expect(said.keys.value == ["visitor:v"])
  }

  @Test("A client that is closed listens no more, and does again when it is reopened (FLT 1; closed, reopened)")
  func listening() throws {
    let said = Announcements()
    let rig = try FlagshipRig(cacheManager: GatedManager(announcements: said), respond: ScriptedDecisions().respond)
    rig.settle { said.listeners.value.count == 1 }
    let first = said.listeners.value.first
    #expect(rig.close() == .ok && said.listeners.value.isEmpty && first?.isOver == true)
    first?.post("visitor:v")
    first?.post(nil)
    #expect(rig.client.reopen() == .ok)
    rig.settle { said.listeners.value.count == 1 }
    #expect(said.listeners.value.count == 1 && said.listeners.value.first !== first)
  }

  @Test(
    "A yes that comes while the store is looked into counts more than the no that was found there (FS-64, contract 8; second client, no consent)"
  )
  func agreeingMeanwhile() throws {
    let manager = GatedManager()
    let rig = try FlagshipRig(cacheManager: manager, respond: ScriptedDecisions().respond)
    let visitor = try rig.visitor("v")
    manager.inner.save(key: "visitor:v", value: CachedVisitor.refusal)
    manager.afterEachLoad { key in
      guard key == "visitor:v" else { return }
      manager.afterEachLoad { _ in }
      _ = visitor.setConsent(true)
    }
    #expect(visitor.send(.screen("agreed")) == .ok)
    rig.settle { requests(rig).contains("agreed") }
    #expect(requests(rig).contains("agreed") && visitor.hasConsented)
    #expect(visitor.send(.screen("later")) == .ok)
    rig.settle { requests(rig).contains("later") }
    #expect(requests(rig).contains("later"))
  }

  private func track(_ rig: FlagshipRig, of id: String) -> Status {
    let subject = EvaluationContext(targetingKey: id)
    return rig.provider.track(
      TrackedEvent(key: "buy", context: subject.reference(), value: nil, properties: [], unixMilliseconds: 0))
  }

  @Test(
    "What a call of the core records while its visitor refuses goes with the rest (FS-65, FS-66; no consent)",
    arguments: [false, true])
  func callsOfTheCoreMeanwhile(isShared: Bool) throws {
    let rig = try FlagshipRig.bucketing { $0.url.hasSuffix("bucketing.json") ? Bucketing.answer() : .status(200) }
    rig.settle { rig.face.status == .initialized }
    func refused(_ number: Int, while call: (String) -> Void) throws {
      let visitor = try rig.visitor("ben \(number)") { $0.isShared = isShared }
      rig.scheduler.duringNextReading { _ = visitor.setConsent(false) }
      call("ben \(number)")
      #expect(!visitor.hasConsented)
    }
    try refused(1) { id in #expect(track(rig, of: id) == .flagshipNoConsent) }
    try refused(2) { id in #expect(rig.string("color", visitor: id) == "blue") }
    #expect(rig.sent(#""ea":"buy""#) == 0 && rig.sent(#""caid":"#) == 0)
  }

  @Test("Of those who have agreed although the property says no, the first are forgotten first (FS-34; no consent)")
  func manyAgree() throws {
    let rig = try FlagshipRig(["has_consented": "false"])
    let visitors = rig.provider.visitors
    func id(_ number: Int) -> [UInt8] { Array("v\(number)".utf8) }
    for number in 0..<6_000 {
      visitors.consentGiven(true, VisitorIdentity(visitorID: id(number)), isReported: false)
    }
    #expect((1_000..<6_000).allSatisfy { visitors.consent(of: id($0)) })
  }

  @Test("What two clients have decided of a visitor is kept of both (FS-102, contract 8; no client)") func assignmentsOfAll()
    throws
  {
    func record(_ group: String) -> [UInt8] {
      let assignment = CachedVisitor.Assignment(groupID: Array(group.utf8), variationID: Array("v".utf8))
      return CachedVisitor(
        visitorID: [0x76], anonymousID: nil, hasConsented: true, context: Array("{}".utf8), campaigns: Array("[]".utf8),
        assignments: [assignment]
      ).json
    }
    let both = try CachedVisitor(json: CachedVisitor.merge(record("b"), into: record("a")), of: nil)
    #expect(both.assignments.map { text($0.groupID) } == ["b", "a"])
    #expect(CachedVisitor.merge(record("b"), into: Array("{".utf8)) == record("b"))
    #expect(CachedVisitor.merge(record("b"), into: nil) == record("b"))
  }

  @Test("Calls of the core know who has refused (FS-65; no consent)") func callsOfTheCore() throws {
    let rig = try FlagshipRig.bucketing { $0.url.hasSuffix("bucketing.json") ? Bucketing.answer() : .status(200) }
    rig.settle { rig.face.status == .initialized }
    let ben = try rig.visitor("ben", consent: false) { $0.isShared = false }
    #expect(track(rig, of: "ben") == .flagshipNoConsent)
    #expect(rig.string("color", visitor: "ben") == "blue")
    #expect(rig.sent(#""vid":"ben""#) == 1, "the refusal alone")
    #expect(ben.setConsent(true) == .ok && track(rig, of: "ben") == .ok)
    #expect(rig.string("color", visitor: "ben") == "blue")
    #expect(rig.sent(#""ea":"buy""#) == 1 && rig.sent(#""caid":"#) == 1)
  }

  @Test("What was told of a context is told again once the service has had to forget it (FS-206; no consent)") func segments()
    throws
  {
    let rig = try FlagshipRig.bucketing { $0.url.hasSuffix("bucketing.json") ? Bucketing.answer() : .status(200) }
    rig.settle { rig.face.status == .initialized }
    let visitor = try rig.visitor("v")
    for _ in 0..<2 { #expect(rig.fetch(visitor) == .ok) }
    #expect(rig.sent(#""t":"SEGMENT""#) == 1)
    #expect(visitor.setConsent(false) == .ok && visitor.setConsent(true) == .ok)
    #expect(rig.fetch(visitor) == .ok)
    #expect(rig.sent(#""t":"SEGMENT""#) == 2)
  }

  @Test("However much waits for the store, a refusal is written (FS-66; full queue, no consent)") func refusalsHaveRoom() {
    let manager = MemoryCacheManager()
    let host = TestHost(manager: manager)
    let caching = VisitorCaching(cache: nil, host: host, timeoutMilliseconds: 200)
    manager.save(key: "visitor:gone", value: [1])
    let (begun, gate) = (Completion<Bool>(), Completion<Bool>())
    caching.save([0]) {
      begun.give(true)
      _ = gate.wait(untilNanoseconds: .max)
      return [1]
    }
    _ = begun.wait(untilNanoseconds: .max)
    caching.flush(Array("gone".utf8))
    for number in 0..<5_000 { caching.save(Array("\(number)".utf8)) { [1] } }
    gate.give(true)
    host.settle { manager.load(key: "visitor:4999") != nil }
    #expect(manager.hasForgotten("gone") && manager.load(key: "visitor:0") == nil)
  }
}

extension MemoryCacheManager {
  /// Whether nothing is kept of a visitor, but that there was a refusal.
  func hasForgotten(_ id: String) -> Bool { load(key: "visitor:\(id)").map { CachedVisitor.isRefusal($0) } ?? true }
}
