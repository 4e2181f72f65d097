import CHoist
import Glibc

/// What the machine offers.
extension Check {
  /// Whether a program's store can be used. What no program has made yet is left unmade.
  static func store(_ configuration: Configuration) -> Check {
    let name = "store"
    guard configuration.value(of: "store") == "sqlite" else {
      return Check(name, .skipped, "nothing is kept: store is \(configuration.value(of: "store") ?? "unset")")
    }
    guard let folder = folder(of: configuration) else {
      return Check(name, .failed, "no folder: neither XDG_CACHE_HOME nor HOME is set, so nothing is kept; set store.path")
    }
    var status = stat()
    if lstat(folder, &status) != 0, errno == ENOENT { return missing(name, folder) }
    var error: OpaquePointer?
    defer { hoist_error_free(error) }
    guard hoist_config_check_store(configuration.handle, &error) == HOIST_OK else {
      return Check(name, .failed, "\(String(cString: hoist_error_message(error))), so nothing is kept")
    }
    return Check(name, .ok, "\(folder) is used")
  }

  private static func missing(_ name: String, _ folder: String) -> Check {
    var above = Substring(folder)
    while !above.isEmpty, access(String(above), F_OK) != 0 {
      above = above.utf8.lastIndex(of: UInt8(ascii: "/")).map { above[..<$0] } ?? ""
    }
    let place = above.isEmpty ? (folder.utf8.first == UInt8(ascii: "/") ? "/" : ".") : String(above)
    return access(place, W_OK | X_OK) == 0
      ? Check(name, .ok, "\(folder) is made on first use")
      : Check(name, .failed, "\(folder) cannot be made, so nothing is kept: \(place) cannot be written")
  }

  /// As property `store.path` says: a relative path in XDG_CACHE_HOME is ignored.
  private static func folder(of configuration: Configuration) -> String? {
    if let path = configuration.value(of: "store.path"), !path.isEmpty { return path }
    let home = [("XDG_CACHE_HOME", "/hoist"), ("HOME", "/.cache/hoist")].lazy.compactMap { name, below in
      Terminal.variable(name).flatMap { $0.hasPrefix("/") ? $0 + below : nil }
    }
    return home.first
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
