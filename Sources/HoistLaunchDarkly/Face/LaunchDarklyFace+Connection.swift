public import HoistCore

/// How the client is connected (LD-16, LD-74, LD-92; protocols/launchdarkly.md 5.7, 5.8).
extension LaunchDarklyFace {
  public var connectionInformation: ConnectionInformation { provider.connection.information }
  public var dataSource: DataSourceStatus { provider.connection.dataSource }

  /// For all environments of the client.
  public func setInBackground(_ isInBackground: Bool) -> Status {
    guard client.state != .closed else { return .state }
    client.resumeAfterFork()
    client.onScheduler { client in
      for case let provider as LaunchDarklyProvider in client.providersOfGroup { provider.setInBackground(isInBackground) }
    }
    return .ok
  }
}
