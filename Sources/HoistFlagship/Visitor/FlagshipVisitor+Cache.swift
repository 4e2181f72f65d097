internal import HoistBase
internal import HoistCore

/// Data stored by an earlier run (FS-51, FS-100, FS-103; protocols/flagship.md 6.1).
extension FlagshipVisitor {
  /// Fetches wait from now on.
  func lookUpBegins() { lock.withLock { turns.beginLookUp() } }

  /// Takes over flags and assignments, and lets the fetches begin that have waited.
  /// - Parameter found: nil when nothing usable is stored.
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
        // FS-52: a record without flags counts as none.
        if content.progress == .created, found.flags.count > 0 { content.progress = .foundInCache }
      }
      return turns.endLookUp()
    }
    withClient { _, registry in
      registry.shared.flagsChanged(of: self, found.flags, found.source)
      if found.flags.count > 0, registry.shared.current === self, snapshotOfState.flags === found.flags {
        registry.following?.isFound()
      }
    }
    for begin in waiting { begin() }
  }

  /// The record of a state, or nil where it may no longer be stored; called when it is written.
  func recordToKeep(_ state: VisitorState) -> [UInt8]? { hasConsented ? state.record.json : nil }
}
