public import HoistBase

/// Takes what others announce, from a manager that tells of it, and hands it on a moment later: gathered, and at a moment that is
/// drawn, so that a fleet does not look into the store at the same time. Thread-safe; a post never waits.
public final class CacheNews: Sendable {
  /// Within which named keys are handed on, and "any": that follows an outage, and then not more than a twentieth of a fleet
  /// may look within 100 ms.
  static let (namedMilliseconds, anyMilliseconds): (UInt64, UInt64) = (250, 3_000)
  /// What comes from outside has a limit: more is "any".
  static let (maximumKeys, maximumKeyBytes) = (256, 1_024)

  private struct State {
    var keys: Set<ByteKey> = []
    /// "Any" waits to be handed on.
    var isAny = false
    var isOver = false
  }

  private let scheduler: any Scheduler
  private let entropy: any Entropy
  private let heard: @Sendable ([String]?) -> Void
  private let state = LockedValue(State())

  /// - Parameter heard: the keys, or nil for any; on the scheduler's thread.
  public init(scheduler: any Scheduler, entropy: any Entropy, heard: @escaping @Sendable (_ keys: [String]?) -> Void) {
    (self.scheduler, self.entropy, self.heard) = (scheduler, entropy, heard)
  }

  /// - Parameter key: nil: what is kept under any may have changed.
  public func post(_ key: String?) {
    let key = key.map { ByteKey($0) }
    var isAny = key == nil
    let isFirst = state.withLock { state in
      guard !state.isOver else { return false }
      if let key, key.text.utf8.count > Self.maximumKeyBytes || state.keys.count >= Self.maximumKeys, !state.keys.contains(key) {
        isAny = true
      }
      guard let key, !isAny else {
        defer { state.isAny = true }
        return !state.isAny
      }
      defer { state.keys.insert(key) }
      return state.keys.isEmpty
    }
    if isFirst { handOn(isAny) }
  }

  private func handOn(_ isAny: Bool) {
    scheduler.post { [self] in
      let pause = entropy.below(isAny ? Self.anyMilliseconds : Self.namedMilliseconds)
      _ = scheduler.schedule(afterMilliseconds: Int64(pause)) { [self] in
        let (keys, isOver) = state.withLock { state in
          defer { if isAny { state.isAny = false } else { state.keys = [] } }
          return (isAny ? nil : state.keys.map(\.text), state.isOver)
        }
        if !isOver { heard(keys) }
      }
    }
  }

  public var isOver: Bool { state.withLock { $0.isOver } }

  /// Hands nothing on any more.
  public func end() { state.withLock { $0 = State(isOver: true) } }
}
