import CHoist
import Synchronization

/// Takes the library's log lines: kept to say why something failed, shown when asked for.
final class LogCollector: Sendable {
  private let gravest = Mutex<(level: hoist_log_level, line: String)?>(nil)
  private let isShown: Bool

  init(isShown: Bool) { self.isShown = isShown }

  /// The last error, else the last warning, without the client's name in front.
  var reason: String? {
    guard let line = gravest.withLock({ $0?.line }) else { return nil }
    guard line.hasPrefix("hoist["), let end = line.indices.first(where: { line[$0...].hasPrefix("]: ") }) else { return line }
    return String(line[end...].dropFirst(3))
  }
  var hasError: Bool { gravest.withLock { $0?.level == hoist_log_level(HOIST_LOG_ERROR) } }

  /// Forgets earlier lines, so that a later reason is a new one.
  func clear() { gravest.withLock { $0 = nil } }

  func take(_ level: hoist_log_level, _ line: String) {
    gravest.withLock { gravest in
      if level <= hoist_log_level(HOIST_LOG_WARNING), level <= gravest?.level ?? level { gravest = (level, line) }
    }
    guard isShown else { return }
    let names = ["", "ERROR", "WARNING", "INFO", "DEBUG"]
    let index = Int(level)
    Output.error("\(names.indices.contains(index) ? names[index] : "LOG") \(line)")
  }

  /// The table that makes a client write here; the client keeps this object alive until it releases the table.
  func table() -> hoist_logger {
    var table = hoist_logger()
    table.struct_size = MemoryLayout<hoist_logger>.size
    table.user_data = Unmanaged.passRetained(self).toOpaque()
    table.write = { log, level, message, _ in
      guard let log else { return }
      Unmanaged<LogCollector>.fromOpaque(log).takeUnretainedValue().take(level, String(cString: message))
    }
    table.release = { log in
      if let log { Unmanaged<LogCollector>.fromOpaque(log).release() }
    }
    return table
  }
}
