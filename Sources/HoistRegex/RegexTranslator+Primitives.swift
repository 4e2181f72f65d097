internal import HoistCore

/// Items that match one code point or one position: literals, dots, anchors, escapes.
extension RegexTranslator {
  /// An escape or a literal, before it is known whether it is in a class.
  enum Primitive {
    case literal(UInt32)
    case characterClass(CharacterClass, cost: Int)
    case assertion(RegexFragment)
  }

  mutating func readPrimitive() throws(RegexFailure) -> RegexFragment {
    switch scanner.current {
    case ".":
      scanner.advance()
      return try dot()
    case "^":
      scanner.advance()
      return lineStart
    case "$":
      scanner.advance()
      return lineEnd
    case "\\":
      switch try readEscape() {
      case .assertion(let fragment): return fragment
      case .characterClass(let characters, let cost):
        return .characterClass(characters, cost: cost)
      case .literal(let scalar): return literal(scalar)
      }
    default:
      let scalar = scanner.current?.value ?? 0
      scanner.advance()
      return literal(scalar)
    }
  }

  private func literal(_ scalar: UInt32) -> RegexFragment {
    var characters = CharacterClass([scalar...scalar])
    if flags.ignoresCase {
      characters.ranges =
        flags.isUnicode
        ? CaseFolding.closure(of: characters.ranges) : CaseFolding.asciiClosure(of: characters.ranges)
    }
    return .characterClass(characters, cost: characters.cost)
  }

  private func dot() throws(RegexFailure) -> RegexFragment {
    guard flags.isUnicode else { throw scanner.failure("'.' is not text without flag u") }
    let text =
      flags.dotMatchesNewline
      ? RegexText.ascii(".") : RegexText.ascii(flags.hasCRLFLines ? "[^\\x{a}\\x{d}]" : "\\N")
    return RegexFragment(text: text, isSingleItem: true, isZeroWidth: false, cost: 1000)
  }

  private var lineStart: RegexFragment {
    if !flags.isMultiLine { return .assertion("\\A") }
    return .assertion(flags.hasCRLFLines ? "(?:\\A|(?<=\\x{a})|(?<=\\x{d})(?!\\x{a}))" : "^")
  }

  private var lineEnd: RegexFragment {
    if !flags.isMultiLine { return .assertion("\\z") }
    return .assertion(flags.hasCRLFLines ? "(?:\\z|(?=\\x{d})|(?<!\\x{d})(?=\\x{a}))" : "$")
  }
}

extension RegexTranslator {
  mutating func readEscape() throws(RegexFailure) -> Primitive {
    scanner.advance()
    guard let letter = scanner.current else { throw scanner.failure("a '\\' at the end") }
    switch letter {
    case "x": return try readHexadecimal(digits: 2)
    case "u": return try readHexadecimal(digits: 4)
    case "U": return try readHexadecimal(digits: 8)
    case "p", "P": return try readProperty(isNegated: letter == "P")
    case "d", "D", "s", "S", "w", "W":
      scanner.advance()
      return try perlClass(letter)
    default: break
    }
    scanner.advance()
    if let scalar = Self.escapedLiteral(letter) { return .literal(scalar) }
    guard let assertion = try escapedAssertion(letter) else {
      throw scanner.failure(letter >= "0" && letter <= "9" ? "back-references are not supported" : "unknown escape")
    }
    return .assertion(assertion)
  }

  private static func escapedLiteral(_ letter: Unicode.Scalar) -> UInt32? {
    switch letter {
    case "a": 0x07
    case "f": 0x0C
    case "t": 0x09
    case "n": 0x0A
    case "r": 0x0D
    case "v": 0x0B
    case "0"..."9", "A"..."Z", "a"..."z", "<", ">": nil
    default: letter.isASCII ? letter.value : nil
    }
  }

  private mutating func escapedAssertion(_ letter: Unicode.Scalar) throws(RegexFailure) -> RegexFragment? {
    switch letter {
    case "A": .assertion("\\A")
    case "z": .assertion("\\z")
    case "B": wordBoundary(.not)
    case "<": wordBoundary(.start)
    case ">": wordBoundary(.end)
    case "b": wordBoundary(try readBoundaryName() ?? .any)
    default: nil
    }
  }

  private enum WordBoundary { case any, not, start, end, startHalf, endHalf }

  /// Reads `{start}` and its like after `\b`. Nil, and nothing read, where it is a counted repetition.
  private mutating func readBoundaryName() throws(RegexFailure) -> WordBoundary? {
    let brace = scanner.offset
    guard scanner.skip("{") else { return nil }
    skipSpace()
    guard scanner.current != nil else { throw scanner.failure("a word boundary is not complete") }
    var name = ""
    while let scalar = scanner.current, scalar == "-" || (scalar.isASCII && scalar.properties.isAlphabetic) {
      name.unicodeScalars.append(scalar)
      scanner.advance()
      skipSpace()
    }
    if name.isEmpty {
      scanner.rewind(to: brace)
      return nil
    }
    guard scanner.skip("}") else { throw scanner.failure("a word boundary is not closed") }
    switch name {
    case "start": return .start
    case "end": return .end
    case "start-half": return .startHalf
    case "end-half": return .endHalf
    default: throw scanner.failure("unknown kind of word boundary")
    }
  }

