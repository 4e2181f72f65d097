internal import Glibc
internal import HoistBase

/// What a `hoist_text` points at. Plain memory: making, reading and freeing a text is a hot path.
struct TextBlock {
  /// With a NUL behind them.
  let start: UnsafePointer<CChar>
  let count: Int
  /// Keeps the bytes; nil where they follow this object.
  let lender: Unmanaged<AnyObject>?
}

/// Texts that belong to the host until it frees them.
enum TextHandle {
  /// Up to this many bytes are copied rather than lent: that is cheaper, and keeps no owner alive.
  private static let longestCopy = 256

  /// A copy.
  static func give(_ source: some ByteSource) -> OpaquePointer { source.withBytes { copy($0) } }

  /// A copy, or a copy of what stands for nothing.
  static func give(_ text: [UInt8]?, orElse nothing: StaticString) -> OpaquePointer {
    text.map { give($0) } ?? give(nothing)
  }

  /// A text in the memory of another object, which this one keeps alive.
  /// - Parameter bytes: with a NUL behind them, or none.
  static func give(_ bytes: ByteView, lentBy lender: AnyObject) -> OpaquePointer {
    guard bytes.count > longestCopy, let start = bytes.baseAddress else { return copy(bytes) }
    let block = allocate(0)
    let text = start.assumingMemoryBound(to: CChar.self)
    block.initialize(to: TextBlock(start: text, count: bytes.count, lender: Unmanaged.passRetained(lender)))
    return OpaquePointer(block)
  }

  /// nil for NULL. The block is valid until the handle is taken.
  @inline(__always)
  static func borrow(_ handle: OpaquePointer?) -> UnsafePointer<TextBlock>? { handle.map { UnsafePointer($0) } }

  /// Ends the handle.
  static func take(_ handle: OpaquePointer?) {
    guard let block = borrow(handle) else { return }
    block.pointee.lender?.release()
    free(UnsafeMutableRawPointer(mutating: block))
  }

  @inline(never)
  private static func copy(_ bytes: ByteView) -> OpaquePointer {
    let block = allocate(bytes.count + 1)
    let text = UnsafeMutableRawPointer(block + 1)
    if let start = bytes.baseAddress { text.copyMemory(from: start, byteCount: bytes.count) }
    text.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    block.initialize(
      to: TextBlock(start: UnsafePointer(text.assumingMemoryBound(to: CChar.self)), count: bytes.count, lender: nil))
    return OpaquePointer(block)
  }

  private static func allocate(_ room: Int) -> UnsafeMutablePointer<TextBlock> {
    let size = MemoryLayout<TextBlock>.size + room
    // `allocate` would take the slower way of an alignment of its own.
    let memory = malloc(size) ?? .allocate(byteCount: size, alignment: MemoryLayout<TextBlock>.alignment)
    return memory.bindMemory(to: TextBlock.self, capacity: 1)
  }
}

extension ServiceFace {
  /// A text that a client of the service has. nil for NULL alone.
  /// - Parameter nothing: where there is none, also for a client of another service.
  static func text(
    of client: OpaquePointer?, orElse nothing: StaticString = "", _ member: (Self) -> [UInt8]?
  ) -> OpaquePointer? {
    ClientHandle.borrow(client).map { TextHandle.give(Self($0).flatMap(member), orElse: nothing) }
  }
}
