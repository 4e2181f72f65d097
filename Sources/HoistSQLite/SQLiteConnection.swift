internal import CSQLite
internal import HoistBase
internal import HoistCore

enum CacheTrouble: Error {
  case sqlite(SQLiteFailure)
  /// The place is unfit, or the cache is off.
  case refused(CacheFailure)
}

/// The manager's connection: opened when needed, replaced when it must be. Everything but `close`
/// is called inside the gate, which guards its state.
final class SQLiteConnection: @unchecked Sendable {
  enum Recovery {
    case again
    /// Another try may do, a little later; else the failure is the answer.
    case wait(CacheFailure)
    /// A new file has replaced a damaged one; the host should know.
    case replaced(String)
    case giveUp(CacheFailure)
    /// The disk is full.
    case full(CacheFailure)
  }

  private let options: SQLiteCacheManager.Options
  private let location: CacheLocation
  private var database: Database?
  private var file: CacheFile?
  private var identity: UInt64?
  /// Why the cache is off for good.
  private var end: CacheFailure?
  private var hasReplacedFile = false
  private var reopenings = 0
  /// How long the file's index was last.
  private var indexBytes = 0
  var claims: UnwrittenClaims?
  /// What the host should know of the last opening.
  private var warning: String?

  init(options: SQLiteCacheManager.Options, location: CacheLocation) {
    self.options = options
    self.location = location
  }

  func close(checkpoint: Bool) {
    SQLiteGate.pass {
      claims = nil
      drop(checkpoint: checkpoint)
    }
  }

  /// What an owner has claimed without a write. Claims of a former owner's end.
  func claims(of owner: EventOwner, beside file: CacheFile) -> UnwrittenClaims {
    if let claims, claims.isOf(owner.id) { return claims }
    let made = UnwrittenClaims(of: owner.id, beside: file)
    claims = made
    return made
  }

  func takeWarning() -> String? {
    defer { warning = nil }
    return warning
  }

  func use<Value>(_ body: (Database) throws(SQLiteFailure) -> Value) throws(CacheTrouble) -> Value {
    let database = try opened()
    // Others may come before the next call, and there may be room for an index by then.
    defer { if database.isAlone { drop(checkpoint: false) } }
    do {
      let value = try body(database)
      reopenings = 0
      return value
    } catch {
      throw .sqlite(error)
    }
  }

  func recover(from trouble: CacheTrouble, _ action: String) -> Recovery {
    let failure: SQLiteFailure
    switch trouble {
    case .refused(let refusal): return .giveUp(refusal)
    case .sqlite(let inner): failure = inner
    }
    if failure.isBusy { return .wait(CacheFailure("\(action): the cache file is locked by another process")) }
    if failure.isDamage { return meetDamage(failure, action) }
    if failure.needsReopening { return reopenLater(failure, action) }
    let refusal = CacheFailure("\(action): \(failure.message)")
    return failure.isFull ? .full(refusal) : .giveUp(refusal)
  }

  /// What the log holds comes into the file: the log is then written again from its beginning, which needs no room.
  func emptyLog() { try? database?.execute("PRAGMA wal_checkpoint") }

  /// The next call opens the file anew.
  private func reopenLater(_ failure: SQLiteFailure, _ action: String) -> Recovery {
    drop(checkpoint: false)
    reopenings += 1
    if reopenings > options.maximumReopenings {
      return switchOff("the cache is off after repeated failures: \(failure.message)")
    }
    return .giveUp(CacheFailure("\(action): \(failure.message)"))
  }

  private func switchOff(_ message: String) -> Recovery {
    drop(checkpoint: false)
    let failure = CacheFailure(message, isPermanent: true)
    end = failure
    return .giveUp(failure)
  }

  /// A file is set aside when a second look finds damage, too: one reading that failed proves nothing.
  private func meetDamage(_ failure: SQLiteFailure, _ action: String) -> Recovery {
    drop(checkpoint: false)
    guard let file else { return .giveUp(CacheFailure(failure.message)) }
    guard file.identity == identity else { return replaceDamagedFile(file, failure) }
    switch file.alone({ Self.secondLook(at: file) }) {
    case nil: return .wait(CacheFailure("the cache folder \(file.folder) is locked by another process"))
    case .success: return reopenLater(failure, action)
    case .failure(let found) where found.isBusy:
      return .wait(CacheFailure("\(action): the cache file is locked by another process"))
    case .failure(let found): return found.isDamage ? replaceDamagedFile(file, found) : reopenLater(found, action)
    }
  }

