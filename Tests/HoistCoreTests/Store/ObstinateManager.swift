import HoistBase
import HoistCore
import HoistTestSupport

/// A cache manager that keeps things in memory and does as the test says: fail, get stuck, lie.
final class ObstinateManager: TellingManager, @unchecked Sendable {
  private let inner = MemoryCacheManager()
  private let lock = Lock()
  private var log: [String] = []
  private var owners: [String] = []
  private var failure: CacheFailure?
  private var writeFailure: CacheFailure?
  private var failingKeys: Set<String> = []
  private var door: Door?
  private var lie: [EventRow]?
  private var journal: (any EventJournal)?
  private var journalsAsked = 0
  private var losesAnswers = false
  private var journalFailure: CacheFailure?
  let isReachedByOthers: Bool
  let announcements: Announcements?

  init(isReachedByOthers: Bool = false, announcements: Announcements? = nil) {
    (self.isReachedByOthers, self.announcements) = (isReachedByOthers, announcements)
  }

  /// What was called, in order, e.g. `save a`.
  var calls: [String] { lock.withLock { log } }
  /// The owners that were named, each once, in order.
  var ownersSeen: [String] { lock.withLock { owners } }
  func forgetCalls() { lock.withLock { log = [] } }
  func fail(_ failure: CacheFailure?) { lock.withLock { self.failure = failure } }
  /// Only what has to write fails; claims need not.
  func fail(writes failure: CacheFailure?) { lock.withLock { writeFailure = failure } }
  func fail(keys: Set<String>) { lock.withLock { failingKeys = keys } }
  /// The next call waits at the door.
  func block(at door: Door) { lock.withLock { self.door = door } }
  /// Rows are given back, and it looks like a failure.
  func loseAnswers(_ loses: Bool) { lock.withLock { losesAnswers = loses } }
  /// What claims answer from now on.
  func lie(_ rows: [EventRow]) { lock.withLock { lie = rows } }
  /// What is opened as a journal from now on.
  func keep(_ journal: (any EventJournal)?) { lock.withLock { self.journal = journal } }
  func failJournals(_ failure: CacheFailure?) { lock.withLock { journalFailure = failure } }
  var journalsAskedFor: Int { lock.withLock { journalsAsked } }

  private func enter(_ call: String, owner: EventOwner? = nil, key: String = "") throws(CacheFailure) {
    let (door, failure) = lock.withLock {
      log.append(call)
      if let owner, owners.last != owner.id { owners.append(owner.id) }
      defer { self.door = nil }
      return (self.door, failingKeys.contains(key) ? CacheFailure("no such key here") : self.failure)
    }
    door?.pass()
    if let failure { throw failure }
    if let failure = lock.withLock({ writeFailure }), !call.hasPrefix("claim"), !call.hasPrefix("load") { throw failure }
  }

  func load(key: String) throws(CacheFailure) -> [UInt8]? {
    try enter("load \(key)", key: key)
    return inner.load(key: key)
  }
  func save(key: String, value: [UInt8]) throws(CacheFailure) {
    try enter("save \(key)=\(String(decoding: value, as: UTF8.self))", key: key)
    inner.save(key: key, value: value)
  }
  func remove(key: String) throws(CacheFailure) {
    try enter("remove \(key)", key: key)
    inner.remove(key: key)
  }
  func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure) {
    try enter("put \(rows.map(\.id).joined(separator: ","))", owner: owner)
    inner.putEvents(rows, owner: owner)
  }
  func claimEvents(pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner) throws(CacheFailure)
    -> [EventRow]
  {
    try enter("claim \(pipeline)", owner: owner)
    if let lie = lock.withLock({ lie }) { return lie }
    return inner.claimEvents(pipeline: pipeline, maximumRows: maximumRows, maximumBytes: maximumBytes, owner: owner)
  }
  func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    try enter("delete \(ids.joined(separator: ","))", owner: owner)
    inner.removeEvents(ids: ids, owner: owner)
  }
  func purgeEvents(subject: String, pipeline: String) throws(CacheFailure) {
    try enter("purge \(subject) \(pipeline)")
    inner.purgeEvents(subject: subject, pipeline: pipeline)
  }
  func renewLease(owner: EventOwner) throws(CacheFailure) {
    try enter("renew", owner: owner)
    inner.renewLease(owner: owner)
  }
  func releaseEvents(owner: EventOwner) throws(CacheFailure) {
    try enter("release", owner: owner)
    inner.releaseEvents(owner: owner)
  }
  let canGiveBackEvents = true
  func giveBackEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    try enter("give back \(ids.count)", owner: owner)
    inner.giveBackEvents(ids: ids, owner: owner)
    if lock.withLock({ losesAnswers }) { throw CacheFailure("the answer was lost") }
  }
  func openJournal(pipeline: String, identifiers: EventIdentifiers) throws(CacheFailure) -> (any EventJournal)? {
    let (journal, failure) = lock.withLock {
      journalsAsked += 1
      return (self.journal, journalFailure)
    }
    if let failure { throw failure }
    return journal
  }
  /// Another process takes rows away, as it may when a lease has run out.
  func givesAway(first count: Int, to thief: EventOwner, owner: String) {
    inner.releaseEvents(owner: EventOwner(id: owner, leaseMilliseconds: 1))
    _ = inner.claimEvents(pipeline: "events", maximumRows: count, maximumBytes: 100_000, owner: thief)
  }

  /// How many rows another process would find.
  var left: Int {
    for owner in ownersSeen { inner.releaseEvents(owner: EventOwner(id: owner, leaseMilliseconds: 1)) }
    let heir = EventOwner(id: "heir", leaseMilliseconds: 1)
    return inner.claimEvents(pipeline: "events", maximumRows: 100, maximumBytes: 100_000, owner: heir).count
  }

  func close() { lock.withLock { log.append("close") } }
}
