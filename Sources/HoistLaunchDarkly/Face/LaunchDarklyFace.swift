public import HoistCore

/// What only LaunchDarkly clients can do, in LaunchDarkly's words. A view of a client; thread-safe.
public struct LaunchDarklyFace: Sendable {
  let client: Client
  let provider: LaunchDarklyProvider

  /// nil for a client of another service.
  public init?(_ client: Client) {
    guard let provider = client.provider as? LaunchDarklyProvider else { return nil }
    self.client = client
    self.provider = provider
  }
}
