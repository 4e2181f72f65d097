internal import HoistCore

/// Visitors (FS-30 to FS-37).
extension FlagshipFace {
  /// - Parameter waits: whether the look-up in the visitor cache has ended when this returns; its timeout limits it. On a
  ///   thread of the library's own it never has.
  /// - Returns: nil when memory ran out.
  public func visitor(_ options: VisitorOptions, waits: Bool = true) -> FlagshipVisitor? {
    client.resumeAfterFork()
    return provider.visitors.make(options, for: client, waits: waits)
  }

  /// What visitors are whose consent nobody has told (FS-34).
  public var visitorsConsent: Bool { provider.settings.visitors.hasConsented }

  /// `sharedVisitor`, `getVisitor` (FS-31); nil before there is one, and after close.
  public var sharedVisitor: FlagshipVisitor? { client.state == .closed ? nil : provider.visitors.shared.current }
}
