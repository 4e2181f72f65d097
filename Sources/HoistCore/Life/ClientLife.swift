public import HoistBase
internal import Synchronization

/// A client's life: open, online, closing, reopened; the state that follows from what its provider reports; and the threads
/// that wait for it. Thread-safe.
public final class ClientLife: @unchecked Sendable {
  private let lock = Lock()
  private let changed = Condition()
  private let clock: any Clock
  private var facts: LifeFacts
  private let closed = Atomic<Bool>(false)
  /// The result of `close`, while or after it closes.
  private var ending = Completion<Status>()
  private var isOver = false

  /// - Parameter service: with its mode, for the log.
  public init(clock: any Clock, isOnline: Bool, service: String = "") {
    self.clock = clock
    facts = LifeFacts(isOnline: isOnline, service: service)
  }

  public var state: ClientState { lock.withLock { facts.state } }
  /// What `state` says, without the lock.
  public var isClosed: Bool { closed.load(ordering: .acquiring) }
  public var isOnline: Bool { lock.withLock { facts.isOnline } }
  /// Whether a read finds flags.
  public var servesFlags: Bool { lock.withLock { facts.servesFlags } }
  /// Whether flags have been served since the start.
  public var wasReady: Bool { lock.withLock { facts.wasReady } }
  /// Whether store and bootstrap have been read since the start.
  public var wasInitialized: Bool { lock.withLock { facts.wasInitialized } }

  /// - Returns: the resulting news for the host.
  public func take(_ report: LifeReport) -> LifeNews {
    let now = clock.monotonicNanoseconds
    return change { $0.isClosed ? LifeNews() : $0.take(report, at: now) }
  }

  public func setOnline(_ isOnline: Bool) -> LifeNews {
    change { facts in facts.change(isOnline ? "online" : "offline") { $0.isOnline = isOnline } }
  }

  /// Whether the context that was given last is served, so that the same one changes nothing.
  public var isContextSettled: Bool { lock.withLock { facts.isContextSettled } }

  /// The host gives another context.
  public func beginContextChange() { lock.withLock { facts.beginContextChange() } }

  /// The provider turns to it.
  public func takeUpContextChange() { lock.withLock { facts.takeUpContextChange() } }

  /// Its flags have not come at once: they are awaited, unless the change has ended meanwhile.
  public func awaitContext() -> LifeNews {
    change { facts in facts.change("the flags of another context are awaited") { $0.awaitContext() } }
  }

  public func endContextChange(_ status: Status) -> LifeNews { change { $0.endContextChange(status) } }

  /// In a forked child, on the thread of its first call.
  func abandonAfterFork() {
    let closing = lock.withLock {
      facts.forgetContextChanges()
      return facts.isClosed ? ending : nil
    }
    // A close that is under way is the parent's to end.
    closing?.give(.ok)
  }

  private func change(_ body: (inout LifeFacts) -> LifeNews) -> LifeNews {
    let news = lock.withLock { body(&facts) }
    changed.broadcast()
    return news
  }

  /// - Returns: where the result of closing will be, and whether it is the caller's to bring about.
  func close() -> (ending: Completion<Status>, isFirst: Bool) {
    let result = lock.withLock {
      let isFirst = !facts.isClosed
      if isFirst { ending = Completion() }
      facts.isClosed = true
      closed.store(true, ordering: .releasing)
      return (ending, isFirst)
    }
    changed.broadcast()
    return result
  }

  /// It is not opened again.
  /// - Returns: false when that was so before.
  func end() -> Bool {
    lock.withLock {
      defer { isOver = true }
      return !isOver
    }
  }

  var hasEnded: Bool { lock.withLock { isOver } }

  /// - Returns: false unless the client has closed, is done with it, and has not ended for good.
  func reopen() -> Bool {
    lock.withLock {
      guard facts.isClosed, ending.isGiven, !isOver else { return false }
      facts.begin()
      closed.store(false, ordering: .releasing)
      return true
    }
  }

  /// - Parameter timeoutMilliseconds: negative waits without limit, 0 only asks.
  /// - Returns: `.ok` exactly when a read finds flags; `.network` when attempts have stopped without any.
  func waitReady(timeoutMilliseconds: Int64) -> Status {
    let deadline = Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)
    return lock.withLock {
      while true {
        if facts.servesFlags { return .ok }
        if facts.isClosed { return .cancelled }
        if facts.state == .fatal { return .network }
        if !changed.wait(lock, untilNanoseconds: deadline) { return facts.servesFlags ? .ok : .timeout }
      }
    }
  }
}
