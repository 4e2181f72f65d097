internal import Glibc
internal import HoistBase
internal import HoistCore

/// What a manager has claimed while there was no room to write that down: a full disk must not hold up the delivery that
/// makes room. The process has the lock of all of it: of a journal its file's, of rows in the tables that of a file beside
/// them, `NAME.claims`, at which others look before they claim any. Used inside the gate only.
final class UnwrittenClaims {
  private final class Held {
    let journal: LeftJournal
    /// Those that are in it still.
    var rows: [EventRow]
    /// Given out, or the tables' to give out.
    var spent: Set<String>

    init(_ journal: LeftJournal, _ rows: [EventRow], spent: Set<String>) {
      (self.journal, self.rows, self.spent) = (journal, rows, spent)
    }
  }

  let owner: String
  private let generation = ForkGeneration.current
  private let path: String
  private var held: [Held] = []
  private var lock: OpenJournals.File?
  /// Ids of rows in the tables.
  private(set) var rows: Set<String> = []

  init(of owner: String, beside file: CacheFile) { (self.owner, path) = (owner, Self.path(beside: file)) }

  deinit { unlock() }

  /// A forked child has none of its parent's locks.
  func isOf(_ owner: String) -> Bool { self.owner == owner && generation == ForkGeneration.current }

  private static func path(beside file: CacheFile) -> String { file.journalStem + "claims" }

  // MARK: Rows in the tables

  /// Whether another manager, of this process or another, has claimed rows of the tables so. Inside a transaction, as
  /// those claims are made.
  static func areHeld(beside file: CacheFile) throws(SQLiteFailure) -> Bool {
    let path = path(beside: file)
    guard access(path, F_OK) == 0 else { return false }
    guard try OpenJournals.isFree(path) else { return true }
    // Its process has died.
    unlink(path)
    return false
  }

  /// Inside a transaction.
  /// - Returns: false when another manager has it.
  func lockTables() throws(SQLiteFailure) -> Bool {
    if lock != nil { return true }
    guard let file = try OpenJournals.open(path) ?? OpenJournals.make(path) else {
      if errno == EEXIST { return false }
      throw JournalDisk.failure(path, errno)
    }
    var status = stat()
    // One that was removed meanwhile locks nothing.
    guard JournalDisk.lock(file.descriptor), fstat(file.descriptor, &status) == 0, status.st_nlink > 0 else {
      OpenJournals.close(file)
      return false
    }
    lock = file
    return true
  }

  func claim(_ ids: some Sequence<String>) {
    rows.formUnion(ids)
    forget([])
  }

  /// They are written down, or gone.
  func forget(_ ids: Set<String>) {
    rows.subtract(ids)
    if rows.isEmpty { unlock() }
  }

  private func unlock() {
    guard let file = lock else { return }
    lock = nil
    if generation == ForkGeneration.current { unlink(path) }
    OpenJournals.close(file)
  }

  // MARK: Journals

  /// - Parameter isStored: whether the tables have a row of an id.
  func hold(_ journal: LeftJournal, _ isStored: (String) throws(SQLiteFailure) -> Bool) throws(SQLiteFailure) {
    let rows = journal.rows
    var stored: Set<String> = []
    for row in rows where try isStored(row.id) { stored.insert(row.id) }
    held.append(Held(journal, rows, spent: stored))
  }

  /// Rows of the journals that were not given out before, after others.
  func take(_ pipeline: String, _ maximumRows: Int, _ maximumBytes: Int, after others: [EventRow]) -> [EventRow] {
    var (found, bytes) = (others, others.reduce(0) { $0 + $1.payload.count })
    for held in held where held.journal.header.pipeline.utf8.elementsEqual(pipeline.utf8) {
      for row in held.rows where row.payload.count <= maximumBytes && !held.spent.contains(row.id) {
        bytes += row.payload.count
        guard found.count < maximumRows, bytes <= maximumBytes else { return found }
        held.spent.insert(row.id)
        found.append(row)
      }
    }
    return found
  }

  func remove(_ ids: Set<String>) { remove { _, row in ids.contains(row.id) } }

  func purge(_ subject: String, _ pipeline: String) {
    remove { journal, row in
      journal.header.pipeline.utf8.elementsEqual(pipeline.utf8) && row.subject.utf8.elementsEqual(subject.utf8)
    }
  }

  /// What cannot be erased goes with its file; the rest of that is in memory.
  private func remove(where isMeant: (LeftJournal, EventRow) -> Bool) {
    guard generation == ForkGeneration.current else { return }
    for held in held {
      let gone = Set(held.rows.filter { isMeant(held.journal, $0) }.map(\.id))
      guard !gone.isEmpty else { continue }
      held.rows.removeAll { gone.contains($0.id) }
      if held.rows.isEmpty || !held.journal.erase(ids: gone) { held.journal.remove() }
    }
    held.removeAll { $0.rows.isEmpty }
  }
}
