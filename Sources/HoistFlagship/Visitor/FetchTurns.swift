internal import HoistBase
internal import HoistCore

/// Which fetches of a visitor are under way, and which answers still count (protocols/flagship.md 5.3). Guarded by the
/// visitor's lock.
struct FetchTurns {
  typealias Completion = @Sendable (Status) -> Void

  /// A fetch that has begun.
  struct Turn: Equatable {
    fileprivate let number: UInt64
    fileprivate let identity: UInt64
    fileprivate let context: UInt64
    /// nil where nothing is asked.
    let call: FetchCall?

    static func == (one: Self, other: Self) -> Bool { one.number == other.number }
  }

  /// A fetch that another one has taken the place of.
  struct Abandoned {
    fileprivate let call: FetchCall?
    fileprivate let waiting: [Completion]

    /// Calls off what it asks, and tells its callers. With no lock held.
    func end() {
      call?.cancel()
      for completion in waiting { completion(.superseded) }
    }
  }

  /// What becomes of a call.
  enum Beginning {
    /// It is to be carried out, and the one whose place it takes called off.
    case turn(Turn, former: FetchCall?)
    /// Its end is that of one that is under way.
    case joined
    /// When the look-up in the cache is over.
    case afterLookUp
  }

  /// Whether and how an answer may be used.
  enum Verdict {
    /// A newer fetch is under way, or the visitor is another one.
    case stale
    /// It is for a context that has changed since: its flags are better than older ones.
    case outdated
    case current
  }

  private var running: (turn: Turn, waiting: [Completion])?
  private var lastNumber: UInt64 = 0
  private var identity: UInt64 = 0
  private var context: UInt64 = 0
  /// In which process they began.
  private var generation = ForkGeneration.current
  /// Fetches that wait for the look-up; nil when none is under way.
  private(set) var afterLookUp: [(begin: @Sendable () -> Void, completion: Completion)]?
  /// When flags were fetched last, in nanoseconds of the client's clock; nil when what they are for has changed since.
  private(set) var fetchedAt: Int64?

  /// Whether a fetch has ever begun.
  var hasBegun: Bool { lastNumber > 0 }

  /// A fetch joins one under way for the same visitor and context; else it replaces that one and takes over its
  /// completions.
  /// - Parameter completion: called by the caller of `end`.
  mutating func begin(again: @escaping @Sendable () -> Void, _ completion: @escaping Completion) -> Beginning {
    forgetInheritance()
    if afterLookUp != nil {
      afterLookUp?.append((again, completion))
      return .afterLookUp
    }
    if let turn = running?.turn, turn.identity == identity, turn.context == context {
      running?.waiting.append(completion)
      return .joined
    }
    lastNumber &+= 1
    let turn = Turn(number: lastNumber, identity: identity, context: context, call: FetchCall())
    let former = running
    running = (turn, (former?.waiting ?? []) + [completion])
    return .turn(turn, former: former?.turn.call)
  }

  /// Begins where nothing is under way; later fetches join it.
  /// - Returns: nil where it would have to wait, or to take another's place.
  mutating func beginAlone() -> Turn? {
    forgetInheritance()
    guard afterLookUp == nil, running == nil else { return nil }
    lastNumber &+= 1
    let turn = Turn(number: lastNumber, identity: identity, context: context, call: nil)
    running = (turn, [])
    return turn
  }

  /// - Returns: what the answer is worth, and the completions; none where a newer fetch has taken them over.
  mutating func end(_ turn: Turn) -> (Verdict, [Completion]) {
    guard let current = running, current.turn == turn else { return (.stale, []) }
    running = nil
    if turn.identity != identity { return (.stale, current.waiting) }
    return (turn.context == context ? .current : .outdated, current.waiting)
  }

  mutating func fetched(at now: Int64) { fetchedAt = now }

  /// - Returns: what was under way for the former one.
  mutating func identityChanged() -> Abandoned? {
    identity &+= 1
    fetchedAt = nil
    return abandon()
  }

  /// Nothing is under way any more, and nothing waits for the look-up; nil where nothing was and did.
  mutating func abandonAll() -> Abandoned? {
    let running = abandon()
    let waiting = (running?.waiting ?? []) + (afterLookUp ?? []).map(\.completion)
    if afterLookUp != nil { afterLookUp = [] }
    return waiting.isEmpty && running == nil ? nil : Abandoned(call: running?.call, waiting: waiting)
  }

  private mutating func abandon() -> Abandoned? {
    forgetInheritance()
    defer { running = nil }
    return running.map { Abandoned(call: $0.turn.call, waiting: $0.waiting) }
  }

  mutating func contextChanged() {
    context &+= 1
    fetchedAt = nil
  }

  mutating func beginLookUp() {
    forgetInheritance()
    afterLookUp = []
  }

  /// - Returns: what waited for it.
  mutating func endLookUp() -> [@Sendable () -> Void] {
    defer { afterLookUp = nil }
    return (afterLookUp ?? []).map(\.begin)
  }

  /// In a forked child: running fetches and their completions are the parent's.
  private mutating func forgetInheritance() {
    guard generation != ForkGeneration.current else { return }
    generation = ForkGeneration.current
    running = nil
    afterLookUp = nil
  }
}
