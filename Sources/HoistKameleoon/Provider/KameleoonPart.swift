internal import HoistCore

/// A concern of a client that also wants to know of each configuration.
protocol KameleoonPart: ClientPart {
  /// Another configuration is served from now on, also the first one; `snapshot` is borrowed for the call.
  func configurationChanged(_ snapshot: Snapshot)
}

extension KameleoonPart {
  func configurationChanged(_ snapshot: Snapshot) {}
}
