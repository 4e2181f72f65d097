internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Single conditions (protocols/optimizely.md 4.4).
extension DatafileCompiler {
  mutating func condition(_ node: JSONNode) -> ConditionRecord {
    var record = ConditionRecord(test: .unknown)
    let type = node["type"]?.utf8.map { ByteView($0) }
    guard type?.reads("custom_attribute") ?? false || type?.reads("third_party_dimension") ?? false else {
      record.cause = .userAttributeInvalidType
      return record
    }
    let name = node["name"]?.utf8.map { ByteView($0) }
    if let name {
      record.name = builder.text(name)
      record.nameHash = Hash64.hash(name)
    }
    let value = node["value"]
    switch matcher(node["match"]?.unlessNull) {
    case .unknown: record.cause = .userAttributeInvalidMatch
    case .exists: record.test = name == nil ? .never : .exists
    case .qualified: setText(value, .qualified, &record)
    default: record.cause = .userAttributeInvalidName
    }
    guard name != nil else { return record }
    switch matcher(node["match"]?.unlessNull) {
    case .unknown, .exists, .qualified: break
    case .exact: setExact(value, &record)
    case .substring: setText(value, .contains, &record)
    case .order(let relation):
      record.relation = relation
      setNumber(value, .order, &record)
    case .version(let relation):
      record.relation = relation
      setText(value, .version, &record)
    }
    return record
  }

  private enum Matcher {
    case unknown, exists, qualified, exact, substring
    case order(Relation)
    case version(Relation)
  }

  private func matcher(_ match: JSONNode?) -> Matcher {
    guard let match else { return .exact }
    guard let name = match.utf8.map({ ByteView($0) }) else { return .unknown }
    if name.reads("exact") { return .exact }
    if name.reads("exists") { return .exists }
    if name.reads("substring") { return .substring }
    if name.reads("qualified") { return .qualified }
    if name.reads("gt") { return .order(.greater) }
    if name.reads("ge") { return .order(.greaterOrEqual) }
    if name.reads("lt") { return .order(.less) }
    if name.reads("le") { return .order(.lessOrEqual) }
    if name.reads("semver_eq") { return .version(.equal) }
    if name.reads("semver_gt") { return .version(.greater) }
    if name.reads("semver_ge") { return .version(.greaterOrEqual) }
    if name.reads("semver_lt") { return .version(.less) }
    if name.reads("semver_le") { return .version(.lessOrEqual) }
    return .unknown
  }

  private mutating func setText(_ value: JSONNode?, _ test: ConditionTest, _ record: inout ConditionRecord) {
    guard let text = value?.utf8.map({ ByteView($0) }) else {
      record.cause = .evaluateAttributeInvalidCondition
      return
    }
    record.test = test
    record.operand = builder.text(text)
    record.operandHash = Hash64.hash(text)
  }

  private func setNumber(_ value: JSONNode?, _ test: ConditionTest, _ record: inout ConditionRecord) {
    guard let value, let number = ExactNumber.of(value) else {
      record.cause = .evaluateAttributeInvalidCondition
      return
    }
    record.test = test
    record.number = number
  }

  private mutating func setExact(_ value: JSONNode?, _ record: inout ConditionRecord) {
    if let truth = value?.bool {
      record.test = .truth
      record.number = truth ? 1 : 0
    } else if value?.utf8 != nil {
      setText(value, .text, &record)
    } else {
      setNumber(value, .number, &record)
    }
  }
}

/// Numbers that a double holds exactly: finite, and not beyond 2^53 (4.4).
enum ExactNumber {
  static func of(_ value: JSONNode) -> Double? {
    if let whole = value.int64 { return of(whole) }
    return value.double.flatMap { of($0) }
  }

  @inline(__always)
  static func of(_ whole: Int64) -> Double? { whole.magnitude <= 1 << 53 ? Double(whole) : nil }

  @inline(__always)
  static func of(_ number: Double) -> Double? { number.magnitude <= 0x1p53 ? number : nil }

  /// Of an attribute that is a number.
  @inline(__always)
  static func of(_ attribute: UnsafePointer<FrozenAttribute>) -> Double? {
    switch attribute.pointee.kind {
    case .int: of(attribute.pointee.integer)
    case .double: of(attribute.pointee.number)
    default: nil
    }
  }
}
