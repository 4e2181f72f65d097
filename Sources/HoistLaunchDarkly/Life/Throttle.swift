internal import HoistBase
internal import HoistCore

/// Holds back tries to go online that follow one another too fast (5.4; LD-04, LD-13, LD-14). On the scheduler's thread.
///
/// Only the newest of those that wait goes on; the others are told that they were replaced (complaint 2 of section 10).
final class Throttle: @unchecked Sendable {
  /// What waits, by what comes instead when it never goes on.
  private struct Waiting {
    let timer: any Cancellable
    let replaced: @Sendable () -> Void
  }

  private let scheduler: any Scheduler
  private let clock: any Clock
  private let entropy: any Entropy
  private var pace = ThrottlePace()
  private var waiting: Waiting?
  private var lastNumber: UInt64 = 0

  init(scheduler: any Scheduler, clock: any Clock, entropy: any Entropy) {
    self.scheduler = scheduler
    self.clock = clock
    self.entropy = entropy
  }

  var isWaiting: Bool { waiting != nil }

  /// Does `work` at once or after a while.
  /// - Parameter replaced: called in its place, when a newer call or `cancel` comes first.
  func run(_ work: @escaping @Sendable () -> Void, replaced: @escaping @Sendable () -> Void) {
    let former = take()
    let range = pace.next(at: clock.monotonicNanoseconds / 1_000_000)
    defer { former?.replaced() }
    guard range.upperBound > 0 else { return work() }
    lastNumber &+= 1
    let number = lastNumber
    let timer = scheduler.schedule(afterMilliseconds: entropy.number(in: range)) { [weak self] in
      guard let self, self.lastNumber == number, self.waiting != nil else { return }
      self.waiting = nil
      work()
    }
    waiting = Waiting(timer: timer, replaced: replaced)
  }

  /// What waits does not go on.
  func cancel() { take()?.replaced() }

  /// In a forked child: what waits and what was tried is the parent's, and nobody is told.
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
