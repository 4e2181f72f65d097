internal import HoistBase

/// What a targeting asks (4.3, FS-202).
enum TargetingTest: UInt8, BitwiseCopyable, CaseIterable {
  /// An operator that is not known.
  case never
  case equals, notEquals, greater, less, greaterOrEqual, lessOrEqual
  case contains, notContains, startsWith, endsWith
  case present, absent
  case versionEquals, versionNotEquals, versionGreater, versionLess, versionGreaterOrEqual, versionLessOrEqual

  /// Which takes texts apart.
  var isOfVersions: Bool { rawValue >= Self.versionEquals.rawValue }

  /// The operator of a name; letters in lower case are another name.
  init?(_ name: ByteView) {
    guard let test = Self.allCases.first(where: { $0 != .never && name.reads($0.name) }) else { return nil }
    self = test
  }

  var name: StaticString {
    switch self {
    case .never: ""
    case .equals: "EQUALS"
    case .notEquals: "NOT_EQUALS"
    case .greater: "GREATER_THAN"
    case .less: "LOWER_THAN"
    case .greaterOrEqual: "GREATER_THAN_OR_EQUALS"
    case .lessOrEqual: "LOWER_THAN_OR_EQUALS"
    case .contains: "CONTAINS"
    case .notContains: "NOT_CONTAINS"
    case .startsWith: "STARTS_WITH"
    case .endsWith: "ENDS_WITH"
    case .present: "EXISTS"
    case .absent: "NOT_EXISTS"
    case .versionEquals: "SEMVER_EQUALS"
    case .versionNotEquals: "SEMVER_NOT_EQUALS"
    case .versionGreater: "SEMVER_GREATER_THAN"
    case .versionLess: "SEMVER_LOWER_THAN"
    case .versionGreaterOrEqual: "SEMVER_GREATER_THAN_OR_EQUALS"
    case .versionLessOrEqual: "SEMVER_LOWER_THAN_OR_EQUALS"
    }
  }

  /// How the elements of an array count together.
  enum ListRule { case any, all, never }

  var listRule: ListRule {
    switch self {
    case .equals, .contains, .startsWith, .endsWith, .versionEquals: .any
    case .notEquals, .notContains, .versionNotEquals: .all
    default: .never
    }
  }

  /// The required order of the two values; nil for an operator that does not compare.
  var relation: Relation? {
    switch self {
    case .greater, .versionGreater: .greater
    case .less, .versionLess: .less
    case .greaterOrEqual, .versionGreaterOrEqual: .greaterOrEqual
    case .lessOrEqual, .versionLessOrEqual: .lessOrEqual
    case .equals, .versionEquals: .equal
    default: nil
    }
  }
}
