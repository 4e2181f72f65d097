internal import CShims
internal import HoistBase
internal import HoistCore

/// What a store has said of contexts, for a while (4.8). Of several threads that want the same at once one asks, and the
/// others wait for its answer. Any thread.
final class MembershipCache: Sendable {
  /// Nil where the store has failed, which is not remembered for later evaluations.
  typealias Membership = [String: Bool]?

  private struct Known {
    let key: [UInt8]
    let membership: Membership
    /// Nanoseconds of the monotonic clock.
    let goodUntil: Int64
  }

  /// A question that is being asked.
  private final class Question: @unchecked Sendable {
    /// The thread that asks.
    let thread: UInt
    /// Guarded by the cache's lock.
    var answer: Membership?
    init(_ thread: UInt) { self.thread = thread }
  }

  private struct State {
    var known: RecentTable<Known>
    var questions: [[UInt8]: Question] = [:]
    var generation = ForkGeneration.current
    var isOpen = false

    /// In a forked child the threads that ask do not exist.
    mutating func forgetInheritance() {
      guard generation != ForkGeneration.current else { return }
      (questions, generation) = ([:], ForkGeneration.current)
    }
  }

  private let clock: any Clock
  private let nanoseconds: Int64
  private let lock = Lock()
  private let answered = Condition()
  nonisolated(unsafe) private var state: State

  init(clock: any Clock, capacity: Int, milliseconds: Int64) {
    self.clock = clock
    nanoseconds = milliseconds.multipliedReportingOverflow(by: 1_000_000).overflow ? .max : milliseconds &* 1_000_000
    state = State(known: RecentTable(capacity: capacity))
  }

  /// Questions may be asked, or are not any more.
  func setOpen(_ isOpen: Bool) { lock.withLock { state.isOpen = isOpen } }

  /// What was last said of a context, however long ago, for what tells of an evaluation that has asked; nil for nothing.
  func recall(_ key: ByteView) -> Membership? { lock.withLock { known(key).map { $0.membership } } }

  /// - Parameter ask: asks the store; with no lock held.
  func membership(of key: ByteView, _ ask: () -> Membership) -> Membership {
    let slot = shim_enter()
    shim_leave(slot)
    let mine = Question(UInt(bitPattern: slot))
    let (found, isMine) = lock.withLock { () -> (Membership?, Bool) in
      state.forgetInheritance()
      if let known = known(key), known.membership != nil, clock.monotonicNanoseconds < known.goodUntil {
        return (known.membership, false)
      }
      // Host code may not run, or the store asks for what it is being asked.
      guard state.isOpen, Thread.admitsHost else { return (.some(nil), false) }
      guard let other = state.questions[Array(key)] else {
        state.questions[Array(key)] = mine
        return (nil, true)
      }
      if other.thread == mine.thread { return (.some(nil), false) }
      while other.answer == nil { _ = answered.wait(lock, untilNanoseconds: .max) }
      return (other.answer, false)
    }
    guard isMine else { return found ?? nil }
    let membership = ask()
    let until = clock.monotonicNanoseconds.addingReportingOverflow(nanoseconds)
    lock.withLock {
      mine.answer = .some(membership)
      if state.questions[Array(key)] === mine { state.questions[Array(key)] = nil }
      let known = Known(key: Array(key), membership: membership, goodUntil: until.overflow ? .max : until.partialValue)
      _ = state.known.keep(Hash64.hash(key), known)
    }
    answered.broadcast()
    return membership
  }

  /// With the lock.
  private func known(_ key: ByteView) -> Known? {
    state.known.use(Hash64.hash(key)).flatMap { known in known.key.withBytes { $0.hasSameBytes(as: key) } ? known : nil }
  }

  /// Waits for questions that are being asked.
  /// - Returns: whether none is left.
  func settle(untilNanoseconds deadline: Int64) -> Bool {
    lock.withLock {
      state.forgetInheritance()
      while !state.questions.isEmpty {
        if !answered.wait(lock, untilNanoseconds: deadline) { return state.questions.isEmpty }
      }
      return true
    }
  }
}
