internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The host's own cache of hits as the store of the pipelines' rows (protocols/flagship.md 5.5, 6.2; FS-101, FS-105 to
/// FS-108).
///
/// It knows no owners: a look-up takes everything, once per start, and again after consent has returned. All of it runs
/// on the lane of its store, which waits for the host within limits: a call that does not return is set aside, and its
/// result ignored (FS-24).
final class HostHitCache: CacheManager, @unchecked Sendable {
  private static let writeLimitNanoseconds: Int64 = 2_000_000_000

  private struct Known {
    var key: [UInt8]
    var row: EventRow
  }

  private let delegate: any HitCacheDelegate
  private let environmentID: String
  private let lookupNanoseconds: Int64
  private let clearsAndCopies: Bool
  private let lane: Lane
  private let clock: any Clock
  private let log: Log
  private let lock = Lock()
  // Guarded by `lock`.
  private var generation = ForkGeneration.current
  private var isWantingLookup = true
  /// All hits in the host's cache are known, so that it may be cleared.
  private var knowsEverything = false
  private var known: [String: Known] = [:]
  /// The host's cache was cleared, and the remaining hits are not written back yet.
  private var owesCopy = false
  /// Ids of rows from a look-up that are not claimed yet, oldest first.
  private var unclaimed: [String] = []
  private var unread: Int64 = 0

  /// - Parameter clearsAndCopies: whether the cache is cleared and the remaining hits are written again, as in periodic
  ///   caching, instead of removing hits one by one.
  init(
    _ delegate: any HitCacheDelegate, environmentID: String, lookupMilliseconds: Int64, clearsAndCopies: Bool,
    host: any ProviderHost
  ) {
    self.delegate = delegate
    self.environmentID = environmentID
    lookupNanoseconds = lookupMilliseconds * 1_000_000
    self.clearsAndCopies = clearsAndCopies
    clock = host.clock
    log = host.log
    lane = Lane(options: .init(name: "hoist-hits"), clock: host.clock, scheduler: host.scheduler)
  }

  deinit { lane.close() }

  /// The next claim looks up again. Any thread.
  func wantLookup() { lock.withLock { isWantingLookup = true } }

  /// Unreadable records of the host. Any thread.
  var unreadCount: Int64 { lock.withLock { unread } }

  // MARK: Events

  func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure) {
    try keep(rows.compactMap { HitCacheRecord($0.unmarked) })
  }

  private func keep(_ records: [HitCacheRecord]) throws(CacheFailure) {
    guard !records.isEmpty else { return }
    var writer = JSONWriter(reservingCapacity: records.count * 512)
    writer.object { writer in
      for record in records {
        record.key.withUnsafeBufferPointer { writer.key(utf8: $0) }
        record.write(to: &writer, environmentID: environmentID)
      }
    }
    let text = writer.bytes
    try ask("cacheHits") { [delegate] in delegate.cacheHits(text) }
    withState { for record in records { $0.known[record.row.id] = Known(key: record.key, row: record.row) } }
  }

  func claimEvents(
    pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner
  ) throws(CacheFailure) -> [EventRow] {
    lookUpIfWanted()
    return withState { cache in
      var claimed: [EventRow] = []
      var room = maximumBytes
      cache.unclaimed.removeAll { id in
        guard let row = cache.known[id]?.row else { return true }
        guard row.pipeline == pipeline, claimed.count < maximumRows, row.payload.count <= room else { return false }
        room -= row.payload.count
        claimed.append(row)
        return true
      }
      return claimed
    }
  }

  func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure) { try forget(ids) }

  func purgeEvents(subject: String, pipeline: String) throws(CacheFailure) {
    // What has not been looked up may speak of the visitor as well.
    lookUpIfWanted()
    try forget(
      withState { cache in
        cache.known.filter { $0.value.row.pipeline == pipeline && $0.value.row.subject.utf8.elementsEqual(subject.utf8) }
          .map(\.key)
      })
  }

  /// The lease is of no meaning to the host.
  func renewLease(owner: EventOwner) {}
  func releaseEvents(owner: EventOwner) {}

  private func forget(_ ids: [String]) throws(CacheFailure) {
    let (keys, rest, clears) = withState { cache in
      let gone = Set(ids)
      let keys = ids.compactMap { cache.known[$0]?.key }
      return (
        keys, cache.known.filter { !gone.contains($0.key) }.map(\.value.row), clearsAndCopies && cache.knowsEverything
      )
    }
    guard !keys.isEmpty || withState({ $0.owesCopy }) else { return }
    if clears {
      try ask("flushAllHits") { [delegate] in delegate.flushAllHits() }
      withState { cache in
        for id in ids { cache.known[id] = nil }
        cache.owesCopy = true
      }
      try keep(rest.compactMap { HitCacheRecord($0) })
      withState { $0.owesCopy = false }
    } else {
      try ask("flushHits") { [delegate] in delegate.flushHits(keys) }
      withState { for id in ids { $0.known[id] = nil } }
    }
  }

  // MARK: Looking up

  private func lookUpIfWanted() {
    guard
      withState({ cache in
        defer { cache.isWantingLookup = false }
        return cache.isWantingLookup
      })
    else { return }
    let answer = Completion<CacheLookUp.Reply>()
    let question = CacheLookUp { answer.give($0) }
    let isTaken = lane.perform(withinNanoseconds: lookupNanoseconds) { [delegate] in
      delegate.lookUpHits(question)
    } abandoned: {
    }
    let deadline = SystemClock().monotonicNanoseconds &+ lookupNanoseconds
    let reply = isTaken ? answer.wait(untilNanoseconds: deadline) : nil
    question.giveUp()
    switch reply {
    case .late, nil: log.warning("the hit cache did not tell its hits in time; going on without them")
    case .failed: log.warning("the hit cache failed to tell its hits; going on without them")
    case .nothing: withState { $0.knowsEverything = true }
    case .found(let text): take(text)
    }
  }

  /// What comes from the host is checked like data from the network.
  private func take(_ text: [UInt8]) {
    let now = clock.unixMilliseconds
    var records: [HitCacheRecord] = []
    var unread = 0
    let isObject = text.withBytes { bytes in
      Result { () throws(JSONFailure) in
        try JSONNode.parse(bytes) { root in
          for member in root.members {
            if let record = HitCacheRecord(key: Array(member.name), record: member, now: now) {
              records.append(record)
            } else {
              unread += 1
            }
          }
          return root.object != nil
        }
      }
    }
    switch isObject {
    case .success(true): break
    case .success(false): return log.warning("what the hit cache told is no JSON object; going on without it")
    case .failure(let failure): return log.warning("what the hit cache told cannot be read: \(failure)")
    }
    records.sort { $0.row.createdUnixMilliseconds < $1.row.createdUnixMilliseconds }
    withState { cache in
      cache.unread &+= Int64(unread)
      cache.knowsEverything = true
      for record in records where cache.known[record.row.id] == nil {
        cache.known[record.row.id] = Known(key: record.key, row: record.row)
        cache.unclaimed.append(record.row.id)
      }
    }
    if unread > 0 { log.warning("\(unread) of the hits that the hit cache told cannot be read and are left to it") }
  }

  private func ask(_ member: StaticString, _ call: @escaping @Sendable () -> Bool) throws(CacheFailure) {
    switch lane.answer(withinNanoseconds: Self.writeLimitNanoseconds, call) {
    case true: return
    case false: throw CacheFailure("the hit cache's \(member) failed")
    case nil: throw CacheFailure("the hit cache's \(member) did not return in time")
    }
  }

  /// In a forked child the rows are the parent's, and so is what the host keeps of them.
  private func withState<Value>(_ body: (HostHitCache) -> Value) -> Value {
    lock.withLock {
      if generation != ForkGeneration.current {
        generation = ForkGeneration.current
        (known, unclaimed, isWantingLookup, knowsEverything, owesCopy) = ([:], [], false, false, false)
      }
      return body(self)
    }
  }

  // MARK: Values, which are stored elsewhere

  func load(key: String) -> [UInt8]? { nil }
  func save(key: String, value: [UInt8]) {}
  func remove(key: String) {}
  func close() {}
}
