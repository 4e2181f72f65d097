internal import HoistBase
internal import HoistCore

/// Keeps visitors for later: with a cache of the host's, or in the client's own store (FS-21 to FS-24, FS-100).
///
/// Nobody waits for a change: it is made on a lane, the newest of each visitor only. Thread-safe, but for the calls of
/// `ClientPart`.
final class VisitorCaching: ClientPart, @unchecked Sendable {
  /// Gives the record when it is written; nil when nothing is to be kept.
  typealias Record = @Sendable () -> [UInt8]?

  private struct State {
    /// Who has a change that waits, in order; one whose change was taken early may be in it still.
    var order: [[UInt8]] = []
    var first = 0
    var changes: [[UInt8]: Record] = [:]
    /// Of the lane, that have not ended.
    var turns = 0
    /// Whose change the lane is carrying out.
    var underWay: [UInt8]?
    var counters = Counters()
  }

  struct Counters: Equatable {
    var written: Int64 = 0
    var lookUps: Int64 = 0
    var found: Int64 = 0
    /// Look-ups that took too long (FS-24).
    var givenUp: Int64 = 0
    /// Changes for which there was no room, or that the host's cache did not take in time.
    var dropped: Int64 = 0
  }

  /// Visitors whose change may wait.
  private static let maximumWaiting = 10_000
  /// How long a host's cache may take for a change.
  private static let changeLimitNanoseconds: Int64 = 2_000_000_000
  /// How long everything that waits may hold up the end of a client.
  private static let flushLimitNanoseconds: Int64 = 500_000_000

  private let cache: (any VisitorCache)?
  private let store: Store
  private let scheduler: any Scheduler
  private let clock: any Clock
  private let log: Log
  private let lane: Lane
  private let timeoutMilliseconds: Int64
  private let state = Shared(State())

