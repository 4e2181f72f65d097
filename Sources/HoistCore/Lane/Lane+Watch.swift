internal import HoistBase

/// The watch: a timer on the scheduler that notices work whose time is up, also when no thread waits for it. At most
/// one timer is active, and none while no work has a limit.
extension Lane {
  func watch(at time: Int64) {
    let delay = max(0, time &- clock.monotonicNanoseconds)
    let milliseconds = delay / 1_000_000 + (delay % 1_000_000 == 0 ? 0 : 1)
    _ = scheduler.schedule(afterMilliseconds: milliseconds) { [weak self] in self?.watch() }
  }

  /// On the scheduler's thread.
  func watch() {
    let now = clock.monotonicNanoseconds
    var thread: LaneThread?
    var inherited: [LaneWork]?
    let (expired, timer) = lock.withLock { () -> ([LaneWork], Int64?) in
      inherited = state.forgetInheritance()
      state.armedFor = .max
      var expired = state.waiting.removeDue(at: now)
      if let overdue = overdueWork(at: now) { expired.append(overdue) }
      state.counters.expired += expired.count
      if setAsideStuckThread(at: now), !state.waiting.isEmpty, !state.isClosed { thread = state.hireIfNeeded() }
      settled.broadcast()
      return (expired, state.arm(for: nextTime()))
    }
    withExtendedLifetime(inherited) {}
    for work in expired { work.abandon?() }
    if let thread { _ = start(thread, refusing: nil) }
    if let timer { watch(at: timer) }
  }

  /// The running work, the first time that it is seen to be late for its submitter.
  private func overdueWork(at now: Int64) -> LaneWork? {
    guard let thread = state.thread, let work = thread.running, !thread.isOverdue, work.due <= now else { return nil }
    thread.isOverdue = true
    return work
  }

  private func setAsideStuckThread(at now: Int64) -> Bool {
    guard let thread = state.thread, thread.running != nil, thread.allowedUntil <= now else { return false }
    state.isBlocked = state.stuck >= options.maximumSetAside
    if state.isBlocked { return false }
    thread.isSetAside = true
    state.thread = nil
    state.stuck += 1
    state.counters.setAside += 1
    return true
  }

  private func nextTime() -> Int64 {
    var time = state.waiting.earliestDue
    if let thread = state.thread, let work = thread.running {
      if !thread.isOverdue { time = min(time, work.due) }
      if !state.isBlocked { time = min(time, thread.allowedUntil) }
    }
    return time
  }
}
