import Glibc
import HoistBase

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
    let problem: String? =
      if status.st_mode & S_IFMT == S_IFLNK { "is a symbolic link" }
      else if status.st_mode & S_IFMT != S_IFDIR { "is no folder" }
      else if status.st_uid != geteuid() && status.st_uid != 0 { "belongs to another user" }
      else if status.st_mode & S_IWOTH != 0 && status.st_mode & S_ISVTX == 0 { "may be written by everybody (\(mode)); chmod 700 it" }
      else if access(folder, R_OK | W_OK | X_OK) != 0 { "cannot be written (\(mode))" }
      else { nil }
    if let problem { return Check(name, .warning, "\(folder) \(problem), so nothing is kept") }
    return Check(name, .ok, "\(folder), \(mode)")
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
    // A relative path in the variable is ignored (XDG Base Directory Specification).
    if let base = Terminal.variable("XDG_CACHE_HOME"), base.utf8.first == UInt8(ascii: "/") { return base + "/hoist" }
    return Terminal.variable("HOME").map { $0 + "/.cache/hoist" }
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
