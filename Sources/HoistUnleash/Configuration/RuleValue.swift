internal import HoistBase

/// The limit of a comparing constraint. Its kind follows from the text alone, tried as a date, a version and a
/// number in this order, whatever the operator's name says (protocols/unleash.md C.4).
enum RuleValue {
  case date(Moment)
  case version(SemanticVersion, text: ByteView)
  case number(Double)

  /// - Returns: nil for a text that is none of them; blanks and tabs around it are allowed.
  init?(_ text: ByteView) {
    let text = ASCII.trimmed(text)
    if Self.hasShapeOfDate(text), let moment = LenientDate.parse(text) {
      self = .date(moment)
    } else if let version = SemanticVersion(text) {
      self = .version(version, text: text)
    } else if let number = DecimalParser.parse(text, [.plusSign, .leadingZeros, .bareWhole]) {
      self = .number(number)
    } else {
      return nil
    }
  }

  /// `YYYY-MM-DDTHH:MM:SS`, three digits of a fraction or none, `Z` or `±HH:MM`.
  private static func hasShapeOfDate(_ text: ByteView) -> Bool {
    var cursor = ByteCursor(text)
    guard cursor.take(shape: "0000-00-00T00:00:00") else { return false }
    if cursor.take(0x2E), !cursor.take(shape: "000") { return false }
    if cursor.take(0x5A) { return cursor.isAtEnd }
    return (cursor.take(0x2B) || cursor.take(0x2D)) && cursor.take(shape: "00:00") && cursor.isAtEnd
  }
}

extension ByteCursor {
  /// Takes as many bytes as `shape` has: digits where it has `0`, else the very bytes.
  fileprivate mutating func take(shape: StaticString) -> Bool {
    shape.withBytes { shape in
      for wanted in shape {
        guard let byte = next(), wanted == 0x30 ? ASCII.isDigit(byte) : byte == wanted else { return false }
      }
      return true
    }
  }
}

/// The comma-separated lists of old strategies' parameters.
enum ParameterList {
  /// The parts without white space at their ends; one empty part for the empty text.
  static func parts(_ text: ByteView) -> [ByteView] {
    var parts: [ByteView] = []
    var start = 0
    for index in 0...text.count where index == text.count || text[index] == 0x2C {
      parts.append(trimmed(text.view(from: start, to: index)))
      start = index + 1
    }
    return parts
  }

  /// Without Unicode white space.
  private static func trimmed(_ text: ByteView) -> ByteView {
    let scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
    guard let first = scalars.first, let last = scalars.last,
      first.properties.isWhitespace || last.properties.isWhitespace
    else { return text }
    let leading = scalars.prefix { $0.properties.isWhitespace }
    if leading.count == scalars.count { return text.view(from: 0, to: 0) }
    let trailing = scalars.reversed().prefix { $0.properties.isWhitespace }
    func bytes(_ scalars: some Sequence<Unicode.Scalar>) -> Int { scalars.reduce(0) { $0 + UTF8.width($1) } }
    return text.view(from: bytes(leading), to: text.count - bytes(trailing))
  }
}
