internal import HoistBase
internal import HoistCore

/// Asks the prediction server of contextual bandits (OPT-94).
final class PredictionService: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: OptimizelySettings
  private let lock = Lock()
  /// Guarded by `lock`.
  private var cache = PredictionCache()

  init(host: any ProviderHost, settings: OptimizelySettings) {
    self.host = host
    self.settings = settings
  }
}
