import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("In panic nothing is sent, and what waits goes when it is over") struct HitForwardingTests {
  @Test("of what another process has recorded, too (FS-42; panic, second process)") func forwarded() throws {
    let test = try HitRig()
    let results = Locked<[Status]>([])
    func forward(_ id: String) {
      let batch = ForwardedBatch(
        service: "flagship", keyDigest: test.rig.client.keyDigest, pipeline: "hits", method: "POST", path: "/", id: id,
        body: Array(#"{"t":"BATCH","h":[{"t":"SCREENVIEW"}]}"#.utf8))
      #expect(test.rig.client.forward(batch) { result in results.change { $0.append(result.status) } } == .ok)
      test.run(600_000)
      _ = test.rig.client.dispatch(limit: 100)
    }
    test.hits.setPanic(true)
    forward("1")
    #expect(test.requests("/").isEmpty && results.value.isEmpty)
    test.hits.setPanic(false)
    forward("2")
    #expect(test.requests("/").count == 2 && results.value == [.ok, .ok])
  }

  @Test("nor left to another process to send (FS-42; panic)") func delivery() throws {
    let manager = MemoryCacheManager()
    var plugins = Plugins()
    plugins.cacheManager = manager
    let test = try HitRig(["events.delivery": "forward", "events.durability": "periodic"], plugins: plugins)
    func leaves(_ count: Int64) -> Bool {
      test.rig.scheduler.advance(milliseconds: 10_000)
      return test.rig.settle { test.counter("hits", "forwarded") == count }
    }
    test.send(.screen("a"))
    test.hits.setPanic(true)
    test.run(1_000)
    test.run(10_000)
    #expect(test.counter("hits", "forwarded") == 0 && test.counter("hits", "waiting") == 1)
    test.hits.setPanic(false)
    #expect(leaves(1) && test.requests("/").isEmpty)
  }
}
