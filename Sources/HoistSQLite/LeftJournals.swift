internal import Glibc
internal import HoistBase
internal import HoistCore

/// The journals beside a cache file that no process holds any more. An unreadable one is a failure: it may hold records
/// of a purged subject.
struct LeftJournals {
  /// More is not ours: a part is no longer than its limit.
  private static let maximumBytes = FileJournal.maximumBytes
  /// A file without a header is being made, or its process died while it was.
  private static let birthMilliseconds: Int64 = 60_000

  let file: CacheFile
  let unixMilliseconds: Int64

  /// The names of those that may be taken now, without taking them.
  func free() throws(SQLiteFailure) -> [String] {
    var free: [String] = []
    for name in try names() where try OpenJournals.isFree(path(name)) { free.append(name) }
    return free
  }

  /// Opens one and locks it.
  /// - Parameter removesUnreadable: whether an unreadable file is removed, as a later read might succeed; else it is
  ///   left.
  /// - Returns: nil for one that is in use, gone meanwhile, or none.
  func open(_ name: String, removesUnreadable: Bool = false) throws(SQLiteFailure) -> LeftJournal? {
    guard let file = try OpenJournals.open(path(name)) else { return nil }
    do {
      if let journal = try journal(file, name, removesUnreadable) { return journal }
    } catch {
      OpenJournals.close(file)
      throw error
    }
    OpenJournals.close(file)
    return nil
  }

  private func journal(_ file: OpenJournals.File, _ name: String, _ removesUnreadable: Bool) throws(SQLiteFailure) -> LeftJournal?
  {
    let path = path(name)
    guard JournalDisk.lock(file.descriptor) else {
      if errno == EAGAIN || errno == EACCES { return nil }
      throw JournalDisk.failure(path, errno)
    }
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { throw JournalDisk.failure(path, errno) }
    guard status.st_nlink > 0, status.st_size <= Self.maximumBytes else { return nil }
    guard let content = JournalDisk.read(file.descriptor, count: Int(status.st_size)) else {
      if !removesUnreadable || unlink(path) == 0 { return nil }
      throw JournalDisk.failure(path, errno)
    }
    guard let (header, headerBytes) = content.withBytes({ JournalFormat.header(of: $0) }) else {
      if content.withBytes({ JournalFormat.isTornHeader($0) }), isOld(status) { unlink(path) }
      return nil
    }
    return LeftJournal(header: header, name: name, path: path, headerBytes: headerBytes, content: content, file: file)
  }

  private func isOld(_ status: stat) -> Bool {
    let changed = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000)
    let age = unixMilliseconds.subtractingReportingOverflow(changed.partialValue)
    return !changed.overflow && !age.overflow && age.partialValue > Self.birthMilliseconds
  }

  private func path(_ name: String) -> String { file.folder + "/" + name }

  /// Whether there is a file of this name.
  func exists(_ name: String) -> Bool {
    var status = stat()
    return lstat(path(name), &status) == 0 || errno != ENOENT
  }

  /// The names of all files that may be journals of this cache file.
  func names() throws(SQLiteFailure) -> [String] {
    guard let folder = opendir(file.folder) else {
      if errno == ENOENT { return [] }
      throw JournalDisk.failure(file.folder, errno)
    }
    defer { closedir(folder) }
    let stem = file.journalStem.utf8.dropFirst(file.folder.utf8.count + 1)
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.utf8.starts(with: stem), name.hasSuffix(FileJournal.suffix) { names.append(name) }
      errno = 0
    }
    if errno != 0 { throw JournalDisk.failure(file.folder, errno) }
    return names.sorted()
  }
}

/// A journal that is open and locked, until it is released: no other process reads or removes it meanwhile.
final class LeftJournal {
  let header: JournalFormat.Header
  let name: String
  private let path: String
  private let headerBytes: Int
  private let content: [UInt8]
  private let file: OpenJournals.File

  fileprivate init(
    header: JournalFormat.Header, name: String, path: String, headerBytes: Int, content: [UInt8], file: OpenJournals.File
  ) {
    self.header = header
    self.name = name
    self.path = path
    self.headerBytes = headerBytes
    self.content = content
    self.file = file
  }

  deinit { OpenJournals.close(file) }

  /// Its rows, oldest first.
  var rows: [EventRow] {
    var rows: [EventRow] = []
    content.withBytes { file in
      JournalFormat.forEachEntry(of: file, from: headerBytes) { entry in
        guard !entry.isErased else { return }
        rows.append(
          EventRow(
            id: header.identifiers.text(entry.number), pipeline: header.pipeline,
            subject: String(decoding: entry.subject, as: UTF8.self), createdUnixMilliseconds: entry.created,
            payload: Array(entry.payload)))
      }
    }
    return rows
  }

  /// - Returns: false when the disk refuses; then it is to be removed.
  func erase(subject: String) -> Bool {
    let subject = Array(subject.utf8)
    return JournalDisk.erase(in: content, from: headerBytes, of: file.descriptor) { entry in
      subject.withBytes { entry.subject.hasSameBytes(as: $0) }
    }
  }

  func erase(ids: Set<String>) -> Bool {
    JournalDisk.erase(in: content, from: headerBytes, of: file.descriptor) { ids.contains(header.identifiers.text($0.number)) }
  }

  /// A file that cannot be removed is emptied, so that nothing of it comes again.
  /// - Returns: false when neither can be done.
  @discardableResult
  func remove() -> Bool { unlink(path) == 0 || errno == ENOENT || ftruncate(file.descriptor, 0) == 0 }
}
