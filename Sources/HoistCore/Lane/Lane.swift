public import HoistBase

/// Where work runs that may block: calls into the host, and the disk.
///
/// One thread, made on first need and ended after idleness, runs the work in order, one at a
/// time, with no lock held. Work with a limit that outlasts it is set aside: its thread finishes
/// in the background and another takes over, so that a stuck plug-in costs its own answer only.
/// At most `maximumSetAside` threads are ever left behind like this; when the next one sticks too,
/// the lane refuses new work until one of them returns. So it does for a second when the system refuses it a thread.
///
/// In a forked child the lane starts empty: what waited here is the parent's to do.
/// Every function may be called from any thread, from the lane's own work too.
public final class Lane: @unchecked Sendable {
  public struct Options: Sendable {
    /// The thread's name; the system shows 15 bytes of it.
    public var name: String
    /// Pieces of work that may wait; more are refused and counted.
    public var capacity = 1024
    public var maximumSetAside = 4
    /// How long an idle thread stays.
    public var idleNanoseconds: Int64 = 10_000_000_000
    public init(name: String) { self.name = name }
  }

  /// Since the lane was made, but for `waiting` and `stuck`, which are current values.
  public struct Counters: Sendable, Equatable {
    public var waiting = 0
    public var stuck = 0
    public var finished = 0
    /// Refused, or discarded by `close`.
    public var dropped = 0
    /// Passed their limit, begun or not.
    public var expired = 0
    public var setAside = 0
    /// Finished after having been set aside.
    public var late = 0
  }

  let options: Options
  let clock: any Clock
  let scheduler: any Scheduler
  let lock = Lock()
  let arrived = Condition()
  let settled = Condition()
  /// Guarded by `lock`.
  var state = LaneState()

  /// - Parameters:
  ///   - clock: measures limits.
  ///   - scheduler: its timers notice work that outlasts its limit.
  public init(options: Options, clock: any Clock, scheduler: any Scheduler) {
    self.options = options
    self.clock = clock
    self.scheduler = scheduler
  }

  public var counters: Counters {
    lock.withLock {
      var counters = state.counters
      counters.waiting = state.generation == ForkGeneration.current ? state.waiting.count : 0
      counters.stuck = state.generation == ForkGeneration.current ? state.stuck : 0
      return counters
    }
  }

  /// Runs `work` after what came before it, however long it takes.
  /// - Returns: false when the lane is closed, full or stuck; then `work` never runs.
  @discardableResult
  public func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
    submit(LaneWork(limit: 0, due: .max, body: work, abandon: nil))
  }

  /// Runs `work` after what came before it, unless `limitNanoseconds` pass first.
  ///
  /// - Parameter abandoned: runs on the scheduler's thread, at most once, when the limit has passed
  ///   since this call and `work` has not finished, or when `close` discards it. Work that has not
  ///   begun by then never does; work that has been running for its whole limit is set aside.
  /// - Returns: false when the work is refused; then neither closure runs.
  @discardableResult
  public func perform(
    withinNanoseconds limitNanoseconds: Int64, _ work: @escaping @Sendable () -> Void,
    abandoned: @escaping @Sendable () -> Void
  ) -> Bool {
    let limit = max(1, limitNanoseconds)
    let due = clock.monotonicNanoseconds.addingReportingOverflow(limit)
    return submit(LaneWork(limit: limit, due: due.overflow ? .max : due.partialValue, body: work, abandon: abandoned))
  }

  /// Whether work is refused because there is no thread to do it.
  public var lacksThread: Bool { lock.withLock { isThreadless } }

  /// With the lock held.
  private var isThreadless: Bool {
    state.threadlessUntil != .min && state.generation == ForkGeneration.current
      && clock.monotonicNanoseconds < state.threadlessUntil
  }

  /// Waits until nothing waits or runs, work set aside not counted.
  /// - Parameter deadline: nanoseconds of the machine's monotonic clock.
  /// - Returns: false when the deadline passed first, and at once on a thread of the library's own.
  public func drain(untilNanoseconds deadline: Int64) -> Bool {
    lock.withLock {
      while state.isBusy {
        if Thread.isOwn || !settled.wait(lock, untilNanoseconds: deadline) { return !state.isBusy }
      }
      return true
    }
  }

  /// Ends the lane: nothing begins after this returns, and what waits is discarded. Running work goes on and is not
  /// waited for. May be repeated.
  public func close() {
    let (discarded, inherited) = lock.withLock {
      state.isClosed = true
      let inherited = state.forgetInheritance()
      let waiting = state.waiting.removeAll()
      state.counters.dropped += waiting.count
      arrived.broadcast()
      settled.broadcast()
      return (waiting, inherited)
    }
    withExtendedLifetime(inherited) {}
    for work in discarded {
      if let abandon = work.abandon { scheduler.post(abandon) }
    }
  }

  /// Takes work again after `close`.
  public func reopen() { lock.withLock { state.isClosed = false } }

  private func submit(_ work: LaneWork) -> Bool {
    var thread: LaneThread?
    var inherited: [LaneWork]?
    let (taken, timer) = lock.withLock { () -> (Bool, Int64?) in
      inherited = state.forgetInheritance()
      guard !state.isClosed, !state.isBlocked, !isThreadless, state.waiting.count < options.capacity else {
        state.counters.dropped += 1
        return (false, nil)
      }
      state.waiting.append(work)
      thread = state.hireIfNeeded()
      arrived.broadcast()
      return (true, state.arm(for: work.due))
    }
    // Released here, without the lock: it may hold the last reference to a host object.
    withExtendedLifetime(inherited) {}
    if let thread, !start(thread, refusing: work) { return false }
    if let timer { watch(at: timer) }
    return taken
  }
}
