internal import CShims
internal import HoistCore
internal import Synchronization

/// Holds the snapshots that recorded impressions point into, until all of them are encoded.
///
/// Impressions refer only to the served snapshot, and are recorded inside a reading section: once the sections that saw
/// it served are over, all of them are in the pipeline's intake.
final class ServedSnapshots: @unchecked Sendable {
  private struct Held {
    let snapshot: Snapshot
    /// When it was replaced; nil while it is served.
    var end: UInt64?
  }

  private let served = Atomic<UInt64>(0)
  /// The scheduler thread's.
  private var held: [Held] = []

  deinit {
    for old in held { old.snapshot.unpin() }
    Reclaimer.shared.collect()
  }

  /// Whether impressions may refer to it; checked, and recorded, inside one reading section.
  @inline(__always)
  func isServed(_ snapshot: Snapshot) -> Bool { served.load(ordering: .acquiring) == snapshot.head.pointee.id }

  /// Another snapshot is served from now on. On the scheduler's thread.
  /// - Parameter takeIn: encodes the records in the intake.
  func serve(_ snapshot: Snapshot, takeIn: () -> Void) {
    snapshot.pin()
    served.store(snapshot.head.pointee.id, ordering: .releasing)
    let now = shim_epoch_advance()
    for index in held.indices where held[index].end == nil { held[index].end = now }
    let isOver = held.map { old in old.end.map { shim_epoch_quiescent($0) } ?? false }
    if !held.isEmpty { takeIn() }
    for (old, isOver) in zip(held, isOver) where isOver { old.snapshot.unpin() }
    held = zip(held, isOver).filter { !$0.1 }.map(\.0) + [Held(snapshot: snapshot)]
  }

  /// A snapshot that is held; nil for any other. On the scheduler's thread.
  func find(_ id: UInt64) -> Snapshot? { held.first { $0.snapshot.head.pointee.id == id }?.snapshot }
}
