internal import Glibc
public import HoistBase
public import HoistCore
internal import Synchronization

/// The built-in cache manager: one SQLite file per service and key, shared by all processes that use
/// the same account on this machine.
///
/// What it survives, and how (`reliability.md` 4.3): a damaged or foreign file, in which a second look
/// finds the damage, too, is renamed to `.corrupt` and made anew, once; the next run takes over what can be read of it; a file of a newer version is left alone and the cache stays off; a full disk fails the call and keeps the old
/// row; a file that others keep locked is tried in short slices up to `busyMilliseconds`; after an I/O error the file
/// is opened anew, at most `maximumReopenings` times without a success. A commit survives the death of the process at
/// any moment; the last commits before a power loss may be missing, never half of one.
///
/// Limits: a value of `maximumValueBytes`; `maximumEntries` values and `maximumEntryBytes` in all, beyond which those
/// written longest ago go, visitors' before others (counted and logged; checked every few saves, so that it may be a
/// sixteenth more for a while); a file of `maximumFileBytes`, at which writes fail like those to a full disk. The
/// pipelines limit how many events may wait.
public final class SQLiteCacheManager: CacheManager {
  public struct Options: Sendable {
    /// nil: `$XDG_CACHE_HOME/hoist`, else `~/.cache/hoist`. Made, mode 0700, when missing. Where a relative path begins,
    /// and what the environment says, is looked up when the manager is made.
    public var folder: String?
    /// Becomes part of the file's name: lower-case letters, digits and dashes.
    public var vendor: String
    /// Digest of the key, in hexadecimal: the key itself never reaches the disk.
    public var keyDigest: String
    public var busyMilliseconds: Int64 = 1_000
    public var maximumReopenings = 8
    public var maximumValueBytes = 64 << 20
    public var maximumEntries = 10_000
    public var maximumEntryBytes: Int64 = 256 << 20
    public var maximumFileBytes: Int64 = 1 << 30

    public init(folder: String? = nil, vendor: String, keyDigest: String) {
      self.folder = folder
      self.vendor = vendor
      self.keyDigest = keyDigest
    }

    /// - Parameter key: the identity of the account, e.g. the SDK key with the environment's name.
    public init(folder: String? = nil, vendor: String, key: String) {
      self.init(folder: folder, vendor: vendor, keyDigest: Hex.encode(SHA256.hash(key)))
    }
  }

  let options: Options
  let clock: any Clock
  /// Told of what the host should know, one line each, on the calling thread, outside of any lock.
  let warn: @Sendable (String) -> Void
  let location: CacheLocation
  let connection: SQLiteConnection
  private let evicted = Atomic(0)
  private let saves = Atomic(0)
  private let isFull = Atomic(false)

  public init(options: Options, clock: any Clock, warn: @escaping @Sendable (String) -> Void = { _ in }) {
    self.options = options
    self.clock = clock
    self.warn = warn
    location = CacheLocation(options)
    connection = SQLiteConnection(options: options, location: location)
  }

  deinit { connection.close(checkpoint: false) }

  /// Values that made room for newer ones.
  public var evictedEntries: Int { evicted.load(ordering: .relaxed) }
  /// True for the first save and every few after it: counting reads every entry's header.
  func isTimeToCount() -> Bool {
    let stride = min(64, max(1, options.maximumEntries / 16))
    return saves.add(1, ordering: .relaxed).oldValue % stride == 0
  }

  /// - Parameter count: the values evicted at the last check; logged once until it is 0 again.
  func countEvicted(_ count: Int) {
    evicted.add(count, ordering: .relaxed)
    if isFull.exchange(count > 0, ordering: .relaxed) || count == 0 { return }
    warn("the cache is full: those visitors are forgotten, or else other values, that were written longest ago")
  }

  public func close() { connection.close(checkpoint: true) }

  /// Runs `body` inside the gate with the open database, again and again while it is busy, and
  /// once more after a damaged file was replaced, or where the disk is full.
  /// - Parameter unwritten: takes the place of `body` when there is no room for it; nil where nothing can.
  func perform<Value>(
    _ action: String, _ body: (Database) throws(SQLiteFailure) -> Value,
    unwritten: (Database) throws(SQLiteFailure) -> Value? = { _ throws(SQLiteFailure) in nil }
  ) throws(CacheFailure) -> Value {
    var fullness = 0
    // Waiting is real, whatever clock the rows are stamped with.
    let machine = SystemClock()
    let deadline = machine.monotonicNanoseconds &+ max(0, options.busyMilliseconds) &* 1_000_000
    while true {
      let trouble: CacheTrouble
      do {
        let (value, warning) = try SQLiteGate.pass { () throws(CacheTrouble) in
          let value = try connection.use { database throws(SQLiteFailure) in
            if fullness == 1 { connection.emptyLog() }
            if fullness > 1, let value = try unwritten(database) { return value }
            return try body(database)
          }
          return (value, connection.takeWarning())
        }
        if let warning { warn(warning) }
        return value
      } catch {
        trouble = error
      }
      switch SQLiteGate.pass({ connection.recover(from: trouble, action) }) {
      case .giveUp(let failure): throw failure
      case .full(let failure):
        fullness += 1
        if fullness > 2 { throw failure }
      case .again: break
      case .replaced(let warning): warn(warning)
      case .wait(let failure):
        if machine.monotonicNanoseconds >= deadline { throw failure }
        usleep(5_000)
      }
    }
  }
}
