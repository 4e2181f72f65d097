/// A record on its way to a service, as a cache manager keeps it.
public struct EventRow: Sendable, Equatable {
  /// Stable for the life of the record, globally unique: its identity for the service and the store.
  public var id: String
  /// Which pipeline of the provider it belongs to, e.g. "metrics".
  public var pipeline: String
  /// The person concerned, who may withdraw consent; "" for what stays even then.
  public var subject: String
  public var createdUnixMilliseconds: Int64
  public var payload: [UInt8]

  public init(id: String, pipeline: String, subject: String = "", createdUnixMilliseconds: Int64, payload: [UInt8]) {
    self.id = id
    self.pipeline = pipeline
    self.subject = subject
    self.createdUnixMilliseconds = createdUnixMilliseconds
    self.payload = payload
  }
}

/// The owner may send a row now. Rows of an owner whose lease has run out, or that is known to be dead, may be claimed
/// by any other.
public struct EventOwner: Sendable, Equatable {
  /// Distinguishes processes, forked children and clients of one process; in the form of `OwnerIdentity`, which knows
  /// whether an owner on this machine still lives.
  public var id: String
  public var leaseMilliseconds: Int64
  public init(id: String, leaseMilliseconds: Int64) {
    self.id = id
    self.leaseMilliseconds = leaseMilliseconds
  }
}

public struct CacheFailure: Error, Sendable, Equatable {
  /// One line for people: what failed, where.
  public var message: String
  /// Trying again cannot help while this manager lives.
  public var isPermanent: Bool
  public init(_ message: String, isPermanent: Bool = false) {
    self.message = message
    self.isPermanent = isPermanent
  }
}

/// What came of a compare-and-set.
public enum CacheReplacement: Sendable, Equatable {
  case done
  /// Nothing was changed: this is the stored value, nil for none.
  case differs([UInt8]?)
}

/// What is to be put behind a stored value.
public struct CacheAddition: Sendable {
  /// How the stored value has to begin.
  public var head: [UInt8]
  public var bytes: [UInt8]
  public init(head: [UInt8], bytes: [UInt8]) {
    self.head = head
    self.bytes = bytes
  }
}

/// Which keys belong to one person each. There may be very many of them, so a manager that must make room removes these
/// before any other: without the others nothing works offline. Part of the contract with hosts' cache managers
/// (`HOIST_CACHE_PERSON_PREFIX`).
public enum PersonKey {
  public static let prefix = "visitor:"

  public static func make(_ id: [UInt8]) -> String { prefix + String(decoding: id, as: UTF8.self) }
  public static func isOne(_ key: String) -> Bool { key.utf8.starts(with: prefix.utf8) }
  /// Whose key it is; nil where it is no person's.
  public static func id(_ key: String) -> [UInt8]? { isOne(key) ? Array(key.utf8.dropFirst(prefix.utf8.count)) : nil }
}

/// Keeps what must outlive the process: configurations by key, and events until they are delivered.
///
/// Called on a client's store lane only, so calls may block, and never overlap for one manager
/// while they keep to the lane's limit. A failed call changes nothing.
public protocol CacheManager: AnyObject, Sendable {
  func load(key: String) throws(CacheFailure) -> [UInt8]?
  func save(key: String, value: [UInt8]) throws(CacheFailure)
  func remove(key: String) throws(CacheFailure)

  /// Compare-and-set: keeps `value` under `key` if what is kept there is `expected`, byte for byte; nil is no value,
  /// before as after. By default that holds within this process only (`ReplacementQueue`).
  func replace(key: String, expected: [UInt8]?, with value: [UInt8]?) throws(CacheFailure) -> CacheReplacement
  /// The same of a value that may be forgotten that long after it was last written, additions included. By default it is kept
  /// for ever.
  func replace(
    key: String, expected: [UInt8]?, with value: [UInt8]?, forMilliseconds lifetime: Int64
  ) throws(CacheFailure) -> CacheReplacement
  /// Puts bytes behind the value of `key`, which `load` then gives with them, if it begins with `head`: so that a small
  /// addition to a large value does not cost writing all of it. Atomic for all users of the same data.
  /// - Returns: false where it does not begin like that, there is none, or the manager cannot do this; nothing was changed.
  func append(key: String, to head: [UInt8], _ bytes: [UInt8]) throws(CacheFailure) -> Bool
  /// Whether `replace` is atomic for all users of the same files or database, other processes too.
  var replacesInOneStep: Bool { get }
  /// Whether others may change what is kept while this process cannot reach it, as on a server elsewhere. A file on this
  /// machine that cannot be read here is written by none.
  var isReachedByOthers: Bool { get }

