internal import HoistBase
internal import HoistCore

/// What watches a decision being made.
protocol EvaluationRecorder {
  mutating func begin(rule: UnsafePointer<RuleRecord>)
  mutating func condition(_ condition: UnsafePointer<ConditionRecord>, holds: Bool)
  mutating func segment(_ segment: UnsafePointer<SegmentRecord>, matches: Bool)
  mutating func hash(_ name: StaticString, _ value: Double)
  mutating func endRule(_ outcome: RuleOutcome, _ row: UnsafePointer<RowRecord>?)
  mutating func holdout(_ rule: UnsafePointer<RuleRecord>, _ row: UnsafePointer<RowRecord>?)
  mutating func group(_ group: UnsafePointer<GroupRecord>, isChosen: Bool)
}

/// What came of one rule (protocols/kameleoon.md 3.6).
enum RuleOutcome: String, BitwiseCopyable {
  case notTargeted, forced, blocked, scored, delivered, assigned, notExposed, notAssigned
}

/// Leaves nothing behind in the machine code.
struct Silence: EvaluationRecorder {
  @inline(__always) func begin(rule: UnsafePointer<RuleRecord>) {}
  @inline(__always) func condition(_ condition: UnsafePointer<ConditionRecord>, holds: Bool) {}
  @inline(__always) func segment(_ segment: UnsafePointer<SegmentRecord>, matches: Bool) {}
  @inline(__always) func hash(_ name: StaticString, _ value: Double) {}
  @inline(__always) func endRule(_ outcome: RuleOutcome, _ row: UnsafePointer<RowRecord>?) {}
  @inline(__always) func holdout(_ rule: UnsafePointer<RuleRecord>, _ row: UnsafePointer<RowRecord>?) {}
  @inline(__always) func group(_ group: UnsafePointer<GroupRecord>, isChosen: Bool) {}
}
