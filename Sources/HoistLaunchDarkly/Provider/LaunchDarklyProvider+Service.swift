internal import HoistCore

/// What the service sends, on the scheduler's thread.
extension LaunchDarklyProvider: SynchronizerDelegate {
  func take(_ message: FlagMessage) -> FlagOutcome { flags.apply(message) }

  func confirmed() { flags.confirm() }

  func unauthorized() { online.forceOffline() }
}
