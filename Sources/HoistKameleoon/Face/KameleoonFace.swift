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
  public var isReady: Bool { !client.isClosed && provider.readiness.isReady }
}

/// Visitors (KAM-11, KAM-12, KAM-14).
extension KameleoonFace {
  /// - Parameters:
  ///   - code: UTF-8; nil for the client's own visitor.
  ///   - waits: whether what an earlier run has left of the visitor is there when this returns; half a second limits it. On a
  ///     thread of the library's own it never is.
  /// - Throws: `.kameleoonVisitorCodeInvalid`; `.state` after close.
  public func visitor(_ code: [UInt8]?, waits: Bool = true) throws(Status) -> KameleoonVisitor {
    client.resumeAfterFork()
    guard !client.isClosed else { throw .state }
    return try provider.visitors.open(code, of: client, waits: waits)
  }
}

extension KameleoonFace {
  /// Why a visitor cannot be made, or something be read, for people.
  public static func reason(_ status: Status) -> String {
    switch status {
    case .kameleoonVisitorCodeInvalid: "a visitor code has 1 to \(VisitorCode.maximumLength) characters"
    case .state: "the client has closed"
    case .kameleoonSDKNotReady: "there is no configuration yet, or the client is closed"
    case .kameleoonFeatureNotFound: "the site has no such flag"
    case .kameleoonFeatureEnvironmentDisabled: "the flag is switched off in this environment"
    case .kameleoonFeatureVariationNotFound: "the flag has no such variation"
    default: "the visitor cannot be opened"
    }
  }
}
