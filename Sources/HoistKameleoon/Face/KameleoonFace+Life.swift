public import HoistCore

/// Readiness, and notifications about the service.
extension KameleoonFace {
  /// `runWhenReady` (KAM-18, KAM-19).
  /// - Parameters:
  ///   - timeoutMilliseconds: negative for no limit; 0 decides at once.
  ///   - completion: once if the result is `.ok`, on the delivery lane or in the call that closes the client: true as soon as
  ///     the client is ready, false when the time is over first.
  /// - Returns: `.state` after close, `.limit` when too many calls are under way.
  public func runWhenReady(timeoutMilliseconds: Int64, _ completion: @escaping @Sendable (Bool) -> Void) -> Status {
    guard !client.isClosed else { return .state }
    client.resumeAfterFork()
    let readiness = provider.readiness
    return client.promise({ completion($0 == .ok) }) { tell in
      client.onScheduler { _ in readiness.wait(milliseconds: timeoutMilliseconds, tell) }
      return .ok
    }
  }

  /// The same, waiting (KAM-B04).
  /// - Returns: `.ok` when ready, `.timeout`; `.network` when a fetch has failed and property `ready.fails_fast` is set;
  ///   `.state` after close and on a thread of the library's own; `.cancelled` when the client closes meanwhile.
  public func waitReady(timeoutMilliseconds: Int64) -> Status {
    let readiness = provider.readiness
    // What waits in the provider ends in time.
    return client.wait(timeoutMilliseconds: -1) { _, tell in readiness.wait(milliseconds: timeoutMilliseconds, tell) }
  }

  /// Registers an observer, which is called on the delivery lane; nil for what it does not ask for.
  /// - Parameters:
  ///   - updateConfiguration: a real-time event has brought a new configuration (KAM-43).
  ///   - datafileUpdate: a new configuration has come from the service, however (KAM-B23).
  ///   - httpRequest: an attempt at a request has ended (KAM-B23).
  /// - Returns: a token for `Client.unobserve`; 0 when there is no room.
  @discardableResult
  public func observe(
    updateConfiguration: (@Sendable () -> Void)? = nil, datafileUpdate: (@Sendable (DatafileUpdate) -> Void)? = nil,
    httpRequest: (@Sendable (RequestAttempt) -> Void)? = nil
  ) -> UInt64 {
    provider.reports.observers.add(
      ServiceReports.Handlers(
        updateConfiguration: updateConfiguration, datafileUpdate: datafileUpdate, httpRequest: httpRequest))
  }
}
