internal import HoistBase

/// Work that may be asked for more often than it can be done: it is done at once, or after the pause that its last run asked
/// for, and what is asked for meanwhile is done in one. On the scheduler's thread.
public final class PacedWork: @unchecked Sendable {
  /// One run of work that may go on elsewhere. On the scheduler's thread.
  public struct Run: Sendable {
    fileprivate let paced: PacedWork
    fileprivate let token: Generation.Token

    /// False once it was called off.
    public var isWanted: Bool { paced.generation.isCurrent(token) }
    /// - Parameter pause: after it, in milliseconds.
    public func end(pause: Int64) { if isWanted { paced.ended(pause: pause) } }
  }

  private let scheduler: any Scheduler
  private let clock: any Clock
  private let work: (Run) -> Void
  private var earliest = Int64.min
  private var timer: (any Cancellable)?
  /// Moves on with each run, and when one is called off.
  private var generation = Generation()
  private var isUnderWay = false
  /// It has been asked for, and is not begun yet.
  private var isAsked = false
  /// It has been asked for, and is not done yet.
  public var isDue: Bool { isAsked || isUnderWay }

  /// - Parameter work: gives the pause after it, in milliseconds.
  public convenience init(host: any ProviderHost, _ work: @escaping () -> Int64) {
    self.init(host: host, run: { $0.end(pause: work()) })
  }

  /// - Parameter work: ends the run it is given, at once or later; where that is not wanted any more, it changes nothing.
  public init(host: any ProviderHost, run work: @escaping (Run) -> Void) {
    scheduler = host.scheduler
    clock = host.clock
    self.work = work
  }

  public func ask() {
    isAsked = true
    guard timer == nil, !isUnderWay else { return }
    let (wait, overflow) = earliest.subtractingReportingOverflow(clock.monotonicNanoseconds)
    guard !overflow, wait > 0 else { return run() }
    timer = scheduler.schedule(afterMilliseconds: (wait - 1) / 1_000_000 + 1) { [weak self] in
      guard let self, timer != nil else { return }
      timer = nil
      run()
    }
  }

  /// Does now what has been asked for; what is under way goes on.
  public func finish() { if isAsked, !isUnderWay { run() } }

  /// What has been asked for is done when it is asked for again.
  public func rest() {
    isAsked = isDue
    callOff()
  }

  /// What has been asked for is not wanted any more.
  public func drop() {
    isAsked = false
    callOff()
  }

  private func callOff() {
    timer?.cancel()
    timer = nil
    isUnderWay = false
    generation.advance()
  }

  /// The timer, and what is under way, belong to the process this one was forked from.
  public func abandonAfterFork() {
    isAsked = isDue
    (timer, isUnderWay) = (nil, false)
    generation.advance()
  }

  private func run() {
    drop()
    isUnderWay = true
    work(Run(paced: self, token: generation.current))
  }

  private func ended(pause: Int64) {
    isUnderWay = false
    generation.advance()
    let (span, overflow) = pause.multipliedReportingOverflow(by: 1_000_000)
    earliest = overflow ? .max : clock.monotonicNanoseconds.addingReportingOverflow(span).partialValue
    if isAsked { ask() }
  }
}
