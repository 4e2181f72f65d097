public import HoistCore

extension FlagshipFace {
  /// Starts what was not started, or was closed (FS-02, FS-43); harmless while the client runs.
  /// - Returns: `.state` while the client closes.
  public func start() -> Status {
    if client.state == .closed {
      let status = client.reopen()
      if status != .ok { return status }
    }
    client.resumeAfterFork()
    let provider = provider
    client.onScheduler { _ in provider.begin() }
    return .ok
  }
}
