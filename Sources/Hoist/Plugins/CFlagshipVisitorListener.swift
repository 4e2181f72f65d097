internal import CHoist
internal import HoistFlagship

/// Callbacks of a visitor. `release` runs when the visitor, and the last call, let go of it.
final class CFlagshipVisitorListener: HostAdapter<hoist_flagship_visitor_options>, VisitorListener, @unchecked Sendable {
  /// Also for `release` alone, which then runs with the visitor.
  var isNeeded: Bool {
    table.fetch_changed != nil || table.fetch_required != nil || table.fetched != nil || table.release != nil
  }

  func fetchStatusChanged(_ visitor: FlagshipVisitor, _ status: FetchStatus, _ reason: FetchReason) {
    Handle.lend(visitor) { handle in
      table.fetch_changed?(table.user_data, handle, status.rawValue, reason.rawValue)
      switch status {
      case .fetchRequired: table.fetch_required?(table.user_data, handle, reason.rawValue)
      case .fetched: table.fetched?(table.user_data, handle)
      case .fetching, .panic: break
      }
    }
  }
}
