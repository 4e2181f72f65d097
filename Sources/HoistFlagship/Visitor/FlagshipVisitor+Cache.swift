internal import HoistBase
internal import HoistCore

/// What an earlier run has kept (FS-51, FS-100, FS-103; protocols/flagship.md 6.1).
extension FlagshipVisitor {
  /// Fetches wait from now on.
  func lookUpBegins() { lock.withLock { turns.beginLookUp() } }

  /// Takes over flags and assignments, and lets the fetches begin that have waited.
  /// - Parameter found: nil when nothing is kept, or nothing that can be used.
  func lookUpEnded(_ found: DecidedFlags?, of identity: VisitorIdentity) {
    guard let found else {
      for begin in lock.withLock({ turns.endLookUp() }) { begin() }
      return
    }
    let waiting = change { content, turns in
      // An answer for another visitor, or later than a fetch, is of no use.
      if content.identity == identity, !turns.hasBegun {
        content.flags = found.flags
        content.history = found.history
        // FS-52: without flags it is as if nothing were kept.
        if content.progress == .created, found.flags.count > 0 { content.progress = .foundInCache }
      }
      return turns.endLookUp()
    }
    withClient { $1.shared.flagsChanged(of: self, found.flags, found.source) }
    for begin in waiting { begin() }
  }

  /// The record of a state, or nothing where it must not be kept any more: asked when it is written.
  func recordToKeep(_ state: VisitorState) -> [UInt8]? { hasConsented ? state.record.json : nil }
}
