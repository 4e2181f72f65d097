public import HoistCore

/// Regular expressions of the Rust `regex` dialect, matched by PCRE2 in time linear in the subject.
///
/// Limits: patterns up to `greatestPattern` bytes, subjects up to `greatestSubject` bytes; see `README.md`.
public final class PCRE2RegexEngine: RegexEngine {
  /// Bytes.
  public static let greatestPattern = 64 << 10
  /// Bytes.
  public static let greatestSubject = 64 << 10

  public init() {}

  public func compile(
    pattern: UnsafeBufferPointer<UInt8>, caseInsensitive: Bool
  ) -> Result<CompiledRegex, RegexFailure> {
    do throws(RegexFailure) {
      guard pattern.count <= Self.greatestPattern else {
        throw RegexFailure("the pattern is longer than \(Self.greatestPattern) bytes")
      }
      let text = try RegexTranslator.translate(pattern, caseInsensitive: caseInsensitive)
      let program = try RegexProgram.make(text)
      return .success(CompiledRegex(code: program, match: matchProgram, free: freeProgram))
    } catch {
      return .failure(error)
    }
  }
}

private let matchProgram: CompiledRegex.Match = { program, subject, count, steps in
  var budget = StepBudget(steps.pointee)
  defer { steps.pointee = budget.left }
  return program.assumingMemoryBound(to: RegexProgram.self).pointee.match(subject, count, &budget)
}

private let freeProgram: CompiledRegex.Free = { program in
  let program = UnsafeMutablePointer(mutating: program.assumingMemoryBound(to: RegexProgram.self))
  program.pointee.free()
  program.deallocate()
}
