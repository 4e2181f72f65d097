internal import HoistCore

/// A place in a pattern.
struct RegexScanner {
  private let scalars: [Unicode.Scalar]
  private(set) var offset = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// Nil at the end.
  var current: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

  func peek(_ distance: Int = 1) -> Unicode.Scalar? {
    offset + distance < scalars.count ? scalars[offset + distance] : nil
  }

  mutating func advance() { offset = min(offset + 1, scalars.count) }

  /// Goes back to an earlier place.
  mutating func rewind(to offset: Int) { self.offset = offset }

  /// Steps over `text` if it is next.
  @discardableResult
  mutating func skip(_ text: String) -> Bool {
    var distance = 0
    for scalar in text.unicodeScalars {
      guard peek(distance) == scalar else { return false }
      distance += 1
    }
    offset += distance
    return true
  }

  mutating func skipWhitespace() {
    while let scalar = current, scalar.properties.isWhitespace { advance() }
  }

  mutating func skipWhitespaceAndComments() {
    while let scalar = current {
      if scalar == "#" {
        while let inside = current, inside != "\n" { advance() }
      } else if !scalar.properties.isWhitespace {
        return
      }
      advance()
    }
  }

  func failure(_ reason: String) -> RegexFailure { RegexFailure(reason, at: offset) }
}
