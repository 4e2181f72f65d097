import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("Who a visitor is") struct VisitorIdentityTests {
  @Test("A code has 1 to 255 characters; above 100 is told in the log (KAM-11, A13; ready)") func codes() throws {
    #expect(!VisitorCode.isValid([]))
    #expect(VisitorCode.isValid(bytes(String(repeating: "é", count: 255))))
    #expect(!VisitorCode.isValid(bytes(String(repeating: "é", count: 256))))
    let rig = try KameleoonRig()
    #expect(throws: Status.kameleoonVisitorCodeInvalid) { try rig.visitor("") }
    _ = try rig.visitor(String(repeating: "x", count: 100))
    #expect(rig.logged("a visitor code of") == 0)
    _ = try rig.visitor(String(repeating: "x", count: 101))
    #expect(rig.logged("a visitor code of 101 characters") == 1)
  }

  @Test("A generated code has 16 of 36 characters, all equally likely (KAM-12; no client)") func generatedCode() {
    var counts: [UInt8: Int] = [:]
    let entropy = SeededEntropy(seed: 5)
    for _ in 0..<2_000 {
      let code = VisitorCode.generate(entropy)
      #expect(code.count == 16)
      for character in code { counts[character, default: 0] += 1 }
    }
    #expect(counts.keys.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
    #expect(counts.count == 36 && counts.values.allSatisfy { (700...1_100).contains($0) })
  }

  @Test("All handles on a code are one visitor (KAM-14, KAM-44; ready)") func oneVisitorPerCode() throws {
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    #expect(try rig.visitor("visitor") === visitor)
    #expect(try rig.visitor("Visitor") !== visitor)
    #expect(visitor.code == bytes("visitor"))
  }

  @Test("A visitor that nobody holds any more is as it was when it is opened again") func closedVisitor() throws {
    let rig = try KameleoonRig()
    _ = try rig.visitor("visitor").add([.device(.phone)])
    rig.scheduler.run()
    #expect(rig.visitors.people.handle(of: bytes("visitor")) == nil)
    #expect(try rig.visitor("visitor").facts.device == .phone)
  }

  @Test("Visitors that are closed for long go from memory") func forgottenVisitors() throws {
    let rig = try KameleoonRig()
    for number in 0..<1_010 {
      _ = try rig.visitors.open(bytes("visitor-\(number)"), of: rig.client, waits: false)
      rig.scheduler.run()
    }
    #expect(rig.visitors.people.record(of: bytes("visitor-0")) == nil)
    #expect(rig.visitors.people.record(of: bytes("visitor-1009")) != nil)
  }

  @Test("A generated code is used again, until another one is given (KAM-12; ready)") func keptCode() throws {
    let store = MemoryCacheManager()
    func code(_ properties: [String: String] = [:], seed: UInt64) throws -> [UInt8] {
      let rig = try KameleoonRig(properties, cacheManager: store, seed: seed)
      rig.settle { rig.visitors.own.current != nil }
      return try rig.visitor(nil).code
    }
    let first = try code(seed: 1)
    #expect(try code(seed: 2) == first)
    #expect(try code(["visitor_code": "given"], seed: 3) == bytes("given"))
    #expect(try code(seed: 4) == bytes("given"))
  }

  @Test("A host that does not wait for the store gets a code all the same (KAM-12; ready)") func codeWithoutStore() throws {
    let rig = try KameleoonRig()
    let visitor = try rig.visitors.open(nil, of: rig.client, waits: false)
    #expect(VisitorCode.isValid(visitor.code))
    rig.settle { rig.visitors.own.current != nil }
    #expect(rig.visitors.own.current === visitor)
  }

  @Test("The client's own visitor is its current context; another targeting key is another visitor (KAM-14; ready)")
  func identify() throws {
    let rig = try KameleoonRig(["visitor_code": "me"])
    rig.settle { rig.visitors.own.current != nil }
    #expect(rig.visitors.own.current?.code == bytes("me"))
    #expect(rig.visitors.host.currentContext?.frozen.targetingKey.map { text($0) } == "me")
    func identify(_ key: String?) throws -> Status? {
      let ended = Locked<Status?>(nil)
      let context = EvaluationContext(targetingKey: key.map { bytes($0) }, attributes: [])
      let reference = try #require(context.reference())
      rig.visitors.identify(reference) { ended.value = $0 }
      return ended.value
    }
    #expect(try identify("you") == .ok)
    #expect(rig.visitors.own.current?.code == bytes("you"))
    #expect(rig.visitors.host.currentContext?.frozen.targetingKey.map { text($0) } == "you")
    #expect(try identify(nil) == .ok)
    #expect(rig.visitors.own.current?.code == bytes("you"))
    #expect(try identify(String(repeating: "x", count: 256)) == .kameleoonVisitorCodeInvalid)
    #expect(rig.visitors.own.current?.code == bytes("you"))
  }

  @Test(
    "Identified right after opening, and forked: the visitor that the client begins with takes nobody's place (KAM-12, KAM-14; starting, forked)",
    arguments: [[:], ["visitor_code": "me"]])
  func identifiedFirst(_ properties: [String: String]) throws {
    let host = try TestClient(KameleoonFactory(), ["site_code": "site", "dispatch": "manual", "store": "none"], properties)
    let visitors = try #require(KameleoonFace(host.client)).provider.visitors
    host.client.open()
    let you = try #require(EvaluationContext(targetingKey: bytes("you"), attributes: []).reference())
    #expect(host.client.identify(you, completion: nil) == .ok)
    host.scheduler.run()
    #expect(visitors.own.current?.code == bytes("you"))
    host.scheduler.simulateFork()
    host.client.onScheduler { client in
      client.provider?.abandonAfterFork()
      client.provider?.start()
    }
    host.scheduler.advance(milliseconds: 1_000)
    #expect(visitors.own.current?.code == bytes("you"))
    #expect(host.client.currentContext?.frozen.targetingKey.map { text($0) } == "you")
    #expect(host.transport.requests.contains { $0.url.contains("/v3/") })
  }
}

