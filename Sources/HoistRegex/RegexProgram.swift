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
  private let starts: RegexStarts
  /// It has look-arounds, which each way may take at each place.
  private let looksAround: Bool
  private let limits: RegexLimits
  private let scratchKey: pthread_key_t

  /// Where no more places can begin a match, beginning at each is cheaper: PCRE2 skips the others.
  private static let fewStarts = 3

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
      to: RegexProgram(
        code: code, searching: searching, starts: RegexStarts(of: code, isAnchored: searching == code),
        looksAround: RegexText.looksAround(text), limits: shared.limits, scratchKey: shared.scratchKey))
    return UnsafePointer(program)
  }

  func free() {
    if searching != code { pcre2_code_free_8(searching) }
    pcre2_code_free_8(code)
  }

  /// - Returns: 1, 0 or -1 as `CompiledRegex.Match` says.
  func match(_ subject: UnsafePointer<UInt8>, _ count: Int, _ budget: inout StepBudget) -> Int32 {
    guard count >= 0, count <= PCRE2RegexEngine.greatestSubject, let scratch = RegexScratch.current(scratchKey) else {
      return -1
    }
    let starts = starts.count(in: subject, count, atMost: Self.fewStarts + 1)
    let (program, bytes) = starts <= Self.fewStarts ? (code, starts * count) : (searching, count)
    // First with room for few ways: that bounds what the match costs, and most need no more.
    let most = RegexScratch.mostWays(forSubject: count)
    var ways = looksAround ? RegexScratch.fewestToLookAround : RegexScratch.fewestWays
    while ways > 0 {
      let steps = (bytes + 4) * RegexScratch.steps(perByteOf: ways, looksAround: looksAround)
      guard steps <= budget.left, budget.spend(steps) else { break }
      let result = pcre2_dfa_match_8(
        program, subject, count, 0, PCRE2_DFA_SHORTEST, scratch.pointee.matchData, limits.breadthFirst,
        scratch.pointee.workspace, RegexScratch.workspaceCount(ways))
      switch result {
      case 0...: return 1
      case PCRE2_ERROR_NOMATCH: return 0
      case PCRE2_ERROR_DFA_WSSIZE: ways = ways < most ? min(ways * 4, most) : 0
      default: return -1
      }
    }
    return matchDepthFirst(subject, count, &budget)
  }

  /// For patterns whose simultaneous ways outgrow the workspace, or the budget for that: one after the other.
  private func matchDepthFirst(_ subject: UnsafePointer<UInt8>, _ count: Int, _ budget: inout StepBudget) -> Int32 {
    guard let data = pcre2_match_data_create_8(1, nil) else { return -1 }
    defer { pcre2_match_data_free_8(data) }
    // Within an attempt, the repetition of a character may run over the subject.
    let stepsEach = 2 + count / 64
    for (attempts, limit) in limits.depthFirst {
      // Where there is less left, it is the evaluation's budget that ends here.
      guard budget.spend(attempts * stepsEach) else { return -1 }
      switch pcre2_match_8(searching, subject, count, 0, 0, data, limit) {
      case 0...: return 1
      case PCRE2_ERROR_NOMATCH: return 0
      case PCRE2_ERROR_MATCHLIMIT: continue
      default: return -1
      }
    }
    return -1
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

/// Where a match can begin, as PCRE2 has found out.
struct RegexStarts {
  private enum Kind { case anchored, anywhere, byte(UInt8, UInt8), bitmap(UnsafePointer<UInt8>) }
  private let kind: Kind

  /// - Parameter code: lives at least as long.
  init(of code: OpaquePointer, isAnchored: Bool) {
    var type: UInt32 = 0
    var unit: UInt32 = 0
    var bitmap: UnsafePointer<UInt8>?
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_FIRSTCODETYPE), &type)
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_FIRSTCODEUNIT), &unit)
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_FIRSTBITMAP), &bitmap)
    if isAnchored {
      kind = .anchored
    } else if type == 1, let byte = UInt8(exactly: unit) {
      // Whether letters of either case count is not told.
      let letter = byte | 0x20
      kind = .byte(byte, (0x61...0x7A).contains(letter) ? byte ^ 0x20 : byte)
    } else {
      kind = bitmap.map { .bitmap($0) } ?? .anywhere
    }
  }

  /// How many places of a subject can begin a match; not counted further than `most`.
  func count(in subject: UnsafePointer<UInt8>, _ count: Int, atMost most: Int) -> Int {
    var found = 0
    switch kind {
    case .anchored: return 1
    case .anywhere: return most
    case .byte(let byte, let otherCase):
      for index in 0..<count where subject[index] == byte || subject[index] == otherCase {
        found += 1
        if found == most { break }
      }
    case .bitmap(let bits):
      for index in 0..<count where bits[Int(subject[index] / 8)] & 1 &<< (subject[index] % 8) != 0 {
        found += 1
        if found == most { break }
      }
    }
    return found
  }
}

