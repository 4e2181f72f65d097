public import HoistCore

extension SQLiteCacheManager {
  public func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure) {
    guard !rows.isEmpty else { return }
    try perform("storing events") { database throws(SQLiteFailure) in
      try database.transaction { () throws(SQLiteFailure) in
        let number = try number(of: owner, database)
        for row in rows {
          try database.run(
            """
            INSERT INTO events(id, pipeline, subject, created, owner, payload) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT(id) DO UPDATE SET payload = excluded.payload, subject = excluded.subject,
              created = excluded.created WHERE owner = excluded.owner
            """,
            [
              .text(row.id), .text(row.pipeline), .text(row.subject), .integer(row.createdUnixMilliseconds),
              .integer(number), .blob(row.payload),
            ])
        }
      }
    }
  }

  public func claimEvents(
    pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner
  ) throws(CacheFailure) -> [EventRow] {
    var failure: CacheFailure?
    do { try claimLeftJournals() } catch { failure = error }
    // Full tables are emptied by delivering what is there.
    let rows = try claimRows(pipeline, maximumRows, maximumBytes, owner)
    if rows.isEmpty, let failure { throw failure }
    return rows
  }

  func claimRows(
    _ pipeline: String, _ maximumRows: Int, _ maximumBytes: Int, _ owner: EventOwner
  ) throws(CacheFailure) -> [EventRow] {
    let left = try leftJournals()
    return try perform("claiming events") { database throws(SQLiteFailure) in
      // Mostly there is nothing to claim; looking does not need the write lock.
      guard try hasOthersRows(pipeline, owner, database) else { return [] }
      return try database.transaction { () throws(SQLiteFailure) in
        let number = try number(of: owner, database)
        try endLeasesOfTheDead(besides: number, database)
        let rows = try claimable(pipeline, maximumRows, maximumBytes, database)
        for row in rows {
          try database.run("UPDATE events SET owner = ? WHERE id = ?", [.integer(number), .text(row.id)])
        }
        try forgetOwners(besides: left, database)
        return rows
      }
    }
  }

  public func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    guard !ids.isEmpty else { return }
    try perform("removing delivered events") { database throws(SQLiteFailure) in
      try database.transaction { () throws(SQLiteFailure) in
        for id in ids {
          try database.run(
            "DELETE FROM events WHERE id = ? AND owner = (SELECT number FROM owners WHERE name = ?)",
            [.text(id), .text(owner.id)])
        }
      }
    }
  }

  public func purgeEvents(subject: String, pipeline: String) throws(CacheFailure) {
    guard !subject.isEmpty else { return }
    let left = try leftJournals()
    do {
      try perform("purging events") { database throws(SQLiteFailure) in
        try database.transaction { () throws(SQLiteFailure) in
          try purge(left, of: subject, pipeline: pipeline)
          // The first condition lets SQLite use the partial index.
          try database.run(
            "DELETE FROM events WHERE subject <> '' AND subject = ? AND pipeline = ?", [.text(subject), .text(pipeline)])
        }
      }
    } catch {
      // The files need not wait for tables that fail.
      try? purge(left, of: subject, pipeline: pipeline)
      throw error
    }
  }

  public func renewLease(owner: EventOwner) throws(CacheFailure) {
    try perform("renewing the lease on events") { database throws(SQLiteFailure) in
      _ = try number(of: owner, database)
    }
  }

  public func releaseEvents(owner: EventOwner) throws(CacheFailure) {
    try perform("releasing events") { database throws(SQLiteFailure) in
      try database.transaction { () throws(SQLiteFailure) in
        try database.run("UPDATE owners SET lease = 0 WHERE name = ?", [.text(owner.id)])
        try database.run(
          "DELETE FROM owners WHERE name = ? AND NOT EXISTS (SELECT 1 FROM events WHERE owner = owners.number)",
          [.text(owner.id)])
      }
    }
  }

  /// The owner's number, its lease renewed.
  private func number(of owner: EventOwner, _ database: Database) throws(SQLiteFailure) -> Int64 {
    let until = clock.unixMilliseconds.addingReportingOverflow(max(1, owner.leaseMilliseconds))
    try database.run(
      "INSERT INTO owners(name, lease) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET lease = excluded.lease",
      [.text(owner.id), .integer(until.overflow ? .max : until.partialValue)])
    guard let number = try database.integer("SELECT number FROM owners WHERE name = ?", [.text(owner.id)]) else {
      throw .damage("an owner is missing")
    }
    return number
  }

  private func hasOthersRows(
    _ pipeline: String, _ owner: EventOwner, _ database: Database
  ) throws(SQLiteFailure) -> Bool {
    try database.integer(
      """
      SELECT 1 FROM owners WHERE name <> ?
      AND EXISTS (SELECT 1 FROM events WHERE owner = owners.number AND pipeline = ?)
      """, [.text(owner.id), .text(pipeline)]) != nil
  }

  /// Sets the lease of every other owner that is dead, or may be and has not renewed it, to 0. A
  /// process that is known to live keeps its rows whatever its lease says: it may have been stopped,
  /// or the clock been put forward.
  private func endLeasesOfTheDead(besides number: Int64, _ database: Database) throws(SQLiteFailure) {
    var others: [(number: Int64, name: String, lease: Int64)] = []
    try database.run("SELECT number, name, lease FROM owners WHERE number <> ? AND lease <> 0", [.integer(number)]) {
      others.append(($0.integer(0), $0.text(1), $0.integer(2)))
      return true
    }
    let now = clock.unixMilliseconds
    for other in others {
      let liveness = OwnerIdentity(text: other.name)?.liveness ?? .unknown
      guard liveness == .dead || liveness == .unknown && other.lease <= now else { continue }
      try database.run("UPDATE owners SET lease = 0 WHERE number = ?", [.integer(other.number)])
    }
  }

  private func claimable(
    _ pipeline: String, _ maximumRows: Int, _ maximumBytes: Int, _ database: Database
  ) throws(SQLiteFailure) -> [EventRow] {
    var rows: [EventRow] = []
    var bytes = 0
    try database.run(
      """
      SELECT id, subject, created, payload FROM events
      WHERE owner IN (SELECT number FROM owners WHERE lease = 0) AND pipeline = ? AND length(payload) <= ?
      ORDER BY created, rowid LIMIT ?
      """, [.text(pipeline), .integer(Int64(maximumBytes)), .integer(Int64(max(0, maximumRows)))]
    ) { row in
      let payload = row.blob(3)
      bytes += payload.count
      guard bytes <= maximumBytes else { return false }
      rows.append(
        EventRow(
          id: row.text(0), pipeline: pipeline, subject: row.text(1), createdUnixMilliseconds: row.integer(2),
          payload: payload))
      return true
    }
    return rows
  }
}
