internal import Glibc
internal import HoistBase

/// The journals that this process has open. They must not be opened again in this process, by any path: closing any
/// descriptor of a file releases the process's locks on it.
///
/// The lock is held while files are opened and closed, so that the list always matches the open files.
enum OpenJournals {
  struct File {
    let descriptor: Int32
    fileprivate let key: Key
  }

  /// Which file it is, under any of its names.
  fileprivate struct Key: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
  }

  private final class Box: @unchecked Sendable {
    let lock = Lock()
    var generation = ForkGeneration.current
    var keys: Set<Key> = []
  }
  private static let box = Box()

  /// Makes a file, mode 0600.
  /// - Returns: nil when that fails; see `errno`; no file is left behind.
  static func make(_ path: String) -> File? {
    with { keys in
      let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return nil }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else {
        let reason = errno
        unlink(path)
        _ = Glibc.close(descriptor)
        errno = reason
        return nil
      }
      let key = Key(status)
      keys.insert(key)
      return File(descriptor: descriptor, key: key)
    }
  }

  /// Opens a file that may be another's.
  /// - Returns: nil for one that is open here, gone, or no file of this account's.
  static func open(_ path: String) throws(SQLiteFailure) -> File? {
    try with { keys throws(SQLiteFailure) in
      guard let (descriptor, key) = try foreign(path, among: keys) else { return nil }
      keys.insert(key)
      return File(descriptor: descriptor, key: key)
    }
  }

  /// Whether a file is not locked now; another process may lock it at once.
  static func isFree(_ path: String) throws(SQLiteFailure) -> Bool {
    try with { keys throws(SQLiteFailure) in
      guard let (descriptor, _) = try foreign(path, among: keys) else { return false }
      defer { _ = Glibc.close(descriptor) }
      return try JournalDisk.isFree(descriptor, path)
    }
  }

  /// Lets go of the lock, too.
  static func close(_ file: File) {
    with {
      _ = Glibc.close(file.descriptor)
      $0.remove(file.key)
    }
  }

  private static func foreign(_ path: String, among keys: Set<Key>) throws(SQLiteFailure) -> (descriptor: Int32, key: Key)? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw JournalDisk.failure(path, errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), !keys.contains(Key(status)) else { return nil }
    let descriptor = Glibc.open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if descriptor >= 0 { return (descriptor, Key(status)) }
    // What this account may not open is not drained.
    if [ENOENT, EACCES, EPERM, ELOOP].contains(errno) { return nil }
    throw JournalDisk.failure(path, errno)
  }

  /// A forked child has none of its parent's locks.
  private static func with<Value, Failure: Error>(_ body: (inout Set<Key>) throws(Failure) -> Value) throws(Failure) -> Value {
    try box.lock.withLock { () throws(Failure) -> Value in
      if box.generation != ForkGeneration.current { (box.generation, box.keys) = (ForkGeneration.current, []) }
      return try body(&box.keys)
    }
  }
}
