internal import HoistCore

extension FlagshipVisitorRegistry {
  /// Whether other services are asked before a fetch is decided.
  var isEnriched: Bool { segments?.isWanted ?? false && status.current != .notInitialized }

  /// Adds data of other services to the visitor's context, then calls `goOn`: at once where no service is used, and for a
  /// visitor without consent, whose id goes nowhere (FS-65, FS-207, FS-209).
  func enrich(_ visitor: FlagshipVisitor, _ call: FetchCall?, then goOn: @escaping @Sendable () -> Void) {
    guard let segments, isEnriched, visitor.hasConsented else { return goOn() }
    let automatic = automatic
    host.scheduler.post {
      segments.gather(visitor.id, call) { pairs in
        visitor.learn(pairs, automatic)
        goOn()
      }
    }
  }
}

extension FlagshipVisitor {
  /// Pairs that the fetch which is under way has brought: it is decided with them, and they ask for no other.
  fileprivate func learn(_ learned: [Attribute], _ automatic: AutomaticContext) {
    if learned.isEmpty { return }
    change { content, _ in
      var pairs = content.pairs
      pairs.set(learned) { _ in }
      guard pairs != content.pairs, let context = automatic.reference(pairs, visitorID: content.identity.visitorID) else {
        return
      }
      content.pairs = pairs
      content.context = context
    }
  }
}
