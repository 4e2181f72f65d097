internal import HoistBase
internal import HoistCore

/// False, unknown or true; the order in which `or` prefers the later and `and` the earlier.
enum Truth: UInt8, BitwiseCopyable {
  case no, unknown, yes

  var bool: Bool? {
    switch self {
    case .no: false
    case .unknown: nil
    case .yes: true
    }
  }
}

/// A tree of conditions as instructions, which run over one accumulator and a stack of truths.
struct Program: BitwiseCopyable {
  /// `Instruction`s.
  var first: Place<Instruction> = .none
  var count: UInt32 = 0
  /// The audiences it asks for included.
  var fingerprint: UInt64 = 0

  /// How many operators with several operands may stand inside each other: two bits of a word each.
  static var maximumStack: Int { 31 }
  /// How deep a tree may be in all; what is deeper is unknown.
  static var maximumDepth: Int { 128 }
}

struct Instruction: BitwiseCopyable {
  enum Operation: UInt8, BitwiseCopyable {
    /// The accumulator becomes `truth`.
    case set
    /// The accumulator becomes what the `ConditionRecord` at `target` says.
    case test
    /// The accumulator becomes what the `AudienceRecord` at `target` says.
    case audience
    case not
    /// Pushes `truth`.
    case push
    /// The top becomes the lesser of it and the accumulator; when false, on to instruction `target`.
    case and
    /// The top becomes the greater of it and the accumulator; when true, on to instruction `target`.
    case or
    /// The top becomes the accumulator.
    case pop
  }

  var operation: Operation
  var truth: Truth = .unknown
  var target: UInt32 = 0

  /// Of `test`.
  var condition: Place<ConditionRecord> { Place(offset: target) }
  /// Of `audience`.
  var audience: Place<AudienceRecord> { Place(offset: target) }
}

/// What a condition does with an attribute (protocols/optimizely.md 4.4).
enum ConditionTest: UInt8, BitwiseCopyable {
  /// Never known: of another type, another match, or with a value that the match has no use for.
  case unknown
  /// `exists` without a name.
  case never
  case exists
  case qualified
  case text, truth, number
  case contains
  case order
  case version
}

struct ConditionRecord: BitwiseCopyable {
  var test: ConditionTest
  var relation: Relation = .equal
  /// Why the condition is never known.
  var cause: ReasonCode = .conditionCannotBeEvaluated
  var nameHash: UInt64 = 0
  var name: TextReference = .none
  var operand: TextReference = .none
  var operandHash: UInt64 = 0
  var number: Double = 0
}
