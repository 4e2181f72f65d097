internal import HoistBase
internal import HoistCore

/// Keeps visitors for later, in the client's store (protocols/kameleoon.md 4.6): the newest of each visitor, soon after a
/// change, or at once with immediate durability, for which the host's calls can wait. Thread-safe.
final class VisitorStorage: @unchecked Sendable {
  /// How long a change may wait.
  private static let delayMilliseconds: Int64 = 50

  private let host: any ProviderHost
  private let isImmediate: Bool
  /// Held while records are handed to the store, so that an older one does not come after a newer one.
  private let turn = Lock()
  private let counters = Shared(Counters())

  private let lock = Lock()
  private let ending = Condition()
  // Guarded by `lock`.
  private var waiting: [VisitorData] = []
  private var generation: UInt32
  /// Changes are written in rounds: how many have begun, and up to which one the store has tried.
  private var begun: UInt64 = 0
  private var ended: UInt64 = 0

  struct Counters {
    var written: Int64 = 0
    var found: Int64 = 0
  }

  init(host: any ProviderHost, settings: KameleoonSettings) {
    self.host = host
    isImmediate = settings.eventDurability == .immediate
    generation = host.scheduler.generation
  }

  static func key(_ code: [UInt8]) -> String { "visitor:" + String(decoding: code, as: UTF8.self) }

  /// What is kept of a visitor; `completion` runs on the scheduler's thread.
  func load(_ code: [UInt8], completion: @escaping @Sendable (VisitorRecord?) -> Void) {
    let (log, counters) = (host.log, counters)
    host.store.load(Self.key(code)) { bytes in
      guard let bytes else { return completion(nil) }
      let record = VisitorRecord(json: bytes)
      if record == nil { log.warning("what is kept of a visitor cannot be read; it is not used") }
      counters.withLock { $0.found += record == nil ? 0 : 1 }
      completion(record)
    }
  }

  /// Keeps what a visitor is, and not before it is known what was kept.
  func changed(_ data: VisitorData) {
    guard host.store.keepsValues, !data.isRestoring else { return }
    let generation = host.scheduler.generation
    // Another change waits already; where somebody may wait for this one, that has to be in the list as well.
    if !isImmediate, data.isWaiting(generation) { return }
    let isFirst = lock.withLock {
      // What the parent of a forked child has left to write is the parent's.
      if self.generation != generation { (waiting, self.generation) = ([], generation) }
      guard data.beginWaiting(generation) else { return false }
      waiting.append(data)
      return waiting.count == 1
    }
    guard isFirst else { return }
    if isImmediate { return host.scheduler.post { [weak self] in self?.writeAll() } }
    _ = host.scheduler.schedule(afterMilliseconds: Self.delayMilliseconds) { [weak self] in self?.writeAll() }
  }

  /// With immediate durability: until what has changed so far is stored, or the time is over.
  /// - Parameter deadline: nanoseconds of the machine's monotonic clock.
  func waitForCommit(untilNanoseconds deadline: Int64) {
    // On a thread of the library's own, waiting would keep it from happening.
    guard isImmediate, host.store.keepsValues, !Thread.isOwn else { return }
    lock.withLock {
      let round = waiting.isEmpty ? begun : begun &+ 1
      while ended < round { if !ending.wait(lock, untilNanoseconds: deadline) { return } }
    }
  }

  /// A visitor shares the data of another one.
  func link(_ code: [UInt8], to owner: [UInt8], isUnique: Bool) {
    turn.withLock { keep(code, VisitorRecord.link(to: owner, isUnique: isUnique)) }
  }

  /// Whether a change waits to be written.
  func isWaiting(_ data: VisitorData) -> Bool { data.isWaiting(host.scheduler.generation) }

  /// On the scheduler's thread.
  func writeAll() {
    let (changes, round) = lock.withLock { () -> ([VisitorData], UInt64) in
      defer { waiting = [] }
      begun &+= 1
      for data in waiting { data.endWaiting() }
      return (waiting, begun)
    }
    turn.withLock {
      for data in changes {
        let (code, json) = data.record
        // Nobody's any more: a link has taken its place.
        if !code.isEmpty { keep(code, json) }
      }
    }
    guard isImmediate else { return }
    host.store.writeValues { [weak self] in self?.end(round) }
  }

  private func end(_ round: UInt64) {
    lock.withLock {
      ended = max(ended, round)
      ending.broadcast()
    }
  }

  /// With `turn` held.
  private func keep(_ code: [UInt8], _ record: [UInt8]) {
    counters.withLock { $0.written += 1 }
    host.store.save(Self.key(code), record)
  }

  var statistics: [(group: String, name: String, value: Int64)] {
    let counters = counters.withLock { $0 }
    return [("visitors", "written", counters.written), ("visitors", "found", counters.found)]
  }
}
