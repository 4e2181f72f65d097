internal import HoistBase

/// Whom observers belong to (LD-35, LD-36): with it they all end, in every client. Thread-safe.
public final class ObserverOwner: Sendable {
  private struct State {
    var isGone = false
    var watched: [WeakObservers] = []
  }

  private struct WeakObservers: Sendable {
    weak var observers: ChangeObservers?
  }

  private let state = Shared(State())

  public init() {}

  /// Whether calls may still begin.
  var isAlive: Bool { !state.withLock { $0.isGone } }

  /// - Returns: false when the owner has gone.
  func watch(_ observers: ChangeObservers) -> Bool {
    state.withLock {
      guard !$0.isGone else { return false }
      $0.watched.removeAll { $0.observers == nil }
      if !$0.watched.contains(where: { $0.observers === observers }) { $0.watched.append(WeakObservers(observers: observers)) }
      return true
    }
  }

  /// From now on no call begins, not even one that is queued. One that is under way on another thread goes on; nobody
  /// waits for it, so that an observer may end its own owner.
  public func end() {
    let watched = state.withLock { state in
      defer { state.watched = [] }
      state.isGone = true
      return state.watched
    }
    for one in watched { one.observers?.remove(self) }
  }
}
