internal import HoistBase
internal import HoistCore

/// Audience expressions and conditions (protocols/optimizely.md 4.2 to 4.4).
extension Evaluator {
  /// Only true admits; unknown does not.
  @inline(__always)
  mutating func isAdmitted(_ rule: UnsafePointer<RuleRecord>) -> Bool {
    if rule.pointee.audience.isNone { return true }
    let program = base.at(rule.pointee.audience)
    let truth = evaluate(program.pointee, isInAudience: false)
    recorder.expression(truth)
    return truth == .yes
  }

  /// - Parameter isInAudience: audiences refer to no audiences, which bounds the recursion to one level.
  mutating func evaluate(_ program: Program, isInAudience: Bool) -> Truth {
    let instructions = base.at(program.first)
    var accumulator = Truth.unknown
    var stack: UInt64 = 0
    var at = 0
    while at < Int(program.count), budget.spend(1) {
      let instruction = instructions[at]
      at &+= 1
      switch instruction.operation {
      case .test:
        let condition = base.at(instruction.condition)
        accumulator = test(condition)
        if Recorder.wantsConditions { record(condition, accumulator) }
        if Recorder.isWatching { budget.limit(explanationOf: recorder.byteCount) }
      case .set:
        accumulator = instruction.truth
        if accumulator == .unknown { recorder.unknown(.conditionCannotBeEvaluated, .noBytes) }
      case .audience:
        let audience = base.at(instruction.audience)
        accumulator = isInAudience ? .unknown : truth(of: audience)
      case .not: accumulator = Truth(rawValue: 2 &- accumulator.rawValue) ?? .unknown
      case .push: stack = stack &<< 2 | UInt64(instruction.truth.rawValue)
      case .and:
        if UInt64(accumulator.rawValue) < stack & 3 { stack = stack & ~3 | UInt64(accumulator.rawValue) }
        if stack & 3 == 0 { at = Int(instruction.target) }
      case .or:
        if UInt64(accumulator.rawValue) > stack & 3 { stack = stack & ~3 | UInt64(accumulator.rawValue) }
        if stack & 3 == 2 { at = Int(instruction.target) }
      case .pop:
        accumulator = Truth(rawValue: UInt8(truncatingIfNeeded: stack & 3)) ?? .unknown
        stack &>>= 2
      }
    }
    return accumulator
  }

  private mutating func truth(of audience: UnsafePointer<AudienceRecord>) -> Truth {
    if !Recorder.isWatching, let known = audiences[audience.pointee.ordinal] { return known ? .yes : .no }
    recorder.beginAudience(audience)
    let truth = evaluate(audience.pointee.program, isInAudience: true)
    recorder.endAudience(truth)
    audiences[audience.pointee.ordinal] = truth.bool
    return truth
  }

  @inline(__always)
  private mutating func test(_ condition: UnsafePointer<ConditionRecord>) -> Truth {
    guard budget.spend(StepBudget.condition) else { return .unknown }
    switch condition.pointee.test {
    case .unknown: return unknown(condition.pointee.cause, condition)
    case .never: return .no
    case .qualified: return isQualified(condition)
    default: break
    }
    guard let context, let attribute = context.find(condition.pointee.name.bytes(base), hash: condition.pointee.nameHash)
    else { return condition.pointee.test == .exists ? .no : unknown(.missingAttributeValue, condition) }
    guard budget.spend(0, reading: attribute.pointee.textBytes.count) else { return .unknown }
    if attribute.pointee.kind == .null {
      return condition.pointee.test == .exists ? .no : unknown(.nilAttributeValue, condition)
    }
    switch condition.pointee.test {
    case .text:
      guard attribute.isText else { return unknown(.evaluateAttributeInvalidType, condition) }
      return attribute.pointee.textHash == condition.pointee.operandHash
        && attribute.pointee.textBytes.hasSameBytes(as: condition.pointee.operand.bytes(base)) ? .yes : .no
    case .number:
      guard let number = ExactNumber.of(attribute) else { return unknown(.evaluateAttributeInvalidType, condition) }
      return number == condition.pointee.number ? .yes : .no
    case .order:
      guard let number = ExactNumber.of(attribute) else { return unknown(.evaluateAttributeInvalidType, condition) }
      return condition.pointee.relation.allows(Ordering(of: number, against: condition.pointee.number)) ? .yes : .no
    case .truth:
      guard attribute.pointee.kind == .bool else { return unknown(.evaluateAttributeInvalidType, condition) }
      return attribute.pointee.number == condition.pointee.number ? .yes : .no
    case .contains:
      guard attribute.isText else { return unknown(.evaluateAttributeInvalidType, condition) }
      guard budget.spend(2, searching: attribute.pointee.textBytes.count) else { return .unknown }
      return attribute.pointee.textBytes.containsBytes(condition.pointee.operand.bytes(base)) ? .yes : .no
    case .version: return compareVersions(attribute, condition)
    case .exists: return .yes
    case .unknown, .never, .qualified: return .unknown
    }
  }

  private mutating func record(_ condition: UnsafePointer<ConditionRecord>, _ truth: Truth) {
    let name = condition.pointee.name
    let attribute = name.isNone ? nil : context?.find(name.bytes(base), hash: condition.pointee.nameHash)
    recorder.condition(condition, attribute, truth)
  }

  @inline(never)
  private mutating func compareVersions(
    _ attribute: UnsafePointer<FrozenAttribute>, _ condition: UnsafePointer<ConditionRecord>
  ) -> Truth {
    guard attribute.isText else { return unknown(.evaluateAttributeInvalidType, condition) }
    guard budget.spend(20, parsing: attribute.pointee.textBytes.count) else { return .unknown }
    guard let order = TargetVersion.order(of: attribute.pointee.textBytes, against: condition.pointee.operand.bytes(base))
    else { return unknown(.evaluateAttributeInvalidFormat, condition) }
    return condition.pointee.relation.allows(order) ? .yes : .no
  }

  @inline(never)
  private func isQualified(_ condition: UnsafePointer<ConditionRecord>) -> Truth {
    let name = condition.pointee.operand.bytes(base)
    return subject?.pointee.segments.find(name, hash: condition.pointee.operandHash) == nil ? .no : .yes
  }

  @inline(__always)
  private mutating func unknown(_ code: ReasonCode, _ condition: UnsafePointer<ConditionRecord>) -> Truth {
    recorder.unknown(code, condition.pointee.name.bytes(base))
    return .unknown
  }
}

extension UnsafePointer<FrozenAttribute> {
  /// Dates are the texts they are sent as.
  @inline(__always)
  fileprivate var isText: Bool { pointee.kind == .string || pointee.kind == .date }
}
