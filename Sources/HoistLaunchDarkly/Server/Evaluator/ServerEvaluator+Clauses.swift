internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Clauses (protocols/launchdarkly-server.md 4.4, 4.5).
extension ServerEvaluator {
  /// - Parameter segments: those that are being looked at.
  @inline(__always)
  mutating func allHold(_ clauses: RecordList<ClauseRecord>, _ segments: UnsafePointer<SegmentChain>?) -> Bool {
    guard budget.spend(Int(clauses.count) &* StepBudget.condition) else { return false }
    let records = base.at(clauses.first)
    var index = 0
    while index < Int(clauses.count) {
      if !holds(records + index, segments) || hasEnded { return false }
      index &+= 1
    }
    return true
  }

  @inline(__always)
  private mutating func holds(_ clause: UnsafePointer<ClauseRecord>, _ segments: UnsafePointer<SegmentChain>?) -> Bool {
    if clause.pointee.test == .segment {
      return isInAny(clause.pointee.segments, segments) != clause.pointee.isNegated
    }
    if clause.pointee.plain.hash != 0, context.isOnly(clause.pointee.kind, base) {
      guard let attribute = context.attribute(clause.pointee.plain, base) else { return false }
      switch attribute.pointee.kind {
      case .string:
        let value = ContextValue(string: attribute.pointee.textBytes, hash: attribute.pointee.textHash)
        return test(clause, value) != clause.pointee.isNegated
      case .int, .double: return test(clause, ContextValue(number: attribute.pointee.number)) != clause.pointee.isNegated
      case .null: return false
      default: return holds(clause, ContextValue(attribute.pointee, &texts))
      }
    }
    return holdsByReference(clause)
  }

  @inline(never)
  private mutating func holdsByReference(_ clause: UnsafePointer<ClauseRecord>) -> Bool {
    let reference = base.at(clause.pointee.attribute)
    guard reference.pointee.names.count > 0 else {
      isMalformed = true
      return false
    }
    if reference.pointee.builtIn == .kind { return anyKindHolds(clause) != clause.pointee.isNegated }
    guard let part = context.part(clause.pointee.kind, base), let value = part.value(reference, base, &texts) else {
      return false
    }
    return holds(clause, value)
  }

  @inline(never)
  private mutating func holds(_ clause: UnsafePointer<ClauseRecord>, _ value: ContextValue) -> Bool {
    (value.kind == .array ? anyElementHolds(clause, value) : test(clause, value)) != clause.pointee.isNegated
  }

  @inline(never)
  private mutating func anyKindHolds(_ clause: UnsafePointer<ClauseRecord>) -> Bool {
    let context = context
    return context.anyKind { kind in test(clause, ContextValue(string: kind)) }
  }

  @inline(never)
  private mutating func anyElementHolds(_ clause: UnsafePointer<ClauseRecord>, _ array: ContextValue) -> Bool {
    guard budget.spend(1, parsing: array.text.count) else { return false }
    for element in JSONPiece(array.text).elements {
      guard budget.spend(1) else { return false }
      if test(clause, ContextValue(element, &texts)) { return true }
    }
    return false
  }

  /// Whether one of the clause's values goes with a value, which is compared as a whole.
  @inline(__always)
  private mutating func test(_ clause: UnsafePointer<ClauseRecord>, _ value: ContextValue) -> Bool {
    if clause.pointee.test == .isIn { return isMember(value, of: clause) }
    switch value.kind {
    case .string: return testText(clause, value.text)
    case .number: return testNumber(clause, value.number)
    case .null, .bool, .array, .object: return false
    }
  }

  @inline(__always)
  private mutating func isMember(_ value: ContextValue, of clause: UnsafePointer<ClauseRecord>) -> Bool {
    switch value.kind {
    case .null: clause.pointee.holdsNull
    case .bool: value.number != 0 ? clause.pointee.holdsTrue : clause.pointee.holdsFalse
    case .number: contains(clause.pointee.numbers.records(base), value.number)
    case .string:
      budget.spend(0, reading: value.text.count)
        && clause.pointee.strings.find(value.text, hash: value.hash, in: base) != nil
    case .array, .object: isEqualToAny(clause.pointee.texts, value.text)
    }
  }

  private func contains(_ numbers: UnsafeBufferPointer<Double>, _ number: Double) -> Bool {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low &+ high) / 2
      if numbers[middle] < number { low = middle &+ 1 } else { high = middle }
    }
    return low < numbers.count && numbers[low] == number
  }

  @inline(never)
  private mutating func isEqualToAny(_ texts: RecordList<TextReference>, _ json: ByteView) -> Bool {
    for text in texts.records(base) {
      let other = text.bytes(base)
      guard budget.spend(StepBudget.condition, parsing: json.count &+ other.count) else { return false }
      if FlagValue.areEqual(json, other) { return true }
    }
    return false
  }

  private mutating func testNumber(_ clause: UnsafePointer<ClauseRecord>, _ number: Double) -> Bool {
    let numbers = clause.pointee.numbers.records(base)
    guard budget.spend(numbers.count) else { return false }
    switch clause.pointee.test {
    case .less, .before: return numbers.contains { number < $0 }
    case .lessOrEqual: return numbers.contains { number <= $0 }
    case .greater, .after: return numbers.contains { number > $0 }
    case .greaterOrEqual: return numbers.contains { number >= $0 }
    default: return false
    }
  }

  @inline(never)
  private mutating func testText(_ clause: UnsafePointer<ClauseRecord>, _ text: ByteView) -> Bool {
    switch clause.pointee.test {
    case .startsWith: return anyText(clause, cost: 0) { text.hasPrefix($0) }
    case .endsWith: return anyText(clause, cost: 0) { text.hasSuffix($0) }
    case .contains: return anyText(clause, cost: text.count) { text.containsBytes($0) }
    case .matches:
      for expression in clause.pointee.expressions.records(base) where expression.isFound(in: text, &budget) { return true }
      return false
    case .before, .after:
      guard budget.spend(20, parsing: text.count), let date = DateOperand.milliseconds(text) else { return false }
      return testNumber(clause, date)
    case .versionEqual, .versionLess, .versionGreater: return testVersion(clause, text)
    default: return false
    }
  }

  private mutating func anyText(_ clause: UnsafePointer<ClauseRecord>, cost: Int, _ holds: (ByteView) -> Bool) -> Bool {
    for text in clause.pointee.texts.records(base) {
      guard budget.spend(2, searching: max(cost, Int(text.count) &>> 3)) else { return false }
      if holds(text.bytes(base)) { return true }
    }
    return false
  }

  private mutating func testVersion(_ clause: UnsafePointer<ClauseRecord>, _ text: ByteView) -> Bool {
    guard budget.spend(10, parsing: text.count), let version = SemanticVersion(text, mayLackNumbers: true) else { return false }
    for operand in clause.pointee.versions.records(base) {
      guard budget.spend(2, parsing: Int(operand.text.count)) else { return false }
      let order = version.order(in: text, against: operand.version, in: operand.text.bytes(base))
      switch clause.pointee.test {
      case .versionEqual: if order == .equal { return true }
      case .versionLess: if order == .less { return true }
      default: if order == .greater { return true }
      }
    }
    return false
  }
}
