internal import HoistCore

/// Translates a pattern of the Rust `regex` dialect (1.x, syntax of `regex-syntax` 0.8) to PCRE2's syntax.
///
/// Only whether a subject matches is asked, never where or what: so groups capture nothing and laziness is dropped.
/// Nothing of the pattern reaches PCRE2 uninterpreted, so none of PCRE2's own features can be reached through
/// it. No recursion: open groups are on a stack.
struct RegexTranslator {
  var scanner: RegexScanner
  var flags = RegexFlags()

  /// As the dialect has it: levels of syntax, and bytes of its own compiled form.
  static let greatestDepth = 250
  static let greatestCost = 10 << 20
  /// Of the translated text.
  static let greatestLength = 1 << 20

  private var names: Set<String> = []
  private var items: [RegexFragment] = []
  private var branches: [RegexFragment] = []
  private var groups: [Group] = []

  private struct Group {
    let items: [RegexFragment]
    let branches: [RegexFragment]
    let flags: RegexFlags
  }

  /// - Parameter pattern: UTF-8.
  static func translate(
    _ pattern: UnsafeBufferPointer<UInt8>, caseInsensitive: Bool
  ) throws(RegexFailure) -> [UInt8] {
    guard let text = String(validating: pattern, as: UTF8.self) else {
      throw RegexFailure("the pattern is not UTF-8")
    }
    var translator = RegexTranslator(scanner: RegexScanner(text))
    translator.flags.ignoresCase = caseInsensitive
    return try translator.translate()
  }

  private init(scanner: RegexScanner) { self.scanner = scanner }

  private mutating func translate() throws(RegexFailure) -> [UInt8] {
    while true {
      skipSpace()
      guard let scalar = scanner.current else { break }
      switch scalar {
      case "(": try openGroup()
      case ")": try closeGroup()
      case "|": try closeBranch()
      case "[": try append(readClass())
      case "?", "*", "+": try repeatLast(scalar)
      case "{": try repeatCounted()
      default: try append(readPrimitive())
      }
    }
    guard groups.isEmpty else { throw scanner.failure("a group is not closed") }
    try closeBranch(isLast: true)
    return RegexFragment.alternation(branches).text
  }

  mutating func append(_ fragment: RegexFragment) throws(RegexFailure) {
    try check(fragment)
    items.append(fragment)
  }

  private func check(_ fragment: RegexFragment) throws(RegexFailure) {
    guard fragment.depth <= Self.greatestDepth else { throw scanner.failure("nested too deep") }
    guard fragment.cost <= Self.greatestCost, fragment.text.count <= Self.greatestLength else {
      throw scanner.failure("too large when compiled")
    }
  }

  private mutating func closeBranch(isLast: Bool = false) throws(RegexFailure) {
    let branch = RegexFragment.concatenation(items)
    try check(branch)
    branches.append(branch)
    items = []
    if !isLast { scanner.advance() }
  }

  private mutating func openGroup() throws(RegexFailure) {
    guard groups.count < Self.greatestDepth else { throw scanner.failure("nested too deep") }
    scanner.advance()
    skipSpace()
    let outer = flags
    if scanner.skip("?P<") || scanner.skip("?<") {
      try readGroupName()
    } else if scanner.skip("?") {
      guard try readFlags() else { return items.append(.flags) }
    }
    groups.append(Group(items: items, branches: branches, flags: outer))
    items = []
    branches = []
  }

  private mutating func closeGroup() throws(RegexFailure) {
    guard let group = groups.popLast() else { throw scanner.failure("a ')' without its '('") }
    try closeBranch()
    let inner = RegexFragment.alternation(branches).grouped()
    items = group.items
    branches = group.branches
    flags = group.flags
    try append(inner)
  }

  /// Reads `i-s:` or `i-s)`.
  /// - Returns: whether a group follows; else the flags hold to the end of the group around them.
  private mutating func readFlags() throws(RegexFailure) -> Bool {
    var seen: Set<Unicode.Scalar> = []
    var isNegated = false
    var isDangling = false
    while let letter = scanner.current, letter != ":", letter != ")" {
      guard seen.insert(letter).inserted else { throw scanner.failure("a flag is repeated") }
      if letter == "-" {
        isNegated = true
        isDangling = true
      } else {
        guard flags.set(letter, to: !isNegated) else { throw scanner.failure("unknown flag or kind of group") }
        isDangling = false
      }
      scanner.advance()
    }
    guard let end = scanner.current, !isDangling, end == ":" || !seen.isEmpty else {
      throw scanner.failure("a group of flags is not complete")
    }
    scanner.advance()
    return end == ":"
  }

  private mutating func readGroupName() throws(RegexFailure) {
    var name = String.UnicodeScalarView()
    while let scalar = scanner.current, scalar != ">" {
      guard Self.isNameScalar(scalar, isFirst: name.isEmpty) else { throw scanner.failure("invalid group name") }
      name.append(scalar)
      scanner.advance()
    }
    guard scanner.skip(">"), !name.isEmpty else { throw scanner.failure("a group name is not complete") }
    guard names.insert(String(name)).inserted else { throw scanner.failure("a group name is repeated") }
  }

  private static func isNameScalar(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
    if scalar == "_" || scalar.properties.isAlphabetic { return true }
    if isFirst { return false }
    switch scalar.properties.generalCategory {
    case .decimalNumber, .letterNumber, .otherNumber: return true
    default: return scalar == "." || scalar == "[" || scalar == "]"
    }
  }
}

/// Repetition.
extension RegexTranslator {
  private mutating func repeatLast(_ mark: Unicode.Scalar) throws(RegexFailure) {
    let item = try takeLast()
    scanner.advance()
    scanner.skip("?")
    try append(item.repeated(atLeast: mark == "+" ? 1 : 0, atMost: mark == "?" ? 1 : nil))
  }

  /// Reads `{n}`, `{n,}` or `{n,m}`, with blanks anywhere between.
  private mutating func repeatCounted() throws(RegexFailure) {
    let item = try takeLast()
    scanner.advance()
    skipSpace()
    let least = try readCount()
    var most: Int? = least
    if scanner.skip(",") {
      skipSpace()
      most = scanner.current == "}" ? nil : try readCount()
    }
    guard scanner.skip("}") else { throw scanner.failure("a counted repetition is not closed") }
    guard least <= most ?? .max else { throw scanner.failure("a repetition counts from more to less") }
    skipSpace()
    scanner.skip("?")
    try append(item.repeated(atLeast: least, atMost: most))
  }

  private mutating func takeLast() throws(RegexFailure) -> RegexFragment {
    guard let last = items.popLast(), !last.isFlags else { throw scanner.failure("nothing to repeat") }
    return last
  }

  private mutating func readCount() throws(RegexFailure) -> Int {
    scanner.skipWhitespace()
    var digits = ""
    while let scalar = scanner.current, scalar >= "0", scalar <= "9" {
      digits.unicodeScalars.append(scalar)
      scanner.advance()
      skipSpace()
    }
    scanner.skipWhitespace()
    guard let count = UInt32(digits) else { throw scanner.failure("a repetition needs a number") }
    return Int(count)
  }

  /// Skips blanks and comments, where flag `x` makes them meaningless.
  mutating func skipSpace() {
    if flags.ignoresSpace { scanner.skipWhitespaceAndComments() }
  }
}
