public import HoistCore

extension SQLiteCacheManager {
  public func load(key: String) throws(CacheFailure) -> [UInt8]? {
    try perform("reading the cache") { database throws(SQLiteFailure) in try read(key, database) }
  }

  /// A value over the limit is none.
  private func read(_ key: String, _ database: Database) throws(SQLiteFailure) -> [UInt8]? {
    var value: [UInt8]?
    let limit = Int64(options.maximumValueBytes)
    try database.run("SELECT value FROM entries WHERE key = ? AND length(value) <= ?", [.text(key), .integer(limit)]) {
      value = $0.blob(0)
      return false
    }
    if let known = value { value = known + (try EntryParts.read(of: key, database)) }
    return value.flatMap { $0.count > options.maximumValueBytes ? nil : $0 }
  }

  public func append(key: String, to head: [UInt8], _ bytes: [UInt8]) throws(CacheFailure) -> Bool {
    let now = clock.unixMilliseconds
    return try perform("writing the cache") { database throws(SQLiteFailure) in
      try database.transaction { () throws(SQLiteFailure) in
        let begins = "SELECT 1 FROM entries WHERE key = ? AND substr(value, 1, ?) = ?"
        guard try database.integer(begins, [.text(key), .integer(Int64(head.count)), .blob(head)]) != nil else { return false }
        if try EntryParts.append(bytes, to: key, at: now, database) {
          try database.run("UPDATE entries SET changed = max(?, changed + 1) WHERE key = ?", [.integer(now), .text(key)])
        }
        return true
      }
    }
  }

  public func save(key: String, value: [UInt8]) throws(CacheFailure) { _ = try write(key: key, value) }

  public var replacesInOneStep: Bool { true }

  public func replace(key: String, expected: [UInt8]?, with value: [UInt8]?) throws(CacheFailure) -> CacheReplacement {
    try write(key: key, value, where: expected)
  }

  /// - Parameter expected: what has to be there, nil for nothing; left out for anything.
  /// - Parameter holds: asked in the same step; false changes nothing.
  func write(
    key: String, _ value: [UInt8]?, where expected: [UInt8]?? = .none,
    if holds: (Database) throws(SQLiteFailure) -> Bool = { _ in true }
  ) throws(CacheFailure) -> CacheReplacement {
    if let value, value.count > options.maximumValueBytes {
      throw CacheFailure(
        "writing the cache: a value of \(value.count) bytes is over the limit of \(options.maximumValueBytes)")
    }
    let (now, file) = (clock.unixMilliseconds, try location.file())
    let countsLimits = value != nil && isTimeToCount()
    let (outcome, evicted) = try perform("writing the cache") { database throws(SQLiteFailure) in
      try database.transaction { () throws(SQLiteFailure) -> (CacheReplacement, Int?) in
        guard try holds(database) else { return (.differs(nil), nil) }
        if let expected {
          let known = try read(key, database)
          guard known == expected else { return (.differs(known), nil) }
        }
        guard let value else {
          try forget(key, file, database)
          return (.done, nil)
        }
        try database.run(
          """
          INSERT INTO entries(key, value, changed) VALUES (?, ?, ?)
          ON CONFLICT(key) DO UPDATE SET value = excluded.value, changed = max(excluded.changed, changed + 1)
          """, [.text(key), .blob(value), .integer(now)])
        try EntryParts.delete(of: key, database)
        return (.done, countsLimits ? try evictOldest(database, butNot: key) : nil)
      }
    }
    if let evicted { countEvicted(evicted) }
    return outcome
  }

  public func remove(key: String) throws(CacheFailure) {
    _ = try write(key: key, nil)
  }

  private func forget(_ key: String, _ file: CacheFile, _ database: Database) throws(SQLiteFailure) {
    if PersonKey.isOne(key) { try Salvage.note(erasureOf: key, besides: file, in: database) }
    try delete(key, database)
  }

  private func delete(_ key: String, _ database: Database) throws(SQLiteFailure) {
    try database.run("DELETE FROM entries WHERE key = ?", [.text(key)])
    try EntryParts.delete(of: key, database)
  }

  /// Removes the values written longest ago until the limits hold, those of single persons (`PersonKey`) before all others.
  /// `key` has just been written.
  private func evictOldest(_ database: Database, butNot key: String) throws(SQLiteFailure) -> Int {
    var count = Int64(0)
    var bytes = Int64(0)
    try database.run("SELECT total(key >= ?), total(length(value)) FROM entries", [.text(EntryParts.end)]) {
      count = $0.integer(0)
      bytes = $0.integer(1)
      return false
    }
    guard count > options.maximumEntries || bytes > options.maximumEntryBytes else { return 0 }
    var victims: [String] = []
    let wanted = """
      SELECT key, length(value) + (SELECT total(length(value)) FROM entries WHERE \(EntryParts.isPart))
      FROM entries AS whole WHERE key <> ? AND key >= ? ORDER BY key NOT GLOB ?, changed
      """
    try database.run(wanted, [.text(key), .text(EntryParts.end), .text(PersonKey.prefix + "*")]) {
      guard count > options.maximumEntries || bytes > options.maximumEntryBytes else { return false }
      victims.append($0.text(0))
      count -= 1
      bytes -= $0.integer(1)
      return true
    }
    for victim in victims { try delete(victim, database) }
    return victims.count
  }
}
