import HoistBase
import HoistCore
import HoistJSON
import HoistKameleoon
import HoistTestSupport

extension KameleoonCase {
  /// What visitors do, and when it is sent.
  static let trackingOperations: [String: Operation] = [
    "trackConversion": { play, step in
      play.withVisitor(step) { visitor in
        let conversion = Conversion(
          goalID: step["goalId"]?.int64 ?? 0, revenue: step["revenue"]?.double ?? 0,
          isNegative: step["negative"]?.bool ?? false,
          metadata: step["metadata"]?.array?.compactMap { CustomData(vector: $0) } ?? [])
        return StepOutcome(error: visitor.trackConversion(conversion))
      }
    },
    "evaluateAudiences": { play, step in play.withVisitor(step) { StepOutcome(error: $0.evaluateAudiences()) } },
    "flush": { play, step in
      play.withVisitor(step) { visitor in
        play.sending(step) { StepOutcome(error: visitor.flush(isInstant: true)) }
      }
    },
    "tick": { play, step in
      play.sending(step) {
        play.scheduler.advance(milliseconds: trackingIntervalMilliseconds)
        return StepOutcome()
      }
    },
  ]

  private static let trackingIntervalMilliseconds: Int64 = 1_000

  /// Requests that a step makes, its attempts after a pause included.
  private func sending(_ step: JSONValue, _ body: () -> StepOutcome) -> StepOutcome {
    listen(to: step)
    let first = transport.requests.count
    var outcome = body()
    settle()
    if outcome.error == nil { outcome.requests = requests(since: first, step) }
    return outcome
  }
}

/// Skips the pause between two attempts at a tracking request, as the oracle's clock does.
final class PauselessScheduler: Scheduler, Clock {
  private static let pauseMilliseconds: Int64 = 5_000
  private let scheduler: ManualScheduler
  private let skippedNanoseconds = Locked<Int64>(0)
  init(_ scheduler: ManualScheduler) { self.scheduler = scheduler }

  func post(_ work: @escaping @Sendable () -> Void) { scheduler.post(work) }
  func schedule(afterMilliseconds delay: Int64, _ work: @escaping @Sendable () -> Void) -> any Cancellable {
    guard delay == Self.pauseMilliseconds else { return scheduler.schedule(afterMilliseconds: delay, work) }
    return scheduler.schedule(afterMilliseconds: 0) { [skippedNanoseconds] in
      skippedNanoseconds.change { $0 += Self.pauseMilliseconds * 1_000_000 }
      work()
    }
  }
  var isCurrent: Bool { scheduler.isCurrent }
  var standsInForItsThread: Bool { scheduler.standsInForItsThread }
  var generation: UInt32 { scheduler.generation }
  var monotonicNanoseconds: Int64 { scheduler.monotonicNanoseconds + skippedNanoseconds.value }
  var unixMilliseconds: Int64 { scheduler.unixMilliseconds }
}
