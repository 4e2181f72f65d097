public import HoistBase

/// Compiles the regular expressions that rules hold. Callable from any thread.
public protocol RegexEngine: AnyObject, Sendable {
  /// - Parameters:
  ///   - pattern: UTF-8, borrowed for the call.
  ///   - caseInsensitive: as if the pattern began with `(?i)`.
  /// - Returns: a failure for a pattern outside the dialect; the caller decides what that means.
  func compile(
    pattern: UnsafeBufferPointer<UInt8>, caseInsensitive: Bool
  ) -> Result<CompiledRegex, RegexFailure>
}

/// A compiled expression in the plain form that a snapshot keeps.
///
/// Owned by the compiling caller, which calls `free(code)` once, when no thread matches with it any more.
public struct CompiledRegex: @unchecked Sendable {
  /// Tells whether the expression is found anywhere in a subject: 1 found, 0 not found, -1 given up (a limit
  /// reached, or the subject is not UTF-8), which counts as not found. What it costs is taken from `steps`, which a
  /// `StepBudget` counts; negative when that was not enough. Any number of threads may match with one code at a time;
  /// no lock is taken.
  public typealias Match =
    @convention(c) (
      _ code: UnsafeRawPointer, _ subject: UnsafePointer<UInt8>, _ count: Int, _ steps: UnsafeMutablePointer<Int>
    ) -> Int32
  public typealias Free = @convention(c) (_ code: UnsafeRawPointer) -> Void

  public let code: UnsafeRawPointer
  public let match: Match
  public let free: Free

  public init(code: UnsafeRawPointer, match: @escaping Match, free: @escaping Free) {
    self.code = code
    self.match = match
    self.free = free
  }
}

/// A compiled expression in a snapshot, whose resources own it.
@frozen
public struct RegexReference: BitwiseCopyable, @unchecked Sendable {
  public let code: UnsafeRawPointer
  public let match: CompiledRegex.Match

  @inlinable
  public init(_ expression: CompiledRegex) { (code, match) = (expression.code, expression.match) }

  /// Whether the expression is found in a text; false when the budget was exceeded, too.
  @inlinable
  public func isFound(in text: ByteView, _ budget: inout StepBudget) -> Bool {
    var left = budget.left
    var nothing: UInt8 = 0
    let result = withUnsafePointer(to: &nothing) { nothing in
      match(code, text.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing, text.count, &left)
    }
    budget = StepBudget(left)
    return result == 1
  }
}

/// Why a pattern was not compiled.
public struct RegexFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line, without text of the pattern.
  public var reason: String
  /// Code points before the place, if the failure has one.
  public var offset: Int?

  public init(_ reason: String, at offset: Int? = nil) {
    self.reason = reason
    self.offset = offset
  }

  public var description: String { offset.map { "\(reason) at character \($0)" } ?? reason }
}
