internal import HoistBase

/// The operators of constraints (protocols/unleash.md C.4).
enum ConstraintOperator: String, BitwiseCopyable, CaseIterable {
  case isIn = "IN"
  case isNotIn = "NOT_IN"
  case startsWith = "STR_STARTS_WITH"
  case endsWith = "STR_ENDS_WITH"
  case contains = "STR_CONTAINS"
  case numberEqual = "NUM_EQ"
  case numberGreater = "NUM_GT"
  case numberGreaterOrEqual = "NUM_GTE"
  case numberLess = "NUM_LT"
  case numberLessOrEqual = "NUM_LTE"
  case dateAfter = "DATE_AFTER"
  case dateBefore = "DATE_BEFORE"
  case versionEqual = "SEMVER_EQ"
  case versionGreater = "SEMVER_GT"
  case versionLess = "SEMVER_LT"
  case versionGreaterOrEqual = "SEMVER_GTE"
  case versionLessOrEqual = "SEMVER_LTE"
  case regex = "REGEX"
  case isInCIDR = "IN_CIDR"

  init?(_ text: ByteView) {
    guard let known = Self.allCases.first(where: { $0.rawValue.withBytes { $0.hasSameBytes(as: text) } }) else { return nil }
    self = known
  }

  /// The required order of the field's and the constraint's value; only for operators that compare with `value`. What
  /// is compared (dates, versions or numbers) follows from the value's text alone.
  var relation: Relation? {
    switch self {
    case .numberEqual, .versionEqual: .equal
    case .numberGreater, .versionGreater, .dateAfter: .greater
    case .numberGreaterOrEqual, .versionGreaterOrEqual: .greaterOrEqual
    case .numberLess, .versionLess, .dateBefore: .less
    case .numberLessOrEqual, .versionLessOrEqual: .lessOrEqual
    case .isIn, .isNotIn, .startsWith, .endsWith, .contains, .regex, .isInCIDR: nil
    }
  }

  var isVersionOperator: Bool {
    switch self {
    case .versionEqual, .versionGreater, .versionLess, .versionGreaterOrEqual, .versionLessOrEqual: true
    default: false
    }
  }
}
