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

  /// For an owner of whom nothing is known: its journals are taken when they have not changed for so long.
  private static let leaseMilliseconds: Int64 = 60_000

  /// Moves the rows of journals that nobody holds into the tables, where nobody holds them either.
  func takeInLeftJournals() throws(CacheFailure) {
    try leftJournals?.forEach { journal throws(CacheFailure) in
      let rows = journal.rows
      if rows.isEmpty { return true }
      try perform("taking over what a process has left") { database throws(SQLiteFailure) in
        try database.transaction { () throws(SQLiteFailure) in
          try database.run(
            "INSERT INTO owners(name, lease) VALUES (?, 0) ON CONFLICT(name) DO NOTHING", [.text(journal.header.owner)])
          for row in rows { try insertLeft(row, of: journal.header.owner, database) }
        }
      }
      return true
    }
  }

  private func insertLeft(_ row: EventRow, of owner: String, _ database: Database) throws(SQLiteFailure) {
    try database.run(
      """
      INSERT INTO events(id, pipeline, subject, created, owner, payload)
      SELECT ?, ?, ?, ?, number, ? FROM owners WHERE name = ? ON CONFLICT(id) DO NOTHING
      """,
      [
        .text(row.id), .text(row.pipeline), .text(row.subject), .integer(row.createdUnixMilliseconds), .blob(row.payload),
        .text(owner),
      ])
  }

  /// - Returns: nil without a folder; then the tables' own call tells why.
  private var leftJournals: LeftJournals? {
    guard let file = try? CacheFile.located(options) else { return nil }
    return LeftJournals(file: file, leaseMilliseconds: Self.leaseMilliseconds, now: clock.unixMilliseconds)
  }
}
