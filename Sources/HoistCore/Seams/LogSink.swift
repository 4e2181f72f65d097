/// How grave a log line is; a sink's threshold lets through its level and graver ones.
public enum LogLevel: Int32, Sendable, Comparable, CaseIterable {
  case error = 1
  case warning = 2
  case info = 3
  case debug = 4

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// Which levels are written: for most services all up to a threshold, graver ones included.
public struct LogLevels: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// - Parameter level: nil for none.
  public static func upTo(_ level: LogLevel?) -> LogLevels {
    LogLevel.allCases.reduce(into: []) { levels, one in
      if let level, one <= level { levels.insert(LogLevels(one)) }
    }
  }

  public init(_ level: LogLevel) { rawValue = 1 << UInt8(truncatingIfNeeded: level.rawValue) }

  public func contains(_ level: LogLevel) -> Bool { contains(LogLevels(level)) }
}

/// Takes finished log lines. Called on a client's delivery lane, one line at a time; may be slow.
public protocol LogSink: AnyObject, Sendable {
  func write(_ level: LogLevel, _ message: String)
}

extension LogLevel {
  /// The level of that name; nil for "none" and names that do not exist.
  public init?(name: String) {
    switch name {
    case "error": self = .error
    case "warning": self = .warning
    case "info": self = .info
    case "debug": self = .debug
    default: return nil
    }
  }
}
