public import HoistCore
internal import HoistJSON

extension FlagshipFace {
  /// Starts what was not started, or was closed (FS-02, FS-43); harmless while the client runs.
  /// - Returns: `.state` while the client closes.
  public func start() -> Status {
    if client.isClosed {
      let status = client.reopen()
      if status != .ok { return status }
    }
    client.resumeAfterFork()
    let provider = provider
    provider.begins()
    client.onScheduler { _ in provider.life.start() }
    return .ok
  }

  /// Sends what a host has collected for the emotion score (FS-207).
  /// - Parameters:
  ///   - event: a JSON object.
  ///   - completion: once if the result is `.ok`, on the delivery lane or in the call that closes the client.
  /// - Returns: `.parse` for what is no object, `.state` after close.
  public func collectEmotion(_ event: [UInt8], completion: (@Sendable (Status) -> Void)?) -> Status {
    let isObject = try? event.withUnsafeBytes { text throws(JSONFailure) in try JSONNode.parse(text) { $0.object != nil } }
    guard isObject == true else { return .parse }
    guard !client.isClosed else { return .state }
    let segments = provider.segments
    return client.promise(completion) { [client] tell in
      client.onScheduler { _ in segments.collect(event, completion: tell) }
      return .ok
    }
  }
}
