import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("What is kept of a visitor goes with its data") struct VisitorExpiryTests {
  private let manager = GatedManager()
  private let scheduler = ManualScheduler()

  private func rig(_ minutes: Int = 30) throws -> KameleoonRig {
    try KameleoonRig(
      ["data_expiration_interval_minute": "\(minutes)"], configuration: customDataConfiguration, cacheManager: manager,
      scheduler: scheduler)
  }

  /// What its record says, and for how long the store is to keep that; nil for ever.
  private func kept(_ rig: KameleoonRig) throws -> (text: String, milliseconds: Int64?) {
    (try #require(rig.kept("visitor", in: manager.inner)), manager.lifetimes["visitor:visitor"])
  }

  @Test("with the service's expiry, from each write on (KAM-03; ready)") func expiry() throws {
    let rig = try rig()
    let visitor = try rig.visitor("visitor")
    _ = visitor.add([custom(0, "a")])
    #expect(try kept(rig).milliseconds == 1_800_000)
  }

  @Test("and stays where the service's data never expire (KAM-03; ready)") func noExpiry() throws {
    let rig = try rig(0)
    let visitor = try rig.visitor("visitor")
    _ = visitor.add([custom(0, "a")])
    #expect(try kept(rig).milliseconds == nil)
  }

  @Test("but an answer about consent is not forgotten with them (KAM-60; ready, no consent)", arguments: [true, false])
  func consent(isGiven: Bool) throws {
    let rig = try rig()
    let visitor = try rig.visitor("visitor")
    _ = visitor.add([custom(0, "a")])
    #expect(try kept(rig).milliseconds != nil)
    _ = visitor.setLegalConsent(isGiven)
    #expect(try kept(rig) == (try kept(rig).text, nil))
    _ = visitor.add([custom(0, "b")])
    #expect(try kept(rig).milliseconds == nil)
  }

  @Test("nor one that another process has stored (KAM-60; second process, no consent)") func anotherProcess() throws {
    let rigs = [try rig(), try rig()]
    let visitors = try rigs.map { try $0.visitor("visitor") }
    _ = visitors[0].add([custom(0, "a")])
    #expect(try kept(rigs[0]).milliseconds != nil)
    _ = visitors[1].setLegalConsent(false)
    #expect(try kept(rigs[1]).milliseconds == nil)
    _ = visitors[0].add([custom(0, "b")])
    let last = try kept(rigs[0])
    #expect(last.text.contains(#""consent":2"#) && last.milliseconds == nil)
  }

  @Test("nor with whom a visitor is linked (KAM-67; ready)") func link() throws {
    let rig = try rig()
    let visitor = try rig.visitor("visitor")
    _ = visitor.add([custom(3, "user")])
    #expect(try kept(rig).milliseconds == nil)
  }
}
