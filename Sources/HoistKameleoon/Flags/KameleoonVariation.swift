public import HoistBase
internal import HoistCore

/// A variation that a visitor got (KAM-38, KAM-B15): a view into the configuration that it was decided on, which stays
/// alive until `release`. One word; any thread.
public struct KameleoonVariation: @unchecked Sendable {
  let row: UnsafePointer<RowRecord>

  /// In a reading section, or while the snapshot is pinned.
  @inline(__always)
  init(_ row: Place<RowRecord>, in base: UnsafeRawPointer) { self.row = base.at(row) }

  /// - Parameter address: what `address` gave, of one that is not released.
  @inline(__always)
  public init(_ address: UnsafeRawPointer) { row = address.assumingMemoryBound(to: RowRecord.self) }

  public var address: UnsafeRawPointer { UnsafeRawPointer(row) }

  @inline(__always)
  private var base: UnsafeRawPointer { address - Int(row.pointee.place.offset) }

  @inline(__always)
  func retain() { Snapshot(base).pin() }
  /// The last use.
  @inline(__always)
  public func release() { Snapshot(base).unpin() }

  private var variation: UnsafePointer<VariationRecord>? { row.pointee.variation.isNone ? nil : base.at(row.pointee.variation) }

  /// Texts have a NUL behind them; they are no text where the flag has no variation of the key that was decided on.
  public var key: ByteView { variation?.pointee.key.bytes(base) ?? .noBytes }
  public var name: ByteView { variation?.pointee.name.bytes(base) ?? .noBytes }
  /// The key that was decided on, also where the flag has no variation of that key: `getFeatureVariationKey` (KAM-31).
  public var decidedKey: ByteView { row.pointee.key.bytes(base) }
  /// -1 for none.
  public var id: Int64 { row.pointee.variationID }
  /// -1 where no rule decided.
  public var experimentID: Int64 { row.pointee.experimentID }
  /// Whether the key is another one than `off`.
  public var isActive: Bool { row.pointee.isActive }

  /// Of variables of one key the last counts.
  public var variableCount: Int { Int(variation?.pointee.variableCount ?? 0) }

  /// nil for an index that is not below `variableCount`.
  public func variable(at index: Int) -> KameleoonVariable? {
    guard let variation, index >= 0, index < Int(variation.pointee.variableCount) else { return nil }
    let records = base.at(variation.pointee.variables)
    return KameleoonVariable(record: records + index)
  }

  public func variable(_ key: ByteView) -> KameleoonVariable? {
    guard let variation else { return nil }
    let records = base.at(variation.pointee.variables)
    for index in 0..<Int(variation.pointee.variableCount) where records[index].key.bytes(base).hasSameBytes(as: key) {
      return KameleoonVariable(record: records + index)
    }
    return nil
  }

  /// Of variables of one key the first, as `getFeatureVariable` has it (protocols/kameleoon.md 3.10).
  func firstVariable(_ key: ByteView) -> KameleoonVariable? {
    guard let found = variable(key) else { return nil }
    return found.record.pointee.first.isNone ? found : KameleoonVariable(record: base.at(found.record.pointee.first))
  }
}

/// A variable of a variation (KAM-39). Lent: as long as the variation.
public struct KameleoonVariable: @unchecked Sendable {
  let record: UnsafePointer<VariableRecord>

  @inline(__always)
  init(record: UnsafePointer<VariableRecord>) { self.record = record }

  /// - Parameter address: what `address` gave.
  @inline(__always)
  public init(_ address: UnsafeRawPointer) { record = address.assumingMemoryBound(to: VariableRecord.self) }

  public var address: UnsafeRawPointer { UnsafeRawPointer(record) }
  private var base: UnsafeRawPointer { address - Int(record.pointee.place.offset) }

  func retain() { Snapshot(base).pin() }
  /// For one that was handed out by itself.
  public func release() { Snapshot(base).unpin() }

  /// Texts have a NUL behind them.
  public var key: ByteView { record.pointee.key.bytes(base) }
  /// In the configuration's words, e.g. `NUMBER`.
  public var type: ByteView { record.pointee.type.bytes(base) }
  public var kind: KameleoonValueKind { record.pointee.kind }
  public var bool: Bool? { kind == .bool ? record.pointee.integer != 0 : nil }
  public var int: Int64? { kind == .int ? record.pointee.integer : nil }
  /// Integers too.
  public var double: Double? {
    switch kind {
    case .int: Double(record.pointee.integer)
    case .double: record.pointee.number
    default: nil
    }
  }
  public var string: ByteView? { kind == .string ? record.pointee.text.bytes(base) : nil }
  /// The value as JSON, whatever it is.
  public var json: ByteView { record.pointee.json.bytes(base) }
}
