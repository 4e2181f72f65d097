internal import Glibc
public import HoistBase
public import HoistCore

/// A scheduler and the clock it goes by, both turned by the test: work runs on the thread that calls
/// `run` or `advance`, in the order the network loop would run it.
public final class ManualScheduler: Scheduler, Clock, @unchecked Sendable {
  private let lock = Lock()
  private var posted: [@Sendable () -> Void] = []
  private var timers: [Timer] = []
  private var nextOrder: UInt64 = 0
  private var monotonic: Int64 = 1_000_000_000
  private var wall: Int64
  private var forks: UInt32 = 0
  private var bootNumber: UInt64?
  private var runningDepth = 0
  /// Who is turning it; nil while nobody is.
  private var turner: pthread_t?
  private let tick: Int64
  private var duringNextReading: (@Sendable () -> Void)?

  /// - Parameter unixMilliseconds: what the wall clock shows first.
  public convenience init(unixMilliseconds: Int64 = 1_700_000_000_000) {
    self.init(unixMilliseconds: unixMilliseconds, tickMilliseconds: 1)
  }

  /// - Parameter tickMilliseconds: how long the quick reading of the wall clock stands still, as the system's does.
  public init(unixMilliseconds: Int64, tickMilliseconds: Int64) {
    wall = unixMilliseconds
    tick = tickMilliseconds
  }

  // MARK: Scheduler

  public func post(_ work: @escaping @Sendable () -> Void) {
    lock.withLock { posted.append(work) }
  }

  public func schedule(
    afterMilliseconds delayMilliseconds: Int64, _ work: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    lock.withLock {
      nextOrder += 1
      let due = monotonic.addingReportingOverflow(Self.nanoseconds(max(0, delayMilliseconds)))
      let timer = Timer(self, due: due.overflow ? .max : due.partialValue, order: nextOrder, work)
      timers.append(timer)
      return timer
    }
  }

  public var isCurrent: Bool { lock.withLock { runningDepth > 0 && turner == pthread_self() } }

  /// While nothing runs, the test calls its parts as the scheduler's thread would; threads of its host and of the library do not.
  public var standsInForItsThread: Bool {
    lock.withLock { turner.map { $0 == pthread_self() } ?? (!HostThread.isCurrent && !Thread.isOwn) }
  }

  public var generation: UInt32 { lock.withLock { forks } }

  // MARK: Clock

  public var monotonicNanoseconds: Int64 { lock.withLock { monotonic } }
  public var unixMilliseconds: Int64 { lock.withLock { wall } }
  public var recentUnixMilliseconds: Int64 {
    let body = lock.withLock {
      defer { duringNextReading = nil }
      return duringNextReading
    }
    body?()
    return lock.withLock { wall - wall % tick }
  }

  /// What somebody else does just when a call takes its time stamp, once.
  public func duringNextReading(_ body: @escaping @Sendable () -> Void) { lock.withLock { duringNextReading = body } }

  /// Moves the wall clock alone, as an administrator or the network time may.
  public func leapWallClock(byMilliseconds milliseconds: Int64) {
    lock.withLock { wall += milliseconds }
  }

  /// Which start of the machine this is; nil where it does not say.
  public var boot: UInt64? {
    get { lock.withLock { bootNumber } }
    set { lock.withLock { bootNumber = newValue } }
  }

  public var bootMoment: BootMoment? {
    lock.withLock { bootNumber.map { BootMoment(boot: $0, milliseconds: monotonic / 1_000_000) } }
  }

  // MARK: The test's side

  /// Runs everything that is posted or due, also what that posts in turn.
  public func run() { advance(milliseconds: 0) }

  /// Lets time pass, stopping at every timer on the way.
  public func advance(milliseconds: Int64) {
    let target = lock.withLock { monotonic + Self.nanoseconds(milliseconds) }
    while true {
      if let work = takePosted() ?? takeDue(by: target) {
        let former = lock.withLock { () -> pthread_t? in
          defer { (runningDepth, turner) = (runningDepth + 1, pthread_self()) }
          return turner
        }
        work()
        lock.withLock { (runningDepth, turner) = (runningDepth - 1, former) }
      } else {
        return lock.withLock { move(to: max(target, monotonic)) }
      }
    }
  }

  /// Lets time pass within a piece of work: nothing runs meanwhile.
  public func pass(milliseconds: Int64) { lock.withLock { move(to: monotonic + Self.nanoseconds(milliseconds)) } }

  /// Milliseconds until the earliest timer; `nil` when there is none.
  public var millisecondsUntilNextTimer: Int64? {
    lock.withLock { timers.map(\.due).min().map { ($0 - monotonic) / 1_000_000 } }
  }

  public var pendingTimerCount: Int { lock.withLock { timers.count } }
  public var pendingPostCount: Int { lock.withLock { posted.count } }

  /// What a forked child finds: nothing of what was posted or scheduled, and another generation.
  public func simulateFork() {
    let abandoned = lock.withLock { () -> ([@Sendable () -> Void], [Timer]) in
      defer { (posted, timers) = ([], []) }
      forks += 1
      return (posted, timers)
    }
    _ = abandoned
  }

  private func takePosted() -> (@Sendable () -> Void)? {
    lock.withLock { posted.isEmpty ? nil : posted.removeFirst() }
  }

  private func takeDue(by target: Int64) -> (@Sendable () -> Void)? {
    lock.withLock {
      guard let next = timers.min(by: { ($0.due, $0.order) < ($1.due, $1.order) }), next.due <= target else {
        return nil
      }
      timers.removeAll { $0 === next }
      move(to: max(next.due, monotonic))
      return next.work
    }
  }

  private func move(to target: Int64) {
    wall += (target / 1_000_000) - (monotonic / 1_000_000)
    monotonic = target
  }

  private static func nanoseconds(_ milliseconds: Int64) -> Int64 {
    let product = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return product.overflow ? .max : product.partialValue
  }

  private final class Timer: Cancellable, @unchecked Sendable {
    let owner: ManualScheduler
    let due: Int64
    let order: UInt64
    let work: @Sendable () -> Void

    init(_ owner: ManualScheduler, due: Int64, order: UInt64, _ work: @escaping @Sendable () -> Void) {
      (self.owner, self.due, self.order, self.work) = (owner, due, order, work)
    }

    func cancel() { owner.lock.withLock { owner.timers.removeAll { $0 === self } } }
  }
}
