public import HoistBase

/// An open-addressed table of records inside a snapshot; each record begins with the `TextReference` of its name.
@frozen
public struct NameTable: BitwiseCopyable {
  /// `mask + 1` slots; 0 for no table.
  public var offset: UInt32
  public var mask: UInt32

  @inlinable public init(offset: UInt32 = 0, mask: UInt32 = 0) {
    self.offset = offset
    self.mask = mask
  }

  /// - Parameter hash: that of the name by `Hash64`.
  @inlinable @inline(__always)
  public func find(_ name: ByteView, hash: UInt64, in base: UnsafeRawPointer) -> UnsafeRawPointer? {
    if offset == 0 { return nil }
    let slots = (base + Int(offset)).assumingMemoryBound(to: TableSlot.self)
    let tag = UInt32(truncatingIfNeeded: hash &>> 32)
    var at = UInt32(truncatingIfNeeded: hash) & mask
    while true {
      let slot = slots[Int(at)]
      if slot.record == 0 { return nil }
      if slot.tag == tag {
        let record = base + Int(slot.record)
        if record.assumingMemoryBound(to: TextReference.self).pointee.bytes(base).hasSameBytes(as: name) { return record }
      }
      at = (at &+ 1) & mask
    }
  }

  @inlinable
  public func find(_ name: ByteView, in base: UnsafeRawPointer) -> UnsafeRawPointer? {
    find(name, hash: Hash64.hash(name), in: base)
  }
}

extension UnsafeRawPointer {
  /// The plain value at an offset that the compiler of the snapshot wrote.
  @inlinable @inline(__always)
  public func at<Value: BitwiseCopyable>(_ offset: UInt32, as type: Value.Type = Value.self) -> UnsafePointer<Value> {
    (self + Int(offset)).assumingMemoryBound(to: type)
  }
}
