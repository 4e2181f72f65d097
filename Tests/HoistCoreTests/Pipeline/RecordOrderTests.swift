import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

/// What was recorded before an acknowledged record, in whichever pipeline of its store, a kill takes no more than that.
@Suite("A record that is acknowledged implies those before it (contract 6)") struct RecordOrderTests: JournalledPipeline {
  let manager = ObstinateManager()
  let journal = PaperJournal()

  private func recordInPassing(_ pipeline: EventPipeline, _ text: String) {
    text.withBytes { #expect(pipeline.record($0, unixMilliseconds: 0, waits: .never) == .queued) }
  }

  /// Records on a thread of the host's.
  /// - Returns: the outcome and, at that moment, whether the store had got through the door.
  private func outcome(_ bench: PipelineBench, of text: String, through door: Door) -> [(EventPipeline.Outcome, Bool)] {
    let outcomes = Record<(EventPipeline.Outcome, Bool)>()
    let isOpen = Flag()
    _ = hostThread { outcomes.append((bench.pipeline.record(text, subject: "", unixMilliseconds: 0), isOpen.isRaised)) }
    _ = bench.scheduler.run { door.arrivals > 0 }
    isOpen.raise()
    door.open()
    _ = bench.scheduler.run { !outcomes.all.isEmpty }
    return outcomes.all
  }

  @Test("of the same pipeline (ready, second record in the journal)") func samePipeline() {
    let bench = bench()
    let door = Door()
    manager.block(at: door)
    recordInPassing(bench.pipeline, "of an evaluation")
    let outcomes = outcome(bench, of: "hit", through: door)
    #expect(outcomes.map(\.0) == [.stored] && outcomes.map(\.1) == [true])
    #expect(puts.count == 1)
  }

  @Test("of another pipeline of the client (ready)") func otherPipeline() {
    let bench = bench()
    let other = bench.sibling()
    let door = Door()
    manager.block(at: door)
    recordInPassing(other, "exposure")
    let outcomes = outcome(bench, of: "hit", through: door)
    #expect(outcomes.map(\.0) == [.stored] && outcomes.map(\.1) == [true])
  }

  @Test("where no journal is kept, too (starting)") func withoutJournal() {
    manager.keep(nil)
    let bench = PipelineBench(manager: manager) { $0.durability = .immediate }
    bench.start()
    let other = bench.sibling()
    recordInPassing(other, "exposure")
    #expect(waiting(bench, "hit") == .stored)
    #expect(puts.count == 2)
  }

  @Test("which waits for nothing when there is nothing before it") func nothingBefore() {
    let bench = bench()
    let other = bench.sibling()
    recordInPassing(other, "exposure")
    bench.settle()
    #expect(bench.record("a", "b") == [.stored, .stored])
    #expect(puts.count == 1)
  }

  @Test("as far as the store takes them: one that fails makes nobody wait (failing)") func failingStore() {
    let bench = bench()
    let other = bench.sibling()
    manager.fail(CacheFailure("disk full"))
    recordInPassing(other, "exposure")
    #expect(waiting(bench, "hit") == .stored)
    #expect(journal.entries == ["hit"])
    #expect(waiting(bench, "another") == .stored)
  }

  @Test("and one that is stuck makes callers wait once (stuck)") func stuckStore() {
    let bench = bench { $0.commitLimitMilliseconds = 20 }
    let other = bench.sibling()
    let door = Door()
    manager.block(at: door)
    recordInPassing(other, "exposure")
    #expect(waiting(bench, "hit") == .stored)
    recordInPassing(other, "another exposure")
    let before = other.intake.progress.waitsForLoose
    #expect(bench.record("another") == [.stored])
    #expect(before == 1 && other.intake.progress.waitsForLoose == 1)
    door.open()
    bench.settle()
    recordInPassing(other, "a third")
    #expect(waiting(bench, "third") == .stored)
  }

  @Test("but not what the parent of a forked child has recorded (forked)") func forkedChild() {
    let bench = bench()
    let other = bench.sibling()
    recordInPassing(other, "the parent's")
    bench.scheduler.simulateFork()
    let own = PaperJournal()
    manager.keep(own)
    #expect(waiting(bench, "child") == .stored)
    bench.settle()
    #expect(bench.record("more") == [.stored])
    #expect(other.intake.progress.waitsForLoose == 0)
  }
}

extension PipelineBench {
  /// Another pipeline over the same store, which has begun.
  func sibling() -> EventPipeline {
    var options = EventPipeline.Options(name: "others")
    options.durability = .immediate
    options.flushIntervalMilliseconds = 3_600_000
    let sibling = EventPipeline(
      options: options, policy: PlainPolicy(), sink: TransportEventSink(transport), store: store, log: store.log, clock: clock,
      scheduler: scheduler, entropy: SeededEntropy(seed: 77))
    scheduler.post { sibling.start() }
    settle()
    return sibling
  }
}
