internal import Glibc
internal import HoistBase

/// What is done to the files of journals.
enum JournalDisk {
  // MARK: Locks, which a process loses when it dies, and a forked child does not have

  /// - Returns: false when another process holds it, or the file system has no locks; see `errno`.
  static func lock(_ descriptor: Int32) -> Bool {
    var whole = flock()
    whole.l_type = Int16(F_WRLCK)
    return fcntl(descriptor, F_SETLK, &whole) == 0
  }

  /// Whether no other process has the lock of a file.
  static func isFree(_ descriptor: Int32, _ path: String) throws(SQLiteFailure) -> Bool {
    var whole = flock()
    whole.l_type = Int16(F_WRLCK)
    guard fcntl(descriptor, F_GETLK, &whole) == 0 else { throw failure(path, errno) }
    return whole.l_type == Int16(F_UNLCK)
  }

  static func failure(_ path: String, _ reason: Int32) -> SQLiteFailure { .disk("\(path) \(CacheFolder.reason(reason))") }

  // MARK: Bytes

  /// Bytes, a descriptor, where in the file.
  typealias Writing = (UnsafeRawBufferPointer, Int32, Int) -> Bool

  /// All of it, or it counts as nothing.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int) -> Bool {
    // Asked each time: the host may lower it whenever it likes.
    guard bytes.count <= longestFile - offset else {
      errno = EFBIG
      return false
    }
    var written: Int
    repeat { written = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) } while written < 0 && errno == EINTR
    return written == bytes.count
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) -> Bool {
    bytes.withUnsafeBytes { write($0, to: descriptor, at: offset) }
  }

  /// The first `count` bytes of a file, or as many as there are; nil when they cannot be read.
  static func read(_ descriptor: Int32, count: Int) -> [UInt8]? {
    var content = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = content.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress.map { $0 + done }, count - done, off_t(done)) }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { return nil }
      if read == 0 { break }
      done += read
    }
    content.removeLast(count - done)
    return content
  }

  /// Marks entries as erased and overwrites what they held. Needs no room on the disk.
  static func erase(
    in content: [UInt8], from start: Int, of descriptor: Int32, where isMeant: (JournalFormat.Entry) -> Bool
  ) -> Bool {
    var isDone = true
    content.withBytes { file in
      JournalFormat.forEachEntry(of: file, from: start) { entry in
        guard !entry.isErased, isMeant(entry) else { return }
        let zeros = [UInt8](repeating: 0, count: entry.subject.count + entry.payload.count)
        let kind = withUnsafeBytes(of: JournalFormat.Kind.erased) { write($0, to: descriptor, at: entry.offset + 8) }
        isDone = kind && write(zeros, to: descriptor, at: entry.offset + JournalFormat.entryHeaderBytes) && isDone
      }
    }
    return isDone
  }

  /// How long a file of this process may become; beyond that the system would send a signal that ends it.
  static var longestFile: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }
}
