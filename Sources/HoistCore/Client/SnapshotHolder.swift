internal import CShims
internal import HoistBase

/// Owns a client's current snapshot and those it has replaced, and drains their counters.
///
/// A replaced one is freed as soon as it has no reader and its counts have been taken. Readers find the current one in
/// `shim_hot` without a lock; everything here is the writer's side.
final class SnapshotHolder: @unchecked Sendable {
  typealias Drain = (_ snapshot: Snapshot, _ record: UnsafeRawPointer, _ cell: UInt32, _ count: UInt64) -> Void

  private let hot: UnsafeMutablePointer<shim_hot>
  private let lock = Lock()
  /// The most replaced ones that wait only for a drain of their counts; beyond this the oldest go with their counts.
  private static let maximumKeptForCounts = 1_000

  private struct Replaced {
    let snapshot: Snapshot
    let epoch: UInt64
    /// It has no reader any more, and waits for a drain.
    var waitsForDrain = false
  }

  /// In the order of their replacement.
  private var replaced: [Replaced] = []
  private var lost: Int64 = 0

  init(_ hot: UnsafeMutablePointer<shim_hot>) { self.hot = hot }

  func publish(_ snapshot: Snapshot?) {
    let old = shim_exchange_pointer(&hot.pointee.snapshot, snapshot.map { UnsafeMutableRawPointer(mutating: $0.base) })
    guard let old else { return }
    let epoch = shim_epoch_advance()
    remove { old in
      guard !old.waitsForDrain, isFree(old) else { return false }
      old.waitsForDrain = old.snapshot.hasCounts
      return !old.waitsForDrain
    } after: {
      replaced.append(Replaced(snapshot: Snapshot(UnsafeRawPointer(old)), epoch: epoch))
      dropSurplus()
    }
  }

  /// Puts one changed flag in force in the current snapshot; a reader finds it as it was or as it is.
  /// - Returns: false where that must happen in a copy.
  func put(_ patch: SnapshotPatch) -> Bool {
    lock.withLock {
      patch.isSingle && patch.snapshot.applyUnlessPinned(patch)
    }
  }

  /// Without a drain, counts must not grow without bound.
  private func dropSurplus() {
    guard replaced.count > Self.maximumKeptForCounts,
      let oldest = replaced.firstIndex(where: { $0.waitsForDrain })
    else { return }
    replaced[oldest].snapshot.drain { _, _, _ in }
    replaced[oldest].waitsForDrain = false
    lost &+= 1
  }

  /// Changes something, then frees the replaced snapshots that are done with; outside the lock, as what they
  /// point to goes with them.
  private func remove(_ isDone: (inout Replaced) -> Bool, after change: () -> Void) {
    var done: [Snapshot] = []
    lock.withLock {
      change()
      var kept: [Replaced] = []
      for var old in replaced {
        if isDone(&old) { done.append(old.snapshot) } else { kept.append(old) }
      }
      replaced = kept
    }
    for snapshot in done { snapshot.destroy() }
  }

  /// Checked before the counts are read: a reader that leaves later is counted next time.
  private func isFree(_ old: Replaced) -> Bool {
    shim_epoch_quiescent(old.epoch) && !old.snapshot.isPinned
  }

  /// Hands out counts of the current and of replaced snapshots, and frees replaced ones without a reader.
  func drain(_ body: Drain) {
    remove { old in
      let isFree = isFree(old)
      let snapshot = old.snapshot
      snapshot.drain { body(snapshot, $0, $1, $2) }
      old.waitsForDrain = false
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

  /// Snapshots whose counts were given up because they were not drained.
  var lostCounts: Int64 { lock.withLock { lost } }

  /// Snapshots that wait for their last reader, or for a drain.
  var waiting: Int { lock.withLock { replaced.count } }

  /// Reads the current snapshot. `body` must not keep it.
  func read<Result>(_ body: (Snapshot?) -> Result) -> Result {
    let slot = shim_enter()
    defer { shim_leave(slot) }
    return body(shim_load_pointer(&hot.pointee.snapshot).map { Snapshot(UnsafeRawPointer($0)) })
  }

  /// The current snapshot, kept alive and as it is until its `unpin`.
  func pinned() -> Snapshot? {
    let (snapshot, isWhole) = read { ($0, $0?.pin() ?? true) }
    // The one that puts a patch in force has the lock.
    if !isWhole { lock.withLock {} }
    return snapshot
  }

  /// Frees everything; there must be no reader but views, whose blocks are handed to the reclaimer.
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
