internal import HoistBase

/// What a hit says, as it is sent: borrowed from the hit, or from a copy of its fields.
public struct HitContent {
  let kind: Hit.Kind
  /// As `HitFields` has them.
  let fields: ByteView
  /// The bits of the fields that are not empty.
  let filled: UInt32
  /// The bits of those that no hit may have.
  let unsound: UInt32

  /// Bytes of the fields.
  public var size: Int { fields.count }

  /// The same, with its fields in other memory.
  /// - Parameter room: of `size` bytes.
  public func copied(to room: UnsafeMutableRawPointer) -> HitContent {
    if let source = fields.baseAddress { room.copyMemory(from: source, byteCount: fields.count) }
    return HitContent(
      kind: kind, fields: ByteView(start: room, count: fields.count), filled: filled, unsound: unsound)
  }
}

/// The checks of protocols/flagship.md 3.5, last paragraph.
extension HitContent {
  /// Why it would not be sent as it is; nil when it would.
  public var flaw: HitFlaw? {
    let missing = kind.required & ~filled
    if missing == 0, kind != .page, unsound == 0 { return nil }
    return flaw(missing: missing)
  }

  private func flaw(missing: UInt32) -> HitFlaw? {
    for field in HitField.allCases where missing & field.bit != 0 {
      return HitFlaw(message: "a hit of kind \(kind.word) needs a \(field.name) that is not empty")
    }
    if kind == .page, let location = HitValue.find(.location, in: fields), !Self.isURL(location) {
      return HitFlaw(message: "the location of a hit of kind page must be a URL with a scheme and a host, or of a file")
    }
    guard let field = HitField.allCases.first(where: { unsound & $0.bit != 0 }) else { return nil }
    let rule: StaticString = field.counts ? "must not be negative" : "must be three capital letters of ISO 4217, as \"EUR\""
    return HitFlaw(message: "the \(field.name) of a hit of kind \(kind.word) \(rule)")
  }

  /// A scheme, `://` and something of a host, which a file may lack; without blanks and control characters.
  private static func isURL(_ text: ByteView) -> Bool {
    var cursor = ByteCursor(text)
    guard let first = cursor.next(), ASCII.isLetter(first) else { return false }
    cursor.take { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    let isFile = text.prefix { $0 != 0x3A }.elementsEqual("file".utf8) { ASCII.lowercased($0) == $1 }
    guard cursor.take("://") else { return false }
    let authority = cursor.rest.prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
    let host = authority.lastIndex(of: 0x40).map { authority[(authority.index(after: $0))...] } ?? authority
    guard host.first.map({ $0 != 0x3A }) ?? (isFile && cursor.rest.first == 0x2F) else { return false }
    return !text.contains { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5C }
  }
}