  private func wordBoundary(_ kind: WordBoundary) -> RegexFragment {
    let word = (flags.isUnicode ? CharacterClass.word : .asciiWord).text
    let after = RegexText.ascii("(?=") + word + RegexText.ascii(")")
    let notAfter = RegexText.ascii("(?!") + word + RegexText.ascii(")")
    let before = RegexText.ascii("(?<=") + word + RegexText.ascii(")")
    let notBefore = RegexText.ascii("(?<!") + word + RegexText.ascii(")")
    switch kind {
    case .start: return .assertion(notBefore + after)
    case .end: return .assertion(before + notAfter)
    case .startHalf: return .assertion(notBefore)
    case .endHalf: return .assertion(notAfter)
    case .any: return .assertion(Self.condition(after, then: notBefore, else: before))
    case .not: return .assertion(Self.condition(after, then: before, else: notBefore))
    }
  }

  private static func condition(_ test: [UInt8], then: [UInt8], else other: [UInt8]) -> [UInt8] {
    RegexText.ascii("(?") + test + then + RegexText.ascii("|") + other + RegexText.ascii(")")
  }

  /// Reads what follows `\x`, `\u` or `\U`: that many digits, or any number between braces.
  private mutating func readHexadecimal(digits count: Int) throws(RegexFailure) -> Primitive {
    scanner.advance()
    skipSpace()
    var digits = ""
    let hasBraces = scanner.skip("{")
    if hasBraces { skipSpace() }
    while let scalar = scanner.current, hasBraces ? scalar != "}" : digits.utf8.count < count {
      guard scalar.isASCII, scalar.properties.isASCIIHexDigit else { throw scanner.failure("not a hexadecimal digit") }
      digits.unicodeScalars.append(scalar)
      scanner.advance()
      skipSpace()
    }
    if hasBraces {
      guard scanner.skip("}") else { throw scanner.failure("a hexadecimal escape is not closed") }
      skipSpace()
    } else if digits.utf8.count < count {
      throw scanner.failure("a hexadecimal escape is not complete")
    }
    guard let value = UInt32(digits, radix: 16), Unicode.Scalar(value) != nil else {
      throw scanner.failure("not the number of a character")
    }
    // `\xE9` is then a byte, half a code point.
    guard flags.isUnicode || hasBraces || count > 2 || value < 0x80 else {
      throw scanner.failure("a byte beyond ASCII is no text")
    }
    return .literal(value)
  }

  private mutating func perlClass(_ letter: Unicode.Scalar) throws(RegexFailure) -> Primitive {
    let (characters, cost): (CharacterClass, Int) =
      switch (letter, flags.isUnicode) {
      case ("d", true), ("D", true): (.digit, 5000)
      case ("s", true), ("S", true): (.space, 700)
      case (_, true): (.word, 50_000)
      case ("d", false), ("D", false): (.asciiDigit, 72)
      case ("s", false), ("S", false): (.asciiSpace, 80)
      case (_, false): (.asciiWord, 96)
      }
    guard letter == "D" || letter == "S" || letter == "W" else { return .characterClass(characters, cost: cost) }
    return .characterClass(try negated(characters), cost: cost)
  }

  /// Reads what follows `\p` or `\P`: a letter, or a name between braces.
  private mutating func readProperty(isNegated: Bool) throws(RegexFailure) -> Primitive {
    scanner.advance()
    skipSpace()
    guard let first = scanner.current, first != "\\" else { throw scanner.failure("a property has no name") }
    var isNegated = isNegated
    var query = UnicodeProperty.Query.oneLetter(String(first))
    scanner.advance()
    skipSpace()
    if first == "{" {
      var name = String.UnicodeScalarView()
      while let scalar = scanner.current, scalar != "}" {
        name.append(scalar)
        scanner.advance()
        skipSpace()
      }
      guard scanner.skip("}") else { throw scanner.failure("a property's name is not closed") }
      let split = Self.splitProperty(String(name))
      query = split.query
      isNegated = isNegated != split.isNegated
    }
    guard flags.isUnicode else { throw scanner.failure("properties need flag u") }
    guard var characters = UnicodeProperty.characterClass(query) else { throw scanner.failure("unknown property") }
    if flags.ignoresCase { characters = try characters.closedUnderCaseFolding() }
    if isNegated { characters = characters.negated }
    return .characterClass(characters, cost: 20_000)
  }

  private static func splitProperty(_ name: String) -> (query: UnicodeProperty.Query, isNegated: Bool) {
    for separator in ["!=", ":", "="] {
      for index in name.utf8.indices where name.utf8[index...].starts(with: separator.utf8) {
        let query = UnicodeProperty.Query.valued(
          property: String(name[..<index]), value: String(name[index...].utf8.dropFirst(separator.utf8.count)) ?? "")
        return (query, separator == "!=")
      }
    }
    return (.named(name), false)
  }
}

extension CharacterClass {
  /// Estimated bytes of a class of ranges in the dialect's own compiled form.
  var cost: Int {
    ranges.ranges.reduce(24) { $0 + ($1.upperBound < 0x80 ? 8 : 96) }
  }
}
