import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("What a policy is told") struct PolicyTests {
  @Test func itIsAskedForEachAttemptAndToldOfBatchesThatAreDropped() {
    let bench = PipelineBench { $0.maximumAttempts = 2 }
    bench.start()
    bench.record("a", "b")
    _ = bench.flush()
    bench.answer(500)
    bench.advance(1_000)
    bench.answer(500)
    #expect(bench.policy.told.all == ["prepare 1: a,b", "prepare 2: a,b", "dropped a,b"])
    bench.record("c")
    _ = bench.flush()
    bench.answer(400)
    #expect(bench.policy.told.all.suffix(2) == ["prepare 1: c", "dropped c"])
    bench.record("d")
    _ = bench.flush()
    bench.answer(413)
    #expect(bench.policy.told.all.last == "dropped d" && bench.counters.rejected == 4)
    bench.record("e")
    _ = bench.flush()
    bench.answer(200)
    #expect(bench.policy.told.all.last == "prepare 1: e" && bench.policy.deliveries.all == ["e"])
  }

  @Test func itIsToldOfRowsThatAreTakenOver() throws {
    let manager = ObstinateManager()
    let dead = EventOwner(id: "dead", leaseMilliseconds: 1)
    try manager.putEvents([.sample("1", "old 1"), .sample("2", "old 2")], owner: dead)
    try manager.releaseEvents(owner: dead)
    let bench = PipelineBench(manager: manager)
    bench.start()
    #expect(bench.policy.told.all == [#"adopted ["old 1", "old 2"]"#])
    bench.advance(90_000, step: 1_000)
    #expect(bench.policy.told.all.filter { $0.hasPrefix("adopted") }.count == 1)
  }

  @Test func whatWaitsCanBeLookedThrough() {
    let bench = PipelineBench()
    bench.start()
    bench.record("a", "b")
    _ = bench.flush()
    bench.record("c")
    var seen: [String] = []
    // What is on its way does not wait; what was recorded just now does.
    bench.pipeline.forEachWaiting { seen.append($0.text) }
    #expect(seen == ["c"])
  }
}