@Suite("Visitors that are linked (KAM-66 to KAM-70; ready)") struct LinkedVisitorTests {
  private func rig(_ store: MemoryCacheManager? = nil) throws -> KameleoonRig {
    try KameleoonRig(configuration: customDataConfiguration, cacheManager: store)
  }

  @Test("Session merge: the user shares the anonymous visitor's data and is decided by its code (KAM-07, KAM-67; ready)")
  func sessionMerge() throws {
    let rig = try rig()
    let anonymous = try rig.visitor("anonymous")
    let user = try rig.visitor("user")
    _ = user.add([.device(.tablet)])
    _ = anonymous.add([.device(.phone), custom(3, "user")])
    // What the user had before is gone.
    #expect(user.facts.device == .phone)
    #expect(user.facts.mappingIdentifier == bytes("anonymous"))
    #expect(anonymous.facts.mappingIdentifier == bytes("anonymous"))
    #expect(user.facts.code == bytes("user") && anonymous.facts.code == bytes("anonymous"))
    _ = user.add([.operatingSystem(.ios), .uniqueIdentifier(true)])
    #expect(anonymous.facts.operatingSystem == .ios)
    #expect(user.isUnique && !anonymous.isUnique)
    #expect(user.trackingIdentity.code == bytes("user") && user.trackingIdentity.isMappingValue)
    #expect(anonymous.trackingIdentity.isMappingValue == false)
    #expect(user.trackingIdentity.subject == anonymous.trackingIdentity.subject)
  }

  @Test("A user that is opened later shares it too, and all that is fetched (KAM-67, KAM-68; ready)") func laterUser() throws {
    let rig = try rig()
    let anonymous = try rig.visitor("anonymous")
    _ = anonymous.add([custom(3, "user")])
    let user = try rig.visitor("user")
    #expect(user.facts.mappingIdentifier == bytes("anonymous"))
    anonymous.merge(RemoteVisitorData(device: .desktop), isAdded: true)
    #expect(user.facts.device == .desktop)
  }

  @Test("The first mapping identifier holds for ever (KAM-70; ready)") func firstMappingWins() throws {
    let rig = try rig()
    let first = try rig.visitor("a1")
    _ = first.add([custom(3, "u1")])
    let second = try rig.visitor("u1")
    _ = second.add([custom(3, "u2")])
    let third = try rig.visitor("u2")
    #expect(third.facts.mappingIdentifier == bytes("a1"))
    third.merge(RemoteVisitorData(visitorCode: bytes("other")), isAdded: true)
    #expect(first.facts.mappingIdentifier == bytes("a1"))
    #expect(third.mappingDatum?.key == bytes("3"))
  }

  @Test("The service's visitor code becomes the one that is decided by, also where nothing is added (KAM-53, KAM-69; ready)")
  func mappingFromService() throws {
    let rig = try rig()
    let visitor = try rig.visitor("visitor")
    visitor.merge(RemoteVisitorData(device: .phone, visitorCode: bytes("earlier")), isAdded: false)
    #expect(visitor.facts.mappingIdentifier == bytes("earlier"))
    #expect(visitor.facts.device == nil)
  }

  @Test("A unique identifier that is linked with nobody is linked with itself; without an index it is not (KAM-07; ready)")
  func selfLink() throws {
    let rig = try KameleoonRig(["is_unique_identifier": "true"], configuration: customDataConfiguration)
    let visitor = try rig.visitor("visitor")
    #expect(visitor.isUnique)
    visitor.linkToItself()
    #expect(visitor.facts.mappingIdentifier == bytes("visitor"))
    #expect(visitor.facts.customData.map(\.index) == [3])
    #expect(!visitor.trackingIdentity.isMappingValue)
    let bare = try KameleoonRig(["is_unique_identifier": "true"])
    let other = try bare.visitor("visitor")
    other.linkToItself()
    #expect(other.facts.mappingIdentifier == nil)
    #expect(other.trackingIdentity.isMappingValue)
  }

  @Test("Links are there again in the next run, whoever is opened first (KAM-67, KAM-70; ready)") func linksAreKept() throws {
    let store = MemoryCacheManager()
    do {
      let rig = try rig(store)
      let anonymous = try rig.visitor("anonymous")
      _ = anonymous.add([.device(.phone), custom(3, "user")])
      _ = try rig.visitor("user").add([.uniqueIdentifier(true)])
      _ = rig.kept("anonymous", in: store)
      rig.settle { store.load(key: "visitor:user").map { text($0).contains("true") } ?? false }
    }
    let rig = try rig(store)
    let user = try rig.visitor("user")
    #expect(user.facts.device == .phone)
    #expect(user.facts.mappingIdentifier == bytes("anonymous"))
    #expect(user.isUnique)
    let anonymous = try rig.visitor("anonymous")
    _ = anonymous.add([.device(.desktop)])
    #expect(user.facts.device == .desktop)
    #expect(!anonymous.isUnique)
  }

  @Test(
    "A visitor has refused, here or in what another client has stored, and is linked with one that agrees: the refusal holds for both (KAM-60, KAM-67, contract 8; no consent, second client)",
    arguments: [true, false])
  func aRefusalOutlivesTheLink(isHere: Bool) throws {
    let store = MemoryCacheManager()
    let (rig, other) = (try rig(store), try self.rig(store))
    let anonymous = try rig.visitor("anonymous")
    #expect(anonymous.setLegalConsent(true) == .ok && rig.kept("anonymous", in: store) != nil)
    #expect(try (isHere ? rig : other).visitor("user").setLegalConsent(false) == .ok)
    if !isHere { #expect(other.kept("user", in: store)?.contains(#""consent":2"#) == true) }
    #expect(anonymous.add([custom(3, "user")]) == .ok)
    rig.settle { anonymous.legalConsent == .refused }
    #expect(anonymous.legalConsent == .refused)
    #expect(rig.kept("anonymous", in: store)?.contains(#""consent":2"#) == true)
    #expect(store.load(key: "visitor:user").map { text($0).contains(#""owner":"anonymous""#) } == true)
    // Who agrees afterwards knows of it.
    #expect(try rig.visitor("user").setLegalConsent(true) == .ok && anonymous.legalConsent == .given)
    #expect(rig.kept("anonymous", in: store)?.contains(#""consent":1"#) == true)
  }

  @Test func aVisitorThatIsLinkedAnewLeavesItsDataToTheOthers() throws {
    let rig = try rig()
    let first = try rig.visitor("first")
    _ = first.add([.device(.phone), custom(3, "user")])
    let user = try rig.visitor("user")
    let other = try rig.visitor("other")
    _ = other.add([.device(.desktop), custom(3, "first")])
    #expect(first.facts.device == .desktop)
    #expect(user.facts.device == .phone)
    #expect(user.trackingIdentity.subject == bytes("user"))
  }

  @Test(
    "Data that others share stays in memory when the first of them has gone from there (KAM-67; ready)", arguments: [true, false])
  func dataOfAClosedOwner(_ isKept: Bool) throws {
    let rig = try rig(isKept ? MemoryCacheManager() : nil)
    let user = try rig.visitor("user")
    #expect(try rig.visitor("anonymous").add([custom(3, "user")]) == .ok)
    for number in 0..<1_050 {
      _ = try rig.visitors.open(bytes("visitor-\(number)"), of: rig.client, waits: false)
      rig.scheduler.run()
    }
    rig.settle {
      rig.scheduler.advance(milliseconds: 60)
      return rig.visitors.people.count < 1_030
    }
    for number in 0..<50 { _ = try rig.visitor("later-\(number)") }
    rig.scheduler.run()
    let anonymous = try rig.visitor("anonymous")
    #expect(anonymous.data === user.data)
    #expect(anonymous.setLegalConsent(false) == .ok && user.legalConsent == .refused)
  }
}
