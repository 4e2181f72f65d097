internal import CSQLite
internal import HoistBase

/// A value for a placeholder.
enum SQLiteValue {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
}

/// One result row, valid while the closure it was given to runs.
struct SQLiteRow {
  fileprivate let statement: OpaquePointer

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func text(_ column: Int32) -> String {
    String(decoding: bytes(sqlite3_column_text(statement, column), column), as: UTF8.self)
  }

  func blob(_ column: Int32) -> [UInt8] { Array(bytes(sqlite3_column_blob(statement, column), column)) }

  private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(max(0, sqlite3_column_bytes(statement, column))))
  }
}

/// An open connection. Made, used and closed inside the gate only.
final class Database {
  private let handle: OpaquePointer
  private let number: UInt64
  let isAlone: Bool
  private var statements: [String: OpaquePointer] = [:]

  /// - Parameters:
  ///   - path: canonical, so that no part of it is a link but a last one put there in bad faith.
  ///   - isAlone: keeps all others away from the file, so that there need be no index that they share.
  init(path: String, isAlone: Bool = false) throws(SQLiteFailure) {
    var opened: OpaquePointer?
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
      | SQLITE_OPEN_NOFOLLOW
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let failure = SQLiteFailure(code: opened.map { sqlite3_extended_errcode($0) } ?? code, database: opened)
      if let opened { sqlite3_close_v2(opened) }
      throw failure
    }
    sqlite3_extended_result_codes(opened, 1)
    _ = csqlite_set_option(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
    _ = csqlite_set_option(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    if isAlone { sqlite3_exec(opened, "PRAGMA locking_mode = EXCLUSIVE", nil, nil, nil) }
    handle = opened
    self.isAlone = isAlone
    number = SQLiteGate.enter(opened)
  }

  /// False when the gate has closed it, as in a forked child.
  var isOwn: Bool { SQLiteGate.has(handle, number) }

  func close(checkpoint: Bool) {
    statements = [:]
    if isOwn { SQLiteGate.close(handle, checkpoint: checkpoint) }
  }

  /// Runs statements that take and return nothing.
  func execute(_ sql: String) throws(SQLiteFailure) {
    guard isOwn else { throw .busy }
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Runs one statement, which stays prepared, and hands each of its rows to `each`.
  /// - Parameter each: returns false to see no more rows.
  func run(
    _ sql: String, _ values: [SQLiteValue] = [], each: (SQLiteRow) -> Bool = { _ in true }
  ) throws(SQLiteFailure) {
    guard isOwn else { throw .busy }
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      try bind(value, at: Int32(truncatingIfNeeded: index + 1), of: statement)
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        let goesOn = each(SQLiteRow(statement: statement))
        // A text for which there was no memory reads as none.
        if sqlite3_errcode(handle) == SQLITE_NOMEM { throw SQLiteFailure(code: SQLITE_NOMEM, database: handle) }
        if !goesOn { return }
      case SQLITE_DONE: return
      case let code: throw SQLiteFailure(code: code, database: handle)
      }
    }
  }

  /// The first column of the first row.
  func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteFailure) -> Int64? {
    var result: Int64?
    try run(sql, values) {
      result = $0.integer(0)
      return false
    }
    return result
  }

  /// Runs `body` as one exclusive write transaction; all of it or none.
  func transaction<Value>(_ body: () throws(SQLiteFailure) -> Value) throws(SQLiteFailure) -> Value {
    try execute("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      // Some failures have rolled back already; nothing may stay open behind.
      if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  private func prepared(_ sql: String) throws(SQLiteFailure) -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw SQLiteFailure(code: SQLITE_MISUSE, message: "an empty statement") }
    statements[sql] = statement
    return statement
  }

  private func bind(_ value: SQLiteValue, at index: Int32, of statement: OpaquePointer) throws(SQLiteFailure) {
    switch value {
    case .integer(let number): try check(sqlite3_bind_int64(statement, index, number))
    case .text(var text):
      try check(
        text.withUTF8 { utf8 in
          utf8.withMemoryRebound(to: CChar.self) {
            csqlite_bind_text(statement, index, $0.baseAddress, Int32(clamping: $0.count))
          }
        })
    case .blob(let bytes):
      try check(bytes.withUnsafeBytes { csqlite_bind_blob(statement, index, $0.baseAddress, UInt64($0.count)) })
    }
  }

  private func check(_ code: Int32) throws(SQLiteFailure) {
    if code != SQLITE_OK { throw SQLiteFailure(code: code, database: handle) }
  }
}
