public import HoistCore

/// What only Kameleoon clients can do, in Kameleoon's words. A view of a client; thread-safe.
public struct KameleoonFace: Sendable {
  let client: Client
  let provider: KameleoonProvider

  /// nil for a client of another service.
  public init?(_ client: Client) {
    guard let provider = client.provider as? KameleoonProvider else { return nil }
    self.client = client
    self.provider = provider
  }

  /// `ready` (KAM-17).
  public var isReady: Bool { client.state != .closed && provider.readiness.isReady }
}
