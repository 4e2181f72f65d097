internal import CShims
internal import HoistBase
internal import Synchronization

/// The end of a client, and a new beginning.
extension Client {
  /// Flushes, again and again while something is left that may go, and stops within the limit, every environment of the
  /// group. May be repeated: who comes second waits for the first.
  /// - Parameter timeoutMilliseconds: negative for no limit.
  /// - Returns: `.timeout` when something is left or lost.
  public func close(timeoutMilliseconds: Int64) -> Status {
    Thread.isOwn ? .state : shutDown(withinMilliseconds: timeoutMilliseconds)
  }

  /// The whole group within one limit; closing the first environment closes all.
  private func shutDown(withinMilliseconds limit: Int64) -> Status {
    let group = companions
    let deadline = Deadline.nanoseconds(afterMilliseconds: limit)
    for client in group { shim_or_u32(&client.hot.pointee.gate, Gate.closed) }
    let (ending, isFirst) = lead.life.close()
    if isFirst { for client in environmentsOfGroup { client.life.close().ending.give(.ok) } }
    // In a child that has not used the client there is nothing of its own to end.
    if generation.load(ordering: .acquiring) != ForkGeneration.current {
      ending.give(.ok)
      return .ok
    }
    guard isFirst else { return ending.wait(untilNanoseconds: deadline) ?? .timeout }
    // First, before the provider says that something took their place.
    for client in group { client.pending.end(.cancelled) }
    scope.takeNoMore()
    for client in group { client.onScheduler { $0.forwarding.giveUp() } }
    let forProviders = limit < 0 ? limit : limit - Self.reserve(of: limit)
    let stopping = Deadline.nanoseconds(afterMilliseconds: forProviders)
    let flushed = Self.stopProviders(of: group, flushingFor: forProviders, untilNanoseconds: deadline)
    let left = flushed == .accepted ? 0 : group.reduce(0) { $0 + $1.waitingEvents }
    let settled = group.map { $0.provider?.settle(untilNanoseconds: stopping) ?? true }.allSatisfy { $0 }
    for client in group { client.notify(Notification(.state, message: "closed")) }
    let stored = scope.closeStores(untilNanoseconds: deadline)
    let delivered = callbacks.drain(untilNanoseconds: deadline)
    callbacks.close()
    for client in group { client.pending.tellUndelivered() }
    pluginLane.close()
    let isUnknown = limit != 0 && flushed == .left
    let isWritten = settled && stored
    log.info(
      left > 0
        ? "closed: \(left) events are left"
        : isUnknown
          ? "closed: the store may hold events still"
          : isWritten ? "closed: nothing is left" : "closed: the store did not take everything")
    _ = logLane.drain(untilNanoseconds: deadline)
    logLane.close()
    let isDone = flushed == .accepted || limit == 0 && left == 0
    let result = isDone && settled && stored && delivered ? Status.ok : .timeout
    ending.give(result)
    return result
  }

  /// What a service that does not answer leaves of the time for the store, observers and the log.
  private static func reserve(of limit: Int64) -> Int64 { min(limit / 4, 500) }

  /// All at the same time.
  /// - Parameters:
  ///   - limit: milliseconds; 0 stops without flushing, negative waits without limit.
  ///   - end: a provider that is stopped by the limit has until then to give the store what is left.
  /// - Returns: `.left` when the limit passed first.
  private static func stopProviders(
    of group: [Client], flushingFor limit: Int64, untilNanoseconds end: Int64
  ) -> FlushResult {
    let deadline = Deadline.nanoseconds(afterMilliseconds: limit)
    let stoppings = group.map { client in
      let stopping = Stopping()
      client.onScheduler { client in
        guard limit != 0 else { return stopping.end(client.provider, .left) }
        client.flushToClose(stopping, pause: shortestPauseMilliseconds)
      }
      return stopping
    }
    let results = zip(group, stoppings).map { client, stopping in
      let result = stopping.ended.wait(untilNanoseconds: deadline)
      if result == nil { client.onScheduler { client in stopping.end(client.provider, .left) } }
      return result ?? .left
    }
    for stopping in stoppings { _ = stopping.ended.wait(untilNanoseconds: end) }
    return results.max() ?? .accepted
  }

  /// One failure does not end it: what is left is tried again, after pauses that grow, until nothing is left that may go.
  private func flushToClose(_ stopping: Stopping, pause: Int64) {
    guard let provider, !stopping.hasEnded else { return stopping.end(nil, .accepted) }
    provider.flush { [self] result in
      // What was refused has been told, and is not left; something else may be.
      let isLeft = result == .left || (result == .refused && waitingEvents > 0)
      guard isLeft else { return stopping.end(self.provider, result == .refused ? .accepted : result) }
      _ = services.scheduler.schedule(afterMilliseconds: pause) { [self] in
        flushToClose(stopping, pause: min(pause * 2, Self.longestClosingPauseMilliseconds))
      }
    }
  }

  private static var shortestPauseMilliseconds: Int64 { 100 }
  private static var longestClosingPauseMilliseconds: Int64 { 2_000 }

  /// Recorded and not accepted.
  private var waitingEvents: Int64 {
    let counters = (provider?.statistics ?? []).filter { $0.group != "provider" }
    return counters.reduce(0) { $0 + ($1.name == "waiting" || $1.name == "in_flight" ? $1.value : 0) }
  }

  /// Starts again after `close`, the whole group; observers are notified of the new start. Not once its owner has freed it.
  public func reopen() -> Status {
    guard isClosed else { return .state }
    resumeAfterFork()
    guard lead.life.reopen() else { return .state }
    for client in environmentsOfGroup { _ = client.life.reopen() }
    scope.reopenStores()
    for client in companions {
      client.pending.reopen()
      client.observers.beginAnew()
    }
    callbacks.reopen()
    pluginLane.reopen()
    logLane.reopen()
    for client in companions { shim_and_u32(&client.hot.pointee.gate, ~Gate.closed) }
    open()
    return .ok
  }

  /// Closes the group at once if need be, without waiting, and breaks the cycle between clients and providers, so that
  /// all can be freed. Without effect on a further environment, which is freed with the first.
  public func dispose() {
    guard environment.isEmpty else { return }
    if !isClosed { _ = shutDown(withinMilliseconds: 0) }
    for client in companions { client.link.end() }
    let epoch = shim_epoch_advance()
    for client in companions {
      client.onScheduler {
        $0.provider?.detach()
        $0.removeObservers()
        $0.outlast(epoch)
      }
    }
  }

  /// Closes the group at once if need be, without waiting, and ends what is told of it: for a client that stays in memory.
  func retire() {
    if !isClosed { _ = shutDown(withinMilliseconds: 0) }
    for client in companions { client.removeObservers() }
  }

  /// Returns when no reading section can still hold the client that was found before its link ended.
  /// - Parameter pause: the first, in milliseconds; later ones are longer, as a section may contain a host call.
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
  let ended = Completion<FlushResult>()
  private let isStopped = Atomic(false)

  var hasEnded: Bool { isStopped.load(ordering: .acquiring) }

  /// On the scheduler's thread.
  func end(_ provider: (any Provider)?, _ result: FlushResult) {
    if isStopped.exchange(true, ordering: .acquiringAndReleasing) { return }
    provider?.stop()
    ended.give(result)
  }
}
