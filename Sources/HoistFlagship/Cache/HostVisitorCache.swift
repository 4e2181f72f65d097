internal import HoistBase
internal import HoistCore

/// What visitors tell a cache of the host's (FS-22, FS-102 to FS-104), on a lane of its own, one call at a time; of changes
/// that wait, the newest of each visitor only. A call that does not return in time is set aside. Thread-safe.
final class HostVisitorCache: Sendable {
  /// Makes the record when it is written; nil when nothing is to be stored.
  typealias Record = @Sendable () -> [UInt8]?

  private struct State {
    /// The visitors with a waiting change, in order; may still contain one whose change was taken early.
    var order: [[UInt8]] = []
    var changes: [[UInt8]: Record] = [:]
    /// The lane's turn that makes the next change; 0 for none.
    var turn: UInt64 = 0
    var lastTurn: UInt64 = 0
    var written: Int64 = 0
    var dropped: Int64 = 0
  }

  /// The most visitors with a waiting change.
  private static let maximumWaiting = 10_000
  /// How long the cache may take for a change.
  private static let changeLimitNanoseconds: Int64 = 2_000_000_000

  private let cache: any VisitorCache
  private let log: Log
  private let lane: Lane
  private let state = LockedValue(State())

  init(_ cache: any VisitorCache, host: any ProviderHost) {
    self.cache = cache
    log = host.log
    lane = Lane(options: Lane.Options(name: "hoist-visitors"), clock: host.clock, scheduler: host.scheduler)
  }

  /// Changes that were made, and those for which there was no room, or that were not taken in time; calls that hang.
  var counters: (written: Int64, dropped: Int64, stuck: Int64) {
    let stuck = Int64(lane.counters.stuck)
    return state.withLock { ($0.written, $0.dropped, stuck) }
  }

  /// Asks, after what the visitor was told before.
  func lookUp(_ id: [UInt8], _ question: CacheLookUp, withinMilliseconds limit: Int64) {
    let isTaken = lane.perform(withinNanoseconds: max(1, limit) &* 1_000_000) { [self] in
      if let change = state.withLock({ $0.changes.removeValue(forKey: id) }) { make(change, id) }
      cache.lookUp(id, question)
    } abandoned: {
      question.giveUp()
    }
    if !isTaken { question.reply(nil) }
  }

  /// - Parameters:
  ///   - isRemoval: there is always room for one.
  ///   - record: asked on the lane.
  func put(_ id: [UInt8], isRemoval: Bool = false, _ record: @escaping Record) {
    let isIdle = state.withLock { state in
      // One that waits already gives its turn to the new one.
      if !isRemoval, state.changes.count >= Self.maximumWaiting, state.changes[id] == nil {
        state.dropped += 1
        return false
      }
      if state.changes.updateValue(record, forKey: id) == nil { state.order.append(id) }
      return state.turn == 0
    }
    if isIdle { takeTurn() }
  }

  private func takeTurn() {
    let turn = state.withLock { state -> UInt64? in
      guard state.turn == 0 else { return nil }
      state.lastTurn += 1
      state.turn = state.lastTurn
      return state.turn
    }
    guard let turn else { return }
    let hasBegun = LockedValue(false)
    let isTaken = lane.perform(withinNanoseconds: Self.changeLimitNanoseconds) { [weak self] in
      hasBegun.withLock { $0 = true }
      self?.makeFirst()
      self?.end(turn)
    } abandoned: { [weak self] in
      if hasBegun.withLock({ $0 }) { self?.noteUntaken() }
      self?.end(turn)
    }
    guard !isTaken else { return }
    state.withLock { $0.turn = 0 }
    if takeFirst() != nil { state.withLock { $0.dropped += 1 } }
  }

  /// A call that was set aside ends its turn once.
  private func end(_ turn: UInt64) {
    let isMore = state.withLock { state in
      guard state.turn == turn else { return false }
      state.turn = 0
      return !state.changes.isEmpty
    }
    if isMore { takeTurn() }
  }

  private func noteUntaken() {
    state.withLock { $0.dropped += 1 }
    log.warning("the visitor cache has not taken a change in time")
  }

  @discardableResult
  private func makeFirst() -> Bool {
    guard let (id, change) = takeFirst() else { return false }
    make(change, id)
    return true
  }

  private func takeFirst() -> ([UInt8], Record)? {
    state.withLock { state in
      var passed = 0
      defer { state.order.removeFirst(passed) }
      for id in state.order {
        passed += 1
        if let change = state.changes.removeValue(forKey: id) { return (id, change) }
      }
      return nil
    }
  }

  private func make(_ change: Record, _ id: [UInt8]) {
    state.withLock { $0.written += 1 }
    if let record = change() { cache.cache(id, record) } else { cache.flush(id) }
  }

  // MARK: Life

  func start() { lane.reopen() }

  /// The host is not called any more.
  func stop() {
    lane.close()
    state.withLock { state in
      state.dropped += Int64(state.changes.count)
      (state.order, state.changes, state.turn) = ([], [:], 0)
    }
  }

  /// What was told so far reaches the cache.
  /// - Parameter completion: whether it did, in time; on any thread.
  func settle(withinMilliseconds limit: Int64, completion: @escaping @Sendable (Bool) -> Void) {
    let isTaken = lane.perform(withinNanoseconds: limit &* 1_000_000) { [self] in
      while makeFirst() {}
      completion(true)
    } abandoned: {
      completion(false)
    }
    if !isTaken { completion(false) }
  }

  /// What waits is the parent's to write.
  func abandonAfterFork() {
    let inherited = state.withLock { state in
      defer { state = State() }
      return state
    }
    withExtendedLifetime(inherited) {}
  }
}
