internal import Glibc
internal import HoistCore

/// The folder that holds cache files, and whether it may be trusted.
enum CacheFolder {
  /// `$XDG_CACHE_HOME/hoist`, else `~/.cache/hoist` (XDG Base Directory Specification: a relative
  /// path in the variable is ignored).
  static func standard() throws(CacheFailure) -> String {
    if let base = variable("XDG_CACHE_HOME") { return base + "/hoist" }
    if let home = variable("HOME") { return home + "/.cache/hoist" }
    throw CacheFailure("no folder for the cache: neither XDG_CACHE_HOME nor HOME is set", isPermanent: true)
  }

  /// Makes the folder, mode 0700, where it is missing, and checks it.
  /// - Returns: its canonical path. The folder itself is no link; folders above it may be.
  static func prepare(_ path: String) throws(CacheFailure) -> String {
    try make(path)
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, errno == ELOOP ? "is a symbolic link" : reason(errno)) }
    defer { _ = close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path, reason(errno)) }
    guard status.st_uid == geteuid() || status.st_uid == 0 else { throw failure(path, "belongs to another user") }
    guard status.st_mode & S_IWOTH == 0 || status.st_mode & S_ISVTX != 0 else {
      throw failure(path, "may be written by everybody")
    }
    guard let canonical = realpath(path, nil) else { throw failure(path, reason(errno)) }
    defer { free(canonical) }
    return String(cString: canonical)
  }

  private static func make(_ path: String) throws(CacheFailure) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw failure(path, "is no path") }
    var end = path.utf8.startIndex
    while end != path.utf8.endIndex {
      let next = path.utf8.index(after: end)
      end = path.utf8[next...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
      if mkdir(String(path[..<end]), 0o700) != 0 && errno != EEXIST && end == path.utf8.endIndex {
        throw failure(path, reason(errno))
      }
    }
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.utf8.first == UInt8(ascii: "/") ? text : nil
  }

  static func failure(_ path: String, _ problem: String) -> CacheFailure {
    CacheFailure("the cache is off: \(path) \(problem)")
  }

  static func reason(_ code: Int32) -> String {
    strerror(code).map { "cannot be used (" + String(cString: $0) + ")" } ?? "cannot be used"
  }
}
