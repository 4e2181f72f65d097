import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("A log writes few, short lines") struct LogTests {
  let clock = ManualScheduler()
  let sink = RecordingLogSink()

  func log(_ threshold: LogLevel?) -> Log {
    let sink = sink
    return Log(threshold: threshold, clock: clock) { sink.write($0, $1) }
  }

  func writeAll(_ log: Log) {
    log.error("e")
    log.warning("w")
    log.info("i")
    log.debug("d")
  }

  @Test(arguments: [(nil, ""), (LogLevel.error, "e"), (.warning, "ew"), (.info, "ewi"), (.debug, "ewid")])
  func aThresholdLetsGraverLinesThrough(threshold: LogLevel?, expected: String) {
    writeAll(log(threshold))
    #expect(sink.lines.map(\.message).joined() == expected)
  }

  @Test func levelsHaveNames() {
    #expect(
      ["error", "warning", "info", "debug", "none", "", "ERROR"].map { LogLevel(name: $0) }
        == [.error, .warning, .info, .debug, nil, nil, nil])
  }

  @Test func aMessageThatIsNotWrittenIsNotMade() {
    var made = 0
    func message() -> String {
      made += 1
      return "m"
    }
    log(.error).debug(message())
    log(nil).error(message())
    #expect(made == 0)
  }

  /// G5: a storm of lines costs a hundred of them in ten seconds, and says how many it hides.
  @Test func aStormIsCutAndCounted() {
    let log = log(.debug)
    for number in 0..<250 { log.warning("line \(number)") }
    #expect(sink.lines.count == 100)
    #expect(sink.lines.last?.message == "line 99")
    clock.advance(milliseconds: 9_999)
    log.warning("still in the window")
    #expect(sink.lines.count == 100)
    clock.advance(milliseconds: 1)
    log.warning("next")
    log.warning("after")
    #expect(sink.lines.suffix(2).map(\.message) == ["next (151 lines left out before)", "after"])
  }

  @Test func linesBelowTheThresholdUseUpNothing() {
    let log = log(.warning)
    for _ in 0..<1_000 { log.debug("d") }
    log.warning("w")
    #expect(sink.lines.map(\.message) == ["w"])
  }

  @Test func aClockThatStandsAtZeroIsAClock() {
    let clock = FixedClock()
    let sink = sink
    let log = Log(threshold: .debug, clock: clock) { sink.write($0, $1) }
    for _ in 0..<101 { log.info("x") }
    #expect(sink.lines.count == 100)
  }

  @Test func aMessageBecomesOneLine() {
    log(.debug).error("a\nb\r\nc\td\u{0}e\u{1B}[31m")
    #expect(sink.lines.map(\.message) == ["a b  c d e [31m"])
  }

  @Test func aLongMessageIsCut() {
    log(.debug).error(String(repeating: "é", count: 3_000))
    log(.debug).error("x" + String(repeating: "é", count: 3_000))
    #expect(sink.lines.allSatisfy { $0.message.utf8.count <= 4096 + 2 })
    #expect(sink.lines[0].message.count == 2_048)
  }

  @Test func threadsShareTheLimit() {
    let log = log(.debug)
    inThreads(4) { _ in for _ in 0..<100 { log.info("x") } }
    #expect(sink.lines.count == 100)
  }

  private final class FixedClock: Clock {
    var monotonicNanoseconds: Int64 { 0 }
    var unixMilliseconds: Int64 { 0 }
  }

  @Test("Which levels are written may change while lines are")
  func changingLevels() {
    let threshold = LogThreshold(.upTo(.error))
    let sink = RecordingLogSink()
    let log = Log(threshold: threshold, clock: ManualScheduler()) { sink.write($0, $1) }
    log.warning("first")
    threshold.current = .upTo(.warning)
    log.warning("second")
    threshold.current = []
    log.error("third")
    #expect(sink.lines.map(\.message) == ["second"])
  }
}
