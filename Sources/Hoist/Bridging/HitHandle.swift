internal import CShims
internal import HoistBase
internal import HoistFlagship

/// Handles of hits point at raw memory with a lock of its own. What was freed last is kept for the next hit, one for each
/// of the places where threads go first: most hosts make a hit, send it and free it.
enum HitHandle {
  private struct Cell: ~Copyable {
    let lock = shim_lock_new()
    var hit: Hit
  }

  /// More is given back to the system.
  private static let largestKept = 4_096
  private static let places = 8
  /// Each place is on a cache line of its own.
  private static let stride = 16
  nonisolated(unsafe) private static let kept: UnsafeMutablePointer<UnsafeMutableRawPointer?> = {
    let kept = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: places * stride)
    kept.initialize(repeating: nil, count: places * stride)
    return kept
  }()

  @inline(__always)
  private static var place: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    kept + Int(shim_thread_place()) % places * stride
  }

  /// A hit without values, to be given back by `take`.
  static func give(_ kind: Hit.Kind) -> OpaquePointer {
    if let former = shim_exchange_pointer(place, nil) {
      former.assumingMemoryBound(to: Cell.self).pointee.hit.begin(kind)
      return OpaquePointer(former)
    }
    let cell = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
    cell.initialize(to: Cell(hit: Hit(kind)))
    return OpaquePointer(cell)
  }

  /// Sets a value that the kind has, of a hit that nobody else knows yet.
  @inline(__always)
  static func begin(_ handle: OpaquePointer, _ field: HitField, _ text: ByteView) {
    try? UnsafeMutablePointer<Cell>(handle).pointee.hit.set(field, text: text)
  }

  static func take(_ handle: OpaquePointer?) {
    guard let handle else { return }
    guard UnsafeMutablePointer<Cell>(handle).pointee.hit.size <= largestKept else { return free(UnsafeMutableRawPointer(handle)) }
    if let surplus = shim_exchange_pointer(place, UnsafeMutableRawPointer(handle)) { free(surplus) }
  }

  private static func free(_ memory: UnsafeMutableRawPointer) {
    let cell = memory.assumingMemoryBound(to: Cell.self)
    shim_lock_free(cell.pointee.lock)
    cell.deinitialize(count: 1)
    cell.deallocate()
  }

  /// Runs `body` with the hit, which is nobody else's meanwhile; it is short and calls nobody.
  /// - Returns: nil for NULL.
  @inline(__always)
  static func withHit<Result>(_ handle: OpaquePointer?, _ body: (inout Hit) -> Result) -> Result? {
    guard let handle else { return nil }
    let cell = UnsafeMutablePointer<Cell>(handle)
    shim_lock_lock(cell.pointee.lock)
    defer { shim_lock_unlock(cell.pointee.lock) }
    return body(&cell.pointee.hit)
  }

  /// Runs `body` with a copy of what the hit says: it may wait, and call the host.
  /// - Returns: nil for NULL.
  @inline(__always)
  static func withCopy<Result>(_ handle: OpaquePointer?, _ body: (HitContent) -> Result) -> Result? {
    guard let handle else { return nil }
    let cell = UnsafeMutablePointer<Cell>(handle)
    let lock = cell.pointee.lock
    shim_lock_lock(lock)
    let content = cell.pointee.hit.content
    return withUnsafeTemporaryAllocation(byteCount: max(1, content.size), alignment: 8) { room in
      let copy = room.baseAddress.map { content.copied(to: $0) }
      shim_lock_unlock(lock)
      return copy.map(body)
    }
  }
}
