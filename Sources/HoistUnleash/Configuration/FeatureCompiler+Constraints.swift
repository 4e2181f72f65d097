internal import HoistBase
internal import HoistCore

/// Constraints become conditions with everything read beforehand (protocols/unleash.md C.4 to C.7).
extension FeatureCompiler {
  /// - Returns: place and number of the conditions.
  mutating func compile(
    _ constraints: [ConstraintDefinition]
  ) throws(RuleFailure) -> (Place<ConditionRecord>, UInt32) {
    if constraints.isEmpty { return (.none, 0) }
    var conditions: [ConditionRecord] = []
    conditions.reserveCapacity(constraints.count)
    for (index, constraint) in constraints.enumerated() {
      do throws(RuleFailure) {
        conditions.append(try compile(constraint))
      } catch {
        throw error.within("constraint \(index + 1)")
      }
    }
    return (builder.append(contentsOf: conditions), UInt32(conditions.count))
  }

  private mutating func compile(_ constraint: ConstraintDefinition) throws(RuleFailure) -> ConditionRecord {
    guard let known = ConstraintOperator(constraint.operatorName) else { throw RuleFailure("the operator is unknown") }
    try RuleFailure.checkQuoting(constraint.contextName, "the contextName", refusesQuotes: true)
    var condition = ConditionRecord(
      test: .mismatch, constraintOperator: known, field: field(constraint.contextName))
    condition.inverted = constraint.inverted
    condition.saysInverted = constraint.inverted
    switch known {
    case .isIn, .isNotIn:
      try checkTexts(constraint.values)
      condition.test = .isIn
      // A field that is missing is not in the list, and so NOT_IN holds.
      if known == .isNotIn { condition.inverted.toggle() }
      let list = valueList(constraint.values)
      condition.operand = list.texts.offset
      condition.operandCount = list.count
      condition.payload = UInt64(builder.append(list).offset)
    case .startsWith, .endsWith, .contains:
      try compileTexts(constraint, &condition)
    case .isInCIDR:
      try requireTexts(constraint.values)
      condition.test = .address
      condition.setOperands(texts(constraint.values))
      let ranges = constraint.values.compactMap { CIDR($0) }
      condition.payload = UInt64(builder.append(contentsOf: ranges).offset) | UInt64(ranges.count) << 32
    case .regex:
      try compileRegex(constraint, &condition)
    default:
      try compileComparison(constraint, known, &condition)
    }
    return condition
  }

  private func checkTexts(_ values: [ByteView]) throws(RuleFailure) {
    for value in values { try RuleFailure.checkQuoting(value, "a value", refusesQuotes: false) }
  }

  private func requireTexts(_ values: [ByteView]) throws(RuleFailure) {
    if values.isEmpty { throw RuleFailure("there are no values") }
    try checkTexts(values)
  }

  private mutating func compileTexts(
    _ constraint: ConstraintDefinition, _ condition: inout ConditionRecord
  ) throws(RuleFailure) {
    try requireTexts(constraint.values)
    switch condition.constraintOperator {
    case .startsWith: condition.test = .startsWith
    case .endsWith: condition.test = .endsWith
    default: condition.test = .contains
    }
    condition.setOperands(texts(constraint.values))
    guard constraint.caseInsensitive else { return }
    condition.foldsCase = true
    let folded = constraint.values.map { builder.text(FullLowercase.text($0)) }
    condition.payload = UInt64(builder.append(contentsOf: folded).offset)
  }

  private mutating func compileRegex(
    _ constraint: ConstraintDefinition, _ condition: inout ConditionRecord
  ) throws(RuleFailure) {
    guard let pattern = constraint.value, !pattern.isEmpty else {
      condition.test = .present  // the empty pattern is found in everything
      return
    }
    try RuleFailure.checkQuoting(pattern, "the pattern", refusesQuotes: false)
    condition.foldsCase = constraint.caseInsensitive
    let text = builder.text(pattern)
    (condition.operand, condition.operandCount) = (text.offset, text.count)
    guard let engine = options.regexEngine else { throw RuleFailure("there is nothing to match patterns with") }
    let key = ExpressionKey(pattern: BytesKey(pattern), foldsCase: constraint.caseInsensitive)
    let reference: Place<RegexReference>?
    if let known = expressions[key] {
      reference = known
    } else {
      reference = expression(pattern, constraint.caseInsensitive, engine)
      let kept = ExpressionKey(pattern: BytesKey(arena.keep(pattern)), foldsCase: constraint.caseInsensitive)
      expressions[kept] = .some(reference)
    }
    if let reference {
      condition.test = .regex
      condition.payload = UInt64(reference.offset)
    }
  }

