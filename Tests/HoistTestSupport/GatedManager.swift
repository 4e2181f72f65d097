public import HoistBase
public import HoistCore

/// A cache manager in memory whose loads wait at a gate while it is shut.
public final class GatedManager: TellingManager, @unchecked Sendable {
  public let inner: MemoryCacheManager
  private let lock = Lock()
  private var gate: (prefix: String, isOpen: HoistCore.Completion<Bool>)?
  private var afterLoad: (@Sendable (String) -> Void)?
  /// Writes that still fit; nil for any number.
  private var room: Int?
  private var (written, added) = (0, 0)
  private var ends: [String: Int64] = [:]

  public let announcements: Announcements?

  public init(_ inner: MemoryCacheManager = MemoryCacheManager(clock: SystemClock()), announcements: Announcements? = nil) {
    (self.inner, self.announcements) = (inner, announcements)
  }

  /// Loads of keys with this prefix wait from now on.
  public func shut(_ prefix: String) { lock.withLock { gate = (prefix, HoistCore.Completion()) } }

  public func open() {
    let former = lock.withLock {
      defer { gate = nil }
      return gate
    }
    former?.isOpen.give(true)
  }

  /// Runs on the store's thread after each load.
  public func afterEachLoad(_ body: @escaping @Sendable (String) -> Void) { lock.withLock { afterLoad = body } }

  /// Nothing can be written after so many more writes, as on a full disk.
  public func fill(after writes: Int = 0) { lock.withLock { room = writes } }
  /// There is room again.
  public func makeRoom() { lock.withLock { room = nil } }

  private func needRoom() throws(CacheFailure) {
    let isFull = lock.withLock {
      room = room.map { $0 - 1 }
      return (room ?? 0) < 0
    }
    if isFull { throw CacheFailure("the disk is full") }
  }

  public func load(key: String) throws(CacheFailure) -> [UInt8]? {
    let (gate, afterLoad) = lock.withLock { (self.gate, self.afterLoad) }
    if let gate, key.hasPrefix(gate.prefix) {
      _ = gate.isOpen.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: 60_000))
    }
    defer { afterLoad?(key) }
    return inner.load(key: key)
  }

  /// Of values, and what was put behind them.
  public var bytesWritten: Int { lock.withLock { written } }
  /// How often something was put behind a value.
  public var additions: Int { lock.withLock { added } }

  public func save(key: String, value: [UInt8]) throws(CacheFailure) {
    try needRoom()
    lock.withLock {
      written += value.count
      ends[key] = nil
    }
    inner.save(key: key, value: value)
  }
  /// How long what was written with an end is of use, by its key.
  public var lifetimes: [String: Int64] { lock.withLock { ends } }
  public func replace(
    key: String, expected: [UInt8]?, with value: [UInt8]?, forMilliseconds lifetime: Int64
  ) throws(CacheFailure) -> CacheReplacement {
    let done = try replace(key: key, expected: expected, with: value)
    if case .done = done { lock.withLock { ends[key] = lifetime } }
    return done
  }
  public func append(key: String, to head: [UInt8], _ bytes: [UInt8]) throws(CacheFailure) -> Bool {
    try needRoom()
    guard inner.append(key: key, to: head, bytes) else { return false }
    lock.withLock { (written, added) = (written + bytes.count, added + 1) }
    return true
  }
  public func remove(key: String) throws(CacheFailure) {
    try needRoom()
    inner.remove(key: key)
  }
  public func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure) {
    try needRoom()
    inner.putEvents(rows, owner: owner)
  }
  public func claimEvents(
    pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner
  ) throws(CacheFailure) -> [EventRow] {
    inner.claimEvents(pipeline: pipeline, maximumRows: maximumRows, maximumBytes: maximumBytes, owner: owner)
  }
  public func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure) { inner.removeEvents(ids: ids, owner: owner) }
  public func purgeEvents(subject: String, pipeline: String) throws(CacheFailure) {
    inner.purgeEvents(subject: subject, pipeline: pipeline)
  }
  public func renewLease(owner: EventOwner) throws(CacheFailure) { inner.renewLease(owner: owner) }
  public func releaseEvents(owner: EventOwner) throws(CacheFailure) { inner.releaseEvents(owner: owner) }
  public func close() { inner.close() }
}
