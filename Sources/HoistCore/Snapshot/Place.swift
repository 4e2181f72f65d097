/// Where a record, or the first of several, lies in a snapshot: an offset from its base that knows what it leads to.
@frozen
public struct Place<Record: BitwiseCopyable>: BitwiseCopyable, Hashable, Sendable {
  public var offset: UInt32

  @inlinable @inline(__always)
  public init(offset: UInt32) { self.offset = offset }

  @inlinable public static var none: Place { Place(offset: 0) }
  @inlinable public var isNone: Bool { offset == 0 }

  /// Of several records one after the other, of which this is the first.
  @inlinable @inline(__always)
  public func at(_ index: Int) -> Place {
    Place(offset: offset &+ UInt32(truncatingIfNeeded: index &* MemoryLayout<Record>.stride))
  }

  /// Debug builds stop where it does not lie in the snapshot; that of an empty list is not looked at.
  @usableFromInline
  func check(in base: UnsafeRawPointer) {
    if isNone { return }
    let end = UInt64(offset) + UInt64(MemoryLayout<Record>.size)
    assert(offset >= UInt32(MemoryLayout<SnapshotHead>.size), "\(Record.self) in the head of a snapshot")
    assert(end <= Snapshot(base).head.pointee.byteCount, "\(Record.self) beyond the end of a snapshot")
    assert(Int(offset) % MemoryLayout<Record>.alignment == 0, "\(Record.self) at an offset of something else")
  }
}

extension UnsafeRawPointer {
  /// What lies there, in the snapshot with this base.
  @inlinable @inline(__always)
  public func at<Record>(_ place: Place<Record>) -> UnsafePointer<Record> {
    #if DEBUG
      place.check(in: self)
    #endif
    return (self + Int(place.offset)).assumingMemoryBound(to: Record.self)
  }
}

extension Snapshot {
  /// The provider's own data about the whole snapshot, as it was given to `SnapshotBuilder.finish`.
  @inlinable @inline(__always)
  public func root<Root: BitwiseCopyable>(as type: Root.Type = Root.self) -> UnsafePointer<Root> {
    base.at(Place<Root>(offset: head.pointee.rootOffset))
  }
}
