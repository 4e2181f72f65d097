public import HoistCore

/// What only Flagship clients can do, in Flagship's words. A view of a client; thread-safe.
public struct FlagshipFace: Sendable {
  let client: Client
  let provider: FlagshipProvider

  /// nil for a client of another service.
  public init?(_ client: Client) {
    guard let provider = client.provider as? FlagshipProvider else { return nil }
    self.client = client
    self.provider = provider
  }

  /// `getStatus` (FS-38).
  public var status: SDKStatus { client.isClosed ? .notInitialized : provider.status.current }

  /// - Returns: a token for `Client.unobserve`; 0 when there is no room.
  @discardableResult
  public func observe(_ observer: any FlagshipObserver) -> UInt64 { provider.status.observers.add(observer) }
}
