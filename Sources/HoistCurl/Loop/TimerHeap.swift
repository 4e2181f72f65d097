internal import HoistCore

/// Timers by deadline, and by order of scheduling where deadlines are equal. A binary heap whose
/// entries know their place, so that a cancelled one leaves at once. Guarded by the loop's lock.
struct TimerHeap {
  private var entries: [LoopTimer] = []
  private var nextOrder: UInt64 = 0

  var nextDeadline: Int64? { entries.first?.deadline }

  mutating func insert(_ timer: LoopTimer) {
    timer.order = nextOrder
    nextOrder &+= 1
    timer.position = entries.count
    entries.append(timer)
    rise(from: timer.position)
  }

  mutating func popDue(at now: Int64) -> LoopTimer? {
    guard let first = entries.first, first.deadline <= now else { return nil }
    remove(first)
    return first
  }

  /// Harmless for a timer that is not, or no longer, in the heap.
  mutating func remove(_ timer: LoopTimer) {
    let position = timer.position
    guard position >= 0, position < entries.count, entries[position] === timer else { return }
    let last = entries.count - 1
    swap(position, last)
    entries.removeLast()
    timer.position = -1
    guard position < last else { return }
    rise(from: position)
    sink(from: position)
  }

  mutating func removeAll() -> [LoopTimer] {
    defer { entries = [] }
    for timer in entries { timer.position = -1 }
    return entries
  }

  private mutating func rise(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].isBefore(entries[parent]) else { return }
      swap(child, parent)
      child = parent
    }
  }

  private mutating func sink(from start: Int) {
    var parent = start
    while true {
      var first = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
        if entries[child].isBefore(entries[first]) { first = child }
      }
      guard first != parent else { return }
      swap(parent, first)
      parent = first
    }
  }

  private mutating func swap(_ left: Int, _ right: Int) {
    entries.swapAt(left, right)
    entries[left].position = left
    entries[right].position = right
  }
}

/// One scheduled piece of work; its mutable state is guarded by the loop's lock.
final class LoopTimer: Cancellable, @unchecked Sendable {
  /// Monotonic nanoseconds.
  let deadline: Int64
  fileprivate(set) var order: UInt64 = 0
  fileprivate(set) var position = -1
  var work: LoopWork?
  private let owner: LoopThread

  init(deadline: Int64, owner: LoopThread, work: @escaping LoopWork) {
    self.deadline = deadline
    self.owner = owner
    self.work = work
  }

  func cancel() { owner.cancel(self) }

  fileprivate func isBefore(_ other: LoopTimer) -> Bool {
    (deadline, order) < (other.deadline, other.order)
  }
}

typealias LoopWork = @Sendable () -> Void
