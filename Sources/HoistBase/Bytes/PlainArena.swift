/// Lists of plain values at addresses that do not move, until it goes itself.
public struct PlainArena: ~Copyable {
  private static var chunkBytes: Int { 64 << 10 }
  private static var alignment: Int { 16 }
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var used = 0

  public init() {}

  deinit { for chunk in chunks { chunk.deallocate() } }

  /// Room for a list, not initialised.
  public mutating func room<Value: BitwiseCopyable>(for count: Int, of type: Value.Type) -> UnsafeMutableBufferPointer<Value> {
    let (bytes, overflows) = MemoryLayout<Value>.stride.multipliedReportingOverflow(by: max(count, 0))
    guard bytes > 0, !overflows, bytes <= Int.max / 2, MemoryLayout<Value>.alignment <= Self.alignment else {
      return UnsafeMutableBufferPointer(start: nil, count: 0)
    }
    var start = (used + Self.alignment - 1) & ~(Self.alignment - 1)
    if start + bytes > (chunks.last?.count ?? 0) {
      chunks.append(.allocate(byteCount: max(Self.chunkBytes, bytes), alignment: Self.alignment))
      start = 0
    }
    used = start + bytes
    guard let chunk = chunks.last?.baseAddress else { return UnsafeMutableBufferPointer(start: nil, count: 0) }
    return UnsafeMutableBufferPointer(start: (chunk + start).bindMemory(to: Value.self, capacity: count), count: count)
  }
}
