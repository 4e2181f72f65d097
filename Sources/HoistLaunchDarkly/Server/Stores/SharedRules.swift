internal import HoistBase
internal import HoistCore

/// Whose rules are shared. On the scheduler's thread.
protocol SharedRulesOwner: AnyObject {
  /// Everything that is known, in the order of `RulesStore.initialize`.
  var allItems: [StoredItem] { get }
  /// Nil for what is not known.
  func item(_ name: ItemName) -> StoredItem?
  /// All that the store has.
  /// - Parameters:
  ///   - isWanted: asked when it has been compiled: false where something newer is to be written.
  ///   - completion: when it is served, or is not; not after a stop.
  func found(_ rules: StoredRules, isWanted: @escaping @Sendable () -> Bool, completion: @escaping @Sendable () -> Void)
  /// What the store has in place of an item that was to be kept.
  func found(_ item: FoundItem, of kind: ItemName.Kind)
  /// - Parameter isNews: it is the first failure of an episode.
  func storeFailed(_ message: String, isNews: Bool)
}

struct StoredRules: Sendable {
  var items: [(kind: ItemName.Kind, item: FoundItem)]
  /// There has been a whole set.
  var isInitialized: Bool
}

/// Rules in a store of the host's: written as they come from the service, read again at a pace, one call at a time. While the
/// store fails it is tried again, and then all of the rules are written (10.2, 11.3; LDS-64, LDS-65). On the scheduler's thread.
final class SharedRules: @unchecked Sendable {
  /// How long the store may take for one call.
  private static let callLimitNanoseconds: Int64 = 10_000_000_000
  private static let pauseMilliseconds: Int64 = 500
  /// Items that wait to be written one by one.
  private static let mostOwed = 1_000

  /// One that is made.
  private final class Call: Sendable {
    let isRunning = LockedValue(false)
    let isLate = LockedValue(false)
  }

  private let host: any ProviderHost
  private let store: any RulesStore
  private let lane: Lane
  private let observers: ChangeObservers
  /// Milliseconds before all is read again; nil: never.
  private let pause: Int64?
  weak var owner: (any SharedRulesOwner)?
  private let known = LockedValue(StoreStatus(isAvailable: true, isStale: false))
  private var isRunning = false
  private var call: Call?
  private var isAway = false
  private var retry: (any Cancellable)?
  private var reading: (any Cancellable)?
  private var mustRead = false
  /// Changes with each item that is to be written: what was read before it may be older.
  private var written = Generation()
  // What is to be written.
  private var owesAll = false
  private var owed: [ItemName] = []
  /// Waits for the first reading, with any result.
  private var begun: (() -> Void)?

  /// - Parameter cacheMilliseconds: 0: all is read as often as can be; negative: once.
  init(host: any ProviderHost, store: any RulesStore, cacheMilliseconds: Int64, observers: ChangeObservers) {
    (self.host, self.store, self.observers) = (host, store, observers)
    lane = Lane(options: Lane.Options(name: "hoist-rules"), clock: host.clock, scheduler: host.scheduler)
    pause = cacheMilliseconds < 0 ? nil : max(cacheMilliseconds, Self.pauseMilliseconds)
  }

  /// Any thread.
  var status: StoreStatus { known.withLock { $0 } }

  /// No call is made or due.
  var isIdle: Bool { call == nil }

  // MARK: Life

  /// - Parameter begun: runs once the store has been read, or has failed.
  func begin(_ begun: @escaping () -> Void) {
    lane.reopen()
    (isRunning, mustRead, self.begun) = (true, true, begun)
    if !(call?.isRunning.withLock { $0 } ?? false) { call = nil }
    step()
  }

  func stop() {
    guard isRunning else { return }
    isRunning = false
    cancelTimers()
    begun = nil
    // The last word, where there is one: `settle` waits for it.
    if !isAway, let owner, owesAll || !owed.isEmpty {
      let (store, all, items) = (store, owesAll ? owner.allItems : nil, owed.compactMap { owner.item($0) })
      lane.perform(withinNanoseconds: Self.callLimitNanoseconds) {
        if let all { _ = store.initialize(all) } else { for item in items { _ = store.upsert(item) } }
      } abandoned: {
      }
    }
    (owesAll, owed) = (false, [])
  }

  private func cancelTimers() {
    retry?.cancel()
    reading?.cancel()
    (retry, reading) = (nil, nil)
  }

  /// - Returns: whether the store has taken everything in time; it is not asked any more.
  func settle(untilNanoseconds deadline: Int64) -> Bool {
    defer { lane.close() }
    return lane.drain(untilNanoseconds: deadline)
  }

  func abandonAfterFork() {
    (isRunning, call, retry, reading, begun) = (false, nil, nil, nil, nil)
    // The parent writes that.
    (owesAll, owed) = (false, [])
  }

  func refresh() {
    mustRead = true
    step()
  }

  // MARK: What is to be written

  func writeAll() { owe { (owesAll, owed) = (true, []) } }

