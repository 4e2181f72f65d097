internal import Glibc
public import HoistCore

/// The default logger: one line on stderr for each message.
public final class StandardErrorLog: LogSink {
  public init() {}

  public func write(_ level: LogLevel, _ message: String) {
    var line = "\(Self.name(of: level)) \(message)\n"
    line.withUTF8 { bytes in
      // One write call, so that lines of several threads do not mix. A closed stderr is no error.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }

  private static func name(of level: LogLevel) -> String {
    switch level {
    case .error: "ERROR"
    case .warning: "WARNING"
    case .info: "INFO"
    case .debug: "DEBUG"
    }
  }
}
