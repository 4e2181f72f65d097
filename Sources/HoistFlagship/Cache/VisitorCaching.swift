internal import HoistBase
internal import HoistCore

/// Keeps visitors for later: with a cache of the host's, or in the client's own store (FS-21 to FS-24, FS-100). Changes
/// are never waited for. Thread-safe, but for the calls of `ClientPart`.
final class VisitorCaching: ClientPart, @unchecked Sendable {
  struct Counters: Equatable {
    var written: Int64 = 0
    var lookUps: Int64 = 0
    var found: Int64 = 0
    /// Look-ups that took too long (FS-24).
    var givenUp: Int64 = 0
    /// Changes that the host's cache did not get.
    var dropped: Int64 = 0
  }

  /// How long changes that wait for the host's cache may hold up the end of a client.
  private static let flushLimitMilliseconds: Int64 = 500

  /// nil where the store keeps visitors.
  private let cache: HostVisitorCache?
  private let store: Store
  private let scheduler: any Scheduler
  private let clock: any Clock
  private let log: Log
  private let timeoutMilliseconds: Int64
  private let counted = LockedValue(Counters())

  /// - Parameters:
  ///   - cache: in place of the store.
  ///   - timeoutMilliseconds: of a look-up.
  init(cache: (any VisitorCache)?, host: any ProviderHost, timeoutMilliseconds: Int64) {
    self.cache = cache.map { HostVisitorCache($0, host: host) }
    store = host.store
    scheduler = host.scheduler
    clock = host.clock
    log = host.log
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// Whether there is anything to be found, and anywhere to keep it.
  var isOn: Bool { cache != nil || store.keepsValues }

  var counters: Counters {
    var counters = counted.withLock { $0 }
    if let hosts = cache?.counters { (counters.written, counters.dropped) = (hosts.written, hosts.dropped) }
    return counters
  }

  // MARK: Look-ups

  /// Of a look-up that begins now, by the host's clock.
  var lookUpDeadline: Int64 { clock.monotonicNanoseconds &+ max(1, timeoutMilliseconds) &* 1_000_000 }

  /// The stored record of a visitor. `completion` runs once, on the scheduler's thread, when the time is over at the
  /// latest.
  /// - Parameter forgives: a refusal that is stored does not count any more: the visitor has agreed. Otherwise it is what is
  ///   found.
  func lookUp(
    _ id: [UInt8], _ forgives: Bool = true, untilNanoseconds deadline: Int64, completion: @escaping @Sendable ([UInt8]?) -> Void
  ) {
    let left = deadline - clock.monotonicNanoseconds
    guard left > 0 else { return scheduler.post { completion(nil) } }
    let (scheduler, counted, log, limit) = (scheduler, counted, log, timeoutMilliseconds)
    counted.withLock { $0.lookUps += 1 }
    let question = CacheLookUp { reply in
      var record: [UInt8]?
      switch reply {
      case .found(let kept):
        record = kept
        counted.withLock { $0.found += 1 }
      case .late:
        counted.withLock { $0.givenUp += 1 }
        log.warning("a look-up in the visitor cache took longer than \(limit) ms; going on without")
      case .nothing, .failed: break
      }
      if scheduler.isCurrent { return completion(record) }
      scheduler.post { [record] in completion(record) }
    }
    let timer = scheduler.schedule(afterMilliseconds: (left + 999_999) / 1_000_000) { question.giveUp() }
    question.whenOver { timer.cancel() }
    if let cache { cache.lookUp(id, question, withinMilliseconds: limit) } else { load(id, forgives, question) }
  }

  func lookUp(_ id: [UInt8], completion: @escaping @Sendable ([UInt8]?) -> Void) {
    lookUp(id, untilNanoseconds: lookUpDeadline, completion: completion)
  }

  private func load(_ id: [UInt8], _ forgives: Bool, _ question: CacheLookUp) {
    store.load(PersonKey.make(id)) { [weak self] kept in
      let isForgiven = forgives && CachedVisitor.isRefusal(kept)
      if isForgiven { self?.forgetRefusal(of: id) }
      question.reply(isForgiven ? nil : kept)
    }
  }

  // MARK: Changes

  /// FS-102. Nothing is kept of who has refused, here or elsewhere.
  /// - Parameter record: asked when it is written.
  func save(_ id: [UInt8], record: @escaping HostVisitorCache.Record) {
    if let cache { return cache.put(id, record) }
    update(id, .replaceable) { kept in
      CachedVisitor.isRefusal(kept) ? kept : record().map { CachedVisitor.merge($0, into: kept) } ?? kept
    }
  }

  /// FS-104: the visitor has refused, which others who use the store hear of.
  func flush(_ id: [UInt8]) {
    if let cache { return cache.put(id, isRemoval: true) { nil } }
    update(id, .lasting) { _ in CachedVisitor.refusal }
  }

  /// The visitor has agreed: a refusal that is stored does not count any more. What is recorded from now on
  /// may go: the store has heard of it when this returns.
  func forgetRefusal(of id: [UInt8]) {
    if cache == nil { update(id, .ordinary) { CachedVisitor.isRefusal($0) ? nil : $0 } }
  }

  private func update(_ id: [UInt8], _ kind: ChangeKind, _ change: @escaping @Sendable ([UInt8]?) -> [UInt8]?) {
    guard isOn else { return }
    counted.withLock { $0.written += 1 }
    store.update(PersonKey.make(id), kind: kind, change)
  }

  /// Waits until all changes so far are in the host's cache, or in the store. Not on a thread of the library's own.
  func settle(withinMilliseconds limit: Int64) {
    guard isOn else { return }
    let ended = Completion<Bool>()
    if let cache {
      cache.settle(withinMilliseconds: limit) { ended.give($0) }
    } else {
      store.writeValues { _ in ended.give(true) }
    }
    _ = ended.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: limit))
  }

  // MARK: Life

  func start() { cache?.start() }

  /// What waits for the store gets there.
  func stop() { cache?.stop() }

  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) {
    guard let cache else { return completion(.accepted) }
    let scheduler = scheduler
    cache.settle(withinMilliseconds: Self.flushLimitMilliseconds) { isDone in
      scheduler.post { completion(isDone ? .accepted : .left) }
    }
  }

  func abandonAfterFork() { cache?.abandonAfterFork() }

  var statistics: [(group: String, name: String, value: Int64)] {
    let counters = counters
    return [
      ("visitor_cache", "written", counters.written), ("visitor_cache", "lookups", counters.lookUps),
      ("visitor_cache", "found", counters.found), ("visitor_cache", "given_up", counters.givenUp),
      ("visitor_cache", "dropped", counters.dropped), ("visitor_cache", "stuck", cache?.counters.stuck ?? 0),
    ]
  }
}
