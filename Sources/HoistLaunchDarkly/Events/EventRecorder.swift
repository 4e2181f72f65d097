internal import HoistCore

/// Records what is sent back (4.4).
final class EventRecorder: LaunchDarklyPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: LaunchDarklySettings

  init(host: any ProviderHost, settings: LaunchDarklySettings) {
    self.host = host
    self.settings = settings
  }

  func track(_ event: TrackedEvent) -> Status { .unsupported }
}
