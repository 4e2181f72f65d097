public import HoistCore

/// What only LaunchDarkly clients can do whose flags the service decides, in LaunchDarkly's words. A view of a client;
/// thread-safe.
public struct LaunchDarklyFace: Sendable {
  let client: Client
  let provider: LaunchDarklyProvider

  /// nil for a client of another service, and in mode server.
  public init?(_ client: Client) {
    guard let provider = client.provider as? LaunchDarklyProvider else { return nil }
    self.client = client
    self.provider = provider
  }
}

/// Background (LD-74; protocols/launchdarkly.md 5.7).
extension LaunchDarklyFace {
  /// For all environments of the client.
  public func setInBackground(_ isInBackground: Bool) -> Status {
    guard !client.isClosed else { return .state }
    client.resumeAfterFork()
    client.onScheduler { client in
      for case let provider as LaunchDarklyProvider in client.providersOfGroup { provider.life.setForeground(!isInBackground) }
    }
    return .ok
  }
}

/// Flags in LaunchDarkly's words; any thread.
extension LaunchDarklyFace {
  /// Every flag's value as a JSON object (LD-25), null included; nil before the start and after the close. Counts nothing.
  public var allFlags: [UInt8]? {
    client.isClosed ? nil : (client as any ProviderHost).allFlagValues()
  }
}
