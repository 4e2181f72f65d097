internal import HoistBase
internal import HoistCore

/// Sends events to the data platform (OPT-68).
final class PlatformEventReporter: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: OptimizelySettings

  init(host: any ProviderHost, settings: OptimizelySettings) {
    self.host = host
    self.settings = settings
  }
}
