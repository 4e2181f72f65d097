internal import Glibc
internal import HoistBase
internal import HoistCore

/// One file of a journal, written by the process that made it, which holds its lock for as long as it may write.
struct JournalPart {
  private let descriptor: Int32
  private let path: String
  private let headerBytes: Int
  /// How long the file is, as far as it is valid.
  private(set) var used: Int
  /// The greatest number in it.
  private(set) var last: UInt64 = 0

  /// Makes the file, mode 0600.
  /// - Returns: nil when that fails; then nothing is left behind.
  init?(path: String, header: JournalFormat.Header) {
    let bytes = JournalFormat.bytes(of: header)
    _ = OpenJournals.insert(path)
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    (self.path, headerBytes, used) = (path, bytes.count, bytes.count)
    // The lock first: a file with a header and without a lock is anyone's.
    if descriptor >= 0, JournalDisk.lock(descriptor), JournalDisk.write(bytes, to: descriptor, at: 0) { return }
    if descriptor >= 0 {
      unlink()
      close()
    } else {
      OpenJournals.remove(path)
    }
    return nil
  }

  var isEmpty: Bool { used == headerBytes }

  /// Whether the file has a name still, by which others can find it.
  var isInPlace: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink > 0
  }

  /// - Returns: false when it could not be written; then it is not in the file.
  mutating func append(_ entry: UnsafeMutableRawBufferPointer, number: UInt64) -> Bool {
    guard JournalDisk.write(UnsafeRawBufferPointer(entry), to: descriptor, at: used) else { return false }
    used += entry.count
    last = max(last, number)
    return true
  }

  /// Forgets all entries.
  mutating func reset() -> Bool {
    guard ftruncate(descriptor, off_t(headerBytes)) == 0 else { return false }
    used = headerBytes
    last = 0
    return true
  }

  func erase(where isMeant: (JournalFormat.Entry) -> Bool) -> Bool {
    guard let content = JournalDisk.read(descriptor, count: used) else { return false }
    return JournalDisk.erase(in: content, from: headerBytes, of: descriptor, where: isMeant)
  }

  func unlink() { _ = Glibc.unlink(path) }

  /// Lets go of the lock, too.
  func close() {
    _ = Glibc.close(descriptor)
    OpenJournals.remove(path)
  }
}

/// The journals that this process has open. They are not to be opened here once more: closing any descriptor of a file lets go
/// of the process's locks on it.
enum OpenJournals {
  private final class Box: @unchecked Sendable {
    let lock = Lock()
    var generation = ForkGeneration.current
    var paths: Set<String> = []
  }
  private static let box = Box()

  /// - Returns: false when it is open already.
  static func insert(_ path: String) -> Bool { with { $0.insert(path).inserted } }
  static func remove(_ path: String) { with { _ = $0.remove(path) } }

  /// A forked child has none of its parent's locks.
  private static func with<Value>(_ body: (inout Set<String>) -> Value) -> Value {
    box.lock.withLock {
      if box.generation != ForkGeneration.current { (box.generation, box.paths) = (ForkGeneration.current, []) }
      return body(&box.paths)
    }
  }
}
