internal import HoistBase
internal import Synchronization

/// Who has refused, for calls of the core, which know no more of a visitor than its id. Thread-safe.
final class RefusedVisitors: Sendable {
  /// So many are remembered at least; of twice as many, those are forgotten who refused first.
  static let leastCount = 5_000

  private struct State {
    var young: Set<[UInt8]> = []
    var old: Set<[UInt8]> = []
  }

  private let state = Shared(State())
  /// Costs nothing to ask.
  private let hasAny = Atomic(false)

  func note(_ id: [UInt8], hasConsented: Bool) {
    if hasConsented, !hasAny.load(ordering: .acquiring) { return }
    state.withLock { state in
      state.old.remove(id)
      if hasConsented { state.young.remove(id) } else { state.young.insert(id) }
      if state.young.count >= Self.leastCount { state = State(old: state.young) }
      hasAny.store(!state.young.isEmpty || !state.old.isEmpty, ordering: .releasing)
    }
  }

  func contains(_ id: [UInt8]) -> Bool {
    hasAny.load(ordering: .acquiring) && state.withLock { $0.young.contains(id) || $0.old.contains(id) }
  }
}
