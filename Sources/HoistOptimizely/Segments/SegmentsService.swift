internal import HoistBase
internal import HoistCore

/// Asks the data platform for visitors' segments (OPT-67).
final class SegmentsService: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: OptimizelySettings
  /// What the datafile says of the platform; nil before there is one.
  private let integration = Shared<SegmentsSettings?>(nil)

  init(host: any ProviderHost, settings: OptimizelySettings) {
    self.host = host
    self.settings = settings
  }

  func datafileChanged(_ snapshot: Snapshot) {
    let current = SegmentsSettings(snapshot)
    integration.withLock { $0 = current }
  }

  var current: SegmentsSettings? { integration.withLock { $0 } }
}
