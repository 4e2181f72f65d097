import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("A view holds one snapshot and one context") struct FlagViewTests {
  func value(_ view: FlagView, _ key: String, _ want: WantedType = .any) -> String? {
    key.withBytes { view.evaluate($0, want) { String(decoding: $0.jsonValue(), as: UTF8.self) } }
  }

  @Test func itAnswersTheSameAcrossNewFlagsANewContextAndClose() throws {
    let fixture = try ClientFixture()
    try fixture.serve([("flag", .int(1)), ("old", .bool(true)), ("who", .targetingKey)])
    let context = EvaluationContext(targetingKey: "then")
    let view = FlagView(fixture.client, context.reference())
    context.setTargetingKey(Array("now".utf8))
    fixture.client.publish(try #require(TestFlags.snapshot([("flag", .int(2)), ("new", .bool(true))])), changed: ["flag"])
    func check() {
      #expect(value(view, "flag") == "1")
      #expect(value(view, "old") == "true")
      #expect(value(view, "new") == nil)
      #expect(value(view, "who") == #""then""#)
    }
    check()
    #expect(fixture.evaluate("flag").value.string == "2")
    #expect(fixture.close() == .ok)
    check()
  }

  @Test func withoutAContextItHoldsTheClientsOwn() throws {
    let fixture = try ClientFixture()
    try fixture.serve([("who", .targetingKey)])
    _ = fixture.client.identify(EvaluationContext(targetingKey: "a").reference(), completion: nil)
    let view = FlagView(fixture.client, nil)
    _ = fixture.client.identify(EvaluationContext(targetingKey: "b").reference(), completion: nil)
    #expect(value(view, "who") == #""a""#)
    #expect(value(FlagView(fixture.client, nil), "who") == #""b""#)
  }

  @Test func itsEvaluationsAreCountedAlsoThoseOfReplacedFlags() throws {
    let fixture = try ClientFixture()
    try fixture.serve([("flag", .bool(true))], announced: ["flag"])
    let (heard, _) = fixture.observe(.impression)
    let view = FlagView(fixture.client, nil)
    _ = value(view, "flag")
    fixture.client.publish(try #require(TestFlags.switches(["other"])), changed: [])
    #expect(fixture.provider.counts() == ["flag/0": 1])
    _ = value(view, "flag")
    _ = value(view, "flag", .string)
    _ = value(view, "nope")
    #expect(fixture.provider.counts() == ["flag/0": 2, "flag/1": 1])
    #expect(fixture.provider.unknownCounts() == ["nope": 1])
    fixture.dispatchAll()
    #expect(heard.all.count == 3)
  }

  @Test func aViewOfAClosedOrEmptyClientAnswersNothing() throws {
    let fixture = try ClientFixture()
    #expect(value(FlagView(fixture.client, nil), "flag") == nil)
    try fixture.serve([("flag", .bool(true))])
    #expect(fixture.close() == .ok)
    #expect(value(FlagView(fixture.client, nil), "flag") == nil)
    #expect(fixture.provider.unknownCounts() == ["flag": 1])
  }

  @Test func keysThatAreNoneAreNotCounted() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let view = FlagView(fixture.client, nil)
    _ = value(view, String(repeating: "k", count: Client.maximumKeyBytes + 1))
    let broken: [UInt8] = [0xFF]
    #expect(broken.withBytes { view.evaluate($0, .any) { _ in true } } == nil)
    #expect(fixture.provider.unknownCounts() == [:])
  }

  @Test func itKeepsItsClientAndItsSnapshotAliveAndThenLetsThemGo() throws {
    final class Life: Sendable {}
    weak var life: Life?
    weak var client: Client?
    var view: FlagView?
    let scheduler: ManualScheduler
    do {
      let fixture = try ClientFixture()
      scheduler = fixture.scheduler
      try fixture.serve()
      do {
        let made = Life()
        life = made
        fixture.client.publish(
          try #require(TestFlags.snapshot([("flag", .bool(true))], resources: made)), changed: [])
      }
      client = fixture.client
      view = FlagView(fixture.client, nil)
    }
    #expect(client != nil && life != nil)
    #expect(view.flatMap { value($0, "flag") } == "true")
    view = nil
    #expect(goes(scheduler) { client == nil })
    #expect(
      eventually {
        Reclaimer.shared.collect(); return life == nil
      })
  }
}
