internal import HoistCore

/// A concern of a client that also wants to know of contexts and of the network.
protocol LaunchDarklyPart: ClientPart {
  /// This is the current context from now on, at the start or by an identify, which may repeat the one before.
  func identified(_ context: LDContext)
  /// The client has gone online, or offline.
  func onlineChanged(_ isOnline: Bool)
}

extension LaunchDarklyPart {
  func identified(_ context: LDContext) {}
  func onlineChanged(_ isOnline: Bool) {}
}
