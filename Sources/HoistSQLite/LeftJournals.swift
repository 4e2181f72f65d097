internal import Glibc
internal import HoistBase
internal import HoistCore

/// The journals beside a cache file that no process holds any more.
struct LeftJournals {
  /// More is not ours: a part is no longer than its limit.
  private static let maximumBytes = FileJournal.maximumBytes
  /// A file without a header is being made, or its process died while it was.
  private static let birthMilliseconds: Int64 = 60_000

  let file: CacheFile
  let unixMilliseconds: Int64

  /// One file, opened and locked: nobody else reads or removes it meanwhile.
  struct Journal {
    let header: JournalFormat.Header
    let name: String
    fileprivate let headerBytes: Int
    fileprivate let content: [UInt8]
    fileprivate let descriptor: Int32

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
      return JournalDisk.erase(in: content, from: headerBytes, of: descriptor) { entry in
        subject.withBytes { entry.subject.hasSameBytes(as: $0) }
      }
    }
  }

  /// Hands out each of them.
  /// - Parameter body: returns whether the file is to be removed.
  func forEach<Failure: Error>(_ body: (Journal) throws(Failure) -> Bool) throws(Failure) {
    for name in names {
      let path = file.folder + "/" + name
      guard OpenJournals.insert(path) else { continue }
      defer { OpenJournals.remove(path) }
      let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { continue }
      defer { _ = close(descriptor) }
      guard let journal = journal(descriptor, name) else { continue }
      // A file that cannot be removed is emptied, so that nothing of it comes again.
      if try body(journal), unlink(path) != 0 { ftruncate(descriptor, 0) }
    }
  }

  /// - Returns: nil for one that is in use, gone meanwhile, or none.
  private func journal(_ descriptor: Int32, _ name: String) -> Journal? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      JournalDisk.lock(descriptor), fstat(descriptor, &status) == 0, status.st_nlink > 0,
      status.st_size <= Self.maximumBytes, let content = JournalDisk.read(descriptor, count: Int(status.st_size))
    else { return nil }
    guard let (header, headerBytes) = content.withBytes({ JournalFormat.header(of: $0) }) else {
      let changed = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000)
      let age = unixMilliseconds.subtractingReportingOverflow(changed.partialValue)
      if !changed.overflow, !age.overflow, age.partialValue > Self.birthMilliseconds { unlink(file.folder + "/" + name) }
      return nil
    }
    return Journal(header: header, name: name, headerBytes: headerBytes, content: content, descriptor: descriptor)
  }

  /// The names of all files that may be journals of this cache file.
  private var names: [String] {
    guard let folder = opendir(file.folder) else { return [] }
    defer { closedir(folder) }
    let stem = file.journalStem.utf8.dropFirst(file.folder.utf8.count + 1)
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.utf8.starts(with: stem), name.hasSuffix(FileJournal.suffix) { names.append(name) }
    }
    return names.sorted()
  }
}
