import Glibc
import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Segments that are too large for the rules, in a store (protocols/launchdarkly-server.md 4.8, 11.2)", .serialized)
struct BigSegmentsTests {
  private let store = ScriptedSegments()

  /// With flag "f", "off" for who is in big segment "big", and flag "needy", which needs "f" to be off.
  private func rig(_ properties: [String: String] = [:]) throws -> RulesRig {
    let rig = try RulesRig(properties, plugins: Plugins(segments: store))
    rig.serve(
      [
        "f": ServerRules.flag("f", ServerRules.rule(inSegments: ["big"])),
        "needy": ServerRules.flag("needy", ##""prerequisites":[{"key":"f","variation":0}]"##),
      ],
      segments: ["big": ServerRules.segment("big", #""unbounded":true,"generation":3"#)])
    return rig
  }

  /// Waits for a poll that begins after now.
  private func poll(_ rig: RulesRig, after milliseconds: Int64) {
    let before = store.polls.value
    // The turn of one that has hardly ended is left out.
    for _ in 0..<3 where store.polls.value == before {
      rig.time.advance(milliseconds: milliseconds)
      rig.time.settle { store.polls.value > before }
    }
  }

  private func status(_ rig: RulesRig) -> StoreStatus? { rig.provider.bigSegments?.status(waits: true) }

  @Test("The store decides who is in one; each context is asked for once in a while (LDS-28; ready)") func memberships() throws {
    store.members.value = ["big.g3": true]
    let rig = try rig(["big_segments_status_poll_ms": "86400000"])
    for _ in 0..<3 { #expect(rig.value(of: "f") == #""off""#) }
    #expect(rig.reason(of: "f").contains(#""bigSegmentsStatus":"HEALTHY""#))
    #expect(store.asked.value == [ServerReplay.bigSegmentHash("k")])
    store.members.value = ["big.g2": true]
    rig.time.advance(milliseconds: 4_999)
    #expect(rig.value(of: "f") == #""off""# && store.asked.value.count == 1)
    rig.time.advance(milliseconds: 1)
    #expect(rig.value(of: "f") == #""on""# && store.asked.value.count == 2)
    #expect(store.polls.value == 1, "evaluations make no polls")
  }

  @Test("Of more contexts than are remembered those used last are (LDS-28; ready)") func capacity() throws {
    let rig = try rig(["big_segments_context_cache_size": "2"])
    for key in ["a", "b", "a", "c", "a", "b"] { rig.value(of: "f", for: EvaluationContext(targetingKey: key)) }
    #expect(store.asked.value == ["a", "b", "c", "b"].map { ServerReplay.bigSegmentHash($0) })
  }

  @Test(
    "What failed is asked again; the rules of the segment decide meanwhile, and the first failure is told of (LDS-28; failing)")
  func failures() throws {
    store.members.value = nil
    let rig = try rig()
    #expect(rig.value(of: "f") == #""on""# && rig.reason(of: "f").contains(#""bigSegmentsStatus":"STORE_ERROR""#))
    #expect(store.asked.value.count == 2)
    #expect(rig.host.settle { rig.log.messages(.warning).filter { $0.contains("no members") }.count == 1 })
    store.members.value = ["big.g3": true]
    #expect(rig.value(of: "f") == #""off""# && rig.reason(of: "f").contains("HEALTHY"))
  }

  @Test(
    "Telling of an evaluation asks nothing again, a failure neither (LDS-28, LDS-41; ready, failing)", arguments: [true, false])
  func retelling(works: Bool) throws {
    store.members.value = works ? ["big.g3": true] : nil
    let rig = try rig(["send_events": "true", "big_segments_context_cache_ms": "0"])
    rig.value(of: "needy", .counted)
    #expect(store.asked.value.count == 1)
  }

  @Test("Without a store they are not configured, and so is one without a generation, which asks nothing (LDS-28; ready)")
  func notConfigured() throws {
    let bare = try RulesRig()
    let rules = ["f": ServerRules.flag("f", ServerRules.rule(inSegments: ["big"]))]
    bare.serve(rules, segments: ["big": ServerRules.segment("big", #""unbounded":true,"generation":3"#)])
    #expect(bare.reason(of: "f").contains("NOT_CONFIGURED"))
    let rig = try rig()
    rig.say(
      RulesRig.put(rules, segments: ["big": ServerRules.segment("big", #""unbounded":true"#)]), on: rig.network.streams.last)
    #expect(rig.reason(of: "f").contains("NOT_CONFIGURED") && store.asked.value.isEmpty)
  }

  @Test("Threads that want the same at once ask once (LDS-28; ready)") func together() throws {
    let rig = try rig()
    let (isAsked, mayAnswer) = (Locked(false), Locked(false))
    store.during.value = {
      isAsked.value = true
      while !mayAnswer.value { sched_yield() }
    }
    store.members.value = ["big.g3": true]
    let values = Locked<[String]>([])
    let threads = (0..<4).map { _ in
      HostThread {
        let value = rig.value(of: "f"); values.change { $0.append(value) }
      }
    }
    rig.time.settle { isAsked.value }
    mayAnswer.value = true
    for thread in threads { thread.join() }
    #expect(values.value == Array(repeating: #""off""#, count: 4) && store.asked.value.count == 1)
  }

  @Test("A store that evaluates what it is being asked for gets no answer, and waits for none (LDS-28; ready)") func nested()
    throws
  {
    let rig = try rig()
    let inner = Locked<String?>(nil)
    store.during.value = { [store] in
      store.during.value = nil
      inner.value = rig.reason(of: "f")
    }
    store.members.value = ["big.g3": true]
    #expect(rig.value(of: "f") == #""off""# && inner.value?.contains("STORE_ERROR") == true)
  }

  @Test("The status is polled at once and then at its pace; observers hear of changes, not of the first (LDS-63; ready, failing)")
  func polls() throws {
    let rig = try rig()
    let observer = StoreObserver()
    #expect(rig.provider.observers.add(observer, for: .store(.bigSegments)) != 0)
    func told() -> [StoreStatus] {
      while rig.client.dispatch(limit: 0) > 0 {}
      return observer.told.value
    }
    #expect(status(rig) == StoreStatus(isAvailable: true, isStale: false) && told().isEmpty)
    poll(rig, after: 5_000)
    #expect(told().isEmpty)
    store.date.value = .some(nil)
    poll(rig, after: 5_000)
    #expect(rig.time.settle { told() == [StoreStatus(isAvailable: true, isStale: true)] })
    #expect(rig.reason(of: "f").contains("STALE"))
    store.date.value = .none
    poll(rig, after: 5_000)
    #expect(rig.time.settle { told().last == StoreStatus(isAvailable: false, isStale: false) })
    #expect(rig.reason(of: "f", for: EvaluationContext(targetingKey: "b")).contains("STORE_ERROR"))
    store.date.value = rig.time.unixMilliseconds - 119_000
    poll(rig, after: 5_000)
    #expect(rig.time.settle { told().count == 3 })
    #expect(status(rig) == StoreStatus(isAvailable: true, isStale: true), "it became stale a moment ago")
  }

  @Test("Closed, the store is not asked any more; reopened, it is polled again (LDS-63; closed, reopened)") func closed() throws {
    let rig = try rig()
    rig.time.settle { store.polls.value == 1 }
    rig.close()
    rig.time.advance(milliseconds: 60_000)
    #expect(rig.value(of: "f") == "PROVIDER_NOT_READY" && store.polls.value == 1 && store.asked.value.isEmpty)
    #expect(rig.client.reopen() == .ok)
    #expect(rig.time.settle { store.polls.value == 2 })
    #expect(rig.reason(of: "f").contains("HEALTHY"))
  }

  @Test(
    "In a forked child no evaluation waits for a thread that is not there (LDS-28; forked)", .enabled(if: ForkedChild.isSupported)
  )
  func forked() throws {
    let rig = try rig(["big_segments_context_cache_ms": "0"])
    _ = rig.value(of: "f")
    let (isAsked, mayAnswer) = (Locked(false), Locked(false))
    store.during.value = {
      isAsked.value = true
      while !mayAnswer.value { sched_yield() }
    }
    let thread = HostThread { rig.value(of: "f") }
    rig.time.settle { isAsked.value }
    let child = ForkedChild.start {
      store.during.value = nil
      store.members.value = ["big.g3": true]
      return rig.provider.bigSegments.map { segments in
        "k".withBytes { segments.answer(for: $0).membership == ["big.g3": true] ? 0 : 1 }
      } ?? 2
    }
    #expect(ForkedChild.wait(child) == .exited(0))
    mayAnswer.value = true
    thread.join()
  }

  @Test("Stores are for mode server (LDS-01; before start)") func otherMode() throws {
    for plugins in [Plugins(segments: store), Plugins(rules: ScriptedRules())] {
      #expect(throws: ConfigurationFailure.self) {
        _ = try TestClient(LaunchDarklyFactory(), ["mobile_key": "mob-1", "store": "none"], plugins: plugins)
      }
    }
  }
}
