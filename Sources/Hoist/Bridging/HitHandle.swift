internal import CShims
internal import HoistBase
internal import HoistFlagship

/// Handles of hits point at raw memory with a lock of its own. What was freed last is kept for the next hit, one for each
/// of the places where threads go first: most hosts make a hit, send it and free it.
enum HitHandle {
  private struct Cell: ~Copyable {
    let lock = BriefLock()
    var hit: Hit
  }
  private typealias CellPointer = UnsafeMutablePointer<Cell>

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
  /// - Parameter complete: before anybody else knows it.
  @inline(__always)
  static func give(_ kind: Hit.Kind, _ complete: (inout Hit) -> Void = { _ in }) -> OpaquePointer {
    let cell = memory(for: kind)
    complete(&cell.pointee.hit)
    return OpaquePointer(cell)
  }

  private static func memory(for kind: Hit.Kind) -> CellPointer {
    if let former = shim_exchange_pointer(place, nil)?.assumingMemoryBound(to: Cell.self) {
      former.pointee.hit.begin(kind)
      return former
    }
    let cell = CellPointer.allocate(capacity: 1)
    cell.initialize(to: Cell(hit: Hit(kind)))
    return cell
  }

  /// Sets a value that the kind has, of a hit that nobody else knows yet.
  @inline(__always)
  static func begin(_ handle: OpaquePointer, _ field: HitField, _ text: ByteView) {
    try? CellPointer(handle).pointee.hit.set(field, text: text)
  }

  static func take(_ handle: OpaquePointer?) {
    guard let handle else { return }
    let cell = CellPointer(handle)
    // Lost at a fork: nobody knows what it looks like.
    if cell.pointee.lock.isTaken { return }
    guard cell.pointee.hit.size <= largestKept else { return free(cell) }
    if let surplus = shim_exchange_pointer(place, UnsafeMutableRawPointer(cell)) {
      free(surplus.assumingMemoryBound(to: Cell.self))
    }
  }

  private static func free(_ cell: CellPointer) {
    cell.deinitialize(count: 1)
    cell.deallocate()
  }

  /// Runs `body` with the hit, which is nobody else's meanwhile; it is short and calls nobody.
  /// - Returns: nil for NULL, and for a hit that is lost.
  @inline(__always)
  static func withHit<Result>(_ handle: OpaquePointer?, _ body: (inout Hit) -> Result) -> Result? {
    guard let handle else { return nil }
    let cell = CellPointer(handle)
    guard cell.pointee.lock.enter() else { return nil }
    defer { cell.pointee.lock.leave() }
    return body(&cell.pointee.hit)
  }

  /// Runs `body` with a copy of what the hit says: it may wait, and call the host.
  /// - Returns: nil for NULL, and for a hit that is lost.
  @inline(__always)
  static func withCopy<Result>(_ handle: OpaquePointer?, _ body: (HitContent) -> Result) -> Result? {
    guard let handle else { return nil }
    let cell = CellPointer(handle)
    guard cell.pointee.lock.enter() else { return nil }
    let content = cell.pointee.hit.content
    return withUnsafeTemporaryAllocation(byteCount: max(1, content.size), alignment: 8) { room in
      let copy = room.baseAddress.map { content.copied(to: $0) }
      cell.pointee.lock.leave()
      return copy.map(body)
    }
  }
}
