internal import Glibc
public import HoistBase
public import HoistCore

/// Keeps campaigns alive for the flags that were decided on them.
final class OwnedCampaigns: @unchecked Sendable {
  let snapshot: Snapshot
  private let isOwned: Bool

  /// Campaigns that the client serves: only inside a reading section, or while they are pinned.
  init(pinning snapshot: Snapshot) {
    snapshot.pin()
    self.snapshot = snapshot
    isOwned = false
  }

  /// Campaigns of one visitor, not shared: freed with this object.
  init(owning snapshot: Snapshot) {
    self.snapshot = snapshot
    isOwned = true
  }

  deinit { if isOwned { snapshot.destroy() } else { snapshot.unpin() } }
}

/// What a fetch gave one visitor: a value, or none, for each flag. Immutable; any thread.
public final class VisitorFlags: @unchecked Sendable {
  /// No flags: nothing was fetched yet.
  public static let none = VisitorFlags(isPanic: false)
  /// No flags: everything is switched off.
  public static let panic = VisitorFlags(isPanic: true)

  public let isPanic: Bool
  private let campaigns: OwnedCampaigns?
  /// nil where there are no flags.
  let table: FlagTable?
  /// The ordinals of the flags that have a value, in the order in which campaigns gave them first.
  private let order: UnsafeMutablePointer<UInt32>?
  public let count: Int

  private init(isPanic: Bool) {
    self.isPanic = isPanic
    campaigns = nil
    table = nil
    order = nil
    count = 0
  }

  /// - Parameter fill: sets values by ordinal, and their order; returns how many there are.
  init(
    _ campaigns: OwnedCampaigns,
    _ fill: (_ values: UnsafeMutablePointer<UInt32>, _ order: UnsafeMutablePointer<UInt32>) -> Int
  ) {
    let flagCount = Int(campaigns.snapshot.campaignsRoot.pointee.flagCount)
    isPanic = false
    self.campaigns = campaigns
    // One piece of memory: the values, and the order behind them.
    let values = calloc(max(1, flagCount * 2), MemoryLayout<UInt32>.stride)?.assumingMemoryBound(to: UInt32.self)
    table = values.map { FlagTable(snapshot: campaigns.snapshot, values: $0) }
    order = values.map { $0 + flagCount }
    if let values, let order { count = fill(values, order) } else { count = 0 }
  }

  deinit { free(table?.values) }

  /// The value of a flag; nil for one that no campaign gave the visitor.
  public func find(_ key: ByteView) -> FlagValue? { table?.find(FlagKey(key), isReading: false) }

  /// Whether the value of a flag, one of these, was read.
  func wasRead(_ value: FlagValue) -> Bool { table?.wasRead(value) ?? false }

  /// In the order in which campaigns gave the flags first.
  /// - Returns: nil for an index that is not below `count`.
  public func value(at index: Int) -> FlagValue? {
    guard let table, let order, index >= 0, index < count else { return nil }
    return table.value(ofOrdinal: order[index], isReading: false)
  }

  /// Keys in that order, lent as long as the flags live.
  public var keys: [ByteView] { (0..<count).compactMap { value(at: $0)?.key } }

  /// The campaigns that the flags were decided on; nil where there are none. As long as the flags live.
  public var snapshot: Snapshot? { campaigns?.snapshot }
}
