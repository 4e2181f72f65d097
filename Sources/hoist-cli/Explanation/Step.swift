/// One step of an explanation: a sentence, what came of it, and the steps that led there.
struct Step {
  let sentence: String
  /// nil where nothing is to be said of the outcome, or it is in the sentence.
  var holds: Bool?
  var steps: [Step] = []

  init(_ sentence: String, holds: Bool? = nil, _ steps: [Step] = []) {
    self.sentence = sentence
    self.holds = holds
    self.steps = steps
  }

  static func lines(of steps: [Step], depth: Int = 0, hasColor: Bool) -> [String] {
    steps.flatMap { step -> [String] in
      let outcome = step.holds.map { $0 ? ": holds" : ": does not hold" } ?? ""
      let line = String(repeating: "  ", count: depth) + Display.oneLine(step.sentence + outcome)
      let color = step.holds.map { $0 ? Color.green : .red }
      return [hasColor ? color?.apply(line) ?? line : line] + lines(of: step.steps, depth: depth + 1, hasColor: hasColor)
    }
  }
}

/// Texts as sentences quote them, and the comparisons of all services in plain words.
enum Words {
  /// Texts in quotes, so that one that is empty or ends with a space shows; lists as an enumeration.
  static func quoted(_ value: JSON?) -> String {
    guard let value else { return "nothing" }
    guard let elements = value.array else { return value.isNull ? "nothing" : value.text }
    return elements.isEmpty ? "nothing" : elements.map(\.text).joined(separator: ", ")
  }

  static func quoted(_ text: String) -> String { JSON.string(text).text }

  /// A condition on something that the context may have.
  /// - Parameter whose: what would have it, e.g. "the context".
  static func condition(
    _ name: String, of whose: String = "the context", _ comparison: String, _ expected: JSON?, actual: JSON?,
    isInverted: Bool = false,
    holds: Bool?
  ) -> Step {
    let must = "must \(isInverted ? "not " : "")\(phrase(comparison))\(takesNothing(comparison) ? "" : " " + quoted(expected))"
    guard let actual, !actual.isNull else { return Step("\(whose) has no \(quoted(name)), which \(must)", holds: holds) }
    return Step("\(quoted(name)) is \(quoted(actual)) and \(must)", holds: holds)
  }

  private static func takesNothing(_ comparison: String) -> Bool {
    ["EXISTS", "NOT_EXISTS", "exists", "UNDEFINED", "TRUE", "FALSE"].contains(comparison)
  }

  private static func phrase(_ comparison: String) -> String {
    phrases[comparison] ?? "pass \(quoted(comparison)) with"
  }

  private static let phrases = [
    "IN": "be one of", "NOT_IN": "be none of", "STR_STARTS_WITH": "begin with", "STR_ENDS_WITH": "end with",
    "STR_CONTAINS": "contain", "NUM_EQ": "be the number", "NUM_GT": "be above", "NUM_GTE": "be at least", "NUM_LT": "be below",
    "NUM_LTE": "be at most", "DATE_AFTER": "be after", "DATE_BEFORE": "be before", "SEMVER_EQ": "be version",
    "SEMVER_GT": "be a version above", "SEMVER_GTE": "be a version of at least", "SEMVER_LT": "be a version below",
    "SEMVER_LTE": "be a version of at most", "REGEX": "match", "IN_CIDR": "be an address in",
    "EQUALS": "be", "NOT_EQUALS": "not be", "GREATER_THAN": "be above", "LOWER_THAN": "be below",
    "GREATER_THAN_OR_EQUALS": "be at least", "LOWER_THAN_OR_EQUALS": "be at most", "CONTAINS": "contain",
    "NOT_CONTAINS": "not contain", "STARTS_WITH": "begin with", "ENDS_WITH": "end with", "EXISTS": "be there",
    "NOT_EXISTS": "be missing", "SEMVER_EQUALS": "be version", "SEMVER_NOT_EQUALS": "not be version",
    "SEMVER_GREATER_THAN": "be a version above", "SEMVER_LOWER_THAN": "be a version below",
    "SEMVER_GREATER_THAN_OR_EQUALS": "be a version of at least", "SEMVER_LOWER_THAN_OR_EQUALS": "be a version of at most",
    "exact": "be", "exists": "be there", "substring": "contain", "gt": "be above", "ge": "be at least", "lt": "be below",
    "le": "be at most", "semver_eq": "be version", "semver_gt": "be a version above", "semver_ge": "be a version of at least",
    "semver_lt": "be a version below", "semver_le": "be a version of at most",
    "EXACT": "be", "REGULAR_EXPRESSION": "match", "EQUAL": "be", "GREATER": "be above", "LOWER": "be below", "TRUE": "be true",
    "FALSE": "be false", "AMONG_VALUES": "be one of", "UNDEFINED": "be missing",
  ]
}

extension JSON {
  /// The text of a member, without quotes; "" for none.
  func told(_ name: String) -> String { self[name].map { $0.string ?? $0.text } ?? "" }
  func isTrue(_ name: String) -> Bool { self[name]?.bool == true }
  func list(_ name: String) -> [JSON] { self[name]?.elements ?? [] }
}