/// How much work one match may be. Never changed once made, so that threads may share them.
struct RegexLimits {
  /// Counts look-arounds only: some for each place of the longest subject.
  let breadthFirst: OpaquePointer
  /// Attempts, fewer ones first: what they were is not told, so what they may be is counted.
  let depthFirst: [(attempts: Int, limit: OpaquePointer)]

  fileprivate init?() {
    guard let breadthFirst = Self.context(matches: 400_000, depth: 1000) else { return nil }
    self.breadthFirst = breadthFirst
    depthFirst = [2_000, 16_000, 100_000].compactMap { attempts in
      Self.context(matches: attempts, depth: 10_000).map { (Int(attempts), $0) }
    }
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

  static let fewestWays = 6
  /// A look-around needs room of its own.
  static let fewestToLookAround = 24
  private static let mostWays = 1600

  /// The time of a match grows with the subject's length and with the square of the ways followed at a time; so
  /// long subjects get fewer, and no match takes much longer than a tenth of a second.
  static func mostWays(forSubject bytes: Int) -> Int {
    switch bytes {
    case ...512: mostWays
    case ...2048: 800
    case ...8192: 400
    default: 200
    }
  }

  /// PCRE2 keeps six numbers for a way through the pattern.
  static func workspaceCount(_ ways: Int) -> Int { 6 * ways }

  /// What a byte of the subject costs while so many ways are followed, in steps of a budget.
  static func steps(perByteOf ways: Int, looksAround: Bool) -> Int {
    5 + ways / 4 + ways * ways / 256 + (looksAround ? ways / 2 : 0)
  }

  @inline(__always)
  static func current(_ key: pthread_key_t) -> UnsafeMutablePointer<RegexScratch>? {
    if let raw = pthread_getspecific(key) { return raw.assumingMemoryBound(to: RegexScratch.self) }
    return make(key)
  }

  private static func make(_ key: pthread_key_t) -> UnsafeMutablePointer<RegexScratch>? {
    let count = workspaceCount(mostWays)
    let bytes = MemoryLayout<RegexScratch>.stride + count * MemoryLayout<Int32>.stride
    guard let matchData = pcre2_match_data_create_8(1, nil) else { return nil }
    guard let raw = malloc(bytes), pthread_setspecific(key, raw) == 0 else {
      pcre2_match_data_free_8(matchData)
      return nil
    }
    let scratch = raw.bindMemory(to: RegexScratch.self, capacity: 1)
    let workspace = (raw + MemoryLayout<RegexScratch>.stride).bindMemory(to: Int32.self, capacity: count)
    scratch.initialize(to: RegexScratch(matchData: matchData, workspace: workspace))
    return scratch
  }

  static func free(_ raw: UnsafeMutableRawPointer?) {
    guard let raw else { return }
    pcre2_match_data_free_8(raw.assumingMemoryBound(to: RegexScratch.self).pointee.matchData)
    Glibc.free(raw)
  }
}
