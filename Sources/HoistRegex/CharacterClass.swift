/// A set of code points, and its form for PCRE2.
///
/// Plain ranges are kept as numbers and computed with; Unicode properties, whose members only PCRE2 knows,
/// are kept as text, and set operations on them become look-arounds on the one code point.
struct CharacterClass {
  var ranges = ScalarSet()
  /// Property escapes, in the form for brackets.
  private var properties: [UInt8] = []
  /// Expressions for one code point each, that cannot be put between brackets.
  private var others: [[UInt8]] = []

  init(_ ranges: [ClosedRange<UInt32>] = []) { self.ranges = ScalarSet(ranges) }

  init(_ ranges: ScalarSet) { self.ranges = ranges }

  /// - Parameters:
  ///   - property: in PCRE2's words, as in `Lu` or `sc:greek`.
  ///   - ranges: members beside the property's.
  init(property: String, and ranges: ScalarSet = ScalarSet()) {
    self.ranges = ranges
    properties = Array("\\p{\(property)}".utf8)
  }

  private init(expression: [UInt8]) { others = [expression] }

  /// True when `ranges` says everything.
  var isPlain: Bool { properties.isEmpty && others.isEmpty }

  /// True when the text is a single item to PCRE2, which it repeats without a group.
  var isSingleItem: Bool {
    let isBracketed = !(ranges.isEmpty && properties.isEmpty)
    guard let other = others.first else { return isBracketed }
    return !isBracketed && others.count == 1 && other.starts(with: ascii("[^"))
  }

  mutating func formUnion(_ other: CharacterClass) {
    ranges = ranges.union(other.ranges)
    properties += other.properties
    others += other.others
  }

  var negated: CharacterClass {
    if isPlain { return CharacterClass(ranges.complement) }
    if others.isEmpty { return CharacterClass(expression: ascii("[^") + bracketed + ascii("]")) }
    return CharacterClass(expression: ascii("(?:(?!") + text + ascii(").)"))
  }

  func intersection(_ other: CharacterClass) -> CharacterClass {
    if isPlain, other.isPlain { return CharacterClass(ranges.intersection(other.ranges)) }
    return CharacterClass(expression: ascii("(?:(?=") + text + ascii(")") + other.text + ascii(")"))
  }

  func subtracting(_ other: CharacterClass) -> CharacterClass {
    if isPlain, other.isPlain { return CharacterClass(ranges.subtracting(other.ranges)) }
    return CharacterClass(expression: ascii("(?:(?!") + other.text + ascii(")") + text + ascii(")"))
  }

  func symmetricDifference(_ other: CharacterClass) -> CharacterClass {
    var either = subtracting(other)
    either.formUnion(other.subtracting(self))
    return either
  }

  /// An expression that matches one code point of the class.
  var text: [UInt8] {
    if others.isEmpty, properties.isEmpty, let scalar = ranges.only { return RegexText.literal(scalar) }
    var alternatives = others
    let bracketed = bracketed
    if !bracketed.isEmpty { alternatives.insert(ascii("[") + bracketed + ascii("]"), at: 0) }
    if alternatives.isEmpty { return ascii("(?!)") }
    if alternatives.count == 1 { return alternatives[0] }
    return ascii("(?:") + Array(alternatives.joined(separator: ascii("|"))) + ascii(")")
  }

  /// The text between the brackets. PCRE2 knows no surrogates, so no range ends in them.
  private var bracketed: [UInt8] {
    var text: [UInt8] = []
    for range in ranges.ranges {
      let low = ScalarSet.surrogates.contains(range.lowerBound) ? 0xE000 : range.lowerBound
      let high = ScalarSet.surrogates.contains(range.upperBound) ? 0xD7FF : range.upperBound
      guard low <= high else { continue }
      text += RegexText.literal(low)
      if high > low { text += ascii("-") + RegexText.literal(high) }
    }
    return text + properties
  }

  private func ascii(_ text: StaticString) -> [UInt8] { RegexText.ascii(text) }
}

/// Pieces of PCRE2's syntax.
enum RegexText {
  static func ascii(_ text: StaticString) -> [UInt8] {
    Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Whether a text in PCRE2's syntax, as the translator writes it, has look-arounds.
  static func looksAround(_ text: [UInt8]) -> Bool {
    text.indices.dropLast(2).contains { place in
      text[place] == UInt8(ascii: "(") && text[place + 1] == UInt8(ascii: "?")
        && [UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<")].contains(text[place + 2])
    }
  }

  /// A code point as itself, between brackets and outside.
  static func literal(_ scalar: UInt32) -> [UInt8] {
    switch scalar {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: [UInt8(truncatingIfNeeded: scalar)]
    default: Array("\\x{\(String(scalar, radix: 16))}".utf8)
    }
  }
}
