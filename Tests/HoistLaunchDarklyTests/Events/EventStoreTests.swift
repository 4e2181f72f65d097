import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("What a process records outlives it (G10)")
struct EventStoreTests {
  /// Without a stop: the store has what has been given to it by then.
  private func die(_ rig: RecorderRig) {
    for _ in 0..<3 {
      rig.time.advance(milliseconds: 150)
      rig.waitForStore()
    }
    #expect(rig.host.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
  }

  @Test("Of a process that dies without a word, the next one sends the events and the open summary")
  func death() {
    let store = MemoryCacheManager()
    let first = RecorderRig(manager: store, isOnline: false)
    first.track("a")
    first.countUnknown("nope")
    die(first)
    let second = RecorderRig(manager: store, seed: 8, identifies: false)
    second.host.network.setResponder { _ in answer(202) }
    second.host.settle { second.recorder.pipeline.counters.adopted == 3 }
    second.flush()
    second.host.settle { !second.payloads.isEmpty }
    #expect(second.payloads == [["identify", "a", "summary"]])
  }

  @Test("Of two that die, each one's summary goes in a payload of its own (LD-41, LD-90; second process)")
  func twoDeaths() {
    let store = MemoryCacheManager()
    for (seed, name) in [(UInt64(8), "a"), (9, "b")] {
      let dying = RecorderRig(manager: store, seed: seed, isOnline: false)
      dying.track(name)
      dying.countUnknown("nope")
      die(dying)
    }
    let heir = RecorderRig(manager: store, seed: 10, identifies: false)
    heir.host.network.setResponder { _ in answer(202) }
    heir.host.settle { heir.recorder.pipeline.counters.adopted == 6 }
    heir.flush()
    heir.host.settle { heir.recorder.pipeline.counters.delivered == 6 }
    #expect(heir.payloads.map { $0.count { $0 == "summary" } } == [1, 1])
    #expect(heir.payloads.joined().sorted() == ["a", "b", "identify", "identify", "summary", "summary"])
  }

  @Test("A payload that was on its way when the process died goes again under its id, and what came later on its own (2.4)")
  func deathOnTheWay() throws {
    let store = MemoryCacheManager()
    let first = RecorderRig(manager: store)
    first.track("a")
    first.recorder.flush { _ in }
    first.host.settle { first.requests.count == 1 }
    first.track("b")
    for _ in 0..<3 {
      first.time.advance(milliseconds: 150)
      first.waitForStore()
    }
    #expect(first.requests.count == 1 && first.payloads == [["identify", "a"]])
    #expect(first.host.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
    let second = RecorderRig(manager: store, seed: 8, identifies: false)
    second.host.network.setResponder { _ in answer(202) }
    second.host.settle { second.recorder.pipeline.counters.adopted == 3 }
    second.recorder.flush { _ in }
    second.host.settle { second.recorder.pipeline.counters.delivered == 3 }
    #expect(second.payloads == [["identify", "a"], ["b"]])
    let ids = (first.requests + second.requests).map { $0.headers.value(of: "X-LaunchDarkly-Payload-ID") }
    #expect(ids[0] != nil && ids[0] == ids[1] && Set(ids).count == second.requests.count)
  }

  @Test("Rows of a store that are no events are dropped, and spoil nothing (G2)")
  func brokenRows() {
    let rig = RecorderRig(identifies: false)
    for row in ["", "{", "[1]", "7", #"{"kind":"custom"}"#] {
      rig.recorder.pipeline.record(row, subject: "", unixMilliseconds: 1)
    }
    rig.flush()
    #expect(rig.requests.map(\.text) == [#"[{"kind":"custom"}]"#])
    #expect(rig.recorder.pipeline.counters.rejected == 4)
  }

  @Test("G9: a forked child sends nothing of its parent's")
  func fork() {
    let rig = RecorderRig()
    rig.host.network.setResponder { _ in answer(202) }
    rig.track("parent")
    rig.countUnknown("nope")
    rig.time.simulateFork()
    rig.recorder.forgetAfterFork()
    rig.recorder.abandonAfterFork()
    rig.recorder.start()
    rig.track("child")
    rig.flush()
    #expect(rig.payloads == [["child"]])
  }
}
