internal import Glibc
internal import HoistBase
public import HoistCore

/// A small value beside the cache files, in a file of its own: removing it needs no database, and the first process
/// makes it for all.
struct SharedValueFile {
  private static let maximumBytes = 4096
  /// Between looking and making, another process may remove or make it.
  private static let attempts = 4

  let folder: String
  let name: String

  private var path: String { folder + "/" + name }

  /// What the file says; `value`, when there was none.
  func content(orKeep value: [UInt8]) throws(CacheFailure) -> [UInt8] {
    guard value.count <= Self.maximumBytes else { throw CacheFolder.failure(path, "would be too large") }
    for _ in 0..<Self.attempts {
      if let known = try read() { return known }
      if try make(value) { return value }
    }
    throw CacheFolder.failure(path, "keeps changing")
  }

  /// Also where there is nothing to remove, not even a folder.
  func remove() throws(CacheFailure) {
    guard unlink(path) != 0, errno != ENOENT, errno != ENOTDIR else { return }
    throw CacheFolder.failure(path, CacheFolder.reason(errno))
  }

  /// nil when there is no such file.
  private func read() throws(CacheFailure) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw CacheFolder.failure(path, CacheFolder.reason(errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_size <= Self.maximumBytes
    else { throw CacheFolder.failure(path, "is no file of this library's") }
    var content = [UInt8](repeating: 0, count: Self.maximumBytes)
    let count = content.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw CacheFolder.failure(path, CacheFolder.reason(errno)) }
    content.removeLast(content.count - count)
    return content
  }

  /// Writes aside and links it into place, so that no reader sees half of it, and the first one stays.
  /// - Returns: false when another process was faster.
  private func make(_ value: [UInt8]) throws(CacheFailure) -> Bool {
    let draft = "\(path).\(UUIDv4(from: SystemEntropy()).digits)"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CacheFolder.failure(path, CacheFolder.reason(errno)) }
    defer { unlink(draft) }
    let written = value.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    let problem = errno
    close(descriptor)
    guard written == value.count else {
      throw CacheFolder.failure(path, written < 0 ? CacheFolder.reason(problem) : "cannot be written")
    }
    if link(draft, path) == 0 { return true }
    if errno == EEXIST { return false }
    throw CacheFolder.failure(path, CacheFolder.reason(errno))
  }
}

extension SQLiteCacheManager {
  public func shared(key: String, orKeep value: [UInt8]) throws(CacheFailure) -> [UInt8] {
    let folder = try CacheFolder.prepare(try location.folder())
    return try SharedValueFile(folder: folder, name: sharedName(key)).content(orKeep: value)
  }

  public func removeShared(key: String) throws(CacheFailure) {
    try SharedValueFile(folder: try location.folder(), name: sharedName(key)).remove()
  }

  private func sharedName(_ key: String) throws(CacheFailure) -> String {
    let name = "\(options.vendor)-\(key)"
    guard name.utf8.count <= 200, name.utf8.allSatisfy(CacheFile.isPlain) else {
      throw CacheFailure("a shared value cannot be kept: \"\(key.prefix(40))\" is no name of a file")
    }
    return name
  }
}
