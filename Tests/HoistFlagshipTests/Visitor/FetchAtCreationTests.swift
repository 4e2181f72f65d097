import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("A new visitor may fetch at once, without a call (FS-212; ready)") struct FetchAtCreationTests {
  private func options(_ id: String, listener: HeardFetches? = nil) -> VisitorOptions {
    var options = VisitorOptions(id: Array(id.utf8), hasConsented: true)
    options.listener = listener
    return options
  }

  @Test("The flags are fetched; making the visitor does not wait for them")
  func decisions() throws {
    let rig = try FlagshipRig(["fetch.at_creation": "true"])
    let heard = HeardFetches()
    let visitor = try #require(rig.face.visitor(options("v", listener: heard)))
    #expect(visitor.fetchStatus == .fetching)
    rig.scheduler.run()
    #expect(rig.transport.open.count == 1)
    rig.transport.open.first?.complete(.status(200, ScriptedDecisions.one))
    #expect(rig.take(heard) == ["FETCHING NONE", "FETCHED NONE"])
    #expect(visitor.snapshotOfState.flags.count == 2)
  }

  @Test("A fetch of the host's meanwhile joins it")
  func joined() throws {
    let rig = try FlagshipRig(["fetch.at_creation": "true"])
    let visitor = try #require(rig.face.visitor(options("v")))
    let ended = Locked<Status?>(nil)
    #expect(visitor.fetch { ended.value = $0 } == .ok)
    rig.scheduler.run()
    #expect(rig.transport.requests.count == 1)
    rig.transport.open.first?.complete(.status(200, ScriptedDecisions.one))
    rig.settle { ended.value != nil }
    #expect(ended.value == .ok)
  }

  @Test("An identify fetches once, as it does anyway")
  func identified() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(["fetch.at_creation": "true"], respond: decisions.respond)
    let ended = Locked<Status?>(nil)
    _ = rig.client.identify(EvaluationContext(targetingKey: "u1").reference()) { ended.value = $0 }
    rig.settle { ended.value != nil }
    #expect(ended.value == .ok && decisions.bodies.value.count == 1)
  }

  @Test("In bucketing mode the flags are there at once")
  func bucketing() throws {
    let rig = try FlagshipRig.bucketing(["fetch.at_creation": "true"]) { _ in Bucketing.answer() }
    let visitor = try #require(rig.face.visitor(options("v")))
    #expect(visitor.fetchStatus == .fetched && visitor.snapshotOfState.flags.count == 1)
  }

  @Test("Without the property a visitor waits for the call; before the start nothing is asked (FS-212; ready, before start)")
  func off() throws {
    let rig = try FlagshipRig()
    #expect(try #require(rig.face.visitor(options("v"))).fetchStatus == .fetchRequired)
    let early = try FlagshipRig(["fetch.at_creation": "true", "autostart": "false"])
    #expect(try #require(early.face.visitor(options("v"))).fetchStatus == .fetchRequired)
    early.scheduler.run()
    #expect(rig.transport.requests.isEmpty && early.transport.requests.isEmpty)
  }

  @Test("Without a store (disableCache) nothing is kept of visitors and hits (FS-212; ready)")
  func keepsNothing() throws {
    let rig = try FlagshipRig(["store": "none", "fetch.at_creation": "true"], respond: ScriptedDecisions().respond)
    let visitor = try #require(rig.face.visitor(options("v")))
    _ = visitor.send(.screen("a"))
    rig.settle { visitor.fetchStatus == .fetched }
    #expect(visitor.fetchStatus == .fetched)
    #expect(!rig.client.store.keepsValues)
    let used = rig.provider.statistics.filter { $0.group == "visitor_cache" && $0.value != 0 }
    #expect(used.isEmpty, "\(used)")
  }
}
