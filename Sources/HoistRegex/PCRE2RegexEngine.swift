internal import CPCRE2
internal import Glibc
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

private let matchProgram: CompiledRegex.Match = { program, subject, count in
  program.assumingMemoryBound(to: RegexProgram.self).pointee.match(subject, count)
}

private let freeProgram: CompiledRegex.Free = { program in
  let program = UnsafeMutablePointer(mutating: program.assumingMemoryBound(to: RegexProgram.self))
  program.pointee.free()
  program.deallocate()
}

/// PCRE2's compiler, asked for nothing that the translator did not mean.
enum PCRE2Compiler {
  typealias Code = OpaquePointer

  /// - Parameter text: in PCRE2's syntax, from the translator.
  static func compile(_ text: [UInt8], options: UInt32 = 0) throws(RegexFailure) -> Code {
    guard let context = pcre2_compile_context_create_8(nil) else { throw .outOfMemory }
    defer { pcre2_compile_context_free_8(context) }
    pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_LF))
    // The dialect's own limit is 250; a few groups are the translator's.
    pcre2_set_parens_nest_limit_8(context, 300)
    let options =
      options | PCRE2_UTF | PCRE2_DOTALL | PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX | PCRE2_NEVER_BACKSLASH_C
    var error: Int32 = 0
    var offset = 0
    guard let code = pcre2_compile_8(text, text.count, options, &error, &offset, context) else {
      throw RegexFailure(message(error))
    }
    return code
  }

  private static func message(_ error: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 160)
    pcre2_get_error_message_8(error, &buffer, buffer.count)
    return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
  }
}

extension RegexFailure {
  static let outOfMemory = RegexFailure("out of memory while compiling a pattern")
}
