import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

/// What goes of a visitor is decided by what it has answered last, whoever holds it by then.
@Suite("The last answer counts (KAM-60, 4.4; no consent)") struct ConsentTests {
  private let store = MemoryCacheManager()
  private static let configuration =
    #"{"configuration":{"consentType":"REQUIRED"},"customData":[{"id":1,"index":3,"isMappingIdentifier":true}]}"#
  private static let phone = "eventType=staticData&deviceType=PHONE&visitorCode=anna"

  private func rig(
    _ properties: [String: String] = [:], keeps: Bool = false,
    respond: @escaping @Sendable (HTTPRequest) -> ScriptedTransport.Answer? = { _ in answer(200) }
  ) throws -> KameleoonRig {
    try KameleoonRig(
      properties.merging(keeps ? ["events.durability": "periodic"] : [:]) { $1 }, configuration: Self.configuration,
      cacheManager: keeps ? store : nil, respond: respond)
  }

  /// The lines of requests for tracking, without their nonces.
  private func lines(_ rig: KameleoonRig) -> [[String]] {
    rig.transport.requests.filter { $0.url.contains("/visit/events") }.map { request in
      request.lines.map { String($0.dropFirst("nonce=0123456789ABCDEF&".count)) }
    }
  }

  private func flush(_ rig: KameleoonRig) -> Bool? {
    let answer = Locked<Status?>(nil)
    rig.provider.flush { answer.value = $0.status }
    rig.settle { answer.value != nil }
    return answer.value == .ok
  }

  /// A phone, recorded with one answer; then the visitor gives another, and nobody holds it.
  private func leave(_ rig: KameleoonRig, recorded: Bool, then isGiven: Bool) throws {
    let anna = try rig.visitor("anna")
    #expect(anna.setLegalConsent(recorded) == .ok)
    #expect(anna.add([.device(.phone)]) == .ok)
    #expect(anna.setLegalConsent(isGiven) == .ok)
  }

  @Test func whatWasRecordedUnderConsentStaysWhenTheVisitorHasRefusedAndNobodyHoldsIt() throws {
    let rig = try rig()
    try leave(rig, recorded: true, then: false)
    rig.scheduler.run()
    #expect(rig.visitors.people.handle(of: bytes("anna")) == nil)
    #expect(flush(rig) == true)
    #expect(lines(rig) == [])
    // Not lost: it goes when the visitor agrees after all.
    let anna = try rig.visitor("anna")
    #expect(anna.setLegalConsent(true) == .ok)
    #expect(rig.sent(anna) == [Self.phone])
  }

  @Test func whatWasHeldBackGoesWhenTheVisitorHasAgreedAndNobodyHoldsIt() throws {
    let rig = try rig()
    try leave(rig, recorded: false, then: true)
    rig.scheduler.run()
    #expect(flush(rig) == true)
    #expect(lines(rig) == [[Self.phone]])
  }

  @Test("The next run reads the answer before anything goes", arguments: [true, false], [true, false])
  func anotherRun(_ isGiven: Bool, isLinked: Bool) throws {
    do {
      let rig = try rig(["online": "false"], keeps: true)
      if isLinked {
        let owner = try rig.visitor("owner")
        #expect(owner.add([custom(3, "anna")], isTracked: false) == .ok)
      }
      try leave(rig, recorded: !isGiven, then: isGiven)
      rig.scheduler.advance(milliseconds: 500)
      #expect(rig.kept("anna", in: store) != nil)
    }
    let rig = try rig(keeps: true)
    // What the former run left is claimed when the client opens: a look into the store after that comes back after it.
    let isClaimed = Locked(false)
    rig.client.store.load("nothing") { _ in isClaimed.value = true }
    rig.settle { isClaimed.value }
    rig.scheduler.advance(milliseconds: 1_000)
    for _ in 0..<3 {
      #expect(flush(rig) != nil)
      rig.scheduler.advance(milliseconds: 1_000)
    }
    let isSent = lines(rig).joined().contains { line in line.hasPrefix("eventType=staticData&deviceType=PHONE") }
    #expect(isSent == isGiven)
  }

  @Test("2.11") func aRequestThatWaitsForItsSecondAttemptGoesOnlyWithWhatIsStillAllowed() throws {
    let attempts = Locked(0)
    let rig = try rig { request in
      guard request.url.contains("/visit/events") else { return answer(304) }
      attempts.change { $0 += 1 }
      return answer(attempts.value == 1 ? 500 : 200)
    }
    let anna = try rig.visitor("anna")
    #expect(anna.setLegalConsent(true) == .ok)
    #expect(anna.add([.device(.phone), .conversion(Conversion(goalID: 1))]) == .ok)
    #expect(rig.sent(anna).count == 2)
    #expect(anna.setLegalConsent(false) == .ok)
    rig.scheduler.advance(milliseconds: 10_000)
    let conversion = "eventType=conversion&goalId=1&revenue=0.0&negative=false&visitorCode=anna"
    #expect(lines(rig) == [[Self.phone, conversion], [conversion]])
    #expect(anna.setLegalConsent(true) == .ok)
    #expect(rig.sent(anna) == [Self.phone])
  }

  @Test(
    "Nobody holds the visitor, and its request waits for another attempt: a refusal that is stored meanwhile is heard (KAM-60, contract 8; no consent, failing, second client)"
  )
  func aRefusalBetweenTwoAttempts() throws {
    do {
      let rig = try rig(["online": "false"], keeps: true)
      try leave(rig, recorded: true, then: true)
      rig.scheduler.advance(milliseconds: 500)
      #expect(rig.kept("anna", in: store) != nil)
    }
    let attempts = Locked(0)
    let rig = try rig(keeps: true) { request in
      guard request.url.contains("/visit/events") else { return answer(304) }
      attempts.change { $0 += 1 }
      return answer(attempts.value == 1 ? 500 : 200)
    }
    rig.settle { rig.provider.tracking.pipeline.counters.adopted > 0 }
    rig.scheduler.advance(milliseconds: 1_000)
    rig.settle { attempts.value == 1 }
    #expect(lines(rig) == [[Self.phone]])
    let other = try self.rig(["online": "false"], keeps: true)
    #expect(try other.visitor("anna").setLegalConsent(false) == .ok)
    #expect(other.kept("anna", in: store)?.contains(#""consent":2"#) == true)
    for _ in 0..<3 {
      #expect(flush(rig) != nil)
      rig.scheduler.advance(milliseconds: 10_000)
    }
    #expect(lines(rig) == [[Self.phone]] && rig.provider.tracking.pipeline.counters.waiting > 0)
  }

  @Test("2.10") func aRequestThatWaitsForATokenGoesOnlyWithWhatIsStillAllowed() throws {
    let rig = try rig(["client_id": "id", "client_secret": "secret"]) { request in
      request.url.contains("/oauth/token") ? nil : answer(200)
    }
    let anna = try rig.visitor("anna")
    #expect(anna.setLegalConsent(true) == .ok)
    #expect(anna.add([.device(.phone), .conversion(Conversion(goalID: 1))]) == .ok)
    #expect(rig.sent(anna) == [])
    #expect(anna.setLegalConsent(false) == .ok)
    rig.scheduler.run()
    rig.transport.open.first { $0.request.url.contains("/oauth/token") }?.complete(
      answer(200, #"{"access_token":"tok","expires_in":7200}"#))
    rig.scheduler.run()
    rig.scheduler.advance(milliseconds: 10_000)
    #expect(lines(rig) == [["eventType=conversion&goalId=1&revenue=0.0&negative=false&visitorCode=anna"]])
  }

  @Test func aConfigurationThatWantsConsentLaterHoldsBackWhatWasRecordedBefore() throws {
    let rig = try KameleoonRig(["online": "true"], configuration: #"{"featureFlags":[]}"#) { request in
      if request.url.contains("/visit/events") { return answer(200) }
      return request.url.contains("/v3/") ? SiteAnswers.answer(Self.configuration) : nil
    }
    #expect(try rig.visitor("anna").add([.device(.phone)]) == .ok)
    rig.settle { rig.visitors.requiresConsent }
    #expect(rig.visitors.requiresConsent && flush(rig) == true)
    #expect(lines(rig) == [])
  }

  @Test(
    "Ready, 5,000 visitors have not answered: who has is sent, and what waits is forgotten by its age (contract 6)",
    arguments: [
      ([:], 30 * 86_400_000), (["data_expiration_interval_minute": "60"], 60 * 60_000),
    ] as [([String: String], Int64)])
  func visitorsWhoNeverAnswerHoldUpNobody(_ properties: [String: String], _ age: Int64) throws {
    let rig = try rig(properties) { request in answer(request.url.contains("/visit/events") ? 200 : 304) }
    var statuses: [Int32: Int] = [:]
    for number in 0..<5_000 { statuses[try rig.visitor("silent \(number)").add([.device(.phone)]).rawValue, default: 0] += 1 }
    // The room is a tenth of the pipeline's, and beyond it the host is told.
    #expect(statuses == [Status.ok.rawValue: 1_000, Status.limit.rawValue: 4_000])
    let anna = try rig.visitor("anna")
    #expect(anna.setLegalConsent(true) == .ok && anna.add([.device(.phone)]) == .ok)
    #expect(anna.flush(isInstant: false) == .ok)
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(lines(rig) == [[Self.phone]])
    #expect(rig.provider.tracking.pipeline.counters.waiting == 1_000)
    rig.scheduler.advance(milliseconds: age)
    #expect(anna.add([.device(.tablet)]) == .ok && anna.flush(isInstant: false) == .ok)
    rig.scheduler.advance(milliseconds: 2_000)
    #expect(rig.provider.tracking.pipeline.counters.waiting == 0)
    #expect(try rig.visitor("silent 1").add([.device(.phone)]) == .ok)
  }

  @Test(
    "Two clients of one process share a store: a refusal told to one is heard by the other before it sends (KAM-60, contract 8; no consent, second client)"
  )
  func aRefusalOfAnotherClient() throws {
    let (one, other) = (try rig(keeps: true), try rig(keeps: true))
    let (anna, same) = (try one.visitor("anna"), try other.visitor("anna"))
    #expect(anna.setLegalConsent(true) == .ok && same.setLegalConsent(true) == .ok)
    #expect(one.kept("anna", in: store) != nil && other.kept("anna", in: store) != nil)
    #expect(anna.add([.device(.phone)]) == .ok && same.setLegalConsent(false) == .ok)
    #expect(other.kept("anna", in: store)?.contains(#""consent":2"#) == true)
    #expect(flush(one) != nil)
    #expect(lines(one) == [] && anna.legalConsent == .refused)
  }

  @Test(
    "A refusal told to one client is announced once, and counts in the other at once; where no consent is required nobody listens (KAM-60, FLT 1, contract 8; no consent, second client)"
  )
  func anAnnouncedRefusal() throws {
    let said = Announcements()
    let manager = GatedManager(announcements: said)
    func open(_ configuration: String, _ manager: GatedManager) throws -> KameleoonRig {
      try KameleoonRig(["online": "true"], configuration: configuration, cacheManager: manager) { request in
        request.url.contains("/v3/") ? SiteAnswers.answer(configuration) : answer(200)
      }
    }
    let (one, other) = (try open(Self.configuration, manager), try open(Self.configuration, manager))
    one.settle { said.listeners.value.count == 2 }
    #expect(said.listeners.value.count == 2)
    let (anna, same) = (try one.visitor("anna"), try other.visitor("anna"))
    #expect(anna.setLegalConsent(true) == .ok)
    one.scheduler.advance(milliseconds: 500)
    // Stored before the refusal: what is stored last counts.
    one.settle { manager.inner.load(key: "visitor:anna") != nil }
    #expect(same.setLegalConsent(true) == .ok && same.setLegalConsent(false) == .ok)
    other.scheduler.advance(milliseconds: 500)
    other.settle { said.keys.value == ["visitor:anna"] }
    #expect(same.add([.device(.phone)]) == .ok)
    other.scheduler.advance(milliseconds: 500)
    one.scheduler.advance(milliseconds: 250)
    one.settle { anna.legalConsent == .refused }
    #expect(anna.legalConsent == .refused && said.keys.value == ["visitor:anna"])
    let third = try open(#"{"featureFlags":[]}"#, GatedManager(announcements: said))
    third.settle { third.visitors.isReady }
    #expect(said.listeners.value.count == 2)
  }
}
