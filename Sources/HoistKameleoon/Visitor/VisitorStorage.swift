internal import HoistBase
internal import HoistCore

/// Stores visitors in the client's store (protocols/kameleoon.md 4.6): soon after a change, or at once with immediate
/// durability, which the host's calls can wait for. Thread-safe.
final class VisitorStorage: @unchecked Sendable {
  /// How long a change may wait.
  private static let delayMilliseconds: Int64 = 50

  private let host: any ProviderHost
  private let subjects: SubjectStore<VisitorData>
  private let found = LockedValue<Int64>(0)
  private let linked = LockedValue<Int64>(0)

  /// - Parameter heard: on the store's lane: another client or process has changed a visitor's stored record.
  init(
    host: any ProviderHost, settings: KameleoonSettings, heard: @escaping @Sendable (VisitorData, KeptNews) -> Void
  ) {
    self.host = host
    let isImmediate = settings.eventDurability == .immediate
    let expiry = settings.dataExpirationMilliseconds
    subjects = SubjectStore(
      store: host.store, scheduler: host.scheduler,
      options: .init(delayMilliseconds: Self.delayMilliseconds, isImmediate: isImmediate),
      lifetime: { data in expiry.flatMap { data.isMergedLasting ? nil : $0 } }
    ) { data in
      if let news = data.takeHasChanged() { heard(data, news) }
    }
  }

  static func key(_ code: [UInt8]) -> String { PersonKey.make(code) }

  /// The stored record of a visitor; nil for none that could be read. `completion` runs on the scheduler's thread.
  func load(_ code: [UInt8], completion: @escaping @Sendable (StoredVisitor?) -> Void) {
    let (log, found) = (host.log, found)
    host.store.load(Self.key(code)) { bytes in
      guard let bytes else { return completion(nil) }
      var unread = 0
      let record = StoredVisitor(json: bytes, unread: &unread)
      if unread > 0 { log.warning("\(unread) additions to what is kept of a visitor cannot be read; they are not used") }
      if record == nil { log.warning("what is kept of a visitor cannot be read; it is not used") }
      found.withLock { $0 += record == nil ? 0 : 1 }
      completion(record)
    }
  }

  /// Stores a visitor's state, after its stored record has been read.
  func changed(_ data: VisitorData) {
    if host.store.keepsValues, !data.isRestoring { subjects.changed(data) }
  }

  /// With immediate durability: until what has changed so far is stored, or the time is over.
  /// - Parameter deadline: nanoseconds of the machine's monotonic clock.
  /// - Returns: `.unsaved` when something of it is in memory alone.
  func waitForCommit(of data: VisitorData, untilNanoseconds deadline: Int64) -> Status {
    // What is stored of it has yet to be read.
    if host.store.keepsValues, data.isRestoring { return .unsaved }
    return subjects.waitForCommit(untilNanoseconds: deadline)
  }

  /// A visitor shares the data of another one: a link takes the place of its own stored record.
  /// - Parameter hadRefused: on the store's lane: that record was a refusal, which another client or process may have stored.
  func link(_ code: [UInt8], to owner: [UInt8], isUnique: Bool, hadRefused: @escaping @Sendable () -> Void) {
    linked.withLock { $0 += 1 }
    let link = StoredVisitor.link(to: owner, isUnique: isUnique)
    let isRefusal = LockedValue(false)
    host.store.update(Self.key(code)) { former in
      let former = former.flatMap { StoredVisitor(json: $0) }
      isRefusal.withLock { $0 = former?.isRefusal ?? false }
      return link
    } completion: { _ in
      if isRefusal.withLock({ $0 }) { hadRefused() }
    }
  }

  /// On the scheduler's thread.
  func writeAll() {
    host.scheduler.assertCurrent()
    subjects.writeAll()
  }

  var statistics: [(group: String, name: String, value: Int64)] {
    [("visitors", "written", subjects.written + linked.withLock { $0 }), ("visitors", "found", found.withLock { $0 })]
  }
}
