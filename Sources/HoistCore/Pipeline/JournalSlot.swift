internal import HoistBase
internal import Synchronization

/// The journal of a pipeline: opened when somebody first waits for a commit, and again in a forked child. Thread-safe.
final class JournalSlot: @unchecked Sendable {
  fileprivate enum State {
    case unasked, asked
    case open(any EventJournal)
    /// There is none; asked for again when the pipeline is started again.
    case absent
  }

  private let lock = Lock()
  private var state = State.unasked
  private var generation: UInt32
  /// Costs nothing to ask; of the parent's in a forked child, until somebody looks.
  private let isFilled = Atomic(false)

  init(generation: UInt32) { self.generation = generation }

  var isOpen: Bool { isFilled.load(ordering: .relaxed) }

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

  func fill(_ journal: (any EventJournal)?, _ generation: UInt32) {
    with(generation) { state in
      if case .asked = state { state = journal.map { .open($0) } ?? .absent }
    }
  }

  /// Another may be opened in place of one that takes nothing any more.
  func replaceBroken(_ generation: UInt32) {
    var former: (any EventJournal)?
    defer { withExtendedLifetime(former) {} }
    with(generation) { state in
      guard case .open(let journal) = state, !journal.isSound else { return }
      (former, state) = (journal, .unasked)
    }
  }

  /// The same, and also where there was none.
  func reopen(_ generation: UInt32) {
    replaceBroken(generation)
    with(generation) { state in
      if case .absent = state { state = .unasked }
    }
  }

  private func with<Value>(_ generation: UInt32, _ body: (inout State) -> Value) -> Value {
    var inherited: State?
    defer { withExtendedLifetime(inherited) {} }
    return lock.withLock {
      if self.generation != generation {
        inherited = state
        (state, self.generation) = (.unasked, generation)
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
