import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

/// What tests of journals do with a pipeline.
protocol JournalledPipeline {
  var manager: ObstinateManager { get }
  var journal: PaperJournal { get }
}

extension JournalledPipeline {
  /// A pipeline whose journal is open, with nothing in it.
  func bench(_ change: (inout EventPipeline.Options) -> Void = { _ in }) -> PipelineBench {
    manager.keep(journal)
    let bench = PipelineBench(manager: manager) {
      $0.durability = .immediate
      change(&$0)
    }
    bench.start()
    #expect(waiting(bench, "first") == .stored)
    bench.settle()
    _ = bench.flush()
    bench.answer(200)
    manager.forgetCalls()
    return bench
  }

  /// Records on a thread of the host's, while the test turns the scheduler.
  func waiting(_ bench: PipelineBench, _ text: String, subject: String = "") -> EventPipeline.Outcome? {
    let outcomes = Record<EventPipeline.Outcome>()
    _ = hostThread { outcomes.append(bench.pipeline.record(text, subject: subject, unixMilliseconds: 0)) }
    _ = bench.scheduler.run { !outcomes.all.isEmpty }
    return outcomes.all.first
  }

  /// As an evaluation does.
  func inPassing(_ bench: PipelineBench, _ text: String) -> EventPipeline.Outcome {
    text.withBytes { bench.pipeline.record($0, unixMilliseconds: 0, waits: .never) }
  }

  var puts: [String] { manager.calls.filter { $0.hasPrefix("put ") } }
}
