internal import CShims
internal import HoistBase
internal import Synchronization

/// The end of a client, and a new beginning.
extension Client {
  /// Flushes and stops within the limit, every environment of the group. May be repeated: who comes second waits for the first.
  public func close(timeoutMilliseconds: Int64) -> Status {
    Thread.isOwn ? .state : shutDown(withinMilliseconds: max(0, timeoutMilliseconds))
  }

  /// The whole group within one limit; the first environment's ending is everybody's.
  private func shutDown(withinMilliseconds limit: Int64) -> Status {
    let group = companions
    let deadline = Deadline.nanoseconds(afterMilliseconds: limit)
    for client in group { shim_or_u32(&client.hot.pointee.gate, Gate.closed) }
    let (ending, isFirst) = lead.status.close()
    if isFirst { for client in environmentsOfGroup { client.status.close().ending.give(.ok) } }
    // In a child that has not used the client there is nothing of its own to end.
    if generation.load(ordering: .acquiring) != ForkGeneration.current {
      ending.give(.ok)
      return .ok
    }
    guard isFirst else { return ending.wait(untilNanoseconds: deadline) ?? .timeout }
    // First, before the provider says that something took their place.
    for client in group { client.pending.end(.cancelled) }
    let forProviders = limit - Self.reserve(of: limit)
    let stopping = Deadline.nanoseconds(afterMilliseconds: forProviders)
    let flushed = Self.stopProviders(of: group, flushingFor: forProviders)
    let settled = group.map { $0.provider?.settle(untilNanoseconds: stopping) ?? true }.allSatisfy { $0 }
    for client in group { client.notify(Notification(.state, message: "closed")) }
    let stored = scope.closeStores(untilNanoseconds: deadline)
    let delivered = courier.drain(untilNanoseconds: deadline)
    courier.close()
    for client in group { client.pending.tellUndelivered() }
    pluginLane.close()
    _ = logLane.drain(untilNanoseconds: deadline)
    logLane.close()
    for client in group { client.removeObservers() }
    let result = flushed && settled && stored && delivered ? Status.ok : .timeout
    ending.give(result)
    return result
  }

  /// What a service that does not answer leaves of the time for the store, observers and the log.
  private static func reserve(of limit: Int64) -> Int64 { min(limit / 4, 500) }

  /// All at the same time.
  /// - Parameter limit: milliseconds; 0 stops without flushing.
  /// - Returns: whether everything was sent.
  private static func stopProviders(of group: [Client], flushingFor limit: Int64) -> Bool {
    let deadline = Deadline.nanoseconds(afterMilliseconds: limit)
    let stoppings = group.map { client in
      let stopping = Stopping()
      client.onScheduler { client in
        guard let provider = client.provider else { return stopping.end(nil) }
        guard limit > 0 else { return stopping.end(provider) }
        provider.flush { _ in stopping.end(client.provider) }
      }
      return stopping
    }
    var sent = true
    for (client, stopping) in zip(group, stoppings) where stopping.ended.wait(untilNanoseconds: deadline) == nil {
      client.onScheduler { client in stopping.end(client.provider) }
      sent = limit == 0
    }
    return sent
  }

  /// Starts again after `close`, the whole group; observers have to be registered anew.
  public func reopen() -> Status {
    guard state == .closed else { return .state }
    resumeAfterFork()
    guard lead.status.reopen() else { return .state }
    for client in environmentsOfGroup { _ = client.status.reopen() }
    scope.reopenStores()
    for client in companions { client.pending.reopen() }
    courier.reopen()
    pluginLane.reopen()
    logLane.reopen()
    for client in companions { shim_and_u32(&client.hot.pointee.gate, ~Gate.closed) }
    open()
    return .ok
  }

  /// Closes the group at once if need be, without waiting, and breaks the tie between clients and providers, so that
  /// all can go. Without effect on a further environment, which goes with the first.
  public func dispose() {
    guard environment.isEmpty else { return }
    if state != .closed { _ = shutDown(withinMilliseconds: 0) }
    for client in companions { client.link.end() }
    let epoch = shim_epoch_advance()
    for client in companions {
      client.onScheduler {
        $0.provider?.detach()
        $0.outlast(epoch)
      }
    }
  }

  /// Stays until nobody can be in a reading section who found the client before its link ended.
  /// - Parameter pause: in milliseconds; then longer ones, for a section may be as long as a call of the host's in it.
  private func outlast(_ epoch: UInt64, pause: Int64 = 1) {
    if shim_epoch_quiescent(epoch) { return }
    _ = services.scheduler.schedule(afterMilliseconds: pause) {
      self.outlast(epoch, pause: min(pause * 2, Self.longestPauseMilliseconds))
    }
  }

  private static var longestPauseMilliseconds: Int64 { 256 }
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
