internal import CShims
internal import HoistBase
internal import Synchronization

/// The end of a client, and a new beginning.
extension Client {
  /// Sends what is recorded and waits for the answers. Negative waits without limit.
  public func flush(timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn || state == .closed { return .state }
    resumeAfterFork()
    return ask(timeoutMilliseconds) { provider, answer in provider.flush(completion: answer) }
  }

  /// `identify`, waiting for its end; after a timeout the change goes on in the background.
  public func identifyAndWait(_ context: ContextReference?, timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn || state == .closed { return .state }
    resumeAfterFork()
    guard let context = context ?? EvaluationContext().reference() else { return .limit }
    setCurrentContext(context)
    return ask(timeoutMilliseconds) { provider, answer in provider.identify(context, completion: answer) }
  }

  /// Waits for the provider's answer, or for the end of the client.
  private func ask(
    _ timeoutMilliseconds: Int64, _ question: @escaping @Sendable (any Provider, @escaping PendingAnswers.Tell) -> Void
  ) -> Status {
    let answer = Answer<Status>()
    let pending = pending
    // A client that closes from now on ends the wait.
    let (number, refusal) = pending.add { answer.give($0) }
    guard refusal == .ok else { return refusal }
    onScheduler { client in
      guard let provider = client.provider else { return pending.answer(number, .state) }
      question(provider) { pending.answer(number, $0) }
    }
    return answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)) ?? .timeout
  }

  /// Flushes, stops and detaches within the limit. May be repeated: who comes second waits for the first.
  public func close(timeoutMilliseconds: Int64) -> Status {
    Thread.isOwn ? .state : shutDown(withinMilliseconds: max(0, timeoutMilliseconds))
  }

  private func shutDown(withinMilliseconds limit: Int64) -> Status {
    let deadline = Deadline.nanoseconds(afterMilliseconds: limit)
    shim_or_u32(&hot.pointee.gate, Gate.closed)
    let (ending, isFirst) = status.close()
    // In a child that has not used the client there is nothing of its own to end.
    if generation.load(ordering: .acquiring) != ForkGeneration.current {
      ending.give(.ok)
      return .ok
    }
    guard isFirst else { return ending.wait(untilNanoseconds: deadline) ?? .timeout }
    // First, before the provider says that something took their place.
    pending.end(.cancelled)
    let flushed = stopProvider(flushingFor: limit - Self.reserve(of: limit))
    notify(Notification(.state, message: "closed"))
    let stored = store.close(untilNanoseconds: deadline)
    let delivered = courier.drain(untilNanoseconds: deadline)
    courier.close()
    pending.tellUndelivered()
    pluginLane.close()
    _ = logLane.drain(untilNanoseconds: deadline)
    logLane.close()
    removeObservers()
    let result = flushed && stored && delivered ? Status.ok : .timeout
    ending.give(result)
    return result
  }

  /// What a service that does not answer leaves of the time for the store, observers and the log.
  private static func reserve(of limit: Int64) -> Int64 { min(limit / 4, 500) }

  /// - Parameter limit: milliseconds; 0 stops without flushing.
  /// - Returns: whether everything was sent.
  private func stopProvider(flushingFor limit: Int64) -> Bool {
    let stopping = Stopping()
    onScheduler { client in
      guard let provider = client.provider else { return stopping.end(nil) }
      guard limit > 0 else { return stopping.end(provider) }
      provider.flush { _ in stopping.end(client.provider) }
    }
    if stopping.ended.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: limit)) != nil { return true }
    onScheduler { client in stopping.end(client.provider) }
    return limit == 0
  }

  /// Starts again after `close`; observers have to be registered anew.
  public func reopen() -> Status {
    guard state == .closed else { return .state }
    resumeAfterFork()
    guard status.reopen() else { return .state }
    store.reopen()
    pending.reopen()
    courier.reopen()
    pluginLane.reopen()
    logLane.reopen()
    shim_and_u32(&hot.pointee.gate, ~Gate.closed)
    open()
    return .ok
  }

  /// Closes at once if need be, without waiting, and breaks the tie between client and provider, so that
  /// both can go.
  public func dispose() {
    if state != .closed { _ = shutDown(withinMilliseconds: 0) }
    onScheduler { $0.provider?.detach() }
  }
}

/// Stops a provider once, whichever comes first: its answer to the flush, or the end of the time for it.
/// An answer that comes later must not stop a client that works again.
private final class Stopping: Sendable {
  let ended = Answer<Bool>()
  private let isStopped = Atomic(false)

  /// On the scheduler's thread.
  func end(_ provider: (any Provider)?) {
    if isStopped.exchange(true, ordering: .acquiringAndReleasing) { return }
    provider?.stop()
    ended.give(true)
  }
}
