internal import HoistCore

/// What a file that was set aside still has of what cannot be fetched again: events that wait, and what is kept of people.
/// Inside the gate, while no other process opens the file.
enum Salvage {
  /// Of no living process: the first that looks for events claims them.
  private static let owner = "salvaged"
  /// How the names of owners begin that stand for what was erased meanwhile; none of ours does.
  private static let erased = "erased "

  /// What is erased while a file is set aside must not come back from it. An owner that has no rows, and no end of its lease,
  /// says so: of the events of a pipeline about a subject, or of what is kept under a key.
  static func note(erasureOf what: String, besides file: CacheFile, in database: Database) throws(SQLiteFailure) {
    guard file.isSetAside else { return }
    try database.run("INSERT OR IGNORE INTO owners(name, lease) VALUES (?, ?)", [.text(erased + what), .integer(.max)])
  }

  static func name(of subject: String, in pipeline: String) -> String { "\(pipeline) \(subject)" }

  /// Copies what can be read; what is there already stays as it is.
  /// - Returns: how many rows there were; nil when the file cannot be read, or holds something else.
  static func copy(from path: String, into database: Database) throws(SQLiteFailure) -> Int? {
    guard let source = try? Database(path: path) else { return nil }
    defer { source.close(checkpoint: false) }
    guard case .ours? = try? Schema.state(of: source) else { return nil }
    return try database.transaction { () throws(SQLiteFailure) in
      let count = try copyEvents(source, database) + copyPeople(source, database)
      try database.run("DELETE FROM owners WHERE name GLOB ?", [.text(erased + "*")])
      return count
    }
  }

  private static func copyEvents(_ source: Database, _ database: Database) throws(SQLiteFailure) -> Int {
    try database.run(
      "INSERT INTO owners(name, lease) VALUES (?, 0) ON CONFLICT(name) DO UPDATE SET lease = 0", [.text(owner)])
    return try each("SELECT id, pipeline, subject, created, payload FROM events", of: source) { row throws(SQLiteFailure) in
      try database.run(
        """
        INSERT OR IGNORE INTO events(id, pipeline, subject, created, owner, payload)
        SELECT ?, ?, ?, ?, number, ? FROM owners WHERE name = ? AND NOT EXISTS (SELECT 1 FROM owners WHERE name = ?)
        """,
        [
          .text(row.text(0)), .text(row.text(1)), .text(row.text(2)), .integer(row.integer(3)), .blob(row.blob(4)), .text(owner),
          .text(erased + name(of: row.text(2), in: row.text(1))),
        ])
    }
  }

  private static func copyPeople(_ source: Database, _ database: Database) throws(SQLiteFailure) -> Int {
    let wanted = "SELECT key, value, changed FROM entries WHERE key GLOB '\(PersonKey.prefix)*'"
    return try each(wanted, of: source) { row throws(SQLiteFailure) in
      // What is damaged of the additions costs these alone.
      let value = row.blob(1) + ((try? EntryParts.read(of: row.text(0), source)) ?? [])
      try database.run(
        "INSERT OR IGNORE INTO entries(key, value, changed) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM owners WHERE name = ?)",
        [.text(row.text(0)), .blob(value), .integer(row.integer(2)), .text(erased + row.text(0))])
    }
  }

  /// Every row up to the damage, from both ends.
  private static func each(
    _ select: String, of source: Database, _ body: (SQLiteRow) throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) -> Int {
    var count = 0
    for order in ["rowid", "rowid DESC"] {
      var failure: SQLiteFailure?
      do {
        try source.run("\(select) ORDER BY \(order)") { row in
          do throws(SQLiteFailure) {
            try body(row)
            count += 1
          } catch {
            failure = error
          }
          return failure == nil
        }
        if failure == nil { return count }
      } catch {
        // Damage; the other end may be whole.
      }
      if let failure { throw failure }
    }
    return count
  }
}
