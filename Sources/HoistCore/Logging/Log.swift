public import HoistBase
internal import Synchronization

/// Where a client's parts write lines: filtered by level, limited in rate, handed to the sink elsewhere.
///
/// At most 100 lines in 10 seconds; what is left out is counted and said in the next line that passes.
public final class Log: @unchecked Sendable {
  private static let windowNanoseconds: Int64 = 10_000_000_000
  private static let linesPerWindow = 100
  /// Longest line, in bytes of UTF-8.
  private static let maximumLineBytes = 4096

  private let levels: LogThreshold
  private let clock: any Clock
  private let emit: @Sendable (LogLevel, String) -> Void
  private let lock = Lock()
  private var windowStart: Int64 = .min
  private var lines = 0
  private var leftOut = 0

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

  private func write(_ level: LogLevel, _ message: () -> String) {
    guard levels.current.contains(level), let suffix = admit() else { return }
    emit(level, Self.oneLine(message()) + suffix)
  }

  /// - Returns: nil when the line is left out, else what to append to it.
  private func admit() -> String? {
    let now = clock.monotonicNanoseconds
    return lock.withLock {
      if windowStart == .min || now &- windowStart >= Self.windowNanoseconds {
        windowStart = now
        lines = 0
      }
      guard lines < Self.linesPerWindow else {
        leftOut &+= 1
        return nil
      }
      lines += 1
      defer { leftOut = 0 }
      return leftOut == 0 ? "" : " (\(leftOut) lines left out before)"
    }
  }

  private static func oneLine(_ message: String) -> String {
    let flat = message.utf8.prefix(maximumLineBytes).map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }
    return String(decoding: flat, as: UTF8.self)
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
