internal import HoistCore

/// Gathers hits and sees to their delivery in batches (5.5; FS-14 to FS-20).
final class HitPool: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: FlagshipSettings

  init(host: any ProviderHost, settings: FlagshipSettings) {
    self.host = host
    self.settings = settings
  }

  /// Everything of a visitor goes, what is on its way included (5.6). Any thread.
  func forget(subject: [UInt8]) {}
}
