import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("The shared visitor is the client's current context (FS-31; ready)") struct SharedVisitorTests {
  private func identify(_ rig: FlagshipRig, _ context: EvaluationContext) -> Status? {
    let ended = Locked<Status?>(nil)
    let status = rig.client.identify(context.reference()) { ended.value = $0 }
    guard status == .ok else { return status }
    rig.settle { ended.value != nil }
    return ended.value
  }

  private func context(_ id: String?, _ pairs: [(String, Int64)] = []) -> EvaluationContext {
    EvaluationContext(
      targetingKey: id.map { Array($0.utf8) }, attributes: pairs.map { Attribute(name: Array($0.0.utf8), value: .int($0.1)) })
  }

  @Test func anotherTargetingKeyIsAnotherVisitorAndIsFetched() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    #expect(identify(rig, context("a", [("k", 1)])) == .ok)
    let first = rig.face.sharedVisitor
    #expect(first.map { text($0.id) } == "a" && first?.fetchStatus == .fetched)
    #expect(decisions.bodies.value.last?.contains(#""k":1"#) == true)
    #expect(identify(rig, context("b")) == .ok)
    #expect(rig.face.sharedVisitor !== first && rig.face.sharedVisitor.map { text($0.id) } == "b")
  }

  @Test func theSameTargetingKeyIsAChangeOfTheContext() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    #expect(identify(rig, context("a", [("k", 1)])) == .ok)
    let first = rig.face.sharedVisitor
    #expect(identify(rig, context("a", [("l", 2)])) == .ok)
    #expect(rig.face.sharedVisitor === first)
    let body = decisions.bodies.value.last ?? ""
    #expect(body.contains(#""l":2"#) && !body.contains(#""k":1"#) && body.contains(#""sdk_osName":"Linux""#))
    #expect(identify(rig, context(nil, [("m", 3)])) == .ok)
    #expect(rig.face.sharedVisitor === first && decisions.bodies.value.last?.contains(#""m":3"#) == true)
  }

  /// In Decision API mode the calls of the core answer with the shared visitor's flags, never with another one's.
  @Test func callsOfTheCoreAnswerWithItsFlags() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    func keys() -> [String] {
      rig.client.withSnapshot { snapshot in
        snapshot.map { snapshot in (0..<snapshot.flagCount).map { text(snapshot.name(of: snapshot.record(at: $0))) } } ?? []
      }
    }
    let visitor = try rig.visitor("a")
    #expect(rig.fetch(visitor) == .ok)
    #expect(keys() == ["f", "n"])
    let own = try rig.visitor("own") { $0.isShared = false }
    decisions.now(.status(200, ScriptedDecisions.one.replacing(#""f":"#, with: #""g":"#)))
    #expect(rig.fetch(own) == .ok)
    #expect(keys() == ["f", "n"], "a visitor of its own does not matter")
    let next = try rig.visitor("b")
    #expect(keys().isEmpty, "never the former one's")
    #expect(rig.fetch(next) == .ok)
    #expect(keys() == ["g", "n"])
    decisions.now(.status(200, ScriptedDecisions.panic))
    #expect(rig.fetch(next) == .flagshipPanic)
    #expect(keys().isEmpty)
  }

  @Test func whoWasNotAskedHasConsentedAsThePropertySays() throws {
    let rig = try FlagshipRig(["has_consented": "false"], respond: ScriptedDecisions().respond)
    #expect(!rig.face.visitorsConsent)
    #expect(identify(rig, context("a")) == .ok)
    #expect(rig.face.sharedVisitor?.hasConsented == false)
    #expect(rig.face.sharedVisitor?.setConsent(true) == .ok)
    #expect(identify(rig, context("b")) == .ok)
    #expect(rig.face.sharedVisitor?.hasConsented == false, "only the one before has answered")
    #expect(identify(rig, context("a")) == .ok)
    #expect(rig.face.sharedVisitor?.hasConsented == true, "who has answered")
  }
}
