public import HoistBase

/// A client's store: values by key and waiting events, in a cache manager that may be slow, broken or absent.
///
/// Memory comes first: what is saved can be loaded at once, and is written behind on the store's own lane, the newest
/// value of a key only. No caller waits. When the manager fails, the host is notified once per episode and writes
/// pause, at growing intervals; only durability is lost. When a call does not return within its limit, the store does
/// without the manager until it does.
///
/// Callable from any thread; completions run on the scheduler's thread, but for `update`, exactly once each. In a
/// forked child the store begins anew: the parent writes what was waiting.
public final class Store: @unchecked Sendable {
  public struct Options: Sendable {
    /// How long one call of the manager may take.
    public var callLimitNanoseconds: Int64 = 10_000_000_000
    public var leaseMilliseconds: Int64 = 60_000
    /// Values that wait to be written; beyond this the oldest are given up and counted.
    public var maximumPendingValues = 4_096
    public var maximumPendingBytes = 128 << 20
    /// A larger value is neither written nor believed when read.
    public var maximumValueBytes = 64 << 20
    /// Rows are left to other processes to send: property `events.delivery`.
    public var forwards = false
    /// The longest pause, about, between looks for rows without an owner.
    public var claimMilliseconds: Int64 = 60_000
    public init() {}
  }

  let manager: (any CacheManager)?
  let log: Log
  let clock: any Clock
  let scheduler: any Scheduler
  let entropy: any Entropy
  let options: Options
  /// Where the manager is called. A service has no work for it.
  public let lane: Lane
  let order = RecordOrder()
  let lock = Lock()
  /// Guarded by `lock`.
  var state: StoreState

  /// - Parameter manager: nil keeps nothing beyond the process.
  public init(
    manager: (any CacheManager)?, log: Log, clock: any Clock, scheduler: any Scheduler,
    entropy: any Entropy = SystemEntropy(), options: Options = Options()
  ) {
    self.manager = manager
    self.log = log
    self.clock = clock
    self.scheduler = scheduler
    self.entropy = entropy
    self.options = options
    lane = Lane(options: Lane.Options(name: "hoist-store"), clock: clock, scheduler: scheduler)
    state = StoreState(generation: scheduler.generation, nonce: entropy.next())
  }

  /// Whether anything outlives the process.
  public var keepsValues: Bool { manager != nil }

  /// The value of `key`; nil when there is none, or it cannot be read: for data that can be fetched again. Use `read`
  /// and `update` for data that must not be overwritten.
  public func load(_ key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    read(key) { completion((try? $0.get()) ?? nil) }
  }

  /// The value of `key`; nil for none, a failure where it cannot be read.
  public func read(_ key: String, completion: @escaping @Sendable (Result<[UInt8]?, CacheFailure>) -> Void) {
    if let pending = withState({ $0.pending.item(of: ByteKey(key)) }), pending.changes.isEmpty {
      return scheduler.post { completion(.success(pending.value(from: nil))) }
    }
    call(.read) { [self] manager, _ throws(CacheFailure) in
      try kept(key, manager)
    } answer: {
      completion($0)
    }
  }

  /// What the manager has when everything that waits is written, as far as it can be; nil for none, and where it cannot be
  /// read. What is in memory only does not count: it answers what the next run will find.
  func loadWritten(_ key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    writeValues { [self] _ in
      call(.read) { [self] manager, _ throws(CacheFailure) in
        try checked(try manager.load(key: key))
      } answer: {
        completion((try? $0.get()) ?? nil)
      }
    }
  }

  /// What is kept under each of some keys, in one call of the manager's lane.
  /// - Parameters:
  ///   - each: with the index of a key and its stored value; on the lane. Not called after the first that cannot be
  ///     read.
  ///   - completion: on the scheduler's thread: whether all could be read.
  func readEach(
    _ keys: [String], each: @escaping @Sendable (_ place: Int, _ kept: [UInt8]?) -> Void,
    completion: @escaping @Sendable (Bool) -> Void
  ) {
    call(.read) { [self] manager, _ throws(CacheFailure) in
      for (place, key) in keys.enumerated() { each(place, try kept(key, manager)) }
    } answer: { result in
      completion(result.isSuccess)
    }
  }

  /// On the lane: with what waits to be written.
  private func kept(_ key: String, _ manager: any CacheManager) throws(CacheFailure) -> [UInt8]? {
    let pending = withState { $0.pending.item(of: ByteKey(key)) }
    if let pending, case .value = pending.base { return pending.value(from: nil) }
    let stored = try checked(try manager.load(key: key))
    return pending.map { $0.value(from: stored) } ?? stored
  }

  /// Keeps `value` under `key`, in place of what was there.
  public func save(_ key: String, _ value: [UInt8]) {
    guard value.count <= options.maximumValueBytes else {
      withState { $0.counters.givenUp += 1 }
      return log.warning("store: a value of \(value.count) bytes is over the limit and is not kept")
    }
    write(key, value)
  }

  public func remove(_ key: String) { write(key, nil) }

