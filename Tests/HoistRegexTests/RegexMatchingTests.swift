import Glibc
import HoistCore
import HoistRegex
import Testing

/// The fault catalogue's row on pathological expressions, and use by many threads.
@Suite struct RegexMatchingTests {
  private static func length(_ count: Int, _ end: String = "") -> String { String(repeating: "a", count: count) + end }

  /// Each takes a backtracking matcher years, or makes it give up (-1).
  @Test(arguments: [
    "^(a+)+$", "(a+)+b$", "(a|aa)+$", "(a|a)*c", "(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "(.*a){20}c",
    "(?:(?:a?){10}){3}a{30}c", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)c", "(?i)(a+)+$",
  ])
  func nestedRepetitionNeedsNoGivingUp(pattern: String) throws {
    let expression = try Expression(pattern)
    for count in [30, 100, 1000, 5000] { #expect(expression.match(Self.length(count, "!")) == 0) }
  }

  @Test func aPathologicalPatternStillFindsWhatMatches() {
    #expect(isMatch("^(a+)+$", Self.length(60_000)))
    #expect(isMatch("(a|aa)+$", "b" + Self.length(60_000)))
    #expect(isMatch("(a*)*b", Self.length(60_000, "b")))
    #expect(isMatch("(.*a){20}", Self.length(1000)))
  }

  @Test func tooManyWaysAtATimeIsGivenUpNotWrong() throws {
    let expression = try Expression("a.{0,900}b")
    #expect(expression.match(Self.length(500, "b")) == 1)
    #expect(expression.match(Self.length(500)) == 0)
    #expect(expression.match(Self.length(20_000)) == -1)
    #expect(expression.match("ab" + Self.length(20_000)) == 1)
  }

  @Test func theSearchFindsAtAnyPlaceOfLongAndShortSubjects() {
    for pattern in ["needle", #"\bneedle\b"#, "(?i)NEEDLE", "^hay.*needle", "needle.*$", "n[^x]+e"] {
      for padding in [0, 1, 60, 120, 121, 122, 130, 1000, 30_000] {
        let hay = String(repeating: "b ", count: padding / 2)
        #expect(isMatch(pattern, "hay \(hay) needle"), "\(pattern) \(padding)")
        #expect(isMatch(pattern, "hay needle \(hay)"), "\(pattern) \(padding)")
        #expect(!isMatch(pattern, "hay \(hay) beedlz"), "\(pattern) \(padding)")
      }
    }
  }

  @Test func subjectsAreLimitedAtTheirValueAndOneMore() throws {
    let expression = try Expression("a$")
    #expect(expression.match(Self.length(PCRE2RegexEngine.greatestSubject)) == 1)
    #expect(expression.match(Self.length(PCRE2RegexEngine.greatestSubject + 1)) == -1)
  }

  @Test func aSubjectThatIsNoUTF8IsGivenUp() throws {
    let expression = try Expression("a")
    #expect(expression.match([0x61, 0xFF]) == -1)
    #expect(expression.match([0xC3]) == -1)
    #expect(expression.match([0x61, 0x00, 0x62]) == 1)
  }

  @Test func manyThreadsShareOneExpression() async throws {
    let expression = try Expression(#"^\w+@(example|test)\.(com|org)$"#)
    let counts = await withTaskGroup(of: Int.self) { group in
      for worker in 0..<8 {
        group.addTask {
          (0..<2000).count { index in
            expression.matches("user\(worker)x\(index)@example.\(index % 2 == 0 ? "com" : "net")")
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 1000, count: 8))
  }

  /// What a thread keeps for matching goes with it: under the leak checker, nothing may be left.
  @Test func threadsThatEndLeaveNothingBehind() throws {
    let expression = try Expression("b")
    for _ in 0..<100 { #expect(try onThread(stackBytes: 64 << 10) { expression.match("abc") } == 1) }
  }

  @Test func nestingIsRefusedWhereTheStackIsTooSmallForIt() throws {
    let pattern = String(repeating: "(", count: 250) + "x" + String(repeating: ")", count: 250)
    func compile() -> Int32 { (try? Expression(pattern))?.match("x") ?? -2 }
    #expect(try onThread(stackBytes: 512 << 10, compile) == 1)
    #expect(try onThread(stackBytes: 96 << 10, compile) == -2)
  }

  /// Random patterns from the dialect's own alphabet: compiled or refused, matched or not, but always an answer.
  @Test func noPatternIsTooOdd() {
    let pieces = [
      "(", ")", "[", "]", "{", "}", "?", "*", "+", "|", "^", "$", ".", "\\", "-", "&&", "--", "~~", "[:alpha:]", "(?i)",
      "(?x)", "(?-u)", "(?:", "(?P<n>", "a", "K", "é", "0", "9", ",", "2", "\\w", "\\pL", "\\p{Lu}", "\\b", "\\x{41}", "#", " ",
      "\n", "^",
      "\u{212a}", "\\u0041", "\\b{start}", "1000", ":", "=", "!", "<", ">",
    ]
    var random = Lehmer(state: 48_271)
    var compiled = 0
    for _ in 0..<6000 {
      let pattern = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        pieces[Int.random(in: pieces.indices, using: &random)]
      }.joined()
      guard let expression = try? Expression(pattern, caseInsensitive: Bool.random(using: &random)) else { continue }
      compiled += 1
      for subject in ["", "aK9 é", "\n", "kk\u{212a}"] { #expect((0...1).contains(expression.match(subject)), "\(pattern)") }
    }
    #expect(compiled > 300)
  }
}

/// Runs `body` on a thread with a stack of that size.
private func onThread(stackBytes: Int, _ body: @escaping () -> Int32) throws -> Int32 {
  final class Box {
    let body: () -> Int32
    var answer: Int32 = -3
    init(_ body: @escaping () -> Int32) { self.body = body }
  }
  let box = Box(body)
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setstacksize(&attributes, stackBytes)
  var thread = pthread_t()
  let started = pthread_create(
    &thread, &attributes,
    { raw in
      guard let raw else { return nil }
      let box = Unmanaged<Box>.fromOpaque(raw).takeUnretainedValue()
      box.answer = box.body()
      return nil
    }, Unmanaged.passUnretained(box).toOpaque())
  try #require(started == 0)
  pthread_join(thread, nil)
  return box.answer
}

/// A generator whose sequence is the same on every machine.
struct Lehmer: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    func half() -> UInt64 {
      state = state &* 48_271 % 0x7FFF_FFFF
      return state & 0xFFFF
    }
    return (0..<4).reduce(0) { word, _ in word << 16 | half() }
  }
}
