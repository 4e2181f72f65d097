internal import HoistCore

/// Visitors (FS-30 to FS-37).
extension FlagshipFace {
  /// With property `fetch.at_creation` its first fetch has begun (FS-212).
  /// - Parameter waits: whether the look-up in the visitor cache has ended when this returns; its timeout limits it. On a
  ///   thread of the library's own it never has.
  /// - Returns: nil when memory ran out.
  public func visitor(_ options: VisitorOptions, waits: Bool = true) -> FlagshipVisitor? {
    client.resumeAfterFork()
    let visitor = provider.visitors.make(options, for: client, waits: waits)
    if provider.settings.visitors.fetchesAtCreation { _ = visitor?.fetch(completion: nil) }
    return visitor
  }

  /// The default consent of visitors (FS-34).
  public var visitorsConsent: Bool { provider.settings.visitors.hasConsented }

  /// `sharedVisitor`, `getVisitor` (FS-31); nil before there is one, and after close.
  public var sharedVisitor: FlagshipVisitor? { client.isClosed ? nil : provider.visitors.shared.current }
}
