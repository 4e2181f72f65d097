internal import HoistBase
internal import HoistCore

/// A step of a segment's program, which runs over one truth (protocols/kameleoon.md 3.11).
///
/// What the vendor's algorithm makes of conditions and operators leans to the right: what follows an operator is the
/// result, or is passed over. So no stack is needed.
struct Step: BitwiseCopyable {
  enum Operation: UInt8, BitwiseCopyable {
    /// The truth becomes what the `ConditionRecord` at `target` says.
    case test
    /// The truth becomes true.
    case hold
    /// On to step `target` where the truth is true.
    case skipIfTrue
    case skipIfFalse
  }

  var operation: Operation
  var target: UInt32 = 0

  /// Of `test`.
  var condition: Place<ConditionRecord> { Place(offset: target) }
}

/// What a condition asks (3.12).
enum ConditionKind: UInt8, BitwiseCopyable {
  /// Of a type that is not known, or with a field that is none.
  case never
  case always
  case customDatum, device, operatingSystem, browser, geolocation, applicationVersion, sdkLanguage, visitorCode
  case pageURL, pageTitle, previousPage, pageViews, cookie
  case conversions, targetExperiment, targetFeatureFlag, targetPersonalization, exclusiveExperiment, segment
  case visits, sameDayVisits, newVisitors, firstVisit, lastVisit, heatSlice
}

enum MatchOperator: UInt8, BitwiseCopyable, CaseIterable {
  /// One that is not known, or does not fit.
  case never
  case undefined, exact, contains, regex, equal, greater, lower, isTrue, isFalse, among, any

  var name: StaticString {
    switch self {
    case .never: ""
    case .undefined: "UNDEFINED"
    case .exact: "EXACT"
    case .contains: "CONTAINS"
    case .regex: "REGULAR_EXPRESSION"
    case .equal: "EQUAL"
    case .greater: "GREATER"
    case .lower: "LOWER"
    case .isTrue: "TRUE"
    case .isFalse: "FALSE"
    case .among: "AMONG_VALUES"
    case .any: "ANY"
    }
  }

  var isForNumbers: Bool { self == .equal || self == .greater || self == .lower }
}

/// A text that a condition compares with.
struct TextTest: BitwiseCopyable {
  var match = MatchOperator.never
  var text: TextReference = .none
  /// None for an expression that cannot be used.
  var regex: Place<RegexReference> = .none
}

/// Which conditions of visits count (3.12, "Threshold").
struct VisitWindow: BitwiseCopyable {
  var isCurrentVisit = false
  var count: Int64 = 25
}

struct ConditionRecord: BitwiseCopyable {
  var kind = ConditionKind.never
  var isExcluded = false
  /// The operator; of `targetExperiment` whether the variation counts (`exact`).
  var match = MatchOperator.never
  var window = VisitWindow()
  /// Custom data's index, counts, milliseconds, ids, enumerations' numbers.
  var integer: Int64 = 0
  /// A second id: a variation, a key moment.
  var other: Int64 = 0
  var number = 0.0
  var upperNumber = 0.0
  /// The number was there, and could be read.
  var hasNumber = false
  var value = TextTest()
  /// A cookie's name; a region.
  var name = TextTest()
  var city: TextReference = .none
  /// What `texts`, `targets`, `segment` and `version` lead to.
  var list: UInt32 = 0
  var listCount: UInt32 = 0
  /// As it came, for people.
  var source: TextReference = .none

  /// Of `among`.
  var texts: Place<TextReference> { Place(offset: list) }
  /// Of `targetFeatureFlag`.
  var targets: Place<FeatureTarget> { Place(offset: list) }
  var segment: Place<SegmentRecord> { Place(offset: list) }
  /// Of `applicationVersion`.
  var version: Place<DottedVersion> { Place(offset: list) }
}

/// An experiment of a flag that a condition asks for.
struct FeatureTarget: BitwiseCopyable {
  var experimentID: Int64
  /// `Int64`s: which variations count. All where `anyVariation`.
  var variations: Place<Int64> = .none
  var variationCount: UInt32 = 0
  var anyVariation = true
}
