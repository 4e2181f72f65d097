public import HoistBase

/// A client's memory of its own: values by key and events in waiting, kept by a cache manager that may
/// be slow, broken or absent.
///
/// Memory comes first: what is saved can be loaded at once, and is written behind on a lane of the
/// store's own, the newest value of a key only. No caller waits. When the manager fails, the host is
/// told once per episode and writes pause, at growing intervals; nothing is lost but durability. When
/// a call does not return within its limit, the store does without the manager until it does.
///
/// Callable from any thread; completions run on the scheduler's thread, exactly once each. In a
/// forked child the store begins anew: what waited to be written is the parent's to write.
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
    public init() {}
  }

  let manager: (any CacheManager)?
  let log: Log
  let clock: any Clock
  let scheduler: any Scheduler
  let entropy: any Entropy
  let options: Options
  let lane: Lane
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

  /// What is kept under `key`; nil when there is nothing, or it cannot be read.
  public func load(_ key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    let pending = withState { $0.pending.value(of: ByteKey(key)) }
    if let pending {
      scheduler.post { completion(pending) }
      return
    }
    let limit = options.maximumValueBytes
    call(.read) { manager, _ throws(CacheFailure) -> [UInt8]? in
      let value = try manager.load(key: key)
      guard let value, value.count > limit else { return value }
      throw CacheFailure("a stored value of \(value.count) bytes is over the limit")
    } answer: { result in
      completion((try? result.get()) ?? nil)
    }
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
    withState {
      let lost = $0.pending.set(
        ByteKey(key), value, maximumCount: options.maximumPendingValues, maximumBytes: options.maximumPendingBytes)
      $0.counters.givenUp += lost
    }
    settleSoon()
  }

  /// `completion` runs when everything that was saved so far is written, or the manager has failed.
  public func writeValues(completion: @escaping @Sendable () -> Void) {
    call(.write) { [self] manager, _ throws(CacheFailure) in
      try settleValues(manager)
    } answer: { _ in
      completion()
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
    withState { $0.isClosed = true }
    lane.close()
    return drained && settled.isRaised
  }

  /// Works again after `close`.
  public func reopen() {
    lane.reopen()
    let nonce = entropy.next()
    withState {
      $0.isClosed = false
      $0.owner = HeldOwner(nonce: nonce)
      // What was held has been given back.
      $0.ownerEpoch += 1
    }
    settleSoon()
  }

  public var statistics: [(name: String, value: Int64)] {
    let counters = withState { $0.counters }
    return [
      ("written", Int64(counters.written)), ("failures", Int64(counters.failures)),
      ("refused", Int64(counters.refused)), ("given_up", Int64(counters.givenUp)),
      ("ignored", Int64(counters.ignored)), ("stuck", Int64(lane.counters.stuck)),
    ]
  }

  /// Every look at the state goes through here, so that a forked child begins anew at its first.
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
