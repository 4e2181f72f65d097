internal import HoistBase

/// A custom event that the host records before there is a context.
struct EarlyEvent: Sendable {
  let key: [UInt8]
  /// JSON text; nil for none.
  let data: [UInt8]?
  let metric: Double?
  let unixMilliseconds: Int64

  var size: Int { key.count + (data?.count ?? 0) + MemoryLayout<EarlyEvent>.size }
}

/// The context that a client is going to start with, known from open on: what the host records before the start is that
/// context's, and comes after its identify event (LD-40, 4.4.1). Any thread.
final class FirstContext: Sendable {
  private enum Progress {
    case unknown
    /// Known already.
    case expected(LDContext)
    /// Its identify event has been recorded before its time.
    case announced(LDContext)
    /// A part of it has to be looked up: what comes meanwhile waits.
    case awaited
  }

  private struct State {
    var progress = Progress.unknown
    var early: [EarlyEvent] = []
    var earlyBytes = 0
    /// The completions to call when no event waits any more.
    var waiting: [@Sendable () -> Void] = []

    /// - Returns: what has waited.
    mutating func end() -> [EarlyEvent] {
      defer { (progress, early, earlyBytes) = (.unknown, [], 0) }
      return early
    }
  }

  /// All that may wait.
  private static let maximumBytes = 4 << 20

  private let state = LockedValue(State())

  func expect(_ context: LDContext) { state.withLock { $0.progress = .expected(context) } }

  func awaitContext() { state.withLock { $0.progress = .awaited } }

  /// - Parameter record: records the identify event; called for the first caller, while others wait.
  func announce(_ record: (LDContext) -> Void) {
    state.withLock { state in
      guard case .expected(let context) = state.progress else { return }
      record(context)
      state.progress = .announced(context)
    }
  }

  /// Keeps an event until the context is there.
  /// - Parameter most: so many may wait.
  /// - Returns: whether there was room; nil when nothing is awaited.
  func keep(most: Int, _ event: () -> EarlyEvent) -> Bool? {
    state.withLock { state in
      guard case .awaited = state.progress else { return nil }
      guard state.early.count < most else { return false }
      let event = event()
      guard event.size <= Self.maximumBytes - state.earlyBytes else { return false }
      state.earlyBytes += event.size
      state.early.append(event)
      return true
    }
  }

  /// The start has its context. From now on nothing is announced or deferred here.
  /// - Parameter record: where it was awaited: records its identify event and what has waited, while others wait.
  /// - Returns: whether its identify event has been recorded.
  func arrives(_ context: LDContext, _ record: ([EarlyEvent]) -> Void) -> Bool {
    state.withLock { state in
      let progress = state.progress
      let early = state.end()
      switch progress {
      case .announced(let announced): return announced == context
      case .awaited:
        record(early)
        return true
      case .unknown, .expected: return false
      }
    }
  }

  /// There is no context to start with.
  /// - Returns: how many events are lost by that.
  func fails() -> Int { state.withLock { $0.end().count } }

  /// - Parameter tell: called by `settle`, where events wait for the context; else at once.
  func whenNothingWaits(_ tell: @escaping @Sendable () -> Void) {
    let isIdle = state.withLock { state in
      if !state.early.isEmpty { state.waiting.append(tell) }
      return state.early.isEmpty
    }
    if isIdle { tell() }
  }

  /// The start is over, or the client ends first: then what waits does so for another beginning.
  func settle() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for tell in waiting { tell() }
  }

  /// In a forked child: what waits is the parent's.
  func forget() {
    let inherited = state.withLock { state in
      let former = state
      state = State()
      if case .awaited = former.progress { state.progress = .awaited }
      return former
    }
    withExtendedLifetime(inherited) {}
  }
}
