internal import Glibc
internal import HoistBase
internal import HoistCore

/// The journals of processes that have died, beside a cache file.
struct LeftJournals {
  /// More is not ours: a part is no longer than its limit and one record.
  private static let maximumBytes = FileJournal.maximumBytes + (16 << 20)

  let file: CacheFile
  /// For an owner of whom nothing is known: its files are taken when they have not changed for so long.
  let leaseMilliseconds: Int64
  let now: Int64

  /// One file, opened and locked: nobody else reads or removes it meanwhile.
  struct Journal {
    let header: JournalFormat.Header
    let headerBytes: Int
    let content: [UInt8]

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
  }

  /// Hands out each journal that nobody holds any more.
  /// - Parameter body: returns whether the file is to be removed.
  func forEach<Failure: Error>(_ body: (Journal) throws(Failure) -> Bool) throws(Failure) {
    for name in names {
      let path = file.folder + "/" + name
      let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { continue }
      defer { _ = close(descriptor) }
      guard let journal = journal(descriptor, path) else { continue }
      if try body(journal) { unlink(path) }
    }
  }

  /// - Returns: nil for one that is in use, gone meanwhile, or none; what cannot be read is set aside.
  private func journal(_ descriptor: Int32, _ path: String) -> Journal? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return nil }
    let age = now.subtractingReportingOverflow(Int64(status.st_mtim.tv_sec) &* 1_000)
    let isOld = !age.overflow && age.partialValue > leaseMilliseconds
    // The header first: a file in use is not read whole.
    guard let start = JournalDisk.read(descriptor, count: min(Int(status.st_size), 8_192)) else { return setAside(path) }
    guard let (header, headerBytes) = start.withBytes({ JournalFormat.header(of: $0) }) else {
      // Its process died while making it, or makes it now.
      if isOld { unlink(path) }
      return nil
    }
    switch OwnerIdentity(text: header.owner)?.liveness ?? .unknown {
    case .alive: return nil
    case .unknown where !isOld: return nil
    default: break
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 else { return nil }
    guard status.st_size <= Self.maximumBytes, let content = JournalDisk.read(descriptor, count: Int(status.st_size)) else {
      return setAside(path)
    }
    return Journal(header: header, headerBytes: headerBytes, content: content)
  }

  private func setAside(_ path: String) -> Journal? {
    _ = rename(path, path + ".corrupt")
    return nil
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
