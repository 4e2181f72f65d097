import HoistCore
import HoistJSON
import HoistRegex

/// A compiled expression that frees itself.
final class Expression: @unchecked Sendable {
  let compiled: CompiledRegex

  init(_ pattern: String, caseInsensitive: Bool = false) throws {
    compiled = try Array(pattern.utf8).withUnsafeBufferPointer {
      PCRE2RegexEngine().compile(pattern: $0, caseInsensitive: caseInsensitive)
    }.get()
  }

  deinit { compiled.free(compiled.code) }

  /// 1, 0 or -1.
  /// - Parameter steps: what it may cost; what is left of it afterwards.
  func match(_ subject: [UInt8], steps: inout Int) -> Int32 {
    // A byte more, so that an empty subject has an address too.
    (subject + [0]).withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { compiled.match(compiled.code, $0, subject.count, &steps) } ?? -2
    }
  }

  func match(_ subject: [UInt8]) -> Int32 {
    var steps = Int.max
    return match(subject, steps: &steps)
  }

  func match(_ subject: String) -> Int32 { match(Array(subject.utf8)) }

  func matches(_ subject: String) -> Bool { match(subject) == 1 }
}

/// As a rule sees it: a pattern outside the dialect matches nothing.
func isMatch(_ pattern: String, _ subject: String, caseInsensitive: Bool = false) -> Bool {
  (try? Expression(pattern, caseInsensitive: caseInsensitive))?.matches(subject) ?? false
}

/// Why a pattern is refused; nil when it is not.
func refusal(_ pattern: String) -> String? {
  do {
    _ = try Expression(pattern)
    return nil
  } catch {
    return "\(error)"
  }
}
