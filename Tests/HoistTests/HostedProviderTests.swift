import CHoist
import Glibc
import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import Hoist

/// The adapter of provider plug-ins, on a clock that stands still. What needs no clock is tested in C (Tests/C/provider.c).
@Suite("A provider's table is one of the services") struct HostedProviderTests {
  @Test("flags that are not decided per call are answered without a call into the host")
  func staticFlagsAreReadFromTheSnapshot() throws {
    let rig = try HostedRig()
    rig.publish([("on", "true", [])])
    rig.publish([("on", "true", []), ("asked", "true", .decidedPerCall)])
    #expect(rig.fast("on") == true)
    #expect(rig.probe.calls("evaluate") == 0)
    #expect(rig.fast("asked") == true)
    #expect(rig.probe.calls("evaluate") == 1)
  }

  @Test("G3: flags that say the same in other words are no change, others are announced by name")
  func onlyDifferencesAreAnnounced() throws {
    let rig = try HostedRig()
    rig.publish([("a", "{\"x\":[1,2]}", []), ("b", "1", [])])
    let heard = rig.observe(.configurationChanged)
    rig.publish([("a", " { \"x\" : [ 1 , 2 ] } ", []), ("b", "1", [])])
    #expect(heard.value == [])
    rig.publish([("a", "{\"x\":[1,3]}", []), ("b", "1", .decidedPerCall), ("c", "1", [])])
    #expect(heard.value == [["a", "b", "c"]])
    rig.publish([("b", "1", .decidedPerCall)])
    #expect(heard.value == [["a", "b", "c"], ["a", "c"]])
  }

  @Test("G11: a call that does not return is reported once, with its name, and counted")
  func aStuckCallIsReported() throws {
    let rig = try HostedRig()
    let heard = rig.observe(.error)
    rig.probe.close("refresh")
    _ = rig.client.refresh()
    rig.scheduler.run()
    rig.probe.waitFor("refresh")
    rig.scheduler.advance(milliseconds: 9_999)
    #expect(heard.value.count == 0)
    rig.scheduler.advance(milliseconds: 10_001)
    rig.dispatchAll()
    #expect(heard.value.count == 1)
    #expect(rig.log.lines.contains { $0.message.contains("\"probe\" has not returned from a call (refresh) for 10 seconds") })
    #expect(rig.counter("stuck") == 1 && rig.counter("reported") == 1 && rig.counter("late") == 0)
    rig.scheduler.advance(milliseconds: 60_000)
    rig.dispatchAll()
    #expect(heard.value.count == 1)
    rig.probe.open("refresh")
    rig.settle { rig.counter("late") == 1 }
    #expect(rig.counter("stuck") == 0)
  }

  @Test("a reply that never comes is a timeout after a minute, and one that comes then counts for nothing")
  func repliesHavePatience() throws {
    let rig = try HostedRig()
    let told = Locked<[Status]>([])
    let status = rig.client.identify(EvaluationContext(targetingKey: "u").reference()) { status in
      told.change { $0.append(status) }
    }
    #expect(status == .ok)
    rig.settle { rig.probe.calls("identify") == 1 }
    rig.scheduler.advance(milliseconds: 59_999)
    rig.dispatchAll()
    #expect(told.value == [])
    rig.scheduler.advance(milliseconds: 1)
    rig.dispatchAll()
    #expect(told.value == [.timeout])
    rig.probe.complete(.ok)
    rig.scheduler.run()
    rig.dispatchAll()
    #expect(told.value == [.timeout])
  }

  @Test("timers wait for their time, and end with the client")
  func timersEndWithTheClient() throws {
    let rig = try HostedRig()
    let fired = Locked(0)
    let first = rig.provider.operations.schedule(afterMilliseconds: 100) { fired.change { $0 += 1 } }
    _ = rig.provider.operations.schedule(afterMilliseconds: 500) { fired.change { $0 += 1 } }
    #expect(first != nil)
    rig.scheduler.advance(milliseconds: 100)
    rig.settle { fired.value == 1 }
    #expect(rig.close() == .ok)
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(fired.value == 1)
  }

  @Test("a request that is called off ends its exchange, and its callback never runs")
  func requestsAreCalledOff() throws {
    let rig = try HostedRig()
    let answers = Locked(0)
    let token = rig.provider.operations.send(HTTPRequest(method: "GET", url: "http://flags.example/")) { _ in
      answers.change { $0 += 1 }
    }
    rig.scheduler.run()
    #expect(rig.transport.open.count == 1)
    #expect(rig.provider.operations.cancel(try #require(token)))
    #expect(!rig.provider.operations.cancel(try #require(token)))
    rig.scheduler.run()
    #expect(rig.transport.open.isEmpty)
    #expect(answers.value == 0)
  }

  @Test("G5: so many flags, variations and bytes, and no more")
  func setsAreBounded() throws {
    let set = FlagSet()
    func flag(_ key: String, _ count: Int) -> FlagSet.Flag {
      FlagSet.Flag(
        key: Array(key.utf8), traits: .enabled, defaultVariation: 0,
        variations: Array(repeating: ([], Array("1".utf8)), count: count), metadata: [])
    }
    try set.add(flag(String(repeating: "k", count: 4096), FlagSet.maximumVariations))
    #expect(throws: Refusal.self) { try set.add(flag(String(repeating: "k", count: 4097), 1)) }
  }

  @Test("destroy comes once, after the last call, and release after the last destroy")
  func theEndComesOnce() throws {
    var rig: HostedRig? = try HostedRig()
    let probe = try #require(rig?.probe)
    let scheduler = try #require(rig?.scheduler)
    rig?.publish([("asked", "true", .decidedPerCall)])
    #expect(rig?.close() == .ok)
    #expect(probe.calls("destroy") == 0)
    rig = nil
    // Whoever reads anything at this moment, in another test, is waited for by timers.
    let isReleased = scheduler.settle {
      scheduler.advance(milliseconds: 256)
      return probe.calls("release") == 1
    }
    #expect(isReleased)
    #expect(probe.order.suffix(3) == ["stop", "destroy", "release"])
  }
}
