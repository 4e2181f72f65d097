internal import HoistBase

/// Stores records of people in the client's store: changes are gathered briefly and written behind, each merged into
/// the value stored by then. Thread-safe.
///
/// In a forked child, waiting changes are the parent's to write.
public final class SubjectStore<Record: SubjectRecord>: Sendable {
  public struct Options: Sendable {
    /// How long a change waits for others of its record.
    public var delayMilliseconds: Int64
    /// Changes are written at once, and callers can wait for it.
    public var isImmediate: Bool
    public init(delayMilliseconds: Int64, isImmediate: Bool = false) {
      self.delayMilliseconds = delayMilliseconds
      self.isImmediate = isImmediate
    }
  }

  private struct State {
    var waiting: [Record] = []
    var generation: UInt32
    /// Changes are written in rounds: how many have begun, and up to which one the store has tried.
    var begun: UInt64 = 0
    var ended: UInt64 = 0
    var written: Int64 = 0
  }

  private final class Guarded: @unchecked Sendable {
    let lock = Lock()
    let ending = Condition()
    /// Guarded by `lock`.
    var state: State
    init(_ state: State) { self.state = state }
  }

  private let store: Store
  private let scheduler: any Scheduler
  private let options: Options
  private let wasKept: @Sendable (Record) -> Void
  private let guarded: Guarded

  /// - Parameter wasKept: after each write, on the store's lane.
  public init(
    store: Store, scheduler: any Scheduler, options: Options, wasKept: @escaping @Sendable (Record) -> Void = { _ in }
  ) {
    self.wasKept = wasKept
    self.store = store
    self.scheduler = scheduler
    self.options = options
    guarded = Guarded(State(generation: scheduler.generation))
  }

  public var isOn: Bool { store.keepsValues }
  /// How many writes have begun.
  public var written: Int64 { withState { $0.written } }

  private func withState<Value>(_ body: (inout State) -> Value) -> Value {
    let generation = scheduler.generation
    var inherited: [Record] = []
    defer { withExtendedLifetime(inherited) {} }
    return guarded.lock.withLock {
      if guarded.state.generation != generation {
        inherited = guarded.state.waiting
        guarded.state = State(generation: generation)
      }
      return body(&guarded.state)
    }
  }

  // MARK: Looking up

  /// The value of `key`: nil for none, a failure where it cannot be read and nothing may be concluded. `completion`
  /// runs once, on the scheduler's thread.
  public func load(_ key: String, completion: @escaping @Sendable (Result<[UInt8]?, CacheFailure>) -> Void) {
    store.read(key, completion: completion)
  }

  // MARK: Changes

  /// The record will be written.
  public func changed(_ record: Record) {
    // Another change is queued already; where a caller may wait for this one, that is decided with the lock held.
    guard isOn, options.isImmediate || !record.mark.isWaiting(scheduler.generation) else { return }
    let isFirst = withState { state in
      guard record.mark.noteChange(state.generation) else { return false }
      state.waiting.append(record)
      return state.waiting.count == 1
    }
    guard isFirst else { return }
    if options.isImmediate { return scheduler.post { [weak self] in self?.writeAll() } }
    _ = scheduler.schedule(afterMilliseconds: options.delayMilliseconds) { [weak self] in self?.writeAll() }
  }

  /// Hands what waits to the store.
  /// - Parameter completion: on the scheduler's thread, when the store has tried to write it.
  public func writeAll(completion: (@Sendable () -> Void)? = nil) {
    let (records, round) = withState { state in
      defer { state.waiting = [] }
      state.begun &+= 1
      return (state.waiting, state.begun)
    }
    for record in records { write(record) }
    guard completion != nil || options.isImmediate else { return }
    store.writeValues { [weak self] in
      self?.end(round)
      completion?()
    }
  }

  private func write(_ record: Record) {
    let generation = scheduler.generation
    guard record.mark.beginWriting(generation) else { return }
    guard let key = record.storeKey else {
      if record.mark.endWriting(generation) { write(record) }
      return
    }
    withState { $0.written += 1 }
    store.update(key) { record.merge(into: $0, under: key) } completion: { [weak self] result in
      if case .success = result {
        record.wasKept()
        self?.wasKept(record)
      }
      if record.mark.endWriting(generation) { self?.write(record) }
    }
  }

  /// With immediate writes: until what has changed so far is stored, or the time is over.
  /// - Parameter deadline: nanoseconds of the machine's monotonic clock.
  public func waitForCommit(untilNanoseconds deadline: Int64) {
    // On a thread of the library's own, waiting would keep it from happening.
    guard options.isImmediate, isOn, !Thread.isOwn else { return }
    let round = withState { $0.waiting.isEmpty ? $0.begun : $0.begun &+ 1 }
    guarded.lock.withLock {
      while guarded.state.ended < round { if !guarded.ending.wait(guarded.lock, untilNanoseconds: deadline) { return } }
    }
  }

  private func end(_ round: UInt64) {
    withState { $0.ended = max($0.ended, round) }
    guarded.ending.broadcast()
  }
}
