internal import HoistBase

/// What a thread of the lane does.
extension Lane {
  private static let threadlessNanoseconds: Int64 = 1_000_000_000

  /// - Parameter refused: work whose submitter learns of a failure from the answer.
  /// - Returns: false when the system gives no thread; then everything that waited is dropped, and none is asked for for
  ///   a while.
  func start(_ thread: LaneThread, refusing refused: LaneWork?) -> Bool {
    if scheduler.startThread(name: options.name, { [self] in run(thread, staying: $0) }) { return true }
    let dropped = lock.withLock {
      if state.thread === thread { state.thread = nil }
      state.threadlessUntil = clock.monotonicNanoseconds &+ Self.threadlessNanoseconds
      let waiting = state.waiting.removeAll()
      state.counters.dropped += waiting.count
      settled.broadcast()
      return waiting
    }
    for work in dropped where work !== refused {
      if let abandon = work.abandon { scheduler.post(abandon) }
    }
    return false
  }

  /// - Parameter stays: for a while, when nothing waits.
  private func run(_ thread: LaneThread, staying stays: Bool) {
    Thread.admitHost()
    while let work = take(thread, staying: stays) {
      work.body()
      finish(thread)
      // The work's captures end here, without the lock.
      withExtendedLifetime(work) {}
    }
  }

  /// Waits for work. Returns nil when the thread should end.
  private func take(_ thread: LaneThread, staying stays: Bool) -> LaneWork? {
    lock.withLock {
      while !thread.isSetAside && !state.isClosed {
        if let work = state.waiting.removeFirst() {
          begin(work, on: thread)
          return work
        }
        guard stays else { break }
        let patience = Self.machineClock.monotonicNanoseconds &+ options.idleNanoseconds
        if !arrived.wait(lock, untilNanoseconds: patience) && state.waiting.isEmpty { break }
      }
      if state.thread === thread { state.thread = nil }
      return nil
    }
  }

  /// With the lock held.
  private func begin(_ work: LaneWork, on thread: LaneThread) {
    thread.running = work
    thread.isOverdue = false
    let until = clock.monotonicNanoseconds.addingReportingOverflow(work.limit)
    thread.allowedUntil = work.limit == 0 || until.overflow ? .max : until.partialValue
  }

  private func finish(_ thread: LaneThread) {
    let replaceable = lock.withLock {
      thread.running = nil
      thread.allowedUntil = .max
      settled.broadcast()
      if thread.isSetAside {
        state.stuck -= 1
        state.counters.late += 1
        return state.isBlocked
      }
      state.counters.finished += 1
      state.isBlocked = false
      return false
    }
    // Room for one more to be set aside: the watch checks the one that could not be.
    if replaceable { scheduler.post { [self] in watch() } }
  }

  /// Idleness is measured in real time, also where limits are not.
  private static let machineClock = SystemClock()
}
