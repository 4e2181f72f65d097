public import CHoist
internal import HoistCore

/// A host's logger. `release` runs when the last user lets go of it.
final class CLogger: LogSink, @unchecked Sendable {
  private let table: hoist_logger

  init(_ table: hoist_logger) { self.table = table }
  deinit { HostRelease.run(table.release, table.user_data) }

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
  PluginSlot.set(config, logger, size: logger?.pointee.struct_size, zero: hoist_logger(), error, kind: "logger") {
    CLogger($0)
  } store: {
    $0.plugins.logSink = $1
  }
}
