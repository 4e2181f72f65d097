internal import HoistBase
internal import Synchronization

/// The journal of a pipeline: opened at the first wait for a commit, and again in a forked child. Thread-safe.
final class JournalSlot: @unchecked Sendable {
  fileprivate enum State {
    case unasked, asked
    case open(any EventJournal)
    /// There is none; asked for again when the pipeline is started again, or, where there may be one later, before.
    case absent(forGood: Bool)
  }

  private let lock = Lock()
  private var state = State.unasked
  private var generation: UInt32
  /// Cheap to check. In a forked child the parent's value, until the first real look.
  private let isFilled = Atomic(false)

  init(generation: UInt32) { self.generation = generation }

  var isOpen: Bool { isFilled.load(ordering: .relaxed) }

  func journal(_ generation: UInt32) -> (any EventJournal)? {
    with(generation) {
      if case .open(let journal) = $0 { journal } else { nil }
    }
  }

  /// Whether the caller is to open it now.
  func asksFirst(_ generation: UInt32) -> Bool {
    with(generation) {
      guard case .unasked = $0 else { return false }
      $0 = .asked
      return true
    }
  }

  /// - Returns: whether it is in use from here on.
  func fill(_ journal: any EventJournal, _ generation: UInt32) -> Bool {
    with(generation) { state in
      guard case .asked = state else { return false }
      state = .open(journal)
      return true
    }
  }

  func leaveEmpty(_ generation: UInt32, forGood: Bool) {
    with(generation) { state in
      if case .asked = state { state = .absent(forGood: forGood) }
    }
  }

  /// Allows opening another in place of one that accepts no more records.
  /// - Returns: the former one, to be closed.
  func takeOutBroken(_ generation: UInt32) -> (any EventJournal)? {
    with(generation) { state in
      guard case .open(let journal) = state, !journal.isSound else { return nil }
      state = .unasked
      return journal
    }
  }

  /// One may be opened where there was none.
  /// - Parameter isStart: also where that was for good.
  func askAgain(_ generation: UInt32, isStart: Bool) {
    with(generation) { state in
      if case .absent(let forGood) = state, isStart || !forGood { state = .unasked }
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
