internal import CShims
internal import HoistBase
public import HoistCore

/// Journals stand beside the cache file. What a process that died has left in its own comes into the tables before rows are
/// claimed; a row that had come there already stays as it is.
extension SQLiteCacheManager {
  public func openJournal(pipeline: String, identifiers: EventIdentifiers) -> (any EventJournal)? {
    guard let file = try? CacheFile.located(options), shim_is_local(file.folder) else { return nil }
    return FileJournal(beside: file, pipeline: pipeline, identifiers: identifiers)
  }

  /// Moves the rows of journals that nobody holds into the tables, where nobody holds them either.
  func takeInLeftJournals() throws(CacheFailure) {
    try leftJournals?.forEach { journal throws(CacheFailure) in
      let rows = journal.rows
      if !rows.isEmpty {
        try perform("taking over what a process has left") { database throws(SQLiteFailure) in
          try database.transaction { () throws(SQLiteFailure) in try insert(rows, leftIn: journal.name, database) }
        }
      }
      return true
    }
  }

  /// - Parameter owner: of a lease that is over.
  private func insert(_ rows: [EventRow], leftIn owner: String, _ database: Database) throws(SQLiteFailure) {
    try database.run("INSERT INTO owners(name, lease) VALUES (?, 0) ON CONFLICT(name) DO NOTHING", [.text(owner)])
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

  /// Forgets what journals that nobody holds have of a subject. Needs no room, also where the tables are full.
  func purgeLeftJournals(subject: String, pipeline: String) {
    leftJournals?.forEach { journal in
      journal.header.pipeline.utf8.elementsEqual(pipeline.utf8) && !journal.erase(subject: subject)
    }
  }

  /// nil without a folder; then the tables' own call tells why.
  private var leftJournals: LeftJournals? {
    (try? CacheFile.located(options)).map { LeftJournals(file: $0, unixMilliseconds: clock.unixMilliseconds) }
  }
}
