internal import HoistBase

/// Handles that a plug-in may use twice or too late: numbers in a table, not addresses. One that is not known any more
/// is ignored.
final class HandleTable<Object: AnyObject & Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var live: [UInt: Object] = [:]
  private var last: UInt = 0

  func give(_ object: Object) -> OpaquePointer? {
    lock.withLock {
      last &+= 1
      live[last] = object
      return OpaquePointer(bitPattern: last)
    }
  }

  func borrow(_ handle: OpaquePointer?) -> Object? { lock.withLock { live[UInt(bitPattern: handle)] } }

  /// Ends the handle; nil when it had ended before.
  @discardableResult
  func take(_ handle: OpaquePointer?) -> Object? { lock.withLock { live.removeValue(forKey: UInt(bitPattern: handle)) } }
}
