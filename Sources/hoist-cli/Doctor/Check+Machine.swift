import CHoist
import Glibc

/// What the machine offers.
extension Check {
  /// Whether a program's store can be used. It is made, as by a program.
  static func store(_ configuration: Configuration) -> Check {
    let name = "store"
    guard configuration.value(of: "store") == "sqlite" else {
      return Check(name, .skipped, "nothing is kept: store is \(configuration.value(of: "store") ?? "unset")")
    }
    var error: OpaquePointer?
    defer { hoist_error_free(error) }
    guard hoist_config_check_store(configuration.handle, &error) == HOIST_OK else {
      return Check(name, .failed, "\(String(cString: hoist_error_message(error))), so nothing is kept")
    }
    return Check(name, .ok, "it can be opened and written")
  }

  /// A wrong clock breaks TLS, constraints on dates and the times in metrics.
  static func clock() -> Check {
    /// 2025-01-01 and 2100-01-01.
    let plausible: ClosedRange<Int64> = 1_735_689_600_000...4_102_444_800_000
    guard plausible.contains(Moment.unixMilliseconds) else {
      return Check("clock", .failed, "\(Moment.text) cannot be right: TLS and date rules will fail; set the clock")
    }
    let isSynchronized = access("/run/systemd/timesync/synchronized", F_OK) == 0
    return Check("clock", .ok, Moment.text + (isSynchronized ? ", synchronized" : ""))
  }
}
