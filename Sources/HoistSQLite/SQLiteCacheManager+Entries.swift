public import HoistCore

extension SQLiteCacheManager {
  public func load(key: String) throws(CacheFailure) -> [UInt8]? {
    try perform("reading the cache") { database throws(SQLiteFailure) in
      var value: [UInt8]?
      let limit = Int64(options.maximumValueBytes)
      try database.run("SELECT value FROM entries WHERE key = ? AND length(value) <= ?", [.text(key), .integer(limit)])
      {
        value = $0.blob(0)
        return false
      }
      return value
    }
  }

  public func save(key: String, value: [UInt8]) throws(CacheFailure) {
    guard value.count <= options.maximumValueBytes else {
      throw CacheFailure(
        "writing the cache: a value of \(value.count) bytes is over the limit of \(options.maximumValueBytes)")
    }
    let now = clock.unixMilliseconds
    let countsLimits = isTimeToCount()
    let evicted = try perform("writing the cache") { database throws(SQLiteFailure) in
      try database.transaction { () throws(SQLiteFailure) in
        try database.run(
          """
          INSERT INTO entries(key, value, changed) VALUES (?, ?, ?)
          ON CONFLICT(key) DO UPDATE SET value = excluded.value, changed = excluded.changed
          """, [.text(key), .blob(value), .integer(now)])
        return countsLimits ? try evictOldest(database, butNot: key) : 0
      }
    }
    if countsLimits { countEvicted(evicted) }
  }

  public func remove(key: String) throws(CacheFailure) {
    try perform("writing the cache") { database throws(SQLiteFailure) in
      try database.run("DELETE FROM entries WHERE key = ?", [.text(key)])
    }
  }

  /// Removes the values written longest ago until the limits hold, those of visitors before all others: there is one for
  /// each, and without the others nothing works offline. `key` has just been written.
  private func evictOldest(_ database: Database, butNot key: String) throws(SQLiteFailure) -> Int {
    var count = Int64(0)
    var bytes = Int64(0)
    try database.run("SELECT count(*), total(length(value)) FROM entries") {
      count = $0.integer(0)
      bytes = $0.integer(1)
      return false
    }
    guard count > options.maximumEntries || bytes > options.maximumEntryBytes else { return 0 }
    var victims: [String] = []
    let order = "ORDER BY key NOT GLOB 'visitor:*', changed"
    try database.run("SELECT key, length(value) FROM entries WHERE key <> ? \(order)", [.text(key)]) {
      guard count > options.maximumEntries || bytes > options.maximumEntryBytes else { return false }
      victims.append($0.text(0))
      count -= 1
      bytes -= $0.integer(1)
      return true
    }
    for victim in victims { try database.run("DELETE FROM entries WHERE key = ?", [.text(victim)]) }
    return victims.count
  }
}
