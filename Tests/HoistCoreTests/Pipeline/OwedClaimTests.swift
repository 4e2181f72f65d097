import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("What others have left and could not be claimed is not forgotten (contract 6)") struct OwedClaimTests {
  let manager = ObstinateManager()

  /// Two rows of a process that has died.
  func leave() throws {
    let dead = EventOwner(id: "dead", leaseMilliseconds: 1)
    try manager.putEvents([.sample("1", "a"), .sample("2", "b")], owner: dead)
    try manager.releaseEvents(owner: dead)
  }

  @Test("A flush does not say that all is accepted while a claim fails, and tries again (full disk)") func aFlushTellsOfIt()
    throws
  {
    try leave()
    let bench = PipelineBench(manager: manager)
    // Before it has answered anything, there is no knowing whether it holds something.
    bench.store.load("flags") { _ in }
    bench.settle()
    manager.fail(CacheFailure("disk full"))
    bench.start()
    #expect(bench.flushed() == .left)
    manager.fail(nil)
    let answers = Record<FlushResult>()
    bench.pipeline.flush { answers.append($0) }
    bench.settle()
    #expect(bench.sent == ["a,b"] && answers.all.isEmpty)
    bench.answer(200)
    #expect(answers.all == [.accepted])
  }

  @Test("A store that will never work owes nothing (unusable store)") func aStoreThatIsOff() {
    let bench = PipelineBench(manager: manager)
    manager.fail(CacheFailure("made by a newer version", isPermanent: true))
    bench.start()
    #expect(bench.flushed() == .accepted)
  }

  @Test("Claims are made while writes pause, and although what was delivered cannot be removed (full disk)") func writesFailOnly()
    throws
  {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("own")
    bench.advance(200)
    try leave()
    manager.fail(writes: CacheFailure("disk full"))
    _ = bench.flush()
    bench.answer(200)
    #expect(bench.warnings == ["warning store: disk full"])
    bench.pipeline.lookForRows()
    bench.settle()
    #expect(bench.counters.adopted == 2)
    _ = bench.flush()
    bench.answer(200)
    #expect(bench.sent == ["own", "a,b"])
    #expect(!bench.lines.all.contains { $0.contains("works again") })
  }

  @Test("A process does not take again what it has had accepted under a lease that has run out (full disk)") func ownRows() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("own")
    bench.advance(200)
    manager.fail(writes: CacheFailure("disk full"))
    _ = bench.flush()
    bench.answer(200)
    bench.clock.leap(milliseconds: 60_001)
    for _ in 0..<3 {
      bench.pipeline.lookForRows()
      bench.settle()
    }
    #expect(bench.store.ownerEpoch == 1 && bench.counters.adopted == 0 && bench.flushed() == .accepted && bench.sent == ["own"])
    manager.fail(writes: nil)
    bench.advance(120_000, step: 1_000)
    #expect(bench.sent == ["own"] && manager.left == 0)
  }

  @Test("Nor what is accepted while a claim is on its way") func acceptedMeanwhile() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("own")
    bench.advance(200)
    _ = bench.flush()
    bench.clock.leap(milliseconds: 60_001)
    bench.store.renewLease()
    bench.settle()
    let door = Door()
    manager.block(at: door)
    bench.scheduler.post { bench.pipeline.claimOrphans() }
    bench.scheduler.run()
    #expect(door.waitForArrivals(1))
    bench.transport.open.first?.complete(.success(HTTPResponse(status: 200, headers: [])))
    bench.scheduler.run()
    door.open()
    bench.settle()
    #expect(manager.calls.contains("claim events") && bench.counters.adopted == 0)
    _ = bench.flush()
    #expect(bench.sent == ["own"] && bench.counters.delivered == 1)
  }

  @Test("Nor what was accepted here while another process had it, rightly, when that one ends (second process)")
  func heirs() throws {
    let bench = PipelineBench(manager: manager)
    bench.start()
    bench.record("own")
    bench.advance(200)
    _ = bench.flush()
    bench.clock.leap(milliseconds: 60_001)
    let heir = EventOwner(id: "the heir", leaseMilliseconds: 60_000)
    manager.givesAway(first: 1, to: heir, owner: try #require(manager.ownersSeen.last))
    bench.store.renewLease()
    bench.settle()
    bench.answer(200)
    #expect(bench.store.ownerEpoch == 1 && bench.counters.delivered == 1)
    try manager.releaseEvents(owner: heir)
    bench.pipeline.lookForRows()
    bench.settle()
    #expect(bench.flushed() == .accepted && bench.counters.adopted == 0 && bench.sent == ["own"])
    #expect(manager.left == 0)
  }

  @Test("A row with a date that cannot be is not stored again when another process has taken it (second process, full disk)")
  func redatedRows() throws {
    let dead = EventOwner(id: "dead", leaseMilliseconds: 1)
    try manager.putEvents([.sample("1", "a")], owner: dead)
    try manager.releaseEvents(owner: dead)
    let bench = PipelineBench(manager: manager)
    bench.start()
    manager.fail(writes: CacheFailure("disk full"))
    bench.settle()
    #expect(bench.counters.adopted == 1)
    bench.clock.leap(milliseconds: 60_001)
    let heir = EventOwner(id: "the heir", leaseMilliseconds: 60_000)
    manager.givesAway(first: 1, to: heir, owner: try #require(manager.ownersSeen.last))
    manager.fail(writes: nil)
    try manager.removeEvents(ids: ["1"], owner: heir)
    bench.advance(120_000, step: 1_000)
    #expect(bench.store.ownerEpoch == 1 && bench.flushed() == .accepted && bench.sent == [] && manager.left == 0)
  }

  @Test("But not before a purge is carried out (full disk, consent withdrawn)") func aPurgeComesFirst() throws {
    let bench = PipelineBench(manager: manager)
    bench.start()
    try leave()
    manager.fail(writes: CacheFailure("disk full"))
    bench.pipeline.purge(subject: "person")
    bench.settle()
    bench.pipeline.lookForRows()
    bench.settle()
    #expect(bench.counters.adopted == 0 && bench.flushed() == .left)
  }

  @Test("What there was no room for is claimed when there is, not at the next regular time (full queue)") func noRoom() throws {
    try leave()
    let bench = PipelineBench(manager: manager) { $0.maximumRows = 1 }
    bench.record("own")
    bench.start()
    _ = bench.flush()
    for _ in 0..<3 { bench.answer(200) }
    #expect(bench.sent == ["own", "a", "b"])
  }

  @Test("What is told as unsaved is counted (full disk)") func unsavedIsCounted() {
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    manager.fail(CacheFailure("disk full"))
    let outcomes = Record<EventPipeline.Outcome>()
    #expect(
      hostThread { for text in ["a", "b"] { outcomes.append(bench.pipeline.record(text, subject: "", unixMilliseconds: 0)) } })
    _ = bench.scheduler.run { outcomes.all.count == 2 }
    #expect(outcomes.all == [.unsaved, .unsaved])
    #expect(bench.counters.unsaved == 2 && bench.warnings == ["warning store: disk full"])
  }
}
