internal import HoistCore

/// Bracketed classes: unions, nesting, set operations. No recursion: open brackets are on a stack.
extension RegexTranslator {
  private enum SetOperation { case intersection, difference, symmetricDifference }

  private struct Part {
    var characters = CharacterClass()
    var depth = 0
    var cost = 0
  }

  /// What has been read since the last bracket or operator.
  private struct Union {
    var part = Part()
    private var count = 0

    mutating func insert(_ item: Part) {
      count += 1
      part.characters.formUnion(item.characters)
      part.depth = max(part.depth, item.depth)
      part.cost += item.cost
    }

    var isEmpty: Bool { count == 0 }

    /// Several items are a level of syntax of their own.
    var whole: Part {
      var whole = part
      if count > 1 { whole.depth += 1 }
      return whole
    }
  }

  private enum Entry {
    case bracket(around: Union, isNegated: Bool)
    case operation(SetOperation, left: Part)
  }

  mutating func readClass() throws(RegexFailure) -> RegexFragment {
    var stack: [Entry] = []
    var union = Union()
    while true {
      skipSpace()
      guard let scalar = scanner.current else { throw scanner.failure("a class is not closed") }
      if scalar == "[" {
        if !stack.isEmpty, let named = try readPosixClass() {
          union.insert(named)
        } else {
          union = try openBracket(around: union, &stack)
        }
      } else if scalar == "]" {
        guard let (closed, around) = try closeBracket(union, &stack) else { continue }
        guard let around else {
          return .characterClass(closed.characters, depth: closed.depth, cost: closed.cost)
        }
        union = around
        union.insert(closed)
      } else if let operation = setOperation(at: scalar) {
        let left = try applyOperation(to: union.whole, &stack)
        stack.append(.operation(operation, left: left))
        union = Union()
      } else {
        union.insert(try readRange())
      }
    }
  }

  /// Without flag u a class is one of bytes, and what it leaves out includes bytes that are no text.
  func negated(_ characters: CharacterClass) throws(RegexFailure) -> CharacterClass {
    guard flags.isUnicode else { throw scanner.failure("a class without flag u holds more than ASCII") }
    return characters.negated
  }

  /// Reads `[`, `[^`, and what is literal only there: any number of `-`, or one `]`.
  private mutating func openBracket(around: Union, _ stack: inout [Entry]) throws(RegexFailure) -> Union {
    guard stack.count <= Self.greatestDepth else { throw scanner.failure("nested too deep") }
    scanner.advance()
    skipSpace()
    let isNegated = scanner.skip("^")
    if isNegated { skipSpace() }
    stack.append(.bracket(around: around, isNegated: isNegated))
    var union = Union()
    while scanner.skip("-") {
      union.insert(part(of: 0x2D...0x2D))
      skipSpace()
    }
    if union.isEmpty, scanner.skip("]") {
      union.insert(part(of: 0x5D...0x5D))
      skipSpace()
    }
    return union
  }

  /// - Returns: the closed class, and the union around it; nil around the outermost.
  private mutating func closeBracket(
    _ union: Union, _ stack: inout [Entry]
  ) throws(RegexFailure) -> (Part, around: Union?)? {
    var closed = try applyOperation(to: union.whole, &stack)
    guard case .bracket(let around, let isNegated)? = stack.popLast() else {
      throw scanner.failure("a class is not open")
    }
    scanner.advance()
    closed.depth += 1
    if isNegated { closed.characters = try negated(closed.characters) }
    return (closed, stack.isEmpty ? nil : around)
  }

  private mutating func setOperation(at scalar: Unicode.Scalar) -> SetOperation? {
    guard scanner.peek() == scalar else { return nil }
    let operation: SetOperation
    switch scalar {
    case "&": operation = .intersection
    case "-": operation = .difference
    case "~": operation = .symmetricDifference
    default: return nil
    }
    scanner.advance()
    scanner.advance()
    return operation
  }

  /// Operators have no precedence: each applies to all that is left of it in its brackets.
  private func applyOperation(to right: Part, _ stack: inout [Entry]) throws(RegexFailure) -> Part {
    guard case .operation(let operation, let left)? = stack.last else { return right }
    stack.removeLast()
    var result = Part(depth: max(left.depth, right.depth) + 1, cost: left.cost + right.cost)
    switch operation {
    case .intersection: result.characters = left.characters.intersection(right.characters)
    case .difference: result.characters = left.characters.subtracting(right.characters)
    case .symmetricDifference: result.characters = left.characters.symmetricDifference(right.characters)
    }
    guard result.characters.text.count <= Self.greatestLength, result.depth <= Self.greatestDepth else {
      throw scanner.failure("too large when compiled")
    }
    return result
  }

  /// Reads one item, or two with a `-` between.
  private mutating func readRange() throws(RegexFailure) -> Part {
    let first = try readItem()
    skipSpace()
    guard scanner.current != nil else { throw scanner.failure("a class is not closed") }
    guard scanner.current == "-", !["]", "-"].contains(peekPastSpace()) else {
      switch first {
      case .literal(let scalar): return part(of: scalar...scalar)
      case .characterClass(let characters, let cost): return Part(characters: characters, cost: cost)
      case .assertion: throw scanner.failure("an escape that is no character in a class")
      }
    }
    scanner.advance()
    skipSpace()
    guard scanner.current != nil else { throw scanner.failure("a class is not closed") }
    guard case .literal(let low) = first, case .literal(let high) = try readItem(), low <= high else {
      throw scanner.failure("a range in a class does not go from one character up to another")
    }
    return part(of: low...high)
  }

  private mutating func readItem() throws(RegexFailure) -> Primitive {
    if scanner.current == "\\" {
      let item = try readEscape()
      if case .literal(let scalar) = item { try checkInClass(scalar) }
      return item
    }
    let scalar = scanner.current?.value ?? 0
    try checkInClass(scalar)
    scanner.advance()
    return .literal(scalar)
  }

  private func checkInClass(_ scalar: UInt32) throws(RegexFailure) {
    guard flags.isUnicode || scalar < 0x80 else {
      throw scanner.failure("a class without flag u holds only ASCII")
    }
  }

  private func part(of range: ClosedRange<UInt32>) -> Part {
    folded(CharacterClass([range]))
  }

  private func folded(_ plain: CharacterClass) -> Part {
    var part = Part(characters: plain, cost: plain.cost)
    if flags.ignoresCase {
      part.characters.ranges =
        flags.isUnicode ? CaseFolding.closure(of: plain.ranges) : CaseFolding.asciiClosure(of: plain.ranges)
    }
    return part
  }

  /// Reads `[:name:]` or `[:^name:]`; nil, and nothing read, for anything else.
  private mutating func readPosixClass() throws(RegexFailure) -> Part? {
    let bracket = scanner.offset
    guard scanner.skip("[:") else { return nil }
    let isNegated = scanner.skip("^")
    var name = ""
    while let scalar = scanner.current, scalar != ":" {
      name.unicodeScalars.append(scalar)
      scanner.advance()
    }
    guard scanner.skip(":]"), let characters = CharacterClass.posix(name) else {
      scanner.rewind(to: bracket)
      return nil
    }
    var part = folded(characters)
    if isNegated { part.characters = try negated(part.characters) }
    return part
  }

  /// What follows the `-` at hand, past what flag `x` skips.
  private func peekPastSpace() -> Unicode.Scalar? {
    var ahead = scanner
    ahead.advance()
    if flags.ignoresSpace { ahead.skipWhitespaceAndComments() }
    return ahead.current
  }
}
