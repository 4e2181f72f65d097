public import CHoist
internal import HoistCore

/// A host's logger. `release` runs when the last user lets go of it.
final class CLogger: HostAdapter<hoist_logger>, LogSink, @unchecked Sendable {
  func write(_ level: LogLevel, _ message: String) {
    var message = message
    // The host may read it as a C string too.
    message.append("\0")
    message.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return }
      table.write?(
        table.user_data, level.rawValue, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), bytes.count - 1)
    }
  }
}

@_cdecl("hoist_config_set_logger") @implementation
public func hoist_config_set_logger(
  _ config: OpaquePointer?, _ logger: UnsafePointer<hoist_logger>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(config, logger, error, "logger", \.logSink) { CLogger($0) }
}
