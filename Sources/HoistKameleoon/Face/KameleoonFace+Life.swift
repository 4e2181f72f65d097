public import HoistCore

/// Readiness, and what the host is told of the service.
extension KameleoonFace {
  /// `runWhenReady` (KAM-18, KAM-19).
  /// - Parameters:
  ///   - timeoutMilliseconds: negative for the vendor's ten seconds; 0 decides at once.
  ///   - completion: once if the result is `.ok`, on the delivery lane or in the call that closes the client: true as soon as
  ///     the client is ready, false when the time is over first.
  /// - Returns: `.state` after close, `.limit` when too many calls are under way.
  public func runWhenReady(timeoutMilliseconds: Int64, _ completion: @escaping @Sendable (Bool) -> Void) -> Status {
    guard client.state != .closed else { return .state }
    client.resumeAfterFork()
    let readiness = provider.readiness
    return client.promise({ completion($0 == .ok) }) { tell in
      client.onScheduler { _ in readiness.wait(milliseconds: Self.limit(timeoutMilliseconds), tell) }
      return .ok
    }
  }

  /// The same, waiting (KAM-B04).
  /// - Returns: `.ok` when ready, `.timeout`; `.network` when a fetch has failed and property `ready.fails_fast` is set;
  ///   `.state` after close and on a thread of the library's own; `.cancelled` when the client closes meanwhile.
  public func waitReady(timeoutMilliseconds: Int64) -> Status {
    let readiness = provider.readiness
    let limit = Self.limit(timeoutMilliseconds)
    // What waits in the provider ends in time.
    return client.wait(timeoutMilliseconds: -1) { _, tell in readiness.wait(milliseconds: limit, tell) }
  }

  private static func limit(_ milliseconds: Int64) -> Int64 { milliseconds < 0 ? standardMilliseconds : milliseconds }
  private static let standardMilliseconds: Int64 = 10_000

  /// `updateConfigurationHandler` (KAM-43): called on the delivery lane when a real-time event has brought a new configuration;
  /// nil for none.
  public func onUpdateConfiguration(_ handler: (@Sendable () -> Void)?) {
    provider.reports.change { $0.updateConfiguration = handler }
  }

  /// Called on the delivery lane after every new configuration that has come from the service (KAM-B23); nil for none.
  public func onDatafileUpdate(_ handler: (@Sendable (DatafileUpdate) -> Void)?) {
    provider.reports.change { $0.datafileUpdate = handler }
  }

  /// Called on the delivery lane after every attempt at a request (KAM-B23); nil for none.
  public func onHTTPRequest(_ handler: (@Sendable (RequestAttempt) -> Void)?) {
    provider.reports.change { $0.httpRequest = handler }
  }
}
