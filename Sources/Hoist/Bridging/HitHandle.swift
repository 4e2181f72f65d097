internal import CShims
internal import HoistBase
internal import HoistFlagship

/// Handles of hits point at raw memory with a lock of its own. The last freed one of each stripe is reused for the next
/// hit: most hosts make a hit, send it and free it.
enum HitHandle {
  /// A lock and the hit behind it, each by a pointer of its own: other threads read the lock while its owner changes
  /// the hit.
  private struct Cell {
    private static let hitOffset = 16
    let memory: UnsafeMutableRawPointer

    init(_ handle: OpaquePointer) { memory = UnsafeMutableRawPointer(handle) }
    init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }

    static func make(_ kind: Hit.Kind) -> Cell {
      let cell = Cell(.allocate(byteCount: hitOffset + MemoryLayout<Hit>.size, alignment: hitOffset))
      cell.lock.initialize(to: SpinLock())
      cell.hit.initialize(to: Hit(kind))
      return cell
    }

    func free() {
      lock.deinitialize(count: 1)
      hit.deinitialize(count: 1)
      memory.deallocate()
    }

    var lock: UnsafeMutablePointer<SpinLock> { memory.assumingMemoryBound(to: SpinLock.self) }
    var hit: UnsafeMutablePointer<Hit> { (memory + Self.hitOffset).assumingMemoryBound(to: Hit.self) }
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
  /// - Parameter complete: before it is shared.
  @inline(__always)
  static func give(_ kind: Hit.Kind, _ complete: (inout Hit) -> Void = { _ in }) -> OpaquePointer {
    let cell = cell(for: kind)
    complete(&cell.hit.pointee)
    return OpaquePointer(cell.memory)
  }

  private static func cell(for kind: Hit.Kind) -> Cell {
    guard let former = shim_exchange_pointer(place, nil) else { return .make(kind) }
    let cell = Cell(former)
    cell.hit.pointee.begin(kind)
    return cell
  }

  /// Sets a value that the kind has, of a hit that is not shared yet.
  @inline(__always)
  static func begin(_ handle: OpaquePointer, _ field: HitField, _ text: ByteView) {
    try? Cell(handle).hit.pointee.set(field, text: text)
  }

  static func take(_ handle: OpaquePointer?) {
    guard let handle else { return }
    let cell = Cell(handle)
    // Lost at a fork: its owner is gone, and its state unknown.
    if cell.lock.pointee.isTaken { return }
    guard cell.hit.pointee.size <= largestKept else { return cell.free() }
    if let surplus = shim_exchange_pointer(place, cell.memory) { Cell(surplus).free() }
  }

  /// Runs `body` with exclusive access to the hit; `body` is short and calls no host code.
  /// - Returns: nil for NULL, and for a hit that is lost.
  @inline(__always)
  static func withHit<Result>(_ handle: OpaquePointer?, _ body: (inout Hit) -> Result) -> Result? {
    guard let handle else { return nil }
    let cell = Cell(handle)
    guard cell.lock.pointee.enter() else { return nil }
    defer { cell.lock.pointee.leave() }
    return body(&cell.hit.pointee)
  }

  /// Runs `body` with a copy of what the hit says: it may wait, and call the host.
  /// - Returns: nil for NULL, and for a hit that is lost.
  @inline(__always)
  static func withCopy<Result>(_ handle: OpaquePointer?, _ body: (HitContent) -> Result) -> Result? {
    guard let handle else { return nil }
    let cell = Cell(handle)
    guard cell.lock.pointee.enter() else { return nil }
    let content = cell.hit.pointee.content
    return withUnsafeTemporaryAllocation(byteCount: max(1, content.size), alignment: 8) { room in
      let copy = room.baseAddress.map { content.copied(to: $0) }
      cell.lock.pointee.leave()
      return copy.map(body)
    }
  }
}