  private func write(_ key: String, _ value: [UInt8]?) {
    guard manager != nil else { return }
    let options = options
    wait {
      $0.set(
        ByteKey(key), value, maximumCount: options.maximumPendingValues, maximumBytes: options.maximumPendingBytes)
    }
  }

  /// Changes what is kept under `key` in one step: concurrent changes by other clients and processes are not lost, as
  /// far as the manager supports that.
  /// - Parameters:
  ///   - transform: makes the new value, nil for none, from the stored one. Pure. Called on the store's lane, with no
  ///     lock held, and again when another writer was faster, or for a read of what is not written yet.
  ///   - addition: asked first, likewise: where the manager can, and nothing else waits for the key, that is put behind the
  ///     stored value in place of all the rest.
  ///   - lifetime: asked after `transform`: how long the new value is of use after it was written, in milliseconds; nil for
  ///     ever.
  ///   - completion: with the value stored then, nil after an addition; or a failure, when there is no store, or after too many attempts. On
  ///     the store's lane, before any other work on the key; without a store, on the scheduler's thread.
  public func update(
    _ key: String, kind: ChangeKind = .ordinary, addition: (@Sendable () -> CacheAddition?)? = nil,
    lifetime: (@Sendable () -> Int64?)? = nil,
    _ transform: @escaping @Sendable (_ kept: [UInt8]?) -> [UInt8]?,
    completion: @escaping @Sendable (Result<[UInt8]?, CacheFailure>) -> Void = { _ in }
  ) {
    guard manager != nil else { return scheduler.post { completion(.failure(CacheFailure("there is no store"))) } }
    let options = options
    wait {
      $0.add(
        transform, kind, addition: addition, lifetime: lifetime, to: ByteKey(key), completion: completion,
        maximumCount: options.maximumPendingValues, maximumBytes: options.maximumPendingBytes)
    }
  }

  private func wait(_ add: (inout PendingValues) -> [PendingValues.Item]) {
    let lost = withState { state in
      let lost = add(&state.pending)
      state.counters.givenUp += lost.count
      return lost.flatMap(\.changes)
    }
    let tell: @Sendable () -> Void = {
      for change in lost { change.completion(.failure(CacheFailure("too much waits for the store"))) }
    }
    if !lost.isEmpty, !lane.perform(tell) { tell() }
    settleSoon()
  }

  /// A value of the manager's, if it can be believed.
  func checked(_ value: [UInt8]?) throws(CacheFailure) -> [UInt8]? {
    guard let value, value.count > options.maximumValueBytes else { return value }
    throw CacheFailure("a stored value of \(value.count) bytes is over the limit")
  }

  /// - Parameter completion: with whether everything that was saved so far is written; else the manager has failed.
  public func writeValues(completion: @escaping @Sendable (_ isWritten: Bool) -> Void) {
    call(.values) { _, _ in
    } answer: { result in
      if case .success = result { completion(true) } else { completion(false) }
    }
  }

  /// Writes what waits, gives back the events it holds, and closes the manager; waits for that until
  /// the deadline at most.
  /// - Parameter deadline: nanoseconds of the machine's monotonic clock.
  /// - Returns: whether everything was written in time.
  public func close(untilNanoseconds deadline: Int64) -> Bool {
    guard let manager else { return true }
    let settled = Flag()
    lane.perform(withinNanoseconds: options.callLimitNanoseconds) { [self] in
      if leave(manager) { settled.raise() }
    } abandoned: {
    }
    let drained = lane.drain(untilNanoseconds: deadline)
    // Before the lane: what that refuses must not be tried again and again.
    let news = withState { state in
      defer { (state.listeners, state.news) = ([], nil) }
      state.isClosed = true
      return state.news
    }
    news?.end()
    lane.close()
    return drained && settled.isRaised
  }

  /// Works again after `close`.
  public func reopen() {
    lane.reopen()
    let nonce = entropy.next()
    withState {
      ($0.isClosed, $0.takesNoMore) = (false, false)
      $0.owner = LeasedOwner(nonce: nonce)
      // The rows were released.
      $0.ownerEpoch += 1
    }
    settleSoon()
  }

  public var statistics: [(name: String, value: Int64)] {
    let counters = withState { $0.counters }
    return [
      ("written", Int64(counters.written)), ("failures", Int64(counters.failures)),
      ("refused", Int64(counters.refused)), ("given_up", Int64(counters.givenUp)),
      ("ignored", Int64(counters.ignored)), ("stuck", Int64(lane.counters.stuck)), ("heard", Int64(counters.heard)),
    ]
  }

  /// Every access to the state goes through here, so that a forked child begins anew at its first.
  func withState<Value>(_ body: (inout StoreState) -> Value) -> Value {
    var inherited: StoreState?
    defer { withExtendedLifetime(inherited) {} }
    return lock.withLock {
      if state.generation != scheduler.generation {
        inherited = state
        state = StoreState(generation: scheduler.generation, nonce: entropy.next())
        state.isClosed = inherited?.isClosed ?? false
      }
      return body(&state)
    }
  }
}
