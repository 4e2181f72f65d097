/// What one evaluation may still cost.
///
/// Rules come from outside, and a small document can ask for hours of work: segments that ask for each other, lists
/// without end, expressions that try every way. Work is counted in steps, not in time, so that an evaluation ends the
/// same way on every machine. A step is some ten nanoseconds of plain work; what takes longer counts for more.
@frozen
public struct StepBudget: BitwiseCopyable, Sendable {
  /// Rules that people write take a hundredth of it.
  @inlinable public static var limit: Int { 200_000 }

  /// Steps that are left; negative when the work was more than that.
  public var left: Int

  @inlinable @inline(__always)
  public init(_ steps: Int = StepBudget.limit) { left = steps }

  /// The work was too much: whatever was found out is no answer.
  @inlinable @inline(__always)
  public var isExceeded: Bool { left < 0 }

  /// Takes steps from the budget before the work that they stand for.
  /// - Parameter steps: a length in memory at most, so that no sum of them overflows.
  /// - Returns: false when the work must not be done.
  @inlinable @inline(__always)
  public mutating func spend(_ steps: Int) -> Bool {
    left &-= steps
    return left >= 0
  }

  /// As `spend`, for work that grows with a text: a step for each 64 bytes of it beside those that are named.
  @inlinable @inline(__always)
  public mutating func spend(_ steps: Int, reading bytes: Int) -> Bool { spend(steps &+ bytes &>> 6) }

  /// As `spend`, for a search in a text.
  @inlinable @inline(__always)
  public mutating func spend(_ steps: Int, searching bytes: Int) -> Bool { spend(steps &+ bytes &>> 3) }

  /// As `spend`, for a text that is taken apart: numbers, versions, dates, letters folded.
  @inlinable @inline(__always)
  public mutating func spend(_ steps: Int, parsing bytes: Int) -> Bool { spend(steps &+ bytes) }
}

extension StepBudget {
  /// The longest explanation, but for its last step; beyond it the budget is exceeded.
  public mutating func limit(explanationOf bytes: Int) { if bytes > 1 << 20 { left = -1 } }

  /// Of an evaluation of many parts, each of which people may write rules for.
  public init(forParts count: UInt32) { self.init(Self.limit &+ Int(count) &* 200) }

  /// What a condition costs: to find the attribute, and to compare it.
  @inlinable public static var condition: Int { 5 }
}

extension Evaluation {
  /// The answer where the budget was exceeded.
  public mutating func failAsTooCostly() {
    fail(.general, "the flag's rules are too costly to evaluate")
    (enabled, effects) = (false, .excess)
    (firstCell, secondCell) = (.max, .max)
  }
}
