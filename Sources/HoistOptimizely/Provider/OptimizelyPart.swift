internal import HoistCore

/// A concern of a client that also wants to know of each datafile.
protocol OptimizelyPart: ClientPart {
  /// Another datafile is served from now on, also the first one; `snapshot` is borrowed for the call.
  func datafileChanged(_ snapshot: Snapshot)
}

extension OptimizelyPart {
  func datafileChanged(_ snapshot: Snapshot) {}
}