  /// Whether it has `lead` and the `save` that goes with it.
  var canLead: Bool { get }
  /// Makes `holder` the leader of the value of `key` for that long from now, if none is or it is that itself; 0 gives the lead back.
  /// - Parameter holder: nil only looks.
  func lead(key: String, holder: String?, leaseMilliseconds: Int64) throws(CacheFailure) -> CacheLead
  /// Keeps a value as `save(key:value:)` does, if none has led it since `number` was given out.
  /// - Returns: its version; nil where another has: then nothing was changed.
  func save(key: String, value: [UInt8], ledBy number: Int64) throws(CacheFailure) -> Int64?

  /// Whether it has `announce` and `listen`: what others announce is heard of, and not only found by looking.
  var hasNews: Bool { get }
  /// Tells all users of the same data that what is kept under `key` has changed. A failure costs the others time only.
  func announce(key: String) throws(CacheFailure)
  /// Posts from then on what others announce, and once nil whenever something may have been missed.
  func listen(_ news: CacheNews) throws(CacheFailure)
  /// Posts nothing more there. Without effect where it does not.
  func endListening(_ news: CacheNews)

  /// The value of `key` that all clients of the service on this machine share, whatever their account: `value`, unless
  /// another was stored before. Of two concurrent calls one prevails, and both get its value. By default an ordinary
  /// value.
  func shared(key: String, orKeep value: [UInt8]) throws(CacheFailure) -> [UInt8]
  func removeShared(key: String) throws(CacheFailure)

  /// Inserts rows, owned by `owner`, or replaces those of the same id that it holds; all or none.
  /// A row of that id in other hands stays as it is.
  func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure)
  /// Makes the oldest claimable rows the owner's, oldest first, and returns them: at most
  /// `maximumRows`, and no more payload than `maximumBytes`. What the owner holds already is not
  /// claimed again. Of two owners that claim at once, one gets the row.
  func claimEvents(
    pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner
  ) throws(CacheFailure) -> [EventRow]
  /// Removes rows, but only those that `owner` still holds.
  func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure)
  /// Removes every row of a subject in one pipeline, whatever its owner; the journals of living processes are theirs to
  /// purge (`EventJournal.erase`). After a success no claim hands out any of it.
  func purgeEvents(subject: String, pipeline: String) throws(CacheFailure)
  /// Prolongs the owner's lease on all its rows.
  func renewLease(owner: EventOwner) throws(CacheFailure)
  /// Gives the owner's rows back, for a clean shutdown.
  func releaseEvents(owner: EventOwner) throws(CacheFailure)
  /// Whether it has `giveBackEvents`.
  var canGiveBackEvents: Bool { get }
  /// Gives back those of the rows that `owner` still holds: any other may claim them.
  func giveBackEvents(ids: [String], owner: EventOwner) throws(CacheFailure)

  /// A journal for records of a pipeline that are not in the store yet. `claimEvents` hands out rows without an owner
  /// and what is in journals that were closed, or whose process ended; `purgeEvents` covers these journals, too. On the
  /// store's lane, also while other calls fail.
  /// - Parameter identifiers: makes the ids of rows from the numbers of records.
  /// - Returns: nil, as without an own implementation, from a manager that keeps none: callers wait for the store. A failure
  ///   says why there is none now, or, when it is permanent, at all here.
  func openJournal(pipeline: String, identifiers: EventIdentifiers) throws(CacheFailure) -> (any EventJournal)?

  /// Lets go of what is held open; a later call may open it again.
  func close()
}

extension CacheManager {
  public var replacesInOneStep: Bool { false }
  public var isReachedByOthers: Bool { false }
  public var hasNews: Bool { false }
  public func announce(key: String) throws(CacheFailure) {}
  public func listen(_ news: CacheNews) throws(CacheFailure) {}
  public func endListening(_ news: CacheNews) {}
  public var canGiveBackEvents: Bool { false }
  public func giveBackEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    throw CacheFailure("the cache manager cannot give back single events")
  }

  public func replace(key: String, expected: [UInt8]?, with value: [UInt8]?) throws(CacheFailure) -> CacheReplacement {
    try ReplacementQueue.replace(in: self, named: UInt(bitPattern: ObjectIdentifier(self)), key: key, expected, with: value)
  }

  public func replace(
    key: String, expected: [UInt8]?, with value: [UInt8]?, forMilliseconds lifetime: Int64
  ) throws(CacheFailure) -> CacheReplacement { try replace(key: key, expected: expected, with: value) }

  public func append(key: String, to head: [UInt8], _ bytes: [UInt8]) throws(CacheFailure) -> Bool { false }

  public func shared(key: String, orKeep value: [UInt8]) throws(CacheFailure) -> [UInt8] {
    if let known = try load(key: key) { return known }
    try save(key: key, value: value)
    return value
  }

  public func removeShared(key: String) throws(CacheFailure) { try remove(key: key) }

  public func openJournal(pipeline: String, identifiers: EventIdentifiers) throws(CacheFailure) -> (any EventJournal)? { nil }
}
