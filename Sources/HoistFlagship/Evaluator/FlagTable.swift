internal import CShims
internal import HoistBase
internal import HoistCore

/// Where readers look a visitor's flags up. Lent: valid as long as its `VisitorFlags`.
struct FlagTable: @unchecked Sendable {
  /// The lowest bit of a value's offset, free because offsets are aligned to `ValueRecord`: the value was read.
  private static let wasReadMark: UInt32 = 1

  let snapshot: Snapshot
  /// Offsets of `ValueRecord`s by the ordinals of flags, 0 for none. Atomic once the flags are decided.
  let values: UnsafeMutablePointer<UInt32>

  /// The value of a flag; nil for one that no campaign gave the visitor.
  /// - Parameter isReading: whether to remember that the value was read.
  @inline(__always)
  func find(_ key: FlagKey, isReading: Bool) -> FlagValue? {
    guard let flag = snapshot.campaignFlag(key.bytes, hash: key.hash) else { return nil }
    return value(ofOrdinal: flag.pointee.ordinal, isReading: isReading)
  }

  @inline(__always)
  func value(ofOrdinal ordinal: UInt32, isReading: Bool) -> FlagValue? {
    let place = values + Int(ordinal)
    let found = shim_load_u32(place)
    if found == 0 { return nil }
    if isReading, found & Self.wasReadMark == 0 { shim_or_u32(place, Self.wasReadMark) }
    return FlagValue(base: snapshot.base, record: snapshot.base.at(Place(offset: found & ~Self.wasReadMark)))
  }

  func wasRead(_ value: FlagValue) -> Bool {
    shim_load_u32(values + Int(value.record.pointee.flag)) & Self.wasReadMark != 0
  }
}
