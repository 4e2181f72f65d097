internal import HoistCore

/// Where one process fetches for all that share the store.
extension FlagSource: SharedFetchDelegate {
  var sharedName: String { "definitions" }

  func sharedFetchIsDue() {
    guard isRunning, canFetch else { return }
    // The store has lost what the stream has brought.
    if service.isStreaming { return saving.ask() }
    if loop.goesOn || options.fetchMode == .streaming { loop.fetchAgain() }
  }

  func sharedFetchLeads(_ isLeading: Bool) {
    guard !isLeading else { return }
    saving.drop()
    service.endStream()
  }

  /// Fetches are answered from the store, which another process fills.
  var isFollowing: Bool { shared?.isFollowing ?? false }
  /// Of the processes that share what one of them fetches, that one streams.
  var mayStream: Bool { shared?.isLeading ?? true }
}
