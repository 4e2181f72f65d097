public import HoistCore

/// What only Optimizely clients can do, in Optimizely's words. A view of a client; thread-safe.
public struct OptimizelyFace: Sendable {
  let client: Client
  let provider: OptimizelyProvider

  /// nil for a client of another service.
  public init?(_ client: Client) {
    guard let provider = client.provider as? OptimizelyProvider else { return nil }
    self.client = client
    self.provider = provider
  }

  /// The datafile that is served, as it was sent; nil before there is one, and after close.
  public var datafile: [UInt8]? { served?.bytes }
  public var revision: [UInt8]? { served?.revision }
  public var datafileOrigin: DatafileOrigin? { served?.origin }

  /// `getOptimizelyConfig` (OPT-70).
  public var configJSON: [UInt8]? { served.flatMap { try? OptimizelyConfigText.json(ofDatafile: $0.bytes) } }

  private var served: ServedDatafile? {
    client.isClosed ? nil : provider.served.withLock { $0 }
  }
}
