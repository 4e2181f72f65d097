internal import Glibc
internal import HoistBase
internal import HoistCore

/// One file of a journal, written by the process that made it.
struct JournalPart {
  private let descriptor: Int32
  private let path: String
  private let inode: ino_t
  private let headerBytes: Int
  /// How long the file is, as far as it is valid.
  private(set) var used: Int
  /// The greatest number in it.
  private(set) var last: UInt64 = 0

  /// Makes the file, mode 0600.
  /// - Returns: nil when that fails; then nothing is left behind.
  init?(path: String, header: JournalFormat.Header) {
    let bytes = JournalFormat.bytes(of: header)
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, JournalDisk.write(bytes, to: descriptor, at: 0) else {
      _ = Glibc.unlink(path)
      _ = Glibc.close(descriptor)
      return nil
    }
    inode = status.st_ino
    self.path = path
    headerBytes = bytes.count
    used = bytes.count
  }

  var isEmpty: Bool { used == headerBytes }

  /// Whether the file is still where others will look for it.
  var isInPlace: Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_ino == inode
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
  func close() { _ = Glibc.close(descriptor) }
}

/// What is done to the files of journals.
enum JournalDisk {
  /// All of it, or it counts as nothing.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int) -> Bool {
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
}