  /// - Parameters:
  ///   - cache: in place of the store.
  ///   - timeoutMilliseconds: of a look-up.
  init(cache: (any VisitorCache)?, host: any ProviderHost, timeoutMilliseconds: Int64) {
    self.cache = cache
    store = host.store
    scheduler = host.scheduler
    clock = host.clock
    log = host.log
    lane = Lane(options: Lane.Options(name: "hoist-visitors"), clock: host.clock, scheduler: host.scheduler)
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// Whether there is anything to be found, and anywhere to keep it.
  var isOn: Bool { cache != nil || store.keepsValues }
  var counters: Counters { state.withLock { $0.counters } }

  // MARK: Look-ups

  /// Of a look-up that begins now, by the host's clock.
  var lookUpDeadline: Int64 { clock.monotonicNanoseconds &+ max(1, timeoutMilliseconds) &* 1_000_000 }

  /// What is kept of a visitor. `completion` runs once, on the scheduler's thread, when the time is over at the latest.
  func lookUp(_ id: [UInt8], untilNanoseconds deadline: Int64, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    let left = deadline - clock.monotonicNanoseconds
    guard left > 0 else { return scheduler.post { completion(nil) } }
    let (scheduler, state, log, limit) = (scheduler, state, log, timeoutMilliseconds)
    state.withLock { $0.counters.lookUps += 1 }
    let question = VisitorLookUp { record, isLate in
      state.withLock { state in
        if record != nil { state.counters.found += 1 }
        if isLate { state.counters.givenUp += 1 }
      }
      if isLate { log.warning("a look-up in the visitor cache took longer than \(limit) ms; going on without") }
      if scheduler.isCurrent { return completion(record) }
      scheduler.post { completion(record) }
    }
    let timer = scheduler.schedule(afterMilliseconds: (left + 999_999) / 1_000_000) { question.giveUp() }
    question.whenOver { timer.cancel() }
    ask(id, question)
  }

  func lookUp(_ id: [UInt8], completion: @escaping @Sendable ([UInt8]?) -> Void) {
    lookUp(id, untilNanoseconds: lookUpDeadline, completion: completion)
  }

  private func ask(_ id: [UInt8], _ question: VisitorLookUp) {
    guard let cache else {
      // What waits is in the store before it is asked.
      let (isUnderWay, change) = take(id)
      if let change { carryOut(id, change) }
      if !isUnderWay || !onLane(question, { [store] in Self.load(id, from: store, question) }) {
        Self.load(id, from: store, question)
      }
      return
    }
    if !onLane(question, { cache.lookUp(id, question) }) { question.reply(nil) }
  }

  /// - Returns: false when the lane has no room; then nothing happens.
  private func onLane(_ question: VisitorLookUp, _ ask: @escaping @Sendable () -> Void) -> Bool {
    lane.perform(withinNanoseconds: max(1, timeoutMilliseconds) &* 1_000_000, ask) { question.giveUp() }
  }

  private static func load(_ id: [UInt8], from store: Store, _ question: VisitorLookUp) {
    store.load(storeKey(id)) { question.reply($0) }
  }

  static func storeKey(_ id: [UInt8]) -> String { "visitor:" + String(decoding: id, as: UTF8.self) }

  // MARK: Changes

  /// FS-102
  /// - Parameter record: asked on the lane.
  func save(_ id: [UInt8], record: @escaping Record) { put(id, record) }

  /// FS-104. There is always room for it.
  func flush(_ id: [UInt8]) { put(id, isRemoval: true) { nil } }

  /// Waits until what was told so far has reached the host's cache, or is in the store. Not on a thread of the library's own.
  func settle(untilNanoseconds deadline: Int64) {
    guard isOn else { return }
    let ended = Answer<Bool>()
    let isTaken = lane.perform(withinNanoseconds: Self.changeLimitNanoseconds) { [store, cache] in
      if cache != nil { ended.give(true) } else { store.writeValues { ended.give(true) } }
    } abandoned: {
      ended.give(false)
    }
    if isTaken { _ = ended.wait(untilNanoseconds: deadline) }
  }

  private func put(_ id: [UInt8], isRemoval: Bool = false, _ change: @escaping Record) {
    guard isOn else { return }
    let isNew = state.withLock { state in
      // One that waits already gives its turn to the new one.
      if !isRemoval, state.changes.count >= Self.maximumWaiting, state.changes[id] == nil {
        state.counters.dropped += 1
        return false
      }
      guard state.changes.updateValue(change, forKey: id) == nil else { return false }
      state.order.append(id)
      return true
    }
    if isNew { makeOne() }
  }

  /// A turn of the lane, which makes the change that waits longest. Ends once: when it has, or is given up.
  private final class Turn: Sendable {
    private let progress = Shared((hasBegun: false, hasEnded: false))

    func begin() { progress.withLock { $0.hasBegun = true } }
    var hasBegun: Bool { progress.withLock { $0.hasBegun } }

    /// - Returns: false when it had ended.
    func end() -> Bool {
      progress.withLock { progress in
        defer { progress.hasEnded = true }
        return !progress.hasEnded
      }
    }
  }

  private func makeOne() {
    let turn = Turn()
    state.withLock { $0.turns += 1 }
    let isTaken = lane.perform(withinNanoseconds: Self.changeLimitNanoseconds) { [weak self] in
      turn.begin()
      self?.makeFirst()
      self?.ended(turn)
    } abandoned: { [weak self] in
      if turn.hasBegun { self?.noteUntaken() }
      self?.ended(turn)
    }
    if isTaken { return }
    // Whoever has a turn takes the change along.
    let isAlone = state.withLock { state in
      state.turns = max(0, state.turns - 1)
      return state.turns == 0
    }
    if isAlone, takeFirst() != nil { state.withLock { $0.counters.dropped += 1 } }
  }

  private func makeFirst() {
    guard let (id, change) = takeFirst(isUnderWay: true) else { return }
    carryOut(id, change)
    state.withLock { if $0.underWay == id { $0.underWay = nil } }
  }

  private func noteUntaken() {
    state.withLock { $0.counters.dropped += 1 }
    log.warning("the visitor cache has not taken a change in time")
  }

  private func ended(_ turn: Turn) {
    guard turn.end() else { return }
    let isMore = state.withLock { state in
      state.turns = max(0, state.turns - 1)
      return state.changes.count > state.turns
    }
    if isMore { makeOne() }
  }

  private func carryOut(_ id: [UInt8], _ change: Record) {
    state.withLock { $0.counters.written += 1 }
    switch (change(), cache) {
    case (let record?, let cache?): cache.cache(id, record)
    case (let record?, nil): store.save(Self.storeKey(id), record)
    case (nil, let cache?): cache.flush(id)
    case (nil, nil): store.remove(Self.storeKey(id))
    }
  }

  /// - Parameter isUnderWay: whether look-ups of the visitor wait from now on, until the lane has carried the change out.
  private func takeFirst(isUnderWay: Bool = false) -> ([UInt8], Record)? {
    state.withLock { state in
      while state.first < state.order.count {
        let id = state.order[state.first]
        state.first += 1
        if state.first > 64, state.first * 2 > state.order.count {
          state.order.removeFirst(state.first)
          state.first = 0
        }
        guard let change = state.changes.removeValue(forKey: id) else { continue }
        if isUnderWay { state.underWay = id }
        return (id, change)
      }
      return nil
    }
  }

  /// The change of a visitor; it stays where it is while the one before it is under way, and comes after that.
  private func take(_ id: [UInt8]) -> (isUnderWay: Bool, change: Record?) {
    state.withLock { $0.underWay == id ? (true, nil) : (false, $0.changes.removeValue(forKey: id)) }
  }

  // MARK: Life

  func start() { lane.reopen() }

  /// What waits for the store gets there; a cache of the host's is not called any more.
  func stop() {
    lane.close()
    while let (id, change) = takeFirst() {
      if cache == nil { carryOut(id, change) } else { state.withLock { $0.counters.dropped += 1 } }
    }
    state.withLock { $0.turns = 0 }
  }

  func flush(_ completion: @escaping @Sendable (Bool) -> Void) {
    let scheduler = scheduler
    let isTaken = lane.perform(withinNanoseconds: Self.flushLimitNanoseconds) {
      scheduler.post { completion(true) }
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

  var statistics: [(group: String, name: String, value: Int64)] {
    let counters = counters
    return [
      ("visitor_cache", "written", counters.written), ("visitor_cache", "lookups", counters.lookUps),
      ("visitor_cache", "found", counters.found), ("visitor_cache", "given_up", counters.givenUp),
      ("visitor_cache", "dropped", counters.dropped), ("visitor_cache", "stuck", Int64(lane.counters.stuck)),
    ]
  }
}
