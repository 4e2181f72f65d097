internal import HoistBase
internal import Synchronization

/// The store's progress with what was recorded, and the threads that wait for it. Thread-safe: its own lock keeps
/// recording and waiting threads apart.
final class StoreProgress: @unchecked Sendable {
  struct Marks {
    /// Records below this have been given to the store, those below `committed` with success.
    var attempted: UInt64 = 0
    var committed: UInt64 = 0
    /// The number of requested purges that the store has, from the first on.
    var purgesTold: UInt64 = 0
  }

  private let lock = Lock()
  private let changed = Condition()
  /// Guarded by `lock`.
  private var marks = Marks()
  /// How far the store had come when a wait for it was in vain: until it comes further, there is no other. nil: there is none.
  private var stoodAt: UInt64?
  private var waits = 0
  /// `marks.committed`, for a look without the lock.
  private let committed = Atomic<UInt64>(0)
  var committedBelow: UInt64 { committed.load(ordering: .acquiring) }
  /// How often a caller has waited for records before its own; for tests.
  var waitsForLoose: Int { lock.withLock { waits } }

  /// Records below `sequence` have been given to the store or have left the pipeline.
  func attempted(below sequence: UInt64, committed: Bool) {
    change {
      $0.attempted = max($0.attempted, sequence)
      if committed { $0.committed = max($0.committed, sequence) }
    }
  }

  /// Counts purges as made.
  func purgesCarriedOut(_ count: Int) {
    guard count > 0 else { return }
    change { $0.purgesTold &+= UInt64(truncatingIfNeeded: count) }
  }

  /// In a forked child: what was recorded before is the parent's.
  func restart(at sequence: UInt64) { change { $0 = Marks(attempted: sequence, committed: sequence) } }

  @inline(never)
  private func change(_ body: (inout Marks) -> Void) {
    lock.withLock {
      body(&marks)
      committed.store(marks.committed, ordering: .releasing)
      changed.broadcast()
    }
  }

  /// Waits until the store has a purge.
  /// - Parameter deadline: of the machine's monotonic clock.
  func waitForPurge(_ number: UInt64, untilNanoseconds deadline: Int64) {
    _ = wait(untilNanoseconds: deadline) { $0.purgesTold >= number }
  }

  /// Waits until the store has been given a record.
  /// - Parameter deadline: of the machine's monotonic clock.
  /// - Returns: whether it is committed.
  func waitForCommit(of sequence: UInt64, untilNanoseconds deadline: Int64) -> Bool {
    wait(untilNanoseconds: deadline) { $0.attempted > sequence }.committed > sequence
  }

  /// Waits until the store has been given records that callers do not wait for themselves. Where it has not moved since
  /// that was last in vain, it is stuck, and no other caller waits.
  /// - Parameter deadline: likewise.
  func waitForLoose(below end: UInt64, untilNanoseconds deadline: Int64) {
    lock.withLock {
      guard marks.attempted < end, stoodAt != marks.attempted else { return }
      waits += 1
      while marks.attempted < end, changed.wait(lock, untilNanoseconds: deadline) {}
      stoodAt = marks.attempted < end ? marks.attempted : nil
    }
  }

  @inline(never)
  private func wait(untilNanoseconds deadline: Int64, for condition: (Marks) -> Bool) -> Marks {
    lock.withLock {
      while !condition(marks), changed.wait(lock, untilNanoseconds: deadline) {}
      return marks
    }
  }
}
