internal import HoistBase

/// Work that may be asked for more often than it can be done: it is done at once, or after the pause that its last run asked
/// for, and what is asked for meanwhile is done in one. On the scheduler's thread.
public final class PacedWork: @unchecked Sendable {
  private let scheduler: any Scheduler
  private let clock: any Clock
  private let work: () -> Int64
  private var earliest = Int64.min
  private var timer: (any Cancellable)?
  /// It has been asked for, and is not done yet.
  public private(set) var isDue = false

  /// - Parameter work: gives the pause after it, in milliseconds.
  public init(host: any ProviderHost, _ work: @escaping () -> Int64) {
    scheduler = host.scheduler
    clock = host.clock
    self.work = work
  }

  public func ask() {
    isDue = true
    guard timer == nil else { return }
    let (wait, overflow) = earliest.subtractingReportingOverflow(clock.monotonicNanoseconds)
    guard !overflow, wait > 0 else { return run() }
    timer = scheduler.schedule(afterMilliseconds: (wait - 1) / 1_000_000 + 1) { [weak self] in
      guard let self, timer != nil else { return }
      timer = nil
      run()
    }
  }

  /// Does now what has been asked for.
  public func finish() { if isDue { run() } }

  /// What has been asked for is done when it is asked for again.
  public func rest() {
    timer?.cancel()
    timer = nil
  }

  /// What has been asked for is not wanted any more.
  public func drop() {
    rest()
    isDue = false
  }

  /// The timer belongs to the process this one was forked from.
  public func abandonAfterFork() { timer = nil }

  private func run() {
    drop()
    let (pause, overflow) = work().multipliedReportingOverflow(by: 1_000_000)
    earliest = overflow ? .max : clock.monotonicNanoseconds.addingReportingOverflow(pause).partialValue
  }
}
