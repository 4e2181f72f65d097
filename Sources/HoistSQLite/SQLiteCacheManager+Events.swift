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
    var rows: [EventRow] = []
    do { try claimLeftJournals(owner) } catch { failure = error }
    do { rows = try claimRows(pipeline, maximumRows, maximumBytes, owner) } catch { failure = error }
    rows = SQLiteGate.pass { connection.claims?.take(pipeline, maximumRows, maximumBytes, after: rows) ?? rows }
    if rows.isEmpty, let failure { throw failure }
    return rows
  }

  func claimRows(
    _ pipeline: String, _ maximumRows: Int, _ maximumBytes: Int, _ owner: EventOwner
  ) throws(CacheFailure) -> [EventRow] {
    let left = try leftJournals()
    return try perform("claiming events") { database throws(SQLiteFailure) in
      let claims = connection.claims(of: owner, beside: left.file)
      // Mostly there is nothing to claim; looking does not need the write lock.
      guard try hasOthersRows(pipeline, owner, database) else { return [] }
      let rows = try database.transaction { () throws(SQLiteFailure) in
        if claims.rows.isEmpty, try UnwrittenClaims.areHeld(beside: left.file) { return [EventRow]() }
        let others = try claimableOwners(besides: owner, database)
        let number = try number(of: owner, database)
        for other in others { try database.run("UPDATE owners SET lease = 0 WHERE number = ? AND lease <> 0", [.integer(other)]) }
        let rows = try claimable(pipeline, others, maximumRows, maximumBytes, besides: claims.rows, database)
        for id in rows.map(\.id) + claims.rows {
          try database.run("UPDATE events SET owner = ? WHERE id = ?", [.integer(number), .text(id)])
        }
        try forgetOwners(besides: left, database)
        return rows
      }
      claims.forget(claims.rows)
      return rows
    } unwritten: { database throws(SQLiteFailure) in
      let claims = connection.claims(of: owner, beside: left.file)
      let rows = try database.transaction { () throws(SQLiteFailure) in
        guard try claims.lockTables() else { return [EventRow]() }
        let others = try claimableOwners(besides: owner, database)
        return try claimable(pipeline, others, maximumRows, maximumBytes, besides: claims.rows, database)
      }
      claims.claim(rows.map(\.id))
      return rows
    }
  }

  public func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    guard !ids.isEmpty else { return }
    try perform("removing delivered events") { database throws(SQLiteFailure) in
      let claims = connection.claims.flatMap { $0.isOf(owner.id) ? $0 : nil }
      let claimed = claims?.rows ?? []
      claims?.remove(Set(ids))
      try database.transaction { () throws(SQLiteFailure) in
        for id in ids {
          try database.run(
            "DELETE FROM events WHERE id = ? AND (? OR owner = (SELECT number FROM owners WHERE name = ?))",
            [.text(id), .integer(claimed.contains(id) ? 1 : 0), .text(owner.id)])
        }
      }
      claims?.forget(Set(ids))
    }
  }

  public func purgeEvents(subject: String, pipeline: String) throws(CacheFailure) {
    guard !subject.isEmpty else { return }
    let left = try leftJournals()
    SQLiteGate.pass { connection.claims?.purge(subject, pipeline) }
    do {
      try perform("purging events") { database throws(SQLiteFailure) in
        try database.transaction { () throws(SQLiteFailure) in
          try purge(left, of: subject, pipeline: pipeline)
          try Salvage.note(erasureOf: Salvage.name(of: subject, in: pipeline), besides: left.file, in: database)
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
    SQLiteGate.pass { if connection.claims?.isOf(owner.id) == true { connection.claims = nil } }
    try perform("releasing events") { database throws(SQLiteFailure) in
      try database.transaction { () throws(SQLiteFailure) in
        try database.run("UPDATE owners SET lease = 0 WHERE name = ?", [.text(owner.id)])
        try database.run(
          "DELETE FROM owners WHERE name = ? AND NOT EXISTS (SELECT 1 FROM events WHERE owner = owners.number)",
          [.text(owner.id)])
      }
    }
  }

  public var canGiveBackEvents: Bool { true }

  /// They get an owner that never has a lease.
  public func giveBackEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    guard !ids.isEmpty else { return }
    try perform("giving events back") { database throws(SQLiteFailure) in
      try database.transaction { () throws(SQLiteFailure) in
        try database.run("INSERT OR IGNORE INTO owners(name, lease) VALUES ('', 0)", [])
        for id in ids {
          try database.run(
            """
            UPDATE events SET owner = (SELECT number FROM owners WHERE name = '')
            WHERE id = ? AND owner = (SELECT number FROM owners WHERE name = ?)
            """, [.text(id), .text(owner.id)])
        }
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

  /// The numbers of the others whose rows may be claimed: that have released them, that are dead, or that may be and have not
  /// renewed their lease. A process that is known to live keeps its rows whatever its lease says: it may have been stopped,
  /// or the clock been put forward.
  private func claimableOwners(besides owner: EventOwner, _ database: Database) throws(SQLiteFailure) -> [Int64] {
    var others: [(number: Int64, name: String, lease: Int64)] = []
    try database.run("SELECT number, name, lease FROM owners WHERE name <> ?", [.text(owner.id)]) {
      others.append(($0.integer(0), $0.text(1), $0.integer(2)))
      return true
    }
    let now = clock.unixMilliseconds
    return others.filter { other in
      if other.lease == 0 { return true }
      let liveness = OwnerIdentity(text: other.name)?.liveness ?? .unknown
      return liveness == .dead || liveness == .unknown && other.lease <= now
    }.map(\.number)
  }

  private func claimable(
    _ pipeline: String, _ owners: [Int64], _ maximumRows: Int, _ maximumBytes: Int, besides claimed: Set<String>,
    _ database: Database
  ) throws(SQLiteFailure) -> [EventRow] {
    var rows: [EventRow] = []
    var bytes = 0
    try database.run(
      """
      SELECT id, subject, created, payload FROM events
      WHERE owner IN (SELECT number FROM owners WHERE instr(?, ',' || number || ',')) AND pipeline = ? AND length(payload) <= ?
      ORDER BY created, rowid LIMIT ?
      """,
      [
        .text("," + owners.map { "\($0)," }.joined()), .text(pipeline), .integer(Int64(maximumBytes)),
        .integer(Int64(max(0, maximumRows) + claimed.count)),
      ]
    ) { row in
      guard !claimed.contains(row.text(0)) else { return true }
      guard rows.count < maximumRows else { return false }
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
