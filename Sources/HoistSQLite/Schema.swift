internal import CSQLite

/// The tables of a cache file, and how a file is recognised as one of ours.
///
/// `entries` holds configurations and profiles by key. `events` holds rows on their way to a service; each belongs to
/// one row of `owners`, which has the lease of all its rows (0: released, may be claimed).
enum Schema {
  static let version: Int64 = 1
  /// "Hois": written into the file's header.
  static let application: Int64 = 0x486F_6973

  enum State {
    case empty, ours, newer(Int64)
  }

  private static let statements = [
    "CREATE TABLE entries(key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL, changed INTEGER NOT NULL)",
    "CREATE INDEX entries_by_age ON entries(changed)",
    "CREATE TABLE owners(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, lease INTEGER NOT NULL)",
    """
    CREATE TABLE events(id TEXT PRIMARY KEY NOT NULL, pipeline TEXT NOT NULL, subject TEXT NOT NULL, \
    created INTEGER NOT NULL, owner INTEGER NOT NULL, payload BLOB NOT NULL)
    """,
    "CREATE INDEX events_by_owner ON events(owner, pipeline, created)",
    "CREATE INDEX events_by_subject ON events(subject) WHERE subject <> ''",
  ]

  /// Looks without changing anything. The tables must be exactly ours, so that no trigger or view
  /// of a foreign hand ever runs; anything else counts as damage.
  static func state(of database: Database) throws(SQLiteFailure) -> State {
    let found = try database.integer("PRAGMA user_version") ?? 0
    let application = try database.integer("PRAGMA application_id") ?? 0
    if application == Self.application && found > version { return .newer(found) }
    let objects = try database.integer("SELECT count(*) FROM sqlite_master") ?? 0
    if objects == 0 && found == 0 { return .empty }
    guard application == Self.application, found == version, try matches(database) else {
      throw SQLiteFailure(code: SQLITE_NOTADB, message: "the file holds something else")
    }
    return .ours
  }

  static func make(in database: Database) throws(SQLiteFailure) {
    try database.transaction { () throws(SQLiteFailure) in
      for statement in statements { try database.execute(statement) }
      try database.execute("PRAGMA application_id = \(application)")
      try database.execute("PRAGMA user_version = \(version)")
    }
  }

  /// Looks through the whole file for damage.
  static func check(_ database: Database) throws(SQLiteFailure) {
    var report = ""
    try database.run("PRAGMA quick_check(1)") {
      report = $0.text(0)
      return false
    }
    if report == "ok" { return }
    // A page that could not be read: that says nothing of what is in it.
    if let code = report.split(separator: " ").last.flatMap({ $0.hasPrefix("code=") ? Int32($0.dropFirst(5)) : nil }) {
      let failure = SQLiteFailure(code: code, message: "a page of the file cannot be read (error \(code))")
      if failure.needsReopening { throw failure }
    }
    throw .damage("quick_check failed")
  }

  private static func matches(_ database: Database) throws(SQLiteFailure) -> Bool {
    var found: [String] = []
    try database.run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid") {
      found.append($0.text(0))
      return found.count <= statements.count
    }
    return found == statements
  }
}
