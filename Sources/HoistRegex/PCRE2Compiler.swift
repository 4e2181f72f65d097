internal import CPCRE2
internal import HoistBase
internal import HoistCore

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
    pcre2_set_compile_recursion_guard_8(context, { depth, _ in StackSpace.refuses(depth) }, nil)
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

/// The only recursion that a pattern can drive is PCRE2's compiler over nested groups: some 700 bytes a level.
private enum StackSpace {
  /// Up to here any thread has room.
  private static let harmlessDepth: UInt32 = 32
  private static let reserveBytes = 32 << 10

  /// PCRE2's guard.
  /// - Returns: other than 0 where the calling thread's stack is nearly used up, which refuses the pattern.
  static func refuses(_ depth: UInt32) -> Int32 {
    depth > harmlessDepth && Thread.remainingStackBytes < reserveBytes ? 1 : 0
  }
}

extension RegexFailure {
  static let outOfMemory = RegexFailure("out of memory while compiling a pattern")
}
