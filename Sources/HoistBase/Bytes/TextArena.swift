/// Keeps copies of texts at addresses that do not move, until it goes itself.
public struct TextArena: ~Copyable {
  private var arena = PlainArena()

  public init() {}

  public mutating func keep(_ text: ByteView) -> ByteView {
    guard let source = text.baseAddress, let copy = arena.room(bytes: text.count, alignment: 1) else { return .noBytes }
    copy.copyMemory(from: source, byteCount: text.count)
    return ByteView(start: copy, count: text.count)
  }
}
