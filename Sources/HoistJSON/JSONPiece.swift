public import HoistBase

/// A value in a text that is JSON, found by passing over what stands before it: no tree, and no memory but for strings
/// with escapes. For code that must not allocate; documents are read by `JSONReader`.
///
/// Borrowed from the text. Of a text that is no JSON nothing outside is read, and what is found there is of no use.
public struct JSONPiece {
  /// The value's own text.
  public let text: ByteView

  /// The first value of a text.
  public init(_ text: ByteView) { self.init(text, from: 0) }

  fileprivate init(_ text: ByteView, from place: Int) {
    let start = Self.skipSpace(place, text)
    self.text = text.view(from: start, to: Self.end(of: start, text))
  }

  public var kind: JSONKind {
    switch text.first ?? 0 {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .double
    default: .null
    }
  }

  /// Nil for anything but a number.
  public var number: Double? {
    kind == .double
      ? DecimalParser.parse(text, []).map { min(max($0, -Double.greatestFiniteMagnitude), .greatestFiniteMagnitude) } : nil
  }

  public var isTrue: Bool { text.first == UInt8(ascii: "t") }

  /// A string's bytes: in the text itself, or, decoded, in the arena. Nil for anything else.
  public func string(_ arena: inout TextArena) -> ByteView? {
    guard kind == .string else { return nil }
    if !text.contains(UInt8(ascii: "\\")) { return text.view(from: 1, to: text.count &- 1) }
    guard var scanner = try? JSONScanner(text, .standard), let decoded = try? scanner.readString() else { return nil }
    return arena.keep(ByteView(decoded))
  }

  /// A member of an object; of members of one name the last.
  public func member(_ name: ByteView, _ arena: inout TextArena) -> JSONPiece? {
    var found: JSONPiece?
    for member in members where member.name.string(&arena)?.hasSameBytes(as: name) ?? false { found = member.value }
    return found
  }

  /// The members of an object; of anything else none.
  public var members: Members { Members(rest: Elements(kind == .object ? text : .noBytes)) }
  /// The elements of an array; of anything else none.
  public var elements: Elements { Elements(kind == .array ? text : .noBytes) }

  public struct Elements: Sequence, IteratorProtocol {
    private let text: ByteView
    private var at = 1

    fileprivate init(_ text: ByteView) { self.text = text }

    public mutating func next() -> JSONPiece? { next(after: UInt8(ascii: ",")) }

    /// - Parameter mark: may stand before it, and is passed over.
    fileprivate mutating func next(after mark: UInt8) -> JSONPiece? {
      at = JSONPiece.skipSpace(at, text)
      if at < text.count, text[at] == mark { at &+= 1 }
      let piece = JSONPiece(text, from: at)
      guard let start = piece.text.baseAddress, let first = text.baseAddress, piece.text.count > 0 else { return nil }
      at = start - first + piece.text.count
      return piece
    }
  }

  public struct Members: Sequence, IteratorProtocol {
    fileprivate var rest: Elements

    public mutating func next() -> (name: JSONPiece, value: JSONPiece)? {
      guard let name = rest.next(), let value = rest.next(after: UInt8(ascii: ":")) else { return nil }
      return (name, value)
    }
  }

  private static func skipSpace(_ place: Int, _ text: ByteView) -> Int {
    var at = place
    while at < text.count, isSpace(text[at]) { at &+= 1 }
    return at
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  /// Where a value ends that begins at `place`; there, when none does.
  private static func end(of place: Int, _ text: ByteView) -> Int {
    var (at, depth) = (place, 0)
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: "\""):
        at = endOfString(at, text)
        if depth == 0 { return at }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth <= 1 { return at &+ depth }
        depth &-= 1
      case let byte where depth == 0 && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") || isSpace(byte)): return at
      default: break
      }
      at &+= 1
    }
    return at
  }

  private static func endOfString(_ quote: Int, _ text: ByteView) -> Int {
    var at = quote &+ 1
    while at < text.count, text[at] != UInt8(ascii: "\"") { at &+= text[at] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(at &+ 1, text.count)
  }
}
