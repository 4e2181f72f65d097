internal import Glibc
internal import HoistBase
public import HoistCore

/// The default logger: one line on stderr for each message. On a stream of the journal each line begins with its priority, as
/// sd-daemon(3) has it.
public final class StandardErrorLog: LogSink {
  private let descriptor: Int32
  /// Device and inode of the stream that leads to the journal, as systemd.exec(5) has them.
  private let journalStream: String?

  public convenience init() { self.init(STDERR_FILENO, journalStream: Environment.value("JOURNAL_STREAM")) }

  init(_ descriptor: Int32, journalStream: String?) {
    (self.descriptor, self.journalStream) = (descriptor, journalStream)
  }

  public func write(_ level: LogLevel, _ message: String) {
    let (name, priority) = Self.words(level)
    let prefix = isJournal ? "<\(priority)>" : ""
    var text = "\(prefix)\(name) "
    for scalar in message.unicodeScalars {
      text.unicodeScalars.append(scalar)
      if scalar == "\n" { text += prefix }
    }
    text += "\n"
    text.withUTF8 { bytes in
      // One write call, so that lines of several threads do not mix. A closed stderr is no error.
      _ = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }
  }

  /// Asked for each line: a host may lead stderr elsewhere, and a child has the variable of its parent's stderr.
  private var isJournal: Bool {
    guard let journalStream else { return false }
    var status = stat()
    return fstat(descriptor, &status) == 0 && journalStream == "\(status.st_dev):\(status.st_ino)"
  }

  private static func words(_ level: LogLevel) -> (name: String, priority: Int) {
    switch level {
    case .error: ("ERROR", 3)
    case .warning: ("WARNING", 4)
    case .info: ("INFO", 6)
    case .debug: ("DEBUG", 7)
    }
  }
}
