public import HoistBase
internal import HoistCore

/// Variations of many flags (KAM-26, KAM-34), in the order of the configuration. Immutable.
public final class VariationList: @unchecked Sendable {
  let snapshot: Snapshot
  private let entries: [(flag: Place<KameleoonFlagRecord>, row: Place<RowRecord>)]

  /// While the snapshot is held.
  init(_ snapshot: Snapshot, _ entries: [(flag: Place<KameleoonFlagRecord>, row: Place<RowRecord>)]) {
    snapshot.pin()
    self.snapshot = snapshot
    self.entries = entries
  }

  deinit { snapshot.unpin() }

  public var count: Int { entries.count }

  /// Lent as long as the list lives; nil for an index that is not below the count.
  public func key(at index: Int) -> ByteView? {
    guard entries.indices.contains(index) else { return nil }
    let flag = snapshot.base.at(entries[index].flag)
    return flag.pointee.head.name.bytes(snapshot.base)
  }

  /// Lent likewise: not to be released.
  public func variation(at index: Int) -> KameleoonVariation? {
    entries.indices.contains(index) ? KameleoonVariation(entries[index].row, in: snapshot.base) : nil
  }

  /// Lent likewise; nil for a flag that is not in the list.
  public func variation(_ key: ByteView) -> KameleoonVariation? {
    guard let record = snapshot.find(key) else { return nil }
    let flag = Place<KameleoonFlagRecord>(offset: UInt32(truncatingIfNeeded: record - snapshot.base))
    return entries.first { $0.flag == flag }.map { KameleoonVariation($0.row, in: snapshot.base) }
  }
}
