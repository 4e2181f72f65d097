internal import HoistCore

/// Sends exposures, and tells the host of those that arrived (3.4, 5.4; FS-26 to FS-29).
final class ActivateReporter: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: FlagshipSettings

  init(host: any ProviderHost, settings: FlagshipSettings) {
    self.host = host
    self.settings = settings
  }

  /// Everything of a visitor goes, what is on its way included (5.6). Any thread.
  func forget(subject: [UInt8]) {}
}
