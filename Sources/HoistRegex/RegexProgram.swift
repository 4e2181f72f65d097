internal import CPCRE2
internal import Glibc
internal import HoistCore

/// A compiled pattern in raw memory, immutable and shared by all threads.
///
/// PCRE2's breadth-first matcher (`pcre2_dfa_match`) is used: it follows all paths through a pattern at once, so that
/// no pattern makes it backtrack. A search by itself would still begin anew at every place of a subject; a second form
/// of the pattern, with `.*?` before it, searches in one run.
struct RegexProgram {
  /// The pattern; searches by beginning at every place.
  private let code: OpaquePointer
  /// The pattern with its search in it. The same as `code` when that can only match at the start.
  private let searching: OpaquePointer
  private let limits: RegexLimits
  private let scratchKey: pthread_key_t

  /// Up to this, beginning at every place is cheaper: PCRE2 skips places that cannot match.
  private static let shortSubject = 128

  /// - Returns: memory that `free()` and then `deallocate()` give back.
  static func make(_ text: [UInt8]) throws(RegexFailure) -> UnsafePointer<RegexProgram> {
    guard let shared = RegexShared.instance else { throw .outOfMemory }
    let code = try PCRE2Compiler.compile(text)
    var options: UInt32 = 0
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_ALLOPTIONS), &options)
    var searching = code
    if options & PCRE2_ANCHORED == 0 {
      do throws(RegexFailure) {
        let search = RegexText.ascii(".*?(?:") + text + RegexText.ascii(")")
        searching = try PCRE2Compiler.compile(search, options: PCRE2_ANCHORED)
      } catch {
        pcre2_code_free_8(code)
        throw error
      }
    }
    let program = UnsafeMutablePointer<RegexProgram>.allocate(capacity: 1)
    program.initialize(
      to: RegexProgram(code: code, searching: searching, limits: shared.limits, scratchKey: shared.scratchKey))
    return UnsafePointer(program)
  }

  func free() {
    if searching != code { pcre2_code_free_8(searching) }
    pcre2_code_free_8(code)
  }

  /// - Returns: 1, 0 or -1 as `CompiledRegex.Match` says.
  func match(_ subject: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    guard count >= 0, count <= PCRE2RegexEngine.greatestSubject, let scratch = RegexScratch.current(scratchKey) else {
      return -1
    }
    let result = pcre2_dfa_match_8(
      count <= Self.shortSubject ? code : searching, subject, count, 0, PCRE2_DFA_SHORTEST,
      scratch.pointee.matchData, limits.breadthFirst, scratch.pointee.workspace,
      RegexScratch.workspaceCount(forSubject: count))
    switch result {
    case 0...: return 1
    case PCRE2_ERROR_NOMATCH: return 0
    case PCRE2_ERROR_DFA_WSSIZE: return matchDepthFirst(subject, count)
    default: return -1
    }
  }

  /// For patterns whose simultaneous paths outgrow the workspace: one after the other, up to a limit.
  private func matchDepthFirst(_ subject: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    guard let data = pcre2_match_data_create_8(1, nil) else { return -1 }
    defer { pcre2_match_data_free_8(data) }
    switch pcre2_match_8(searching, subject, count, 0, 0, data, limits.depthFirst) {
    case 0...: return 1
    case PCRE2_ERROR_NOMATCH: return 0
    default: return -1
    }
  }
}

/// What all programs share, for the process's life.
struct RegexShared: @unchecked Sendable {
  let limits: RegexLimits
  let scratchKey: pthread_key_t

  /// Nil when the system refuses memory or another thread-local slot.
  static let instance: RegexShared? = {
    guard let limits = RegexLimits() else { return nil }
    var key = pthread_key_t()
    guard pthread_key_create(&key, { RegexScratch.free($0) }) == 0 else { return nil }
    return RegexShared(limits: limits, scratchKey: key)
  }()
}

/// How much work one match may be. Never changed once made, so that threads may share them.
struct RegexLimits {
  /// Counts look-arounds only: some for each place of the longest subject.
  let breadthFirst: OpaquePointer
  let depthFirst: OpaquePointer

  fileprivate init?() {
    guard
      let breadthFirst = Self.context(matches: 400_000, depth: 1000),
      let depthFirst = Self.context(matches: 100_000, depth: 10_000)
    else { return nil }
    self.breadthFirst = breadthFirst
    self.depthFirst = depthFirst
  }

  private static func context(matches: UInt32, depth: UInt32) -> OpaquePointer? {
    guard let context = pcre2_match_context_create_8(nil) else { return nil }
    pcre2_set_match_limit_8(context, matches)
    pcre2_set_depth_limit_8(context, depth)
    pcre2_set_heap_limit_8(context, 4096 /* KiB */)
    return context
  }
}

/// One thread's memory for matching: made at its first match, freed at its end, never larger.
struct RegexScratch {
  let matchData: OpaquePointer
  let workspace: UnsafeMutablePointer<Int32>

  /// PCRE2 keeps six numbers for a way through the pattern; this is for 1,600 at a time.
  private static let workspaceCount = 6 * 1600

  /// The time of a match grows with the subject's length and with the square of the ways followed at a time; so
  /// long subjects get fewer, and no match takes much longer than a tenth of a second.
  static func workspaceCount(forSubject bytes: Int) -> Int {
    switch bytes {
    case ...512: workspaceCount
    case ...2048: 6 * 800
    case ...8192: 6 * 400
    default: 6 * 200
    }
  }

  @inline(__always)
  static func current(_ key: pthread_key_t) -> UnsafeMutablePointer<RegexScratch>? {
    if let raw = pthread_getspecific(key) { return raw.assumingMemoryBound(to: RegexScratch.self) }
    return make(key)
  }

  private static func make(_ key: pthread_key_t) -> UnsafeMutablePointer<RegexScratch>? {
    let bytes = MemoryLayout<RegexScratch>.stride + workspaceCount * MemoryLayout<Int32>.stride
    guard let matchData = pcre2_match_data_create_8(1, nil) else { return nil }
    guard let raw = malloc(bytes), pthread_setspecific(key, raw) == 0 else {
      pcre2_match_data_free_8(matchData)
      return nil
    }
    let scratch = raw.bindMemory(to: RegexScratch.self, capacity: 1)
    let workspace = (raw + MemoryLayout<RegexScratch>.stride).bindMemory(to: Int32.self, capacity: workspaceCount)
    scratch.initialize(to: RegexScratch(matchData: matchData, workspace: workspace))
    return scratch
  }

  static func free(_ raw: UnsafeMutableRawPointer?) {
    guard let raw else { return }
    pcre2_match_data_free_8(raw.assumingMemoryBound(to: RegexScratch.self).pointee.matchData)
    Glibc.free(raw)
  }
}
