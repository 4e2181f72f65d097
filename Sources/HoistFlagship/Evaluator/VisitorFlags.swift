internal import CShims
internal import Glibc
public import HoistBase
public import HoistCore

/// Keeps campaigns alive for the flags that were decided on them.
final class HeldCampaigns: @unchecked Sendable {
  let snapshot: Snapshot
  private let isOwned: Bool

  /// Campaigns that the client serves: only inside a reading section, or while they are pinned.
  init(pinning snapshot: Snapshot) {
    snapshot.pin()
    self.snapshot = snapshot
    isOwned = false
  }

  /// Campaigns of one visitor, which nobody else has: freed with this object.
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
  private let campaigns: HeldCampaigns?
  /// Offsets of `ValueRecord`s by the ordinals of flags, 0 for none; behind them the ordinals of those that have one, in
  /// the order in which campaigns gave them first.
  private let values: UnsafeMutablePointer<UInt32>?
  private let order: UnsafeMutablePointer<UInt32>?
  /// Bits by the ordinals of flags: whose value was read. Atomic.
  private let reads: UnsafeMutablePointer<UInt32>?
  public let count: Int

  private init(isPanic: Bool) {
    self.isPanic = isPanic
    campaigns = nil
    values = nil
    order = nil
    reads = nil
    count = 0
  }

  /// - Parameter fill: sets values by ordinal, and their order; returns how many there are.
  init(
    _ campaigns: HeldCampaigns,
    _ fill: (_ values: UnsafeMutablePointer<UInt32>, _ order: UnsafeMutablePointer<UInt32>) -> Int
  ) {
    let flagCount = Int(campaigns.snapshot.campaignsRoot.pointee.flagCount)
    isPanic = false
    self.campaigns = campaigns
    let size = flagCount * 2 + flagCount / 32 + 1
    values = calloc(size, MemoryLayout<UInt32>.stride)?.assumingMemoryBound(to: UInt32.self)
    order = values.map { $0 + flagCount }
    reads = values.map { $0 + flagCount * 2 }
    if let values, let order { count = fill(values, order) } else { count = 0 }
  }

  deinit { free(values) }

  /// The value of a flag; nil for one that no campaign gave the visitor.
  @inline(__always)
  public func find(_ key: ByteView) -> FlagValue? { find(key, hash: Hash64.hash(key)) }

  @inline(__always)
  public func find(_ key: ByteView, hash: UInt64) -> FlagValue? {
    guard let values, let snapshot = campaigns?.snapshot, let flag = snapshot.campaignFlag(key, hash: hash) else {
      return nil
    }
    let value = values[Int(flag.pointee.ordinal)]
    return value == 0 ? nil : FlagValue(base: snapshot.base, record: snapshot.base.at(value))
  }

  /// The value of a flag, one of these, was read.
  @inline(__always)
  func noteReading(of value: FlagValue) {
    guard let reads, !wasRead(value) else { return }
    shim_or_u32(reads + Int(value.record.pointee.flag / 32), 1 << (value.record.pointee.flag % 32))
  }

  @inline(__always)
  func wasRead(_ value: FlagValue) -> Bool {
    let flag = value.record.pointee.flag
    return reads.map { shim_load_u32($0 + Int(flag / 32)) & 1 << (flag % 32) != 0 } ?? false
  }

  /// In the order in which campaigns gave the flags first.
  /// - Returns: nil for an index that is not below `count`.
  public func value(at index: Int) -> FlagValue? {
    guard let values, let order, let base = campaigns?.snapshot.base, index >= 0, index < count else { return nil }
    return FlagValue(base: base, record: base.at(values[Int(order[index])]))
  }

  /// Keys in that order, lent as long as the flags live.
  public var keys: [ByteView] { (0..<count).compactMap { value(at: $0)?.key } }

  /// The campaigns that the flags were decided on; nil where there are none. As long as the flags live.
  public var snapshot: Snapshot? { campaigns?.snapshot }
}
