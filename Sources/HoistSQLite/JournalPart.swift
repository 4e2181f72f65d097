internal import Glibc
internal import HoistBase
internal import HoistCore

/// One file of a journal, written by the process that made it, which holds its lock for as long as it may write.
struct JournalPart {
  private let file: OpenJournals.File
  private let path: String
  private let headerBytes: Int
  /// How long the file is, as far as it is valid.
  private(set) var used: Int
  /// The greatest number in it.
  private(set) var last: UInt64 = 0

  /// Makes the file; when that fails, nothing is left behind.
  init(path: String, header: JournalFormat.Header) throws(CacheFailure) {
    let bytes = JournalFormat.bytes(of: header)
    guard let file = OpenJournals.make(path) else { throw Self.failure(path, errno) }
    (self.file, self.path, headerBytes, used) = (file, path, bytes.count, bytes.count)
    // The lock first: a file with a header and without a lock may be claimed.
    if JournalDisk.lock(file.descriptor), JournalDisk.write(bytes, to: file.descriptor, at: 0) { return }
    let reason = errno
    unlink()
    close()
    throw Self.failure(path, reason)
  }

  private static func failure(_ path: String, _ reason: Int32) -> CacheFailure {
    CacheFailure("a journal cannot be kept: \(path) \(CacheFolder.reason(reason))")
  }

  var isEmpty: Bool { used == headerBytes }

  /// Whether the file has a name still, by which others can find it.
  var isInPlace: Bool {
    var status = stat()
    return fstat(file.descriptor, &status) == 0 && status.st_nlink > 0
  }

  /// - Parameter write: for tests.
  /// - Returns: false when it could not be written; then it is not in the file.
  mutating func append(
    _ entry: UnsafeMutableRawBufferPointer, number: UInt64, by write: JournalDisk.Writing = JournalDisk.write
  ) -> Bool {
    guard write(UnsafeRawBufferPointer(entry), file.descriptor, used) else {
      // What came to the disk all the same, no purge would find.
      ftruncate(file.descriptor, off_t(used))
      return false
    }
    used += entry.count
    last = max(last, number)
    return true
  }

  /// Forgets all entries.
  mutating func reset() -> Bool {
    guard ftruncate(file.descriptor, off_t(headerBytes)) == 0 else { return false }
    used = headerBytes
    last = 0
    return true
  }

  func erase(where isMeant: (JournalFormat.Entry) -> Bool) -> Bool {
    guard let content = JournalDisk.read(file.descriptor, count: used) else { return false }
    return JournalDisk.erase(in: content, from: headerBytes, of: file.descriptor, where: isMeant)
  }

  func unlink() { _ = Glibc.unlink(path) }

  /// Lets go of the lock, too.
  func close() { OpenJournals.close(file) }
}
