internal import HoistBase
internal import HoistCore

/// Constraints (protocols/unleash.md C.4 to C.7).
extension Evaluator {
  @inline(__always)
  mutating func allHold(_ conditions: Place<ConditionRecord>, _ count: UInt32) -> Bool {
    guard budget.spend(Int(count) &* StepBudget.condition) else { return false }
    let records = base.at(conditions)
    var index = 0
    while index < Int(count) {
      if !holds(records + index) || budget.isExceeded { return false }
      index &+= 1
    }
    return true
  }

  @inline(__always)
  private mutating func holds(_ condition: UnsafePointer<ConditionRecord>) -> Bool {
    let field = base.at(condition.pointee.field)
    let value = find(field)
    var outcome = false
    if let value {
      outcome = test(condition, value)
    } else if field.pointee.role == .currentTime {
      outcome = testPresentTime(condition)
    }
    if condition.pointee.inverted { outcome = !outcome }
    recorder.note { [base] in $0.condition(condition, field, value, outcome, base) }
    if Recorder.isWatching { budget.limit(explanationOf: recorder.byteCount) }
    return outcome
  }

  @inline(__always)
  private mutating func test(_ condition: UnsafePointer<ConditionRecord>, _ value: FieldValue) -> Bool {
    switch condition.pointee.test {
    case .isIn:
      return contains(base.at(condition.pointee.payload(as: ValueList.self)), value)
    case .number:
      return compareNumber(condition, value)
    case .never, .mismatch: return false
    case .present: return true
    case .startsWith, .endsWith, .contains: return testText(condition, value.bytes)
    case .date: return compareDate(condition, value)
    case .version: return compareVersion(condition, value.bytes)
    case .regex: return testRegex(condition, value.bytes)
    case .address: return testAddress(condition, value.bytes)
    }
  }

  /// `currentTime` that no context has is now, in whole seconds.
  @inline(never)
  private mutating func testPresentTime(_ condition: UnsafePointer<ConditionRecord>) -> Bool {
    let now = unixMilliseconds
    if condition.pointee.test == .date {
      let seconds = UnixInstant(milliseconds: now).seconds
      return relates(Moment(seconds: seconds, nanoseconds: 0), condition)
    }
    return RFC3339.text(unixMilliseconds: now).withBytes { text in
      test(condition, FieldValue(text, hash: Hash64.hash(text)))
    }
  }

  /// Whether a list has the value: hash first, then bytes.
  @inline(__always)
  mutating func contains(_ list: UnsafePointer<ValueList>, _ value: FieldValue) -> Bool {
    let hashes = base.at(list.pointee.hashes)
    let texts = base.at(list.pointee.texts)
    if list.pointee.table.isNone {
      var index = 0
      while index < Int(list.pointee.count) {
        if hashes[index] == value.hash, isEqual(texts[index], value) { return true }
        index &+= 1
      }
      return false
    }
    let table = base.at(list.pointee.table)
    let mask = list.pointee.tableMask
    var at = UInt32(truncatingIfNeeded: value.hash) & mask
    while table[Int(at)] != 0, budget.spend(1) {
      let index = Int(table[Int(at)] &- 1)
      if hashes[index] == value.hash, isEqual(texts[index], value) { return true }
      at = (at &+ 1) & mask
    }
    return false
  }

  @inline(__always)
  private mutating func isEqual(_ text: TextReference, _ value: FieldValue) -> Bool {
    _ = budget.spend(0, reading: value.bytes.count)
    return text.bytes(base).hasSameBytes(as: value.bytes)
  }

  @inline(__always)
  private mutating func compareNumber(_ condition: UnsafePointer<ConditionRecord>, _ value: FieldValue) -> Bool {
    var number = 0.0
    if let attribute = value.attribute, attribute.pointee.kind == .int || attribute.pointee.kind == .double {
      number = attribute.pointee.number
    } else {
      guard budget.spend(2, parsing: value.bytes.count), let parsed = DecimalParser.parse(value.bytes, .rust) else {
        return false
      }
      number = parsed
    }
    let limit = Double(bitPattern: condition.pointee.payload)
    switch condition.pointee.relation {
    case .equal: return abs(number - limit) < 2.220446049250313e-16
    case .less: return number < limit
    case .lessOrEqual: return number <= limit
    case .greater: return number > limit
    case .greaterOrEqual: return number >= limit
    }
  }

  @inline(never)
  private mutating func compareDate(_ condition: UnsafePointer<ConditionRecord>, _ value: FieldValue) -> Bool {
    if let attribute = value.attribute, attribute.pointee.kind == .date {
      return relates(Moment(unixMilliseconds: attribute.pointee.integer), condition)
    }
    guard budget.spend(20, parsing: value.bytes.count), let moment = LenientDate.parse(value.bytes) else { return false }
    return relates(moment, condition)
  }

  private func relates(_ moment: Moment, _ condition: UnsafePointer<ConditionRecord>) -> Bool {
    condition.pointee.relation.allows(moment.order(against: Moment(packed: condition.pointee.payload)))
  }

  @inline(never)
  private mutating func compareVersion(_ condition: UnsafePointer<ConditionRecord>, _ text: ByteView) -> Bool {
    guard budget.spend(10, parsing: text.count), let version = SemanticVersion(text) else { return false }
    let limit = base.at(condition.pointee.payload(as: SemanticVersion.self))
    let limitText = TextReference(offset: condition.pointee.operand, count: condition.pointee.operandCount)
    return condition.pointee.relation.allows(version.order(in: text, against: limit.pointee, in: limitText.bytes(base)))
  }

  @inline(never)
  private mutating func testText(_ condition: UnsafePointer<ConditionRecord>, _ text: ByteView) -> Bool {
    guard condition.pointee.foldsCase else { return anyMatches(condition, condition.pointee.operands, text) }
    guard budget.spend(2, parsing: text.count) else { return false }
    return FullLowercase.withLowercased(text) { folded in
      anyMatches(condition, condition.pointee.payload(as: TextReference.self), folded)
    }
  }

  private mutating func anyMatches(
    _ condition: UnsafePointer<ConditionRecord>, _ operands: Place<TextReference>, _ text: ByteView
  ) -> Bool {
    let wanted = base.at(operands)
    for index in 0..<Int(condition.pointee.operandCount) {
      let part = wanted[index].bytes(base)
      guard budget.spend(2, searching: condition.pointee.test == .contains ? text.count : part.count &>> 3) else { return false }
      let matches =
        switch condition.pointee.test {
        case .startsWith: text.hasPrefix(part)
        case .endsWith: text.hasSuffix(part)
        default: text.containsBytes(part)
        }
      if matches { return true }
    }
    return false
  }

  @inline(never)
  private mutating func testRegex(_ condition: UnsafePointer<ConditionRecord>, _ text: ByteView) -> Bool {
    base.at(condition.pointee.payload(as: RegexReference.self)).pointee.isFound(in: text, &budget)
  }

  @inline(never)
  private mutating func testAddress(_ condition: UnsafePointer<ConditionRecord>, _ text: ByteView) -> Bool {
    let count = UInt32(truncatingIfNeeded: condition.pointee.payload &>> 32)
    return isInAny(condition.pointee.payload(as: CIDR.self), count, address: text)
  }

  /// Whether a text is an address of one of `count` ranges.
  mutating func isInAny(_ ranges: Place<CIDR>, _ count: UInt32, address text: ByteView) -> Bool {
    guard let address = IPAddress(text), budget.spend(Int(count)) else { return false }
    let ranges = base.at(ranges)
    for index in 0..<Int(count) where ranges[index].contains(address) { return true }
    return false
  }
}
