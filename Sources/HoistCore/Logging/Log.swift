public import HoistBase
internal import Synchronization

/// Where a client's parts write lines: filtered by level, limited in rate, handed to the sink elsewhere.
///
/// At most 100 lines in 10 seconds, and as many of DEBUG beside; what is left out is counted and said in the next line that
/// passes.
public final class Log: @unchecked Sendable {
  private static let windowNanoseconds: Int64 = 10_000_000_000
  private static let linesPerWindow = 100
  /// Longest line, in bytes of UTF-8.
  private static let maximumLineBytes = 4096

  private let levels: LogThreshold
  private let clock: any Clock
  private let emit: @Sendable (LogLevel, String) -> Void
  private let lock = Lock()
  private var window = Window()
  private var debugWindow = Window()

  private struct Window {
    var start: Int64 = .min
    var lines = 0
    var leftOut = 0
  }

  /// - Parameters:
  ///   - threshold: which levels are written now; it may be changed.
  ///   - emit: takes finished lines; must not block.
  public init(threshold levels: LogThreshold, clock: any Clock, emit: @escaping @Sendable (LogLevel, String) -> Void) {
    self.levels = levels
    self.clock = clock
    self.emit = emit
  }

  public func error(_ message: @autoclosure () -> String) { write(.error, message) }
  public func warning(_ message: @autoclosure () -> String) { write(.warning, message) }
  public func info(_ message: @autoclosure () -> String) { write(.info, message) }
  public func debug(_ message: @autoclosure () -> String) { write(.debug, message) }

  public func write(_ level: LogLevel, _ message: @autoclosure () -> String) { write(level, message) }

  private func write(_ level: LogLevel, _ message: () -> String) {
    guard levels.current.contains(level), let suffix = admit(level) else { return }
    emit(level, Self.oneLine(message()) + suffix)
  }

  /// - Returns: nil when the line is left out, else what to append to it.
  private func admit(_ level: LogLevel) -> String? {
    let now = clock.monotonicNanoseconds
    return lock.withLock { level == .debug ? Self.admit(to: &debugWindow, at: now) : Self.admit(to: &window, at: now) }
  }

  private static func admit(to window: inout Window, at now: Int64) -> String? {
    if window.start == .min || now &- window.start >= windowNanoseconds {
      window.start = now
      window.lines = 0
    }
    guard window.lines < linesPerWindow else {
      window.leftOut &+= 1
      return nil
    }
    window.lines += 1
    defer { window.leftOut = 0 }
    return window.leftOut == 0 ? "" : " (\(window.leftOut) lines left out before)"
  }

  private static func oneLine(_ message: String) -> String {
    LineText.clean(String(decoding: message.utf8.prefix(maximumLineBytes), as: UTF8.self))
  }
}

/// The levels that are written, which may change while lines are. Thread-safe.
public final class LogThreshold: Sendable {
  private let bits: Atomic<UInt8>

  public init(_ levels: LogLevels) { bits = Atomic(levels.rawValue) }

  public var current: LogLevels {
    get { LogLevels(rawValue: bits.load(ordering: .relaxed)) }
    set { bits.store(newValue.rawValue, ordering: .relaxed) }
  }
}
