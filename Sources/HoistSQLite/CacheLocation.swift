internal import Glibc
internal import HoistBase
internal import HoistCore

/// The folder of a manager's files: fixed for its life, whatever happens to the process's environment and current
/// folder. Thread-safe.
final class CacheLocation: Sendable {
  private let options: SQLiteCacheManager.Options
  /// Looked up when the manager is made, on the host's thread: the host may change the environment later.
  private let wanted: Result<String, CacheFailure>
  private let found = Found()

  private final class Found: @unchecked Sendable {
    let lock = Lock()
    var file: CacheFile?
  }

  init(_ options: SQLiteCacheManager.Options) {
    self.options = options
    wanted = Result { () throws(CacheFailure) in
      if let folder = options.folder { return try Self.absolute(folder) }
      return try CacheFolder.standard()
    }
  }

  /// The folder as it was asked for, absolute.
  func folder() throws(CacheFailure) -> String { try wanted.get() }

  /// The cache file. Its folder is made where it is missing.
  func file() throws(CacheFailure) -> CacheFile {
    if let known = found.lock.withLock({ found.file }) {
      _ = try CacheFolder.prepare(known.folder)
      return known
    }
    let file = try CacheFile.located(options, in: try folder())
    return found.lock.withLock {
      let first = found.file ?? file
      found.file = first
      return first
    }
  }

  private static func absolute(_ path: String) throws(CacheFailure) -> String {
    guard let first = path.utf8.first, first != UInt8(ascii: "/") else { return path }
    guard let folder = getcwd(nil, 0) else { throw CacheFolder.failure(path, CacheFolder.reason(errno)) }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }
}
