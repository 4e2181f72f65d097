import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("What comes to a visitor is put behind what is kept (contract 8)") struct VisitorAdditionTests {
  private let manager = GatedManager()
  private let scheduler = ManualScheduler()
  private let rigs = Locked<[KameleoonRig]>([])

  private func rig(_ properties: [String: String] = [:]) throws -> KameleoonRig {
    let properties = properties.merging(["events.durability": "immediate"]) { own, _ in own }
    let rig = try KameleoonRig(properties, configuration: customDataConfiguration, cacheManager: manager, scheduler: scheduler)
    rigs.change { $0.append(rig) }
    return rig
  }

  private func add(_ visitor: KameleoonVisitor, _ goal: Int64) -> Status {
    scheduler.turning { visitor.add([.conversion(Conversion(goalID: goal))], isTracked: false) }
  }

  /// Until it is stored, however long that takes.
  private func convert(_ visitor: KameleoonVisitor, _ goal: Int64) -> Bool {
    let status = add(visitor, goal)
    if status == .unsaved { for rig in rigs.value { _ = rig.kept("visitor", in: manager.inner) } }
    return status == .ok || status == .unsaved
  }

  private var kept: String { text(manager.inner.load(key: "visitor:visitor") ?? []) }

  @Test("A conversion costs the same after thousands, and all are there in the next run (KAM-03; ready, reopened)")
  func theCostIsFlat() throws {
    let first = try rig()
    let visitor = try first.visitor("visitor")
    var costs: [Int] = []
    for quarter in 0..<4 {
      let before = manager.bytesWritten
      scheduler.turning {
        for number in 0..<1_000 {
          _ = visitor.add([.conversion(Conversion(goalID: Int64(quarter * 1_000 + number)))], isTracked: false)
        }
      }
      #expect(first.kept("visitor", in: manager.inner) != nil)
      costs.append(manager.bytesWritten - before)
    }
    #expect(costs.allSatisfy { $0 < 300_000 }, "\(costs)")
    let heir = try rig().visitor("visitor")
    #expect(heir.facts.conversions.map(\.goalID) == Array(0..<4_000) && heir.facts.conversions == visitor.facts.conversions)
  }

  @Test("A refusal of another process is heard, and conversions of both are kept (KAM-60; second process)") func aNeighbour()
    throws
  {
    let visitors = [try rig().visitor("visitor"), try rig().visitor("visitor")]
    for round in 0..<3 { for (place, visitor) in visitors.enumerated() { #expect(convert(visitor, Int64(round * 2 + place))) } }
    #expect(manager.additions > 0)
    _ = scheduler.turning { visitors[1].setLegalConsent(false) }
    #expect(rigs.value[1].kept("visitor", in: manager.inner) != nil)
    #expect(convert(visitors[0], 6) && visitors[0].legalConsent == .refused)
    #expect(convert(visitors[1], 7) && kept.contains(#""consent":2"#))
    let heir = try rig().visitor("visitor")
    #expect(heir.legalConsent == .refused && Set(heir.facts.conversions.map(\.goalID)) == Set(0..<8))
    #expect(heir.facts.conversions.count == 8)
  }

  @Test("On a full disk it is told as unsaved, and there when there is room (KAM-56; full disk, reopened)") func fullDisk() throws
  {
    let visitor = try rig().visitor("visitor")
    for goal in 0..<3 { #expect(convert(visitor, Int64(goal))) }
    manager.fill()
    #expect(add(visitor, 3) == .unsaved)
    manager.makeRoom()
    scheduler.advance(milliseconds: 120_000)
    #expect(convert(visitor, 4))
    for _ in 0..<3 { _ = rigs.value[0].kept("visitor", in: manager.inner) }
    let heir = try rig().visitor("visitor")
    #expect(Set(heir.facts.conversions.map(\.goalID)) == Set(0..<5))
    #expect(heir.facts.conversions.count == 5)
  }

  @Test("A torn or foreign addition costs itself alone, and is told (KAM-03; reopened)") func torn() throws {
    let visitor = try rig().visitor("visitor")
    for goal in 0..<3 { #expect(convert(visitor, Int64(goal))) }
    let whole = manager.inner.load(key: "visitor:visitor") ?? []
    let last = try #require(whole.lastIndex(of: UInt8(ascii: "\n")))
    manager.inner.save(
      key: "visitor:visitor", value: whole[..<last] + bytes("\n{\"counts\":[[1") + bytes("\n[1]") + whole[last...])
    let next = try rig()
    let heir = try next.visitor("visitor")
    #expect(heir.facts.conversions.map(\.goalID) == [0, 1, 2])
    #expect(next.log.messages(.warning).contains { $0.contains("2 additions to what is kept of a visitor cannot be read") })
  }

  @Test("What is too old goes from the store, too, when the record is written anew (KAM-03; ready)") func expiry() throws {
    let visitor = try rig(["data_expiration_interval_minute": "10"]).visitor("visitor")
    for _ in 0..<3 { #expect(convert(visitor, 111)) }
    scheduler.advance(milliseconds: 11 * 60_000)
    for _ in 0..<60 { #expect(convert(visitor, 5)) }
    #expect(!kept.contains("[111,") && visitor.facts.conversions.count == 60)
  }
}
