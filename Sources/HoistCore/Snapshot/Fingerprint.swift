public import HoistBase

/// A hash over what decides a flag's value, to tell which flags a new configuration changes. What only informs
/// (descriptions, dates) is left out; what a service never sends twice in another order is hashed in its order.
@frozen
public struct Fingerprint {
  public var value: UInt64

  /// - Parameter start: the fingerprint of what comes before.
  @inlinable public init(continuing start: UInt64 = 1) { value = start }

  @inlinable @inline(__always)
  public mutating func add(_ number: some BinaryInteger) {
    value = Hash64.combine(value, UInt64(truncatingIfNeeded: number))
  }

  @inlinable public mutating func add(_ truth: Bool) { add(truth ? 1 : 2) }
  @inlinable public mutating func add(_ text: ByteView) { value = Hash64.combine(value, Hash64.hash(text)) }
  @inlinable public mutating func add(_ text: ByteView?) {
    if let text { add(text) } else { add(0) }
  }
}

extension Snapshot {
  /// Names of the flags that are new since `old`, gone, or of another fingerprint, in the order of their bytes.
  /// - Parameter fingerprint: that of a record of either snapshot.
  public func changedNames(since old: Snapshot?, fingerprint: (_ record: UnsafeRawPointer) -> UInt64) -> [String] {
    var changed: [String] = []
    let oldCount = old?.flagCount ?? 0
    var (oldIndex, newIndex) = (0, 0)
    while oldIndex < oldCount || newIndex < flagCount {
      let former = oldIndex < oldCount ? old.map { ($0, $0.record(at: oldIndex)) } : nil
      let current = newIndex < flagCount ? (self, record(at: newIndex)) : nil
      let order = Self.order(former, current)
      if order != .greater { oldIndex += 1 }
      if order != .less { newIndex += 1 }
      if order == .equal, let former, let current, fingerprint(former.1) == fingerprint(current.1) { continue }
      if let (snapshot, record) = order == .less ? former : current {
        changed.append(String(decoding: snapshot.name(of: record), as: UTF8.self))
      }
    }
    return changed
  }

  /// By name; one that is not there comes last.
  private static func order(
    _ left: (snapshot: Snapshot, record: UnsafeRawPointer)?, _ right: (snapshot: Snapshot, record: UnsafeRawPointer)?
  ) -> Ordering {
    guard let left else { return .greater }
    guard let right else { return .less }
    return left.snapshot.name(of: left.record).order(against: right.snapshot.name(of: right.record))
  }
}
