import CShims
import HoistBase
@testable import HoistCore
import Testing

/// Writes down its calls as "name stage key".
private final class NotingHook: EvaluationHook, @unchecked Sendable {
  let name: String
  let seen: Record<String>
  let admits: Bool
  var during: (@Sendable (String) -> Void)?

  init(_ name: String, _ seen: Record<String>, admits: Bool = true, during: (@Sendable (String) -> Void)? = nil) {
    (self.name, self.seen, self.admits, self.during) = (name, seen, admits, during)
  }

  private func note(_ stage: String, _ call: HookCall) {
    seen.append("\(name) \(stage) \(UTF8Text.repaired(call.key))")
    during?(stage)
  }
  func before(_ call: HookCall) -> Bool {
    note("before", call)
    return admits
  }
  func after(_ call: HookCall, _ detail: EvaluationDetail) { note("after(\(detail.value.string))", call) }
  func error(_ call: HookCall, _ detail: EvaluationDetail) { note("error(\(detail.code))", call) }
  func finally(_ call: HookCall) { note("finally", call) }
}

/// One that says which of its stages do something.
private final class PartialHook: EvaluationHook, @unchecked Sendable {
  let seen: Record<String>
  let isCalled: Bool
  let readsDetail: Bool

  init(_ seen: Record<String>, isCalled: Bool, readsDetail: Bool) {
    (self.seen, self.isCalled, self.readsDetail) = (seen, isCalled, readsDetail)
  }

  func before(_ call: HookCall) -> Bool {
    seen.append("before")
    return true
  }
  func after(_ call: HookCall, _ detail: EvaluationDetail) { seen.append("after") }
  func error(_ call: HookCall, _ detail: EvaluationDetail) { seen.append("error") }
  func finally(_ call: HookCall) { seen.append("finally") }
}

@Suite("Hooks run around an evaluation") struct HookTests {
  let seen = Record<String>()

  func fixture(_ hooks: [any EvaluationHook]) throws -> ClientFixture {
    var plugins = Plugins()
    plugins.hooks = hooks
    let fixture = try ClientFixture(plugins: plugins)
    try fixture.serve()
    return fixture
  }

  @Test func beforeInOrderTheOthersInReverse() throws {
    let fixture = try fixture([NotingHook("1", seen), NotingHook("2", seen)])
    #expect(fixture.fast("on") == nil)  // never past the hooks
    fixture.evaluate("on")
    #expect(
      seen.all == [
        "1 before on", "2 before on", "2 after(true) on", "1 after(true) on", "2 finally on", "1 finally on",
      ])
    #expect(fixture.provider.counts() == ["on/0": 1])
  }

  @Test func anErrorOfTheEvaluationReachesErrorInsteadOfAfter() throws {
    let fixture = try fixture([NotingHook("1", seen), NotingHook("2", seen)])
    fixture.evaluate("nope")
    #expect(
      seen.all == [
        "1 before nope", "2 before nope", "2 error(FLAG_NOT_FOUND) nope", "1 error(FLAG_NOT_FOUND) nope",
        "2 finally nope", "1 finally nope",
      ])
  }

  @Test func aRefusalEndsTheEvaluationForThoseThatHaveBegun() throws {
    let fixture = try fixture([NotingHook("1", seen), NotingHook("2", seen, admits: false), NotingHook("3", seen)])
    let detail = fixture.evaluate("on")
    #expect(detail.code == "GENERAL" && detail.words.contains("hook") && detail.value.string == "null")
    #expect(
      seen.all == [
        "1 before on", "2 before on", "2 error(GENERAL) on", "1 error(GENERAL) on", "2 finally on", "1 finally on",
      ])
    #expect(fixture.provider.counts() == [:])
  }

  @Test func explanationsAndAllFlagsRunNone() throws {
    let fixture = try fixture([NotingHook("1", seen)])
    fixture.evaluate("on", nil, .any, .explained)
    _ = fixture.client.allFlags(nil)
    fixture.client.evaluate(nil, nil, .any, .counted) { _, _ in }
    #expect(seen.all == [])
  }

  /// (ready) A hook that does nothing costs nothing: evaluations stay on the fast path.
  @Test func aHookWithoutStagesIsNotInTheWay() throws {
    let fixture = try fixture([PartialHook(seen, isCalled: false, readsDetail: false)])
    #expect(fixture.fast("on") == true)
    #expect(fixture.evaluate("on").value.string == "true")
    #expect(seen.all == [])
  }

  /// (ready; flag unknown) Where no hook reads a detail, none is made for hooks.
  @Test func aHookBeforehandAloneIsToldOfNoDetail() throws {
    let fixture = try fixture([PartialHook(seen, isCalled: true, readsDetail: false)])
    fixture.evaluate("on")
    fixture.evaluate("nope")
    #expect(seen.all == ["before", "finally", "before", "finally"])
  }

  @Test func aHookMayEvaluateAgain() throws {
    final class Nested: @unchecked Sendable {
      weak var fixture: ClientFixture?
      var depth = 0
    }
    let nested = Nested()
    let hook = NotingHook("1", seen) { stage in
      guard stage == "before" || stage.hasPrefix("after"), nested.depth == 0 else { return }
      nested.depth += 1
      nested.fixture?.evaluate("on")
      nested.depth -= 1
    }
    let fixture = try fixture([hook])
    nested.fixture = fixture
    #expect(fixture.evaluate("on").value.string == "true")
    #expect(fixture.provider.counts() == ["on/0": 3])
  }

  /// G11: nothing is held while a hook takes its time; what is replaced meanwhile can be freed.
  @Test func aSlowHookHoldsNoSnapshot() throws {
    final class Life: Sendable {}
    final class Weak: @unchecked Sendable { weak var life: Life? }
    let (door, alive) = (Door(), Weak())
    let hook = NotingHook("1", seen) { stage in if stage.hasPrefix("after") { door.pass() } }
    let fixture = try fixture([hook])
    do {
      let life = Life()
      alive.life = life
      fixture.client.publish(
        try #require(TestFlags.snapshot([("on", .bool(true))], resources: life)), changed: [])
    }
    let evaluating = startThread { fixture.evaluate("on") }
    #expect(door.waitForArrivals(1))
    fixture.client.publish(try #require(TestFlags.switches(["on"])), changed: [])
    #expect(
      eventually {
        fixture.client.drainCounts { _, _, _, _ in }; return alive.life == nil
      })
    door.open()
    evaluating.join()
  }
}