  /// - Returns: nil for a pattern outside the dialect, which matches nothing (C.6).
  private mutating func expression(
    _ pattern: ByteView, _ foldsCase: Bool, _ engine: any RegexEngine
  ) -> Place<RegexReference>? {
    let compiled = engine.compile(pattern: pattern.bindMemory(to: UInt8.self), caseInsensitive: foldsCase)
    guard case .success(let expression) = compiled else { return nil }
    resources.add(expression)
    return builder.append(RegexReference(expression))
  }

  private mutating func compileComparison(
    _ constraint: ConstraintDefinition, _ known: ConstraintOperator, _ condition: inout ConditionRecord
  ) throws(RuleFailure) {
    guard let text = constraint.value else { throw RuleFailure("there is no value") }
    let reference = builder.text(text)
    (condition.operand, condition.operandCount) = (reference.offset, reference.count)
    if known.isVersionOperator, text.first == 0x76 {
      // Quirk: a version written with a v makes the constraint false, inverted or not.
      condition.test = .never
      condition.inverted = false
      return
    }
    guard let relation = known.relation, let value = RuleValue(text) else {
      throw RuleFailure("the value is neither a date nor a version nor a number")
    }
    condition.relation = relation
    switch value {
    case .date(let moment):
      condition.test = .date
      condition.payload = moment.packed
    case .number(let number):
      condition.test = .number
      condition.payload = number.bitPattern
    case .version(let version, let trimmed):
      let trimmedReference = builder.text(trimmed)
      (condition.operand, condition.operandCount) = (trimmedReference.offset, trimmedReference.count)
      condition.test = .version
      condition.payload = UInt64(builder.append(version).offset)
    }
  }
}

extension FeatureCompiler {
  /// The record of a context field; one per name.
  mutating func field(_ name: ByteView) -> Place<FieldRecord> {
    let key = BytesKey(name)
    if let known = fields[key] { return known }
    var record = FieldRecord(nameHash: key.hash, name: builder.text(name))
    record.role = FieldRole(name)
    let place = builder.append(record)
    fields[BytesKey(arena.keep(name))] = place
    return place
  }

  mutating func texts(_ values: [ByteView]) -> (Place<TextReference>, UInt32) {
    let references = values.map { builder.text($0) }
    return (builder.append(contentsOf: references), UInt32(references.count))
  }

  /// A list for quick look-up: short ones are searched from end to end, long ones by a table.
  mutating func valueList(_ values: [ByteView]) -> ValueList {
    var list = ValueList(count: UInt32(values.count))
    let hashes = values.map { Hash64.hash($0) }
    list.hashes = builder.append(contentsOf: hashes)
    (list.texts, _) = texts(values)
    guard values.count > 8 else { return list }
    var size = 32
    while size < values.count * 2 { size *= 2 }
    let mask = UInt32(size - 1)
    var table = [UInt32](repeating: 0, count: size)
    for (index, hash) in hashes.enumerated() {
      var at = UInt32(truncatingIfNeeded: hash) & mask
      while table[Int(at)] != 0 {
        // A value given twice takes one place: a list of equal values would need quadratic time otherwise.
        if values[Int(table[Int(at)] - 1)].hasSameBytes(as: values[index]) { break }
        at = (at &+ 1) & mask
      }
      if table[Int(at)] == 0 { table[Int(at)] = UInt32(index + 1) }
    }
    list.table = builder.append(contentsOf: table)
    list.tableMask = mask
    return list
  }
}

/// A pattern and how it is matched.
struct ExpressionKey: Hashable {
  let pattern: BytesKey
  let foldsCase: Bool
}
