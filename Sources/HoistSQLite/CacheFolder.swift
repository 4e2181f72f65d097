internal import Glibc
internal import HoistBase
internal import HoistCore

/// The folder that holds cache files, and whether it may be trusted.
enum CacheFolder {
  /// `$XDG_CACHE_HOME/hoist`, else `~/.cache/hoist` (XDG Base Directory Specification: a relative
  /// path in the variable is ignored).
  static func standard() throws(CacheFailure) -> String {
    guard let folder = standardPath(among: Environment.value) else {
      throw CacheFailure("no folder for the cache: neither XDG_CACHE_HOME nor HOME is set", isPermanent: true)
    }
    return folder
  }

  /// - Parameter variable: the value of an environment variable.
  /// - Returns: nil where neither names a folder.
  static func standardPath(among variable: (String) -> String?) -> String? {
    func folder(_ name: String) -> String? {
      variable(name).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }
    return folder("XDG_CACHE_HOME").map { $0 + "/hoist" } ?? folder("HOME").map { $0 + "/.cache/hoist" }
  }

  /// Makes the folder, mode 0700, where it is missing, and checks it.
  /// - Returns: its canonical path. The folder itself is no link; folders above it may be.
  static func prepare(_ given: String) throws(CacheFailure) -> String {
    // At its end "/" and "/." would have a link followed.
    var path = given
    while path.utf8.count > 1, let end = ["/.", "/"].first(where: { path.utf8.reversed().starts(with: $0.utf8.reversed()) }) {
      path = path == end ? "/" : String(path.unicodeScalars.dropLast(end.utf8.count))
    }
    try make(path)
    if let problem = problem(of: path) { throw failure(path, problem) }
    guard let canonical = realpath(path, nil) else { throw failure(path, reason(errno)) }
    defer { free(canonical) }
    return String(cString: canonical)
  }

  /// Why a folder that exists is not trusted or cannot be used, e.g. "belongs to another user"; nil for one that can.
  static func problem(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0 else {
      let reason = reason(errno)
      guard lstat(path, &status) == 0 else { return reason }
      switch status.st_mode & S_IFMT {
      case S_IFLNK: return "is a symbolic link"
      case S_IFDIR: return reason
      default: return "is no folder"
      }
    }
    defer { _ = close(descriptor) }
    guard fstat(descriptor, &status) == 0 else { return reason(errno) }
    guard status.st_uid == geteuid() || status.st_uid == 0 else { return "belongs to another user" }
    guard status.st_mode & S_IWOTH == 0 || status.st_mode & S_ISVTX != 0 else { return "may be written by everybody" }
    return nil
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

  static func failure(_ path: String, _ problem: String) -> CacheFailure {
    CacheFailure("the cache is off: \(path) \(problem)")
  }

  static func reason(_ code: Int32) -> String {
    strerror(code).map { "cannot be used (" + String(cString: $0) + ")" } ?? "cannot be used"
  }
}
