internal import HoistBase

/// What a hit says, as it is sent: borrowed from the hit, or from a copy of its fields.
public struct HitContent {
  let kind: Hit.Kind
  /// As `HitFields` has them.
  let fields: ByteView
  /// The bits of the fields that are not empty.
  let filled: UInt32
  let isNegative: Bool

  /// Bytes of the fields.
  public var size: Int { fields.count }

  /// The same, with its fields in other memory.
  /// - Parameter room: of `size` bytes.
  public func copied(to room: UnsafeMutableRawPointer) -> HitContent {
    if let source = fields.baseAddress { room.copyMemory(from: source, byteCount: fields.count) }
    return HitContent(
      kind: kind, fields: ByteView(start: room, count: fields.count), filled: filled, isNegative: isNegative)
  }
}

/// The checks of protocols/flagship.md 3.5, last paragraph.
extension HitContent {
  /// Why it would not be sent as it is; nil when it would.
  public var flaw: HitFlaw? {
    let missing = kind.required & ~filled
    if missing == 0, kind != .page, !isNegative { return nil }
    return flaw(missing: missing)
  }

  private func flaw(missing: UInt32) -> HitFlaw? {
    for field in HitField.allCases where missing & field.bit != 0 {
      return HitFlaw(message: "a hit of kind \(kind.word) needs a \(field.name) that is not empty")
    }
    if kind == .page, let location = HitValue.find(.location, in: fields), !Self.isURL(location) {
      return HitFlaw(message: "the location of a hit of kind page must be a URL with a scheme and a host")
    }
    return isNegative ? HitFlaw(message: "the value of an event must not be negative") : nil
  }

  /// A scheme, `://` and something of a host, without blanks and control characters.
  private static func isURL(_ text: ByteView) -> Bool {
    var cursor = ByteCursor(text)
    guard let first = cursor.next(), ASCII.isLetter(first) else { return false }
    cursor.take { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    guard cursor.take("://") else { return false }
    let authority = cursor.rest.prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
    let host = authority.lastIndex(of: 0x40).map { authority[(authority.index(after: $0))...] } ?? authority
    guard let start = host.first, start != 0x3A else { return false }
    return !text.contains { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5C }
  }
}
