internal import HoistBase
internal import HoistCore

/// Holds back tries to go online that follow one another too fast (5.4; LD-04, LD-13, LD-14). On the scheduler's thread.
///
/// Only the newest of those that wait goes on; the others complete as superseded (complaint 2 of section 10).
final class Throttle: @unchecked Sendable {
  /// Waiting work, and what to call when it never runs.
  private struct Waiting {
    let timer: any Cancellable
    let replaced: @Sendable () -> Void
  }

  private let scheduler: any Scheduler
  private let clock: any Clock
  private let entropy: any Entropy
  private var pace = ThrottlePace()
  private var waiting: Waiting?
  private var generation = Generation()

  init(scheduler: any Scheduler, clock: any Clock, entropy: any Entropy) {
    self.scheduler = scheduler
    self.clock = clock
    self.entropy = entropy
  }

  var isWaiting: Bool { waiting != nil }

  /// Runs `work` at once or after a delay.
  /// - Parameter replaced: called in its place, when a newer call or `cancel` comes first.
  func run(_ work: @escaping @Sendable () -> Void, replaced: @escaping @Sendable () -> Void) {
    let former = take()
    let range = pace.next(at: clock.monotonicNanoseconds / 1_000_000)
    defer { former?.replaced() }
    guard range.upperBound > 0 else { return work() }
    let mine = generation.advance()
    let timer = scheduler.schedule(afterMilliseconds: entropy.number(in: range)) { [weak self] in
      guard let self, generation.isCurrent(mine), waiting != nil else { return }
      waiting = nil
      work()
    }
    waiting = Waiting(timer: timer, replaced: replaced)
  }

  /// What waits does not go on.
  func cancel() { take()?.replaced() }

  /// In a forked child: what waits and what was tried is the parent's; no completion is called.
  func abandonAfterFork() {
    waiting = nil
    pace = ThrottlePace()
  }

  private func take() -> Waiting? {
    defer { waiting = nil }
    waiting?.timer.cancel()
    return waiting
  }
}
