public import HoistBase
public import HoistCore

/// The value of one flag for one visitor, null included. Lent: valid as long as the `VisitorFlags` it was asked of.
public struct FlagValue: @unchecked Sendable {
  let base: UnsafeRawPointer
  let record: UnsafePointer<ValueRecord>

  @inline(__always)
  init(base: UnsafeRawPointer, record: UnsafePointer<ValueRecord>) {
    self.base = base
    self.record = record
  }

  /// What an evaluation of the core gave, also where it was of another type; nil where no campaign gave a value. As long
  /// as the snapshot.
  public init?(_ evaluation: borrowing Evaluation, in snapshot: Snapshot) {
    guard evaluation.outcome.other != 0 else { return nil }
    base = snapshot.base
    record = snapshot.base.at(Place(offset: evaluation.outcome.other))
  }

  public var kind: FlagKind { record.pointee.kind }
  public var bool: Bool? { kind == .bool ? record.pointee.integer != 0 : nil }
  public var int: Int64? { kind == .int ? record.pointee.integer : nil }
  /// An integer is no double, unless the client is told to widen integers.
  public var double: Double? {
    switch kind {
    case .double: record.pointee.number
    case .int: Snapshot(base).campaignsRoot.pointee.widensIntegers ? Double(record.pointee.integer) : nil
    default: nil
    }
  }
  /// A string's bytes, with a NUL behind them; nil for all else.
  public var text: ByteView? { kind == .string ? record.pointee.text.bytes(base) : nil }
  /// Compact JSON, with a NUL behind it.
  public var json: ByteView { record.pointee.json.bytes(base) }

  public var key: ByteView {
    let root = Snapshot(base).campaignsRoot
    let flags = base.at(root.pointee.flags)
    let flag = base.at(flags[Int(record.pointee.flag)])
    return flag.pointee.head.name.bytes(base)
  }

  var variation: UnsafePointer<VariationRecord> { base.at(record.pointee.variation) }
  private var group: UnsafePointer<GroupRecord> { base.at(variation.pointee.group) }

  public var metadata: FlagMetadata { FlagMetadata(variation, in: base) }
  /// Of the metadata only the ids of group and variation.
  @inline(__always)
  var ids: FlagMetadata { FlagMetadata(idsOf: variation, in: base) }
  public var variationID: ByteView { variation.pointee.id.bytes(base) }
  public var variationGroupID: ByteView { variation.pointee.groupID.bytes(base) }
  public var campaignID: ByteView {
    let campaign = base.at(group.pointee.campaign)
    return campaign.pointee.id.bytes(base)
  }
}

/// Why a caller gets a flag's value, or what it named as default (4.5).
public enum FlagReading: Sendable, Equatable {
  case value
  /// The value is null: the default, and the visitor counts.
  case null
  /// The value is of another type: the default, and the visitor counts.
  case otherType
  /// There is no such flag: the default, and no exposure.
  case unknown
}

extension FlagValue {
  /// - Parameter wanted: the type of the default; nil where there is none.
  @inline(__always)
  public func answer(for wanted: FlagKind?) -> FlagReading {
    guard let wanted else { return .value }
    if kind == wanted { return .value }
    if kind == .null { return .null }
    return wanted == .double && double != nil ? .value : .otherType
  }
}
