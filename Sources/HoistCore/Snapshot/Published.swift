internal import CShims
public import Synchronization

/// An immutable object that many threads read and few replace.
///
/// Reading costs one load, inside a reading section (`shim_enter`); a replaced object is freed once no section can hold
/// it. The slot is inline in its owner: no further indirection for a reader.
public struct Published<Object: AnyObject & Sendable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let slot: Atomic<UnsafeMutableRawPointer?>

  public init(_ object: Object?) {
    slot = Atomic(object.map { Unmanaged.passRetained($0).toOpaque() })
  }

  deinit {
    if let last = slot.load(ordering: .acquiring) { Unmanaged<Object>.fromOpaque(last).release() }
  }

  /// Only inside a reading section, and valid as long as it.
  @inlinable @inline(__always)
  public var current: Unmanaged<Object>? { slot.load(ordering: .acquiring).map { Unmanaged.fromOpaque($0) } }

  /// An owned reference to the object.
  public var held: Object? {
    let reading = shim_enter()
    defer { shim_leave(reading) }
    return current?.takeUnretainedValue()
  }

  /// Two at once are the caller's to prevent, where the one depends on the other. What is replaced may wait for others that
  /// are, so that they go at one price.
  public func replace(_ object: Object) {
    let new = Unmanaged.passRetained(object).toOpaque()
    guard let old = slot.exchange(new, ordering: .acquiringAndReleasing) else { return }
    Reclaimer.shared.retire(small: Unmanaged<Object>.fromOpaque(old).takeRetainedValue())
  }
}
