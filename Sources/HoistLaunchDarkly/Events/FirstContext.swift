internal import HoistBase

/// Whom a client is going to start with, where that is known as soon as it opens: what the host records before the start
/// has come so far is that context's, and comes after its identify event (LD-40, 4.4.1). Any thread.
final class FirstContext: Sendable {
  private enum Progress {
    case unknown
    case expected(LDContext)
    /// Its identify event has been recorded before its time.
    case announced(LDContext)
  }

  private let progress = Shared(Progress.unknown)

  func expect(_ context: LDContext) { progress.withLock { $0 = .expected(context) } }

  /// - Parameter record: records the identify event; called for the first of those who ask, while others wait.
  func announce(_ record: (LDContext) -> Void) {
    progress.withLock { progress in
      guard case .expected(let context) = progress else { return }
      record(context)
      progress = .announced(context)
    }
  }

  /// The start has come to its context. Nothing is announced from now on.
  /// - Returns: whether it has been announced.
  func arrives(_ context: LDContext) -> Bool {
    progress.withLock { progress in
      defer { progress = .unknown }
      guard case .announced(let early) = progress else { return false }
      return early == context
    }
  }

  func forget() { progress.withLock { $0 = .unknown } }
}
