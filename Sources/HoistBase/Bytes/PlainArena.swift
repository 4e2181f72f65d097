/// Lists of plain values at addresses that do not move, until it goes itself.
public struct PlainArena: ~Copyable {
  private static var chunkBytes: Int { 64 << 10 }
  /// Nil before there are any: an arena that is not used costs nothing.
  private var chunks: [UnsafeMutableRawBufferPointer]?
  private var used = 0

  public init() {}

  deinit {
    guard let chunks else { return }
    for chunk in chunks { chunk.deallocate() }
  }

  /// Room for a list, not initialised.
  public mutating func room<Value: BitwiseCopyable>(for count: Int, of type: Value.Type) -> UnsafeMutableBufferPointer<Value> {
    let (bytes, overflows) = MemoryLayout<Value>.stride.multipliedReportingOverflow(by: max(count, 0))
    guard !overflows, let start = room(bytes: bytes, alignment: MemoryLayout<Value>.alignment) else {
      return UnsafeMutableBufferPointer(start: nil, count: 0)
    }
    return UnsafeMutableBufferPointer(start: start.bindMemory(to: Value.self, capacity: count), count: count)
  }

  /// - Parameter alignment: 16 at most.
  /// - Returns: nil for no bytes, and for more than there can be.
  mutating func room(bytes: Int, alignment: Int) -> UnsafeMutableRawPointer? {
    guard bytes > 0, bytes <= Int.max / 2, alignment <= 16 else { return nil }
    var start = (used + alignment - 1) & ~(alignment - 1)
    if start + bytes > (chunks?.last?.count ?? 0) {
      if chunks == nil { chunks = [] }
      chunks?.append(.allocate(byteCount: max(Self.chunkBytes, bytes), alignment: 16))
      start = 0
    }
    used = start + bytes
    return chunks?.last?.baseAddress.map { $0 + start }
  }
}
