/// How grave a log line is; a sink's threshold lets through its level and graver ones.
public enum LogLevel: Int32, Sendable, Comparable, CaseIterable {
  case error = 1
  case warning = 2
  case info = 3
  case debug = 4

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
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
