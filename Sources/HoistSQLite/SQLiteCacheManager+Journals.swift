internal import CShims
internal import HoistBase
public import HoistCore

/// Journals stand beside the cache file. What a dead process has left in its own is moved into the tables before rows
/// are claimed; a row that is there already stays as it is.
///
/// A process that drains one, or purges, holds the write lock of the tables meanwhile: a purge finds the rows either
/// still in the file, or already in the tables. A drained file may outlive the process that was to remove it; the
/// tables then list its name as an owner, so that rows purged or delivered meanwhile do not come back.
extension SQLiteCacheManager {
  public func openJournal(pipeline: String, identifiers: EventIdentifiers) throws(CacheFailure) -> (any EventJournal)? {
    let file = try location.file()
    guard shim_is_local(file.folder) else {
      throw CacheFailure("no journal is kept: \(file.folder) is not known to be on a disk of this machine", isPermanent: true)
    }
    return try FileJournal(beside: file, pipeline: pipeline, identifiers: identifiers)
  }

  /// Moves the rows of journals without an owner into the tables, again without an owner; where there is no room for them,
  /// they are the owner's as long as it holds the files.
  func claimLeftJournals(_ owner: EventOwner) throws(CacheFailure) {
    let left = try leftJournals()
    let action = "taking over what a process has left"
    let names: [String]
    // Mostly there is none; looking does not need the write lock.
    do { names = try left.free() } catch { throw CacheFailure("\(action): \(error.message)") }
    for name in names {
      let journal = try perform(action) { database throws(SQLiteFailure) in
        try database.transaction { () throws(SQLiteFailure) in try claim(name, of: left, database) }
      } unwritten: { database throws(SQLiteFailure) in
        try database.transaction { () throws(SQLiteFailure) in try hold(name, of: left, owner, database) }
        return .some(nil)
      }
      journal?.remove()
    }
  }

  /// Inside a transaction.
  /// - Returns: the journal, to be removed when the transaction has succeeded.
  func claim(_ name: String, of left: LeftJournals, _ database: Database) throws(SQLiteFailure) -> LeftJournal? {
    guard let journal = try left.open(name) else { return nil }
    let rows = journal.rows
    if !rows.isEmpty, try database.integer("SELECT 1 FROM owners WHERE name = ?", [.text(name)]) == nil {
      try insert(rows, leftIn: name, database)
    }
    return journal
  }

  /// Inside a transaction, for the same reason.
  private func hold(_ name: String, of left: LeftJournals, _ owner: EventOwner, _ database: Database) throws(SQLiteFailure) {
    guard let journal = try left.open(name), try database.integer("SELECT 1 FROM owners WHERE name = ?", [.text(name)]) == nil
    else { return }
    try connection.claims(of: owner, beside: left.file).hold(journal) { id throws(SQLiteFailure) in
      try database.integer("SELECT 1 FROM events WHERE id = ?", [.text(id)]) != nil
    }
  }

  /// - Parameter owner: of a lease that is over.
  private func insert(_ rows: [EventRow], leftIn owner: String, _ database: Database) throws(SQLiteFailure) {
    try database.run("INSERT INTO owners(name, lease) VALUES (?, 0)", [.text(owner)])
    for row in rows {
      try database.run(
        """
        INSERT INTO events(id, pipeline, subject, created, owner, payload)
        SELECT ?, ?, ?, ?, number, ? FROM owners WHERE name = ? ON CONFLICT(id) DO NOTHING
        """,
        [
          .text(row.id), .text(row.pipeline), .text(row.subject), .integer(row.createdUnixMilliseconds),
          .blob(row.payload), .text(owner),
        ])
    }
  }

  /// Forgets owners that are gone and have no rows. Inside a transaction.
  func forgetOwners(besides left: LeftJournals, _ database: Database) throws(SQLiteFailure) {
    var names: [String] = []
    try database.run(
      "SELECT name FROM owners WHERE lease = 0 AND NOT EXISTS (SELECT 1 FROM events WHERE owner = owners.number)"
    ) {
      names.append($0.text(0))
      return true
    }
    for name in names where !(name.hasSuffix(FileJournal.suffix) && left.exists(name)) {
      try database.run("DELETE FROM owners WHERE name = ?", [.text(name)])
    }
  }

  /// Removes a subject's records from journals without an owner. Inside a transaction; needs no room.
  func purge(_ left: LeftJournals, of subject: String, pipeline: String) throws(SQLiteFailure) {
    for name in try left.names() {
      guard let journal = try left.open(name, removesUnreadable: true),
        journal.header.pipeline.utf8.elementsEqual(pipeline.utf8)
      else { continue }
      guard journal.erase(subject: subject) || journal.remove() else { throw .disk("\(name) cannot be purged") }
    }
  }

  func leftJournals() throws(CacheFailure) -> LeftJournals {
    LeftJournals(file: try location.file(), unixMilliseconds: clock.unixMilliseconds)
  }
}
