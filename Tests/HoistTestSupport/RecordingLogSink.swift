internal import HoistBase
public import HoistCore

/// Keeps log lines for the test to look at.
public final class RecordingLogSink: LogSink, @unchecked Sendable {
  public struct Line: Sendable, Equatable {
    public var level: LogLevel
    public var message: String
  }

  private let lock = Lock()
  private var kept: [Line] = []

  public init() {}

  public func write(_ level: LogLevel, _ message: String) {
    lock.withLock { kept.append(Line(level: level, message: message)) }
  }

  public var lines: [Line] { lock.withLock { kept } }
  public func messages(_ level: LogLevel) -> [String] { lines.filter { $0.level == level }.map(\.message) }
}
