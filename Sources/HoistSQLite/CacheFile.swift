internal import Glibc
internal import HoistCore

/// A cache file on disk and the files SQLite keeps beside it: what may be done to them by name.
struct CacheFile: Sendable {
  /// Canonical.
  let folder: String
  let name: String

  private static let suffix = ".sqlite"

  /// The folder is made where it is missing.
  /// - Parameter path: of the folder.
  static func located(_ options: SQLiteCacheManager.Options, in path: String) throws(CacheFailure) -> CacheFile {
    let name = "\(options.vendor)-\(options.keyDigest)"
    guard name.utf8.count <= 200, name.utf8.allSatisfy(isPlain) else {
      throw CacheFailure("the cache is off: its file would need an unfit name", isPermanent: true)
    }
    return CacheFile(folder: try CacheFolder.prepare(path), name: name + suffix)
  }

  var path: String { folder + "/" + name }

  /// How the paths of journals begin.
  var journalStem: String { path.dropLast(Self.suffix.count) + "." }

  /// The identity of the file at the path; nil when there is none.
  var identity: UInt64? { Self.status(path).map { UInt64($0.st_ino) } }

  private static let companions = ["-wal", "-shm", "-journal"]

  /// How long the index is that connections share, which they map into memory; nil when there is none.
  var indexBytes: Int? { Self.status(path + "-shm").map { Int($0.st_size) } }

  /// Of an index that was cut nothing counts: SQLite makes it anew. By name, for the reason above.
  func emptyIndex() { truncate(path + "-shm", 0) }

  /// Makes the file, mode 0600, where it is missing, and refuses it and its companions when they are links, no plain
  /// files, or owned by another account. The file is never opened when it exists: closing a descriptor would drop the
  /// locks that other connections of this process hold on it.
  func prepare() throws(CacheFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else if errno != EEXIST {
      throw CacheFolder.failure(path, CacheFolder.reason(errno))
    }
    for suffix in [""] + Self.companions {
      let path = path + suffix
      guard let status = Self.status(path) else { continue }
      guard status.st_mode & S_IFMT == S_IFREG else { throw CacheFolder.failure(path, "is no plain file") }
      guard status.st_uid == geteuid() else { throw CacheFolder.failure(path, "belongs to another user") }
      if status.st_mode & 0o077 != 0 { chmod(path, 0o600) }
    }
  }

  /// Runs `body` while no other process opens, makes or sets aside a cache file in the folder.
  /// - Returns: nil when another one is at it just now.
  func alone<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value? {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Some network file systems lock nothing; there we go on without.
    guard descriptor >= 0 else { return try body() }
    defer { _ = close(descriptor) }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK { return nil }
    return try body()
  }

  /// Renames the file and its companions to `.corrupt`, over what was set aside before.
  /// - Returns: false when the file could not be moved.
  func setAside() -> Bool {
    // Companions first: a log without its database is ignored, a new database beside an old log is not.
    for suffix in Self.companions { rename(path + suffix, asidePath + suffix) }
    return rename(path, asidePath) == 0 || errno == ENOENT
  }

  var asidePath: String { path + ".corrupt" }
  var isSetAside: Bool { Self.status(asidePath) != nil }

  /// What could be read of it is taken over: it is renamed to `.salvaged`, over an older one.
  func putSetAsideAway() {
    for suffix in Self.companions + [""] { rename(asidePath + suffix, path + ".salvaged" + suffix) }
  }

  /// Whether names may hold the byte: lower-case letters, digits and dashes.
  static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x61 && byte <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x2D
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }
}
