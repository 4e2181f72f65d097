import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("In the background events wait, those that are there are sent before (5.6)") struct EventForwardingTests {
  private func rig(_ properties: [String: String] = [:], plugins: Plugins = Plugins()) throws -> OptimizelyRig {
    let rig = try OptimizelyRig(properties, plugins: plugins) { _ in .status(204) }
    let start = rig.start(SmallProject.datafile(revision: "1"), .noBackgroundFetch)
    #expect(rig.settle { start.hasSucceeded })
    return rig
  }

  private func track(_ rig: OptimizelyRig) {
    let event = TrackedEvent(
      key: "buy", context: visitor().reference(), value: nil, properties: [], unixMilliseconds: rig.scheduler.unixMilliseconds)
    #expect(rig.client.track(event) == .ok)
  }

  private func forwarded(_ rig: OptimizelyRig) -> Int64? {
    rig.provider.statistics.first { $0.group == "events" && $0.name == "forwarded" }?.value
  }

  @Test("and are left to another process in the same way (OPT-63; background)") func delivery() throws {
    var plugins = Plugins()
    plugins.cacheManager = MemoryCacheManager()
    let rig = try rig(["events.delivery": "forward", "events.durability": "periodic"], plugins: plugins)
    track(rig)
    #expect(rig.face.setActive(false) == .ok)
    #expect(rig.settle { forwarded(rig) == 1 })
    // The hold comes with the end of that flush.
    for _ in 0..<5 { rig.scheduler.run() }
    track(rig)
    rig.scheduler.advance(milliseconds: 3_600_000)
    #expect(forwarded(rig) == 1)
    #expect(rig.face.setActive(true) == .ok)
    #expect(
      rig.settle {
        rig.scheduler.advance(milliseconds: 1_000)
        return forwarded(rig) == 2
      })
    #expect(rig.posts.isEmpty)
  }

  @Test("but what another process has recorded goes on (OPT-63; background, second process)") func forwardedBatch() throws {
    let rig = try rig()
    #expect(rig.face.setActive(false) == .ok)
    let results = Locked<[Status]>([])
    let batch = ForwardedBatch(
      service: "optimizely", keyDigest: rig.client.keyDigest, pipeline: "events", method: "POST", path: "/v1/events", id: "1",
      body: Array(#"{"visitors":[{}]}"#.utf8))
    #expect(rig.client.forward(batch) { result in results.change { $0.append(result.status) } } == .ok)
    #expect(
      rig.settle {
        _ = rig.client.dispatch(limit: 100)
        return !results.value.isEmpty
      })
    #expect(results.value == [.ok] && rig.posts.count == 1)
  }
}
