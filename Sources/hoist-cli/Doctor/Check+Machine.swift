import Glibc
import HoistBase
import HoistSQLite

/// What the machine offers.
extension Check {
  /// The folder that a program's store would be in, with the rules by which the store trusts it.
  static func cache(_ configuration: Configuration) -> Check {
    let name = "cache"
    guard let folder = cacheFolder(configuration) else {
      return Check(name, .warning, "no folder: neither XDG_CACHE_HOME nor HOME is set, so nothing is kept; set store.path")
    }
    var status = stat()
    guard lstat(folder, &status) == 0 else {
      return errno == ENOENT
        ? missing(name, folder) : Check(name, .warning, "\(folder) cannot be used: \(String(cString: strerror(errno)))")
    }
    let mode = "mode " + String(status.st_mode & 0o7777, radix: 8)
    let isWritable = access(folder, R_OK | W_OK | X_OK) == 0
    guard let problem = CacheFolder.problem(of: folder) ?? (isWritable ? nil : "cannot be written") else {
      return Check(name, .ok, "\(folder), \(mode)")
    }
    return Check(name, .warning, "\(folder) \(problem) (\(mode)), so nothing is kept")
  }

  private static func missing(_ name: String, _ folder: String) -> Check {
    var above = Substring(folder)
    while !above.isEmpty, access(String(above), F_OK) != 0 {
      above = above.utf8.lastIndex(of: UInt8(ascii: "/")).map { above[..<$0] } ?? ""
    }
    let place = above.isEmpty ? (folder.utf8.first == UInt8(ascii: "/") ? "/" : ".") : String(above)
    return access(place, W_OK | X_OK) == 0
      ? Check(name, .ok, "\(folder) is made on first use")
      : Check(name, .warning, "\(folder) cannot be made: \(place) cannot be written")
  }

  private static func cacheFolder(_ configuration: Configuration) -> String? {
    if let path = configuration.value(of: "store.path"), !path.isEmpty { return path }
    return CacheFolder.standardPath
  }

  /// A wrong clock breaks TLS, constraints on dates and the times in metrics.
  static func clock() -> Check {
    let now = SystemClock().unixMilliseconds
    /// 2025-01-01 and 2100-01-01.
    let plausible: ClosedRange<Int64> = 1_735_689_600_000...4_102_444_800_000
    guard plausible.contains(now) else {
      return Check("clock", .failed, "\(Moment.text) cannot be right: TLS and date rules will fail; set the clock")
    }
    let isSynchronized = access("/run/systemd/timesync/synchronized", F_OK) == 0
    return Check("clock", .ok, Moment.text + (isSynchronized ? ", synchronized" : ""))
  }
}
