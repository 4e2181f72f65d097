internal import HoistBase
internal import HoistCore

/// Keeps visitors for later, in the client's store (protocols/kameleoon.md 4.6). Nobody waits for a change: the newest of
/// each visitor is written soon after. Thread-safe, but for the calls of its owner's life.
final class VisitorStorage: @unchecked Sendable {
  private struct Waiting {
    var changed: [ObjectIdentifier: VisitorData] = [:]
    var generation: UInt32
  }

  /// How long a change may wait.
  private static let delayMilliseconds: Int64 = 50

  private let host: any ProviderHost
  /// Held while records are handed to the store, so that an older one does not come after a newer one.
  private let turn = Lock()
  private let waiting: Shared<Waiting>
  private let counters = Shared(Counters())

  struct Counters {
    var written: Int64 = 0
    var found: Int64 = 0
  }

  init(host: any ProviderHost) {
    self.host = host
    waiting = Shared(Waiting(generation: host.scheduler.generation))
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

  /// Keeps what a visitor is, soon, and not before it is known what was kept.
  func changed(_ data: VisitorData) {
    if data.isRestoring { return }
    let generation = host.scheduler.generation
    let isFirst = waiting.withLock { waiting in
      // What the parent of a forked child has left to write is the parent's.
      if waiting.generation != generation { waiting = Waiting(generation: generation) }
      let isFirst = waiting.changed.isEmpty
      waiting.changed[ObjectIdentifier(data)] = data
      return isFirst
    }
    guard isFirst else { return }
    _ = host.scheduler.schedule(afterMilliseconds: Self.delayMilliseconds) { [weak self] in self?.writeAll() }
  }

  /// A visitor shares the data of another one.
  func link(_ code: [UInt8], to owner: [UInt8], isUnique: Bool) {
    turn.withLock { keep(code, VisitorRecord.link(to: owner, isUnique: isUnique)) }
  }

  /// Whether a change waits to be written.
  func isWaiting(_ data: VisitorData) -> Bool { waiting.withLock { $0.changed[ObjectIdentifier(data)] != nil } }

  func writeAll() {
    let changed = waiting.withLock { waiting in
      defer { waiting.changed = [:] }
      return waiting.changed
    }
    turn.withLock {
      for data in changed.values {
        let (code, json) = data.read { content, rest in (content.code, VisitorRecord.json(content, rest)) }
        // Nobody's any more: a link has taken its place.
        if code.isEmpty { continue }
        keep(code, json)
      }
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
