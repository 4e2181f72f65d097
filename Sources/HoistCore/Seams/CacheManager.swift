/// A record on its way to a service, as a cache manager keeps it.
public struct EventRow: Sendable, Equatable {
  /// Stable for the life of the record, unique in the world: the service and the store know it by this.
  public var id: String
  /// Which pipeline of the provider it belongs to, e.g. "metrics".
  public var pipeline: String
  /// Whom it speaks of, when that person may withdraw consent; "" otherwise.
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

/// Who may send a row now. Rows of an owner whose lease has run out, or who is known to be
/// dead, are anyone's to claim.
public struct EventOwner: Sendable, Equatable {
  /// Tells processes apart, forked children too.
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
  public init(_ message: String) { self.message = message }
}

/// Keeps what must outlive the process: configurations by key, and events until they are delivered.
///
/// Called on a client's store lane only, so calls may block, and never overlap for one manager.
/// A failed call changes nothing.
public protocol CacheManager: AnyObject, Sendable {
  func load(key: String) throws(CacheFailure) -> [UInt8]?
  func save(key: String, value: [UInt8]) throws(CacheFailure)
  func remove(key: String) throws(CacheFailure)

  /// Inserts or replaces rows by id, owned by `owner`, all or none.
  func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure)
  /// Makes up to `limit` of the oldest claimable rows the owner's, and returns them.
  func claimEvents(pipeline: String, limit: Int, owner: EventOwner) throws(CacheFailure) -> [EventRow]
  /// Removes rows, but only those that `owner` still holds.
  func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure)
  /// Removes every row of a subject but those of `exceptPipeline`, whoever owns them.
  func purgeEvents(subject: String, exceptPipeline: String?) throws(CacheFailure)
  /// Prolongs the owner's lease on all its rows.
  func renewLease(owner: EventOwner) throws(CacheFailure)
  /// Gives the owner's rows back, for a clean shutdown.
  func releaseEvents(owner: EventOwner) throws(CacheFailure)

  func close()
}
