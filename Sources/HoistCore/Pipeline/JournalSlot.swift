internal import HoistBase
internal import Synchronization

/// The journal of a pipeline: opened when somebody first waits for a commit, and again in a forked child. Thread-safe.
final class JournalSlot: @unchecked Sendable {
  fileprivate enum State {
    case unasked, asked
    case open(any EventJournal)
    /// There is none, until the pipeline is started again.
    case absent
  }

  private let lock = Lock()
  private var state = State.unasked
  private var generation: UInt32
  /// Purges that the store has not carried out.
  private var purges = 0
  /// Costs nothing to ask; of the parent's in a forked child, until somebody looks.
  private let isFilled = Atomic(false)

  init(generation: UInt32) { self.generation = generation }

  var isOpen: Bool { isFilled.load(ordering: .relaxed) }

  /// For a record. While a purge is under way there is none: what is recorded after it is not to survive it.
  func journalForRecord(_ generation: UInt32) -> (any EventJournal)? {
    with(generation) {
      if case .open(let journal) = $0, purges == 0 { journal } else { nil }
    }
  }

  func beginPurge(_ generation: UInt32) { with(generation) { _ in purges += 1 } }
  func endPurges(_ count: Int, _ generation: UInt32) { with(generation) { _ in purges = max(0, purges - count) } }

  func journal(_ generation: UInt32) -> (any EventJournal)? {
    with(generation) {
      if case .open(let journal) = $0 { journal } else { nil }
    }
  }

  /// Whether it is to be opened now, by whoever asked.
  func asksFirst(_ generation: UInt32) -> Bool {
    with(generation) {
      guard case .unasked = $0 else { return false }
      $0 = .asked
      return true
    }
  }

  /// - Returns: false when it is not wanted any more.
  func fill(_ journal: (any EventJournal)?, _ generation: UInt32) -> Bool {
    with(generation) { state in
      guard case .asked = state else { return false }
      state = journal.map { .open($0) } ?? .absent
      return true
    }
  }

  /// Hands the journal out for good, and opens none until `reset`.
  func take(_ generation: UInt32) -> (any EventJournal)? {
    with(generation) { state in
      defer { state = .absent }
      return if case .open(let journal) = state { journal } else { nil }
    }
  }

  func reset(_ generation: UInt32) {
    with(generation) {
      if case .absent = $0 { $0 = .unasked }
    }
  }

  private func with<Value>(_ generation: UInt32, _ body: (inout State) -> Value) -> Value {
    var inherited: State?
    defer { withExtendedLifetime(inherited) {} }
    return lock.withLock {
      if self.generation != generation {
        inherited = state
        (state, self.generation, purges) = (.unasked, generation, 0)
      }
      defer { isFilled.store(state.isOpen, ordering: .relaxed) }
      return body(&state)
    }
  }
}

extension JournalSlot.State {
  fileprivate var isOpen: Bool {
    if case .open = self { true } else { false }
  }
}
