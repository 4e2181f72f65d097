import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

/// Rules and flags that are compiled elsewhere, and what happens meanwhile (contract 1, 5).
@Suite("While rules are compiled, the client goes on") struct LargeRulesTests {
  private func put(_ flags: [String: String]) -> String { RulesRig.put(flags) }
  private func flag(_ key: String, _ version: Int, isOn: Bool = true) -> String {
    ServerRules.flag(key, version: version, #""on":\#(isOn)"#)
  }

  @Test("Changes behind a whole set wait for it, and none is lost (LDS-17; ready)") func order() throws {
    let rig = try RulesRig()
    let stream = rig.serve(["a": flag("a", 1)])
    let held = rig.client.compiler.hold()
    rig.say(put(["a": flag("a", 2, isOn: false), "b": flag("b", 1)]), on: stream)
    rig.say(RulesRig.patch("/flags/b", flag("b", 2, isOn: false)), on: stream)
    rig.say("event: delete\ndata: {\"path\":\"/flags/a\",\"version\":3}\n\n", on: stream)
    #expect(rig.value(of: "a") == #""on""# && rig.value(of: "b") == "FLAG_NOT_FOUND")
    held.give(true)
    rig.time.settle { rig.value(of: "a") == "FLAG_NOT_FOUND" }
    #expect(rig.value(of: "b") == #""off""#)
  }

  @Test("What is compiled when the client closes is not served; reopened, it asks again (LDS-06; closed, reopened)")
  func closed() throws {
    let rig = try RulesRig()
    let stream = rig.serve(["a": flag("a", 1)])
    let held = rig.client.compiler.hold()
    rig.say(put(["a": flag("a", 2, isOn: false)]), on: stream)
    _ = rig.client.close(timeoutMilliseconds: 0)
    rig.time.run()
    held.give(true)
    #expect(rig.client.reopen() == .ok)
    rig.time.settle { rig.network.streams.count == 2 }
    #expect(rig.value(of: "a") == #""on""#)
    let second = rig.openedStream()
    rig.say(put(["a": flag("a", 3, isOn: false)]), on: second)
    rig.time.settle { rig.value(of: "a") == #""off""# }
  }

  @Test("Nor is what is compiled when it goes offline, or to the background's end of the stream (offline)") func offline() throws
  {
    let rig = try RulesRig()
    let stream = rig.serve(["a": flag("a", 1)])
    let held = rig.client.compiler.hold()
    rig.say(put(["a": flag("a", 2, isOn: false)]), on: stream)
    rig.setOnline(false)
    held.give(true)
    rig.setOnline(true)
    rig.time.settle { rig.network.streams.count == 2 }
    let second = rig.openedStream()
    rig.say(put(["a": flag("a", 1), "b": flag("b", 1)]), on: second)
    rig.time.settle { rig.value(of: "b") == #""on""# }
    #expect(rig.value(of: "a") == #""on""#)
  }

  @Test("A whole set that cannot be read ends the stream, and what is behind it does not count (LDS-17, LDS-65; failing)")
  func broken() throws {
    let rig = try RulesRig()
    let stream = try #require(rig.serve(["a": flag("a", 1)]))
    let held = rig.client.compiler.hold()
    rig.say("event: put\ndata: {\"path\":\"/\",\"data\":[]}\n\n", on: stream)
    rig.say(RulesRig.patch("/flags/a", flag("a", 2, isOn: false)), on: stream)
    #expect(!stream.isCancelled)
    held.give(true)
    rig.time.settle { stream.isCancelled }
    #expect(rig.value(of: "a") == #""on""#)
  }

  @Test("Stored rules are served when they are compiled, and the service is asked after that (LDS-65; starting)")
  func stored() throws {
    let manager = MemoryCacheManager()
    do {
      let rig = try RulesRig(manager: manager)
      _ = rig.serve(["a": flag("a", 1)])
      _ = rig.time.turning { rig.client.close(timeoutMilliseconds: 5_000) }
    }
    let gated = GatedManager(manager)
    gated.shut("")
    let rig = try RulesRig(manager: gated, seed: 8, settles: false)
    let held = rig.client.compiler.hold()
    gated.open()
    rig.settleStore()
    #expect(rig.asked == 0 && rig.state == .notReady)
    held.give(true)
    rig.time.settle { rig.asked == 1 }
    #expect(rig.value(of: "a") == #""on""# && rig.state == .stale)
  }

  @Test("The expressions of former rules go with them (LDS-22; ready)") func expressions() throws {
    var table = ServerTable(ServerResources(nil))
    weak var former: ServerResources?
    var served: Snapshot?
    for version in 1...3 {
      let text = Array(ServerRules.set(flags: ["a": flag("a", version)], segments: [:]).utf8)
      let update = try text.withBytes { text in Result { try table.put(text, .poll, over: served) } }.get()
      served?.destroy()
      served = update.snapshot
      #expect(former == nil, "version \(version)")
      former = table.resources
      #expect(served.flatMap { ServerResources.of($0) } === former)
    }
    served?.destroy()
  }
}

@Suite("While flags are compiled, the client goes on") struct LargeFlagsTests {
  @Test("Flags of the former context that are compiled when it changes are not the new one's (LD-24, 5.5; ready)")
  func identified() throws {
    let fixture = try LifeFixture(["autostart": "false"]).opened()
    fixture.provider.startAll(waitMilliseconds: -1, done: fixture.tell("start"))
    fixture.time.run()
    let first = try #require(fixture.network.streams.last)
    first.open()
    first.receive("event: put\ndata: {\"f\":{\"value\":\"old\"}}\n\n")
    fixture.time.run()
    let held = fixture.client.compiler.hold()
    first.receive("event: put\ndata: {\"f\":{\"value\":\"former\",\"version\":9}}\n\n")
    first.receive("event: patch\ndata: {\"key\":\"f\",\"value\":\"patched\",\"version\":10}\n\n")
    fixture.time.run()
    #expect(value(fixture) == #""old""#)
    _ = fixture.client.identify(try fixture.context("anna")) { _ in }
    fixture.time.run()
    held.give(true)
    fixture.time.settle { fixture.network.streams.count == 2 }
    #expect(value(fixture) != #""former""# && value(fixture) != #""patched""#)
    let second = try #require(fixture.network.streams.last)
    second.open()
    second.receive("event: put\ndata: {\"f\":{\"value\":\"anna's\"}}\n\n")
    fixture.time.settle { value(fixture) == #""anna's""# }
  }

  private func value(_ fixture: LifeFixture) -> String {
    "f".withBytes { key in
      fixture.client.evaluate(key, nil, .json, []) { evaluation, _ in
        evaluation.kind == .json ? String(decoding: evaluation.text, as: UTF8.self) : ""
      }
    }
  }
}
