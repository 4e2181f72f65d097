internal import CShims
internal import HoistBase
internal import Synchronization

/// The end of a client, and a new beginning.
extension Client {
  /// Sends what is recorded and waits for the answers.
  public func flush(timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn || state == .closed { return .state }
    resumeAfterFork()
    let answer = Answer<Status>()
    onScheduler { client in
      guard let provider = client.provider else { return answer.give(.state) }
      provider.flush { answer.give($0) }
    }
    return answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)) ?? .timeout
  }

  /// `identify`, waiting for its end; after a timeout the change goes on in the background.
  public func identifyAndWait(_ context: ContextReference?, timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn || state == .closed { return .state }
    resumeAfterFork()
    guard let context = context ?? EvaluationContext().reference() else { return .limit }
    setCurrentContext(context)
    let answer = Answer<Status>()
    onScheduler { client in
      guard let provider = client.provider else { return answer.give(.state) }
      provider.identify(context) { answer.give($0) }
    }
    return answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)) ?? .timeout
  }

  /// Flushes, stops and detaches within the limit. May be repeated.
  public func close(timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn { return .state }
    let deadline = Deadline.nanoseconds(afterMilliseconds: max(0, timeoutMilliseconds))
    shim_or_u32(&hot.pointee.gate, Gate.closed)
    guard status.set(.closed).changed else { return .ok }
    if generation.load(ordering: .relaxed) != ForkGeneration.current { return .ok }  // nothing of this process's own was ever started
    let answer = Answer<Status>()
    let mayFlush = timeoutMilliseconds > 0
    onScheduler { client in
      guard let provider = client.provider else { return answer.give(.ok) }
      let finish: @Sendable (Status) -> Void = { status in
        client.provider?.stop()
        answer.give(status)
      }
      if mayFlush { provider.flush(completion: finish) } else { finish(.ok) }
    }
    let flushed = answer.wait(untilNanoseconds: deadline)
    if flushed == nil { onScheduler { $0.provider?.stop() } }
    let stored = store.close(untilNanoseconds: deadline)
    let delivered = courier.drain(untilNanoseconds: deadline)
    courier.close()
    pluginLane.close()
    _ = logLane.drain(untilNanoseconds: deadline)
    logLane.close()
    observers.removeAll()
    return flushed != nil && stored && delivered ? .ok : .timeout
  }

  /// Starts again after `close`; observers have to be registered anew.
  public func reopen() -> Status {
    guard state == .closed, status.set(.notReady).changed else { return .state }
    store.reopen()
    courier.reopen()
    pluginLane.reopen()
    logLane.reopen()
    shim_and_u32(&hot.pointee.gate, ~Gate.closed)
    open()
    return .ok
  }
}

extension Client {
  /// Closes at once if need be and breaks the tie between client and provider, so that both can go.
  public func dispose() {
    if state != .closed { _ = close(timeoutMilliseconds: 0) }
    onScheduler { $0.provider?.detach() }
  }
}

/// A value that one thread gives and another waits for.
public final class Answer<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private let given = Condition()
  private var value: Value?

  public init() {}

  /// The first one counts.
  public func give(_ value: Value) {
    lock.withLock { if self.value == nil { self.value = value } }
    given.broadcast()
  }

  /// - Returns: nil when the deadline passed first.
  public func wait(untilNanoseconds deadline: Int64) -> Value? {
    lock.withLock {
      while value == nil {
        if !given.wait(lock, untilNanoseconds: deadline) { break }
      }
      return value
    }
  }
}
