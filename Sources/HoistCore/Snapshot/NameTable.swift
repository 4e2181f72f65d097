public import CShims
public import HoistBase

/// An open-addressed table of records inside a snapshot; each record begins with the `TextReference` of its name.
@frozen
public struct NameTable: BitwiseCopyable {
  /// `mask + 1` of them.
  public var slots: Place<TableSlot>
  public var mask: UInt32

  @inlinable public init(slots: Place<TableSlot> = .none, mask: UInt32 = 0) {
    self.slots = slots
    self.mask = mask
  }

  /// - Parameter hash: that of the name by `Hash64`.
  @inlinable @inline(__always)
  public func find(_ name: ByteView, hash: UInt64, in base: UnsafeRawPointer) -> UnsafeRawPointer? {
    if slots.isNone { return nil }
    let slots = base.at(slots)
    let tag = UInt32(truncatingIfNeeded: hash &>> 32)
    var at = UInt32(truncatingIfNeeded: hash) & mask
    while true {
      let slot = slots + Int(at)
      let place = slot.record
      if place == 0 { return nil }
      if slot.pointee.tag == tag {
        let record = base.at(Place<TextReference>(offset: place))
        if record.pointee.bytes(base).hasSameBytes(as: name) { return UnsafeRawPointer(record) }
      }
      at = (at &+ 1) & mask
    }
  }

  @inlinable
  public func find(_ name: ByteView, in base: UnsafeRawPointer) -> UnsafeRawPointer? {
    find(name, hash: Hash64.hash(name), in: base)
  }
}

extension UnsafePointer<TableSlot> {
  /// Another record may take the place of one that is there.
  @inlinable @inline(__always)
  var record: UInt32 { shim_load_place(UnsafeRawPointer(self) + 4) }
}
