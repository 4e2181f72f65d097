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
    /// How many there were, for those who wait.
    var changes: UInt64 = 0
    /// Of each record the first change that is not stored.
    var unstored: [ObjectIdentifier: UInt64] = [:]
    /// The last change that the store has tried to write and has not, and the last that it has given up.
    var failedUpTo: UInt64 = 0
    var givenUpTo: UInt64 = 0
    var written: Int64 = 0
  }

  private final class Guarded: @unchecked Sendable {
    let lock = Lock()
    let ended = Condition()
    /// Guarded by `lock`.
    var state: State
    init(_ state: State) { self.state = state }
  }

  private let store: Store
  private let scheduler: any Scheduler
  private let options: Options
  private let wasKept: @Sendable (Record) -> Void
  private let lifetime: @Sendable (Record) -> Int64?
  private let guarded: Guarded

  /// - Parameters:
  ///   - lifetime: how long what the last merge of a record has made is of use after it was written, in milliseconds; nil for
  ///     ever. On the store's lane.
  ///   - wasKept: after each write, on the store's lane.
  public init(
    store: Store, scheduler: any Scheduler, options: Options, lifetime: @escaping @Sendable (Record) -> Int64? = { _ in nil },
    wasKept: @escaping @Sendable (Record) -> Void = { _ in }
  ) {
    self.wasKept = wasKept
    self.lifetime = lifetime
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
      if options.isImmediate {
        state.changes &+= 1
        if state.unstored[ObjectIdentifier(record)] == nil { state.unstored[ObjectIdentifier(record)] = state.changes }
      }
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
    let (records, last) = withState { state in
      defer { state.waiting = [] }
      return (state.waiting, state.changes)
    }
    for record in records { write(record) }
    guard completion != nil || options.isImmediate else { return }
    store.writeValues { [weak self] isWritten in
      if !isWritten { self?.noteFailure(upTo: last) }
      completion?()
    }
  }

  private func noteFailure(upTo last: UInt64) {
    withState { $0.failedUpTo = max($0.failedUpTo, last) }
    guarded.ended.broadcast()
  }

  private func write(_ record: Record) {
    let last = withState { state in
      guard record.mark.beginWriting(state.generation) else { return UInt64?.none }
      state.written += record.storeKey == nil ? 0 : 1
      return state.changes
    }
    guard let last else { return }
    guard let key = record.storeKey else { return end(record, upTo: last, isStored: true) }
    store.update(
      key, kind: record.isNewRefusal ? .lasting : .ordinary, addition: { record.addition(under: key) },
      lifetime: { [lifetime] in lifetime(record) }
    ) {
      record.merge(into: $0, under: key)
    } completion: { [weak self] result in
      if case .success = result {
        record.wasKept()
        self?.wasKept(record)
        self?.end(record, upTo: last, isStored: true)
      } else {
        self?.end(record, upTo: last, isStored: false)
      }
    }
  }

  /// What has changed meanwhile is written once more.
  /// - Parameter last: the last change before it began to be written.
  private func end(_ record: Record, upTo last: UInt64, isStored: Bool) {
    let isStale = withState { state in
      let isStale = record.mark.endWriting(state.generation)
      if options.isImmediate { state.unstored[ObjectIdentifier(record)] = isStale ? last &+ 1 : nil }
      if !isStored { state.givenUpTo = max(state.givenUpTo, last) }
      return isStale
    }
    guarded.ended.broadcast()
    if isStale { write(record) }
  }

  /// With immediate writes: until what has changed so far is stored, the store has tried that and failed, or the time is over.
  /// - Parameter deadline: nanoseconds of the machine's monotonic clock.
  /// - Returns: `.unsaved` when something of it is in memory alone.
  public func waitForCommit(untilNanoseconds deadline: Int64) -> Status {
    guard options.isImmediate, isOn else { return .ok }
    let last = withState { $0.changes }
    return guarded.lock.withLock {
      while true {
        if last > 0, guarded.state.givenUpTo >= last { return .unsaved }
        if !guarded.state.unstored.values.contains(where: { $0 <= last }) { return .ok }
        if guarded.state.failedUpTo >= last { return .unsaved }
        // On a thread of the library's own, waiting would keep it from happening.
        if Thread.isOwn || !guarded.ended.wait(guarded.lock, untilNanoseconds: deadline) { return .unsaved }
      }
    }
  }
}
