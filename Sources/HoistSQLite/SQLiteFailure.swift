internal import CSQLite

/// What SQLite answered when it was not a success.
struct SQLiteFailure: Error {
  /// The extended result code.
  var code: Int32
  var message: String

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// With SQLite's own words, which name no value that was bound.
  init(code: Int32, database: OpaquePointer?) {
    let words = database.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    self.init(code: code, message: words.map { String(cString: $0) } ?? "error \(code)")
  }

  private var primary: Int32 { code & 0xff }

  /// Another connection holds the lock: worth another try shortly.
  var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
  /// The file is no database of ours any more.
  var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
  /// The connection may be in no good state; a new one may fare better.
  var needsReopening: Bool { primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_PROTOCOL }

  /// There is no room for what is to be written; what is there can be read.
  var isFull: Bool { primary == SQLITE_FULL }
  /// The index beside the file that connections share cannot be made (SQLITE_IOERR_SHMOPEN, _SHMSIZE, _SHMMAP).
  var lacksIndex: Bool { primary == SQLITE_IOERR && [18, 19, 21].contains(code >> 8) }

  static func damage(_ message: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_CORRUPT, message: message) }
  /// A file beside the database is at fault.
  static func disk(_ message: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_ERROR, message: message) }
  static let busy = SQLiteFailure(code: SQLITE_BUSY, message: "the database is locked")
}
