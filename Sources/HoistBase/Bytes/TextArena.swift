/// Keeps copies of texts at addresses that do not move, until it goes itself.
public struct TextArena: ~Copyable {
  private static var chunkBytes: Int { 64 << 10 }
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var used = 0

  public init() {}

  public mutating func keep(_ text: ByteView) -> ByteView {
    guard let source = text.baseAddress, text.count > 0 else { return ByteView(start: nil, count: 0) }
    if used + text.count > (chunks.last?.count ?? 0) {
      let size = max(Self.chunkBytes, text.count)
      chunks.append(UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1))
      used = 0
    }
    guard let start = chunks.last?.baseAddress else { return ByteView(start: nil, count: 0) }
    let copy = start + used
    copy.copyMemory(from: source, byteCount: text.count)
    used += text.count
    return ByteView(start: copy, count: text.count)
  }

  deinit { for chunk in chunks { chunk.deallocate() } }
}
