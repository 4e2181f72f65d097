internal import HoistBase

/// One piece of work. A class, so that the running thread and the watch share it.
final class LaneWork: Sendable {
  /// Nanoseconds it may run; 0 for no limit.
  let limit: Int64
  /// When its submitter stops waiting.
  let due: Int64
  let body: @Sendable () -> Void
  let abandon: (@Sendable () -> Void)?

  init(limit: Int64, due: Int64, body: @escaping @Sendable () -> Void, abandon: (@Sendable () -> Void)?) {
    self.limit = limit
    self.due = due
    self.body = body
    self.abandon = abandon
  }
}

/// A thread of a lane, as the lane sees it. Guarded by the lane's lock.
final class LaneThread: @unchecked Sendable {
  var running: LaneWork?
  /// When the running work has had its whole limit.
  var allowedUntil = Int64.max
  /// The time-out of the running work has been reported to its submitter.
  var isOverdue = false
  var isSetAside = false
}

struct LaneState {
  var waiting = LaneQueue()
  var thread: LaneThread?
  /// Threads set aside that have not returned.
  var stuck = 0
  /// The current thread is stuck as well, and no more may be set aside.
  var isBlocked = false
  var isClosed = false
  /// The system has refused a thread: none is asked for before; by the lane's clock.
  var threadlessUntil = Int64.min
  /// When the pending timer of the watch fires; `.max` without one.
  var armedFor = Int64.max
  var generation = ForkGeneration.current
  var counters = Lane.Counters()

  var isBusy: Bool {
    guard generation == ForkGeneration.current else { return false }
    return !waiting.isEmpty || thread?.running != nil
  }

  /// In a forked child: leaves behind the parent's threads and returns its work, to be released
  /// without running; nil where nothing was inherited.
  mutating func forgetInheritance() -> [LaneWork]? {
    guard generation != ForkGeneration.current else { return nil }
    generation = ForkGeneration.current
    thread = nil
    stuck = 0
    isBlocked = false
    threadlessUntil = .min
    armedFor = .max
    return waiting.removeAll()
  }

  /// A new thread to start, when there is none.
  mutating func hireIfNeeded() -> LaneThread? {
    guard thread == nil else { return nil }
    let new = LaneThread()
    thread = new
    return new
  }

  /// - Returns: the time for a new timer, when the pending one would come too late.
  mutating func arm(for time: Int64) -> Int64? {
    guard time < armedFor else { return nil }
    armedFor = time
    return time
  }
}

/// A queue in order of arrival whose front costs nothing to take.
struct LaneQueue {
  private var items: [LaneWork?] = []
  private var head = 0

  var count: Int { items.count - head }
  var isEmpty: Bool { count == 0 }
  /// The earliest end of patience among those that wait.
  var earliestDue: Int64 { items[head...].reduce(.max) { min($0, $1?.due ?? .max) } }

  mutating func append(_ work: LaneWork) { items.append(work) }

  mutating func removeFirst() -> LaneWork? {
    guard head < items.count else { return nil }
    let first = items[head]
    items[head] = nil
    head += 1
    if head == items.count || head > 64 && head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
    return first
  }

  mutating func removeAll() -> [LaneWork] {
    defer {
      items = []
      head = 0
    }
    return items[head...].compactMap { $0 }
  }

  /// Removes work whose time is up.
  mutating func removeDue(at now: Int64) -> [LaneWork] {
    guard earliestDue <= now else { return [] }
    let all = removeAll()
    items = all.filter { $0.due > now }
    return all.filter { $0.due <= now }
  }
}
