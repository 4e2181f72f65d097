internal import HoistBase
internal import HoistCore

/// The big segments of a client, as its store knows them (4.8, 11.2; LDS-28, LDS-63). An evaluation asks for the contexts that
/// are not known; how far the store can be relied on is asked at a pace of its own.
final class BigSegmentsManager: BigSegments, ClientPart, @unchecked Sendable {
  struct Options: Sendable {
    var capacity = 1_000
    var milliseconds: Int64 = 5_000
    var pollMilliseconds: Int64 = 5_000
    var staleMilliseconds: Int64 = 120_000
  }

  /// How long the store may take for its status.
  private static let pollLimitNanoseconds: Int64 = 10_000_000_000

  private let host: any ProviderHost
  private let store: any BigSegmentStore
  private let options: Options
  private let observers: ChangeObservers
  private let lane: Lane
  private let cache: MembershipCache
  private let lock = Lock()
  private let polled = Condition()
  /// Guarded by `lock`; nil before the first poll of a life.
  private var known: StoreStatus?
  private let hasFailed = LockedValue(false)
  // On the scheduler's thread.
  private var isRunning = false
  private var isPolling = false
  private var generation = Generation()
  private var timer: (any Cancellable)?

  init(host: any ProviderHost, store: any BigSegmentStore, options: Options, observers: ChangeObservers) {
    (self.host, self.store, self.options, self.observers) = (host, store, options, observers)
    lane = Lane(options: Lane.Options(name: "hoist-segments"), clock: host.clock, scheduler: host.scheduler)
    cache = MembershipCache(clock: host.clock, capacity: options.capacity, milliseconds: options.milliseconds)
  }

  // MARK: Evaluations, on any thread

  func answer(for key: ByteView) -> BigSegmentAnswer {
    let membership = cache.membership(of: key) { ask(key) }
    return BigSegmentAnswer(membership: membership, status: membership == nil ? .storeError : standing)
  }

  func recall(_ key: ByteView) -> BigSegmentAnswer {
    guard let membership = cache.recall(key) else { return answer(for: key) }
    return BigSegmentAnswer(membership: membership, status: membership == nil ? .storeError : standing)
  }

  private func ask(_ key: ByteView) -> [String: Bool]? {
    switch store.memberships(of: BigSegmentHash.text(of: key)) {
    case .success(let membership):
      note(nil)
      return membership
    case .failure(let failure):
      note(failure)
      return nil
    }
  }

  /// As polled; what was not polled yet is waited for.
  private var standing: BigSegmentsStatus {
    guard let status = status(waits: Thread.admitsHost) else { return .storeError }
    return status.isAvailable ? status.isStale ? .stale : .healthy : .storeError
  }

  /// - Parameter waits: for the first poll.
  /// - Returns: nil where there was none.
  func status(waits: Bool) -> StoreStatus? {
    let deadline = SystemClock().monotonicNanoseconds &+ Self.pollLimitNanoseconds
    return lock.withLock {
      while known == nil {
        if !waits || !polled.wait(lock, untilNanoseconds: deadline) { break }
      }
      return known
    }
  }

  /// An episode of failures is told of once.
  private func note(_ failure: StoreFailure?) {
    let isNews = hasFailed.withLock { hasFailed in
      defer { hasFailed = failure != nil }
      return hasFailed != (failure != nil)
    }
    guard isNews else { return }
    if let failure {
      host.log.warning("the store of big segments: \(failure.message); the rules of segments decide in its place")
    } else {
      host.log.info("the store of big segments: works again")
    }
  }

  // MARK: Polls, on the scheduler's thread

  func start() {
    (isRunning, isPolling) = (true, false)
    generation.advance()
    forgetStatus()
    lane.reopen()
    cache.setOpen(true)
    poll()
  }

  private func forgetStatus() { lock.withLock { known = nil } }

  private func poll() {
    timer = host.scheduler.schedule(afterMilliseconds: options.pollMilliseconds) { [weak self] in
      guard let self, isRunning else { return }
      poll()
    }
    // One that takes longer than the interval is waited for.
    guard !isPolling else { return }
    isPolling = true
    let mine = generation.current
    let isTaken = lane.perform(withinNanoseconds: Self.pollLimitNanoseconds) { [self] in
      let answer = store.lastUpToDate()
      take(answer)
      host.scheduler.post { [self] in end(mine) }
    } abandoned: { [self] in
      if generation.isCurrent(mine) { take(.failure(StoreFailure("its status was not told in time"))) }
    }
    if !isTaken {
      isPolling = false
      take(.failure(StoreFailure("there is no thread to ask for its status")))
    }
  }

  private func end(_ mine: Generation.Token) { if generation.isCurrent(mine) { isPolling = false } }

  /// Any thread: an evaluation may wait for it while the scheduler's thread waits for that.
  private func take(_ answer: Result<Int64?, StoreFailure>) {
    let now = host.clock.unixMilliseconds
    let status: StoreStatus
    switch answer {
    case .success(let date):
      let age = date.map { now.subtractingReportingOverflow($0) }
      status = StoreStatus(
        isAvailable: true, isStale: age.map { $0.overflow || $0.partialValue >= options.staleMilliseconds } ?? true)
      note(nil)
    case .failure(let failure):
      status = StoreStatus(isAvailable: false, isStale: false)
      note(failure)
    }
    let former = lock.withLock {
      defer { known = status }
      return known
    }
    polled.broadcast()
    if let former, former != status { observers.changed(.bigSegments, status) }
  }

  func stop() {
    isRunning = false
    generation.advance()
    timer?.cancel()
    timer = nil
    cache.setOpen(false)
    lane.close()
    // Nothing is waited for any more.
    lock.withLock { if known == nil { known = StoreStatus(isAvailable: false, isStale: false) } }
    polled.broadcast()
  }

  /// The store is not asked any more.
  func settle(untilNanoseconds deadline: Int64) -> Bool {
    let isSettled = cache.settle(untilNanoseconds: deadline)
    return lane.drain(untilNanoseconds: deadline) && isSettled
  }

  func abandonAfterFork() {
    (isRunning, isPolling, timer) = (false, false, nil)
    generation.advance()
  }
}
