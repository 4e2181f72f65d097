internal import HoistCore

/// The flags of the current context, and what changes them.
final class ServedFlags: @unchecked Sendable {
  private let host: any ProviderHost

  init(host: any ProviderHost) { self.host = host }

  /// Serves no flag at all.
  func serveNone() {
    guard let snapshot = SnapshotBuilder(expectedBytes: 0).finish(evaluate: { _, _, _, _ in }) else { return }
    host.publish(snapshot, changed: [])
  }

  /// What the store keeps of a context (5.10); on the scheduler's thread. `completion` gets nil when it keeps none.
  func load(_ context: LDContext, completion: @escaping @Sendable (CachedFlags?) -> Void) {
    host.scheduler.post { completion(nil) }
  }

  /// Serves a context's kept flags, else none, or else the former ones (LD-86); on the scheduler's thread, which makes
  /// it the current context in the same piece of work.
  /// - Returns: what changes by that.
  func change(to context: LDContext, _ cached: CachedFlags?, keepingFormer: Bool) -> [FlagChange] {
    if !keepingFormer { serveNone() }
    return []
  }

  /// Changes what is served (2.2); on the scheduler's thread.
  func apply(_ message: FlagMessage) -> FlagOutcome { .refused("no message is known") }
}

/// The flags of one context as an earlier run has left them.
struct CachedFlags: Sendable {
  /// Of the poll they came with; "" when none is known to belong to them.
  var entityTag = ""
  /// When they were last confirmed, where that is known: the first poll may wait.
  var updatedUnixMilliseconds: Int64?
}
