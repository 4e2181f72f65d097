import Glibc
import HoistCore
import Testing

@testable import HoistStandardLog

/// The default logger, over a pipe in the place of stderr.
@Suite struct StandardErrorLogTests {
  /// What comes out of the pipe that the lines go to; the journal's stream is said to have that device and inode.
  static func written(
    _ lines: [(LogLevel, String)], journal: (stat) -> String?
  ) -> String {
    var ends: [Int32] = [0, 0]
    var status = stat()
    guard pipe(&ends) == 0, fstat(ends[1], &status) == 0 else { return "no pipe" }
    let log = StandardErrorLog(ends[1], journalStream: journal(status))
    for (level, message) in lines { log.write(level, message) }
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(ends[0], &bytes, bytes.count)
    close(ends[0])
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  static let each = [(LogLevel.error, "a"), (.warning, "b"), (.info, "c"), (.debug, "d")]

  @Test func linesForTheJournalBeginWithTheirPriority() {
    let told = Self.written(Self.each) { "\($0.st_dev):\($0.st_ino)" }
    #expect(told == "<3>ERROR a\n<4>WARNING b\n<6>INFO c\n<7>DEBUG d\n")
  }

  @Test func eachLineOfAMessageHasThePriority() {
    let told = Self.written([(.error, "first\n<7>second\n\nlast")]) { "\($0.st_dev):\($0.st_ino)" }
    #expect(told == "<3>ERROR first\n<3><7>second\n<3>\n<3>last\n")
  }

  @Test(arguments: [nil, "", ":", "0", "8:", "none"] as [String?])
  func withoutAStreamOfTheJournalLinesArePlain(stream: String?) {
    #expect(Self.written(Self.each) { _ in stream } == "ERROR a\nWARNING b\nINFO c\nDEBUG d\n")
  }

  @Test func aStreamThatWasLedElsewhereIsNotTheJournals() {
    #expect(Self.written([(.error, "a")]) { "\($0.st_dev):\($0.st_ino + 1)" } == "ERROR a\n")
    #expect(Self.written([(.error, "a")]) { "\($0.st_dev + 1):\($0.st_ino)" } == "ERROR a\n")
  }
}
