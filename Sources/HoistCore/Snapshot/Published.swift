public import CShims

/// An immutable object that many threads read and few replace.
///
/// Reading costs one load, inside a reading section (`shim_enter`); what is replaced goes once no section can hold it.
public final class Published<Object: AnyObject & Sendable>: @unchecked Sendable {
  @usableFromInline let slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>

  public init(_ object: Object?) {
    slot = .allocate(capacity: 1)
    slot.initialize(to: object.map { Unmanaged.passRetained($0).toOpaque() })
  }

  deinit {
    if let last = slot.pointee { Unmanaged<Object>.fromOpaque(last).release() }
    slot.deallocate()
  }

  /// Only inside a reading section, and valid as long as it.
  @inlinable @inline(__always)
  public var current: Unmanaged<Object>? { shim_load_pointer(slot).map { Unmanaged.fromOpaque($0) } }

  /// The object, to be kept.
  public var held: Object? {
    let reading = shim_enter()
    defer { shim_leave(reading) }
    return current?.takeUnretainedValue()
  }

  /// Two at once are the caller's to prevent, where the one depends on the other. What is replaced may wait for others that
  /// are, so that they go at one price.
  public func replace(_ object: Object) {
    guard let old = shim_exchange_pointer(slot, Unmanaged.passRetained(object).toOpaque()) else { return }
    Reclaimer.shared.retire(small: Unmanaged<Object>.fromOpaque(old).takeRetainedValue())
  }
}
