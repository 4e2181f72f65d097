internal import HoistBase
internal import HoistCore

/// A client's configuration as usage reports contain it: nothing of visitors, and no addresses that the host has set.
struct ClientFacts {
  let settings: FlagshipSettings
  let status: SDKStatus
  let plugins: Plugins
  let hearsOfExposures: Bool
  let startedMilliseconds: Int64

  var values: [(String, String)] {
    let isVendorsAddress = settings.addresses.campaigns.hasPrefix("https://decision.flagship.io/")
    return [
      ("sdk.status", status.vendorName),
      ("sdk.config.mode", settings.mode == .bucketing ? "BUCKETING" : "DECISION_API"),
      ("sdk.config.timeout", String(settings.decisionTimeoutMilliseconds)),
      ("sdk.config.pollingTime", String(settings.pollingSeconds * 1000)),
      ("sdk.config.usingCustomLogManager", String(plugins.logSink != nil)),
      ("sdk.config.usingCustomHitCache", String(plugins.vendor[FlagshipPlugins.hitCache] != nil)),
      ("sdk.config.usingCustomVisitorCache", String(plugins.vendor[FlagshipPlugins.visitorCache] != nil)),
      ("sdk.config.usingOnVisitorExposed", String(hearsOfExposures)),
      ("sdk.config.decisionApiUrl", isVendorsAddress ? "https://decision.flagship.io/v2/" : "custom"),
      ("sdk.config.logLevel", settings.logLevel),
      ("sdk.config.trackingManager.strategy", settings.hits.strategy.vendorName),
      ("sdk.config.trackingManager.batchIntervals", String(settings.hits.intervalMilliseconds)),
      ("sdk.config.trackingManager.poolMaxSize", String(settings.hits.poolSize)),
      ("sdk.lastInitializationTimestamp", RFC3339.text(unixMilliseconds: startedMilliseconds, precision: .milliseconds)),
    ]
  }
}

extension SDKStatus {
  /// What the vendor calls it.
  public var vendorName: String {
    switch self {
    case .notInitialized: "SDK_NOT_INITIALIZED"
    case .initializing: "SDK_INITIALIZING"
    case .initialized: "SDK_INITIALIZED"
    case .panic: "SDK_PANIC"
    }
  }
}
