internal import HoistBase
public import HoistCore

/// Leaders of values: the processes of one machine share what one of them fetches. Who leads is an entry of its own, under a
/// name that no value has; the version of a value is the moment of its last change, which grows with each.
extension SQLiteCacheManager {
  public var canLead: Bool { true }

  public func lead(key: String, holder: String?, leaseMilliseconds: Int64) throws(CacheFailure) -> CacheLead {
    let now = clock.unixMilliseconds
    return try perform(holder == nil ? "reading the cache" : "writing the cache") { database throws(SQLiteFailure) in
      guard let holder else { return CacheLead(number: nil, version: try Self.version(of: key, database)) }
      return try database.transaction { () throws(SQLiteFailure) in
        var record = try Self.record(of: key, database)
        let former = record.bytes
        let number = record.take(holder, leaseMilliseconds: leaseMilliseconds, nowUnixMilliseconds: now)
        if record.bytes != former {
          try database.run(
            "INSERT OR REPLACE INTO entries(key, value, changed) VALUES (?, ?, ?)",
            [.text(Self.name(of: key)), .blob(record.bytes), .integer(now)])
        }
        return CacheLead(number: number, version: try Self.version(of: key, database))
      }
    }
  }

  public func save(key: String, value: [UInt8], ledBy number: Int64) throws(CacheFailure) -> Int64? {
    var version: Int64 = 0
    let outcome = try write(key: key, value) { database throws(SQLiteFailure) in
      version = max(clock.unixMilliseconds, try Self.version(of: key, database) &+ 1)
      return try Self.record(of: key, database).number == number
    }
    return outcome == .done ? version : nil
  }

  private static func name(of key: String) -> String { "lead:\(key)" }

  private static func record(of key: String, _ database: Database) throws(SQLiteFailure) -> LeadRecord {
    var record = LeadRecord()
    try database.run("SELECT value FROM entries WHERE key = ?", [.text(name(of: key))]) {
      record = LeadRecord($0.blob(0))
      return false
    }
    return record
  }

  private static func version(of key: String, _ database: Database) throws(SQLiteFailure) -> Int64 {
    try database.integer("SELECT changed FROM entries WHERE key = ?", [.text(key)]) ?? 0
  }
}
