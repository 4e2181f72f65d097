import HoistBase
import HoistCore

/// A scheduler and clock turned by hand: work runs on the test's own thread, time moves when told.
final class HandScheduler: Scheduler, Clock, @unchecked Sendable {
  private final class Timer: Cancellable, @unchecked Sendable {
    let at: Int64
    let order: Int
    let lock: Lock
    var work: (@Sendable () -> Void)?
    init(at: Int64, order: Int, lock: Lock, work: @escaping @Sendable () -> Void) {
      self.at = at
      self.order = order
      self.lock = lock
      self.work = work
    }
    func cancel() { lock.withLock { work = nil } }
  }

  private let lock = Lock()
  private let posted = Condition()
  private var queue: [@Sendable () -> Void] = []
  private var timers: [Timer] = []
  private var now: Int64 = 1_000_000_000
  private var order = 0
  private var running = false

  var monotonicNanoseconds: Int64 { lock.withLock { now } }
  var unixMilliseconds: Int64 { lock.withLock { 1_700_000_000_000 + now / 1_000_000 } }
  var isCurrent: Bool { lock.withLock { running } }
  /// How many timers are armed.
  var timerCount: Int { lock.withLock { timers.count { $0.work != nil } } }

  func post(_ work: @escaping @Sendable () -> Void) {
    lock.withLock {
      queue.append(work)
      posted.broadcast()
    }
  }

  func schedule(afterMilliseconds delay: Int64, _ work: @escaping @Sendable () -> Void) -> any Cancellable {
    lock.withLock {
      order += 1
      let timer = Timer(at: now + max(0, delay) * 1_000_000, order: order, lock: lock, work: work)
      timers.append(timer)
      return timer
    }
  }

  /// Runs what has been posted, and what that posts.
  func turn() {
    while let work = lock.withLock({ queue.isEmpty ? nil : queue.removeFirst() }) {
      lock.withLock { running = true }
      work()
      lock.withLock { running = false }
    }
  }

  /// Moves time on, running timers in their order at their time.
  func advance(milliseconds: Int64) {
    turn()
    let end = lock.withLock { now + milliseconds * 1_000_000 }
    while let work = lock.withLock({ nextTimer(until: end) }) {
      post(work)
      turn()
    }
    lock.withLock { now = end }
    turn()
  }

  private func nextTimer(until end: Int64) -> (@Sendable () -> Void)? {
    timers.removeAll { $0.work == nil }
    let next = timers.filter { $0.at <= end }.min { ($0.at, $0.order) < ($1.at, $1.order) }
    guard let next else { return nil }
    now = max(now, next.at)
    timers.removeAll { $0 === next }
    return next.work
  }

  /// Turns until `done`, letting other threads work meanwhile; false after ten seconds.
  func turn(until done: () -> Bool) -> Bool {
    let clock = SystemClock()
    let deadline = clock.monotonicNanoseconds + 10_000_000_000
    while true {
      turn()
      if done() { return true }
      let isLate = lock.withLock { () -> Bool in
        if !queue.isEmpty { return false }
        _ = posted.wait(lock, untilNanoseconds: clock.monotonicNanoseconds + 2_000_000)
        return clock.monotonicNanoseconds > deadline
      }
      if isLate { return false }
    }
  }
}

/// A door that threads wait at until a test opens it.
final class Door: @unchecked Sendable {
  private let lock = Lock()
  private let changed = Condition()
  private var isOpen = false
  private var count = 0

  /// How many have come to the door.
  var arrivals: Int { lock.withLock { count } }

  func open() {
    lock.withLock {
      isOpen = true
      changed.broadcast()
    }
  }

  func pass() {
    lock.withLock {
      count += 1
      changed.broadcast()
      while !isOpen { _ = changed.wait(lock, untilNanoseconds: .max) }
    }
  }

  /// Waits for `wanted` threads to come to the door; false after ten seconds.
  func waitForArrivals(_ wanted: Int) -> Bool {
    let deadline = SystemClock().monotonicNanoseconds + 10_000_000_000
    return lock.withLock {
      while count < wanted {
        if !changed.wait(lock, untilNanoseconds: deadline) { return false }
      }
      return true
    }
  }
}

/// A list that threads may append to.
final class Record<Element: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var list: [Element] = []
  var all: [Element] { lock.withLock { list } }
  func append(_ element: Element) { lock.withLock { list.append(element) } }
}