  func write(_ name: ItemName) {
    owe {
      if owesAll || owed.contains(name) { return }
      owed.append(name)
      if isAway || owed.count > Self.mostOwed { (owesAll, owed) = (true, []) }
    }
  }

  private func owe(_ change: () -> Void) {
    guard isRunning else { return }
    change()
    written.advance()
    if isAway { tell(StoreStatus(isAvailable: false, isStale: true)) }
    step()
  }

  // MARK: Calls

  /// The next call, if there is one to make.
  private func step() {
    guard isRunning, call == nil, retry == nil else { return }
    if isAway {
      // Tried with little.
      ask({ $0.isInitialized() }, { _ in })
    } else if owesAll {
      guard let items = owner?.allItems else { return }
      (owesAll, owed) = (false, [])
      ask(
        { (store) -> Result<Void, StoreFailure> in store.initialize(items).map { .failure($0) } ?? .success(()) }, isWrite: true,
        { _ in })
    } else if !owed.isEmpty {
      let name = owed.removeFirst()
      guard let item = owner?.item(name) else { return step() }
      ask({ $0.upsert(item) }, isWrite: true) { [weak self] kept in
        if let kept { self?.owner?.found(kept, of: name.kind) }
      }
    } else if mustRead {
      read()
    }
  }

  private func read() {
    mustRead = false
    let former = written.current
    ask({ store in Result { () throws(StoreFailure) in try Self.readAll(store) } }) { [weak self] rules in
      guard let self else { return }
      readLater()
      guard written.isCurrent(former), let owner else { return tellBegun() }
      owner.found(rules) { [weak self] in
        self?.written.isCurrent(former) ?? false
      } completion: { [weak self] in
        self?.tellBegun()
      }
    }
  }

  private static func readAll(_ store: any RulesStore) throws(StoreFailure) -> StoredRules {
    let isInitialized = try store.isInitialized().get()
    // What flags refer to is written before them.
    var items: [(kind: ItemName.Kind, item: FoundItem)] = try store.all(.flag).get().map { (.flag, $0) }
    items += try store.all(.segment).get().map { (.segment, $0) }
    return StoredRules(items: items, isInitialized: isInitialized)
  }

  private func readLater() {
    guard let pause else { return }
    reading?.cancel()
    reading = host.scheduler.schedule(afterMilliseconds: pause) { [weak self] in
      guard let self, isRunning else { return }
      reading = nil
      mustRead = true
      step()
    }
  }

  private func tellBegun() {
    let waiting = begun
    begun = nil
    waiting?()
  }

  private func ask<Answer: Sendable>(
    _ work: @escaping @Sendable (any RulesStore) -> Result<Answer, StoreFailure>, isWrite: Bool = false,
    _ done: @escaping @Sendable (Answer) -> Void
  ) {
    let (mine, store, scheduler) = (Call(), store, host.scheduler)
    call = mine
    let isTaken = lane.perform(withinNanoseconds: Self.callLimitNanoseconds) { [weak self] in
      mine.isRunning.withLock { $0 = true }
      let answer = work(store)
      mine.isRunning.withLock { $0 = false }
      scheduler.post { [weak self] in self?.end(mine, answer, isWrite, done) }
    } abandoned: { [weak self] in
      // No other call before it returns.
      guard let self, isRunning, call === mine else { return }
      mine.isLate.withLock { $0 = true }
      fail("it has not answered in time", isWrite)
    }
    if !isTaken {
      call = nil
      fail("there is no thread for its calls", isWrite)
    }
  }

  private func end<Answer>(_ mine: Call, _ answer: Result<Answer, StoreFailure>, _ isWrite: Bool, _ done: (Answer) -> Void) {
    guard call === mine else { return }
    call = nil
    guard isRunning else { return }
    if !mine.isLate.withLock({ $0 }) {
      switch answer {
      case .success(let answer):
        succeed()
        done(answer)
      case .failure(let failure): fail(failure.message, isWrite)
      }
    }
    step()
  }

  private func succeed() {
    if isAway {
      isAway = false
      host.log.info("the store of rules: works again")
    }
    tell(StoreStatus(isAvailable: true, isStale: status.isStale && owesAll))
  }

  private func fail(_ message: String, _ isWrite: Bool) {
    if isWrite || !owed.isEmpty { (owesAll, owed) = (true, []) }
    if !isWrite { mustRead = true }
    let isNews = !isAway
    isAway = true
    tell(StoreStatus(isAvailable: false, isStale: owesAll))
    owner?.storeFailed(
      "the store of rules: \(message); rules in memory are served, and it is tried again every \(Self.pauseMilliseconds) ms",
      isNews: isNews)
    tellBegun()
    guard isRunning else { return }
    retry?.cancel()
    retry = host.scheduler.schedule(afterMilliseconds: Self.pauseMilliseconds) { [weak self] in
      guard let self, isRunning else { return }
      retry = nil
      step()
    }
  }

  private func tell(_ status: StoreStatus) {
    let former = known.withLock { known in
      defer { known = status }
      return known
    }
    if former != status { observers.changed(.rules, status) }
  }
}
