public import HoistBase
public import HoistCore

/// A process's share of a clock: it may be killed, and its lanes need no threads.
public final class FleetScheduler: Scheduler, @unchecked Sendable {
  public let time: ManualScheduler
  public var isAlive = true
  private let hasThreads: Bool
  /// - Parameter hasThreads: lanes run on threads of their own: what they call may take its time.
  public init(_ time: ManualScheduler, hasThreads: Bool = false) { (self.time, self.hasThreads) = (time, hasThreads) }

  private func whileAlive(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void { { if self.isAlive { work() } } }
  public func post(_ work: @escaping @Sendable () -> Void) { time.post(whileAlive(work)) }
  public func schedule(afterMilliseconds delay: Int64, _ work: @escaping @Sendable () -> Void) -> any Cancellable {
    time.schedule(afterMilliseconds: delay, whileAlive(work))
  }
  public func startThread(name: String, _ body: @escaping @Sendable (_ stays: Bool) -> Void) -> Bool {
    if hasThreads { return time.startThread(name: name, body) }
    post { body(false) }
    return true
  }
  public var isCurrent: Bool { time.isCurrent }
  public var standsInForItsThread: Bool { time.standsInForItsThread }
  public var generation: UInt32 { time.generation }
}

/// A store that may be away.
public final class FleetStore: TellingManager, @unchecked Sendable {
  public let inner: MemoryCacheManager
  public let isAway = Locked(false)
  /// Of what one process writes for all.
  public let ledKey = Locked("")
  /// Who asks for a lead waits for this.
  public let gate = Locked<HoistCore.Completion<Bool>?>(nil)
  public let announcements: Announcements?
  /// When it was looked into.
  public let looks = Locked<[Int64]>([])
  private let clock: any Clock
  /// - Parameter tells: whether it tells of others' changes.
  public init(_ clock: any Clock, tells: Bool = false) {
    (self.clock, inner, announcements) = (clock, MemoryCacheManager(clock: clock), tells ? Announcements() : nil)
  }

  private func reach() throws(CacheFailure) -> MemoryCacheManager {
    if isAway.value { throw CacheFailure("away") }
    return inner
  }
  public func load(key: String) throws(CacheFailure) -> [UInt8]? { try reach().load(key: key) }
  public func save(key: String, value: [UInt8]) throws(CacheFailure) { try reach().save(key: key, value: value) }
  public func remove(key: String) throws(CacheFailure) { try reach().remove(key: key) }
  public var canLead: Bool { true }
  public func lead(key: String, holder: String?, leaseMilliseconds: Int64) throws(CacheFailure) -> CacheLead {
    looks.change { $0.append(clock.unixMilliseconds) }
    ledKey.value = key
    _ = gate.value?.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: 60_000))
    return try reach().lead(key: key, holder: holder, leaseMilliseconds: leaseMilliseconds)
  }
  public func save(key: String, value: [UInt8], ledBy number: Int64) throws(CacheFailure) -> Int64? {
    try reach().save(key: key, value: value, ledBy: number)
  }
  public func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure) { try reach().putEvents(rows, owner: owner) }
  public func claimEvents(
    pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner
  ) throws(CacheFailure) -> [EventRow] {
    try reach().claimEvents(pipeline: pipeline, maximumRows: maximumRows, maximumBytes: maximumBytes, owner: owner)
  }
  public func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    try reach().removeEvents(ids: ids, owner: owner)
  }
  public func purgeEvents(subject: String, pipeline: String) throws(CacheFailure) {
    try reach().purgeEvents(subject: subject, pipeline: pipeline)
  }
  public func renewLease(owner: EventOwner) throws(CacheFailure) { try reach().renewLease(owner: owner) }
  public func releaseEvents(owner: EventOwner) throws(CacheFailure) { try reach().releaseEvents(owner: owner) }
  public func close() {}
}
