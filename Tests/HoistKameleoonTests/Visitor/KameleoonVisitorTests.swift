import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("Data that a host tells of a visitor") struct KameleoonVisitorTests {
  @Test func oneOfEachTypeAndOfEachIndexIsKept() throws {
    // KAM-56, KAM-57, KAM-64
    let rig = try KameleoonRig()
    let visitor = try rig.visitor("visitor")
    #expect(visitor.add([.device(.phone), .geolocation(Geolocation(country: bytes("FR")))]) == .ok)
    _ = visitor.add([.customData(CustomData(index: 0, values: [bytes("a")])), .customData(CustomData(index: 4, values: []))])
    _ = visitor.add([
      .device(.tablet), .geolocation(Geolocation(country: bytes("DE"), latitude: 0)),
      .customData(CustomData(index: 0, values: [bytes("b"), bytes("c")])),
    ])
    let facts = visitor.facts
    #expect(facts.device == .tablet)
    #expect(facts.geolocation == Geolocation(country: bytes("DE"), latitude: 0))
    #expect(facts.customData.map(\.index) == [0, 4])
    #expect(facts.customData.first?.values.map { text($0) } == ["b", "c"])
  }

  @Test func dataIsKeptForTheNextRun() throws {
    // KAM-12, KAM-70
    let (store, scheduler) = (MemoryCacheManager(), ManualScheduler())
    let code: [UInt8]
    do {
      let rig = try KameleoonRig(cacheManager: store, scheduler: scheduler)
      rig.settle { rig.visitors.own.current != nil }
      let visitor = try rig.visitor(nil)
      code = visitor.code
      _ = visitor.add([.device(.tablet), .customData(CustomData(index: 7, values: [bytes("x")]))])
      _ = visitor.setLegalConsent(true)
      scheduler.advance(milliseconds: 100)
      rig.settle { store.load(key: "visitor:\(text(code))") != nil }
    }
    let rig = try KameleoonRig(cacheManager: store, scheduler: scheduler, seed: 8)
    rig.settle { rig.visitors.own.current != nil }
    let visitor = try rig.visitor(nil)
    #expect(visitor.code == code)
    #expect(visitor.facts.device == .tablet)
    #expect(visitor.facts.customData.map(\.index) == [7])
    #expect(visitor.legalConsent == .given)
  }
}
