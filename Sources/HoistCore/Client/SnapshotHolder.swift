internal import CShims
internal import HoistBase

/// Owns a client's current snapshot and those it has replaced, and drains their counters.
///
/// A replaced one goes as soon as nobody reads it and its counts have been taken.
/// Readers find the current one in `shim_hot` without a lock; everything here is the writer's side.
final class SnapshotHolder: @unchecked Sendable {
  typealias Drain = (_ snapshot: Snapshot, _ record: UnsafeRawPointer, _ cell: UInt32, _ count: UInt64) -> Void

  private let hot: UnsafeMutablePointer<shim_hot>
  private let lock = Lock()
  /// Replaced, not yet free to go, or with counts that nobody has taken.
  private var replaced: [(snapshot: Snapshot, epoch: UInt64)] = []

  init(_ hot: UnsafeMutablePointer<shim_hot>) { self.hot = hot }

  func publish(_ snapshot: Snapshot?) {
    let old = shim_exchange_pointer(&hot.pointee.snapshot, snapshot.map { UnsafeMutableRawPointer(mutating: $0.base) })
    guard let old else { return }
    let epoch = shim_epoch_advance()
    remove { old in isFree(old) && !old.snapshot.hasCounts } after: {
      replaced.append((Snapshot(UnsafeRawPointer(old)), epoch))
    }
  }

  /// Changes something, then frees the replaced snapshots that are done with; outside the lock, as what they
  /// point to goes with them.
  private func remove(_ isDone: ((snapshot: Snapshot, epoch: UInt64)) -> Bool, after change: () -> Void) {
    var done: [Snapshot] = []
    lock.withLock {
      change()
      replaced.removeAll { old in
        guard isDone(old) else { return false }
        done.append(old.snapshot)
        return true
      }
    }
    for snapshot in done { snapshot.destroy() }
  }

  /// Asked before the counts are looked at: whoever leaves later is counted next time.
  private func isFree(_ old: (snapshot: Snapshot, epoch: UInt64)) -> Bool {
    shim_epoch_quiescent(old.epoch) && !old.snapshot.isPinned
  }

  /// Hands out counts of the current and of replaced snapshots, and frees replaced ones that nobody reads.
  func drain(_ body: Drain) {
    remove { old in
      let isFree = isFree(old)
      old.snapshot.drain { body(old.snapshot, $0, $1, $2) }
      return isFree
    } after: {
      let slot = shim_enter()
      defer { shim_leave(slot) }
      if let base = shim_load_pointer(&hot.pointee.snapshot) {
        let current = Snapshot(UnsafeRawPointer(base))
        current.drain { body(current, $0, $1, $2) }
      }
    }
  }

  /// Snapshots that wait for their last reader.
  var waiting: Int { lock.withLock { replaced.count } }

  /// Reads the current snapshot. `body` must not keep it.
  func read<Result>(_ body: (Snapshot?) -> Result) -> Result {
    let slot = shim_enter()
    defer { shim_leave(slot) }
    return body(shim_load_pointer(&hot.pointee.snapshot).map { Snapshot(UnsafeRawPointer($0)) })
  }

  /// The current snapshot, kept alive until its `unpin`.
  func pinned() -> Snapshot? {
    read { snapshot in
      snapshot?.pin()
      return snapshot
    }
  }

  /// Frees everything; nobody may be reading, views excepted, whose blocks are handed to the reclaimer.
  func destroy() {
    publish(nil)
    lock.withLock {
      for old in replaced {
        let snapshot = old.snapshot
        Reclaimer.shared.retire(isFree: { !snapshot.isPinned }, destroy: { snapshot.destroy() })
      }
      replaced = []
    }
    Reclaimer.shared.collect()
  }
}