  private static func secondLook(at file: CacheFile) -> Result<Void, SQLiteFailure> {
    Result { () throws(SQLiteFailure) in
      let database = try Database(path: file.path)
      defer { database.close(checkpoint: false) }
      _ = try Schema.state(of: database)
      try Schema.check(database)
    }
  }

  private func replaceDamagedFile(_ file: CacheFile, _ failure: SQLiteFailure) -> Recovery {
    if hasReplacedFile { return switchOff("the cache is off: \(file.path) is damaged again: \(failure.message)") }
    let identity = identity
    // When another process was faster, the new file is there already.
    let moved = file.alone { file.identity == identity ? file.setAside() : true }
    switch moved {
    case nil: return .wait(CacheFailure("the cache folder \(file.folder) is locked by another process"))
    case false:
      return switchOff("the cache is off: \(file.path) is damaged and cannot be set aside: \(failure.message)")
    default:
      hasReplacedFile = true
      return .replaced("\(file.path) was damaged (\(failure.message)); set aside as .corrupt, a new one is made")
    }
  }

  private func drop(checkpoint: Bool) {
    // A replaced file's companions have the names of its successor's.
    database?.close(checkpoint: checkpoint && file?.identity == identity)
    database = nil
  }

  private func opened() throws(CacheTrouble) -> Database {
    if let end { throw .refused(end) }
    if let database, database.isOwn, let file, file.identity == identity {
      // To read what was cut away would end the process (SIGBUS). To ask for the length with each call costs 2 to 4 µs, beside
      // 25 µs for the smallest read and 75 µs for the smallest write; what is cut in the midst of a call is not seen in time.
      // One that was removed is there still, for who has it mapped.
      let length = file.indexBytes ?? indexBytes
      if length >= indexBytes {
        indexBytes = length
        return database
      }
      SQLiteGate.closeAll(to: file.path)
      if length > 0 { file.emptyIndex() }
    }
    drop(checkpoint: false)
    let file = try located()
    let opened = try file.alone { () throws(CacheTrouble) in try open(file) }
    guard let opened else { throw .sqlite(.busy) }
    indexBytes = file.indexBytes ?? 0
    database = opened
    return opened
  }

  private func located() throws(CacheTrouble) -> CacheFile {
    do throws(CacheFailure) {
      let found = try location.file()
      file = found
      return found
    } catch {
      throw .refused(error)
    }
  }

  private func open(_ file: CacheFile) throws(CacheTrouble) -> Database {
    do {
      try file.prepare()
    } catch {
      throw .refused(error)
    }
    identity = file.identity
    do {
      do {
        return try open(file, isAlone: false)
      } catch let failure as SQLiteFailure where failure.lacksIndex {
        return try open(file, isAlone: true)
      }
    } catch let trouble as CacheTrouble {
      throw trouble
    } catch let failure as SQLiteFailure {
      throw .sqlite(failure)
    } catch {
      throw .refused(CacheFailure("\(file.path) cannot be opened"))
    }
  }

  private func open(_ file: CacheFile, isAlone: Bool) throws -> Database {
    let database = try Database(path: file.path, isAlone: isAlone)
    do {
      return try accepted(database, file)
    } catch {
      // What a newer version made is left as it was found.
      database.close(checkpoint: error is CacheTrouble)
      throw error
    }
  }

  /// Larger files are not read through at opening; their damage shows on use.
  private static let checkedPages: Int64 = 1024

  private func accepted(_ database: Database, _ file: CacheFile) throws -> Database {
    let state = try Schema.state(of: database)
    if case .newer(let version) = state {
      let failure = CacheFailure(
        "the cache is off: \(file.path) was made by a newer version (schema \(version), this one knows \(Schema.version))",
        isPermanent: true)
      end = failure
      throw CacheTrouble.refused(failure)
    }
    let pages = max(64, options.maximumFileBytes / 4096)
    try database.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;
      PRAGMA cell_size_check = ON; PRAGMA secure_delete = FAST; PRAGMA cache_size = -1024;
      PRAGMA journal_size_limit = 1048576; PRAGMA max_page_count = \(pages)
      """)
    if case .empty = state {
      try Schema.make(in: database)
    } else if try database.integer("PRAGMA page_count") ?? 0 <= Self.checkedPages {
      try Schema.check(database)
    }
    if !hasReplacedFile, file.isSetAside, let count = try Salvage.copy(from: file.asidePath, into: database) {
      file.putSetAsideAway()
      warning = "\(count) records of events and people are taken over from \(file.asidePath), which was set aside"
    }
    return database
  }
}
