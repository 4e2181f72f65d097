internal import HoistBase
public import HoistCore

/// What a client fetches with and what it reports with: the same, unless it was given a poller (UNL-19, UNL-38;
/// protocol D.3.5). Then the client's own address, key and headers are those of its metrics.
struct ClientSettings: Sendable {
  let fetching: UnleashSettings
  let fetchHeaders: (any HeaderProvider)?
  let reporting: UnleashSettings
  let reportHeaders: (any HeaderProvider)?
  /// The path of a bootstrap file; "" for none.
  let bootstrapPath: String

  init(_ values: PropertyValues, _ plugins: Plugins, entropy: any Entropy) throws(ConfigurationFailure) {
    guard let poller = plugins.vendor[UnleashPlugins.poller] as? UnleashPoller else {
      fetching = try UnleashSettings(values, entropy: entropy)
      (reporting, fetchHeaders, reportHeaders) = (fetching, plugins.headerProvider, plugins.headerProvider)
      bootstrapPath = values.text("bootstrap.file")
      try requireKey(plugins)
      return
    }
    var fetchValues = values
    fetchValues.take(UnleashPoller.properties, from: poller.values)
    fetching = try UnleashSettings(fetchValues, entropy: entropy)
    fetchHeaders = poller.headerProvider
    bootstrapPath = fetchValues.text("bootstrap.file")
    if values.text("url").isEmpty {
      (reporting, reportHeaders) = (fetching, fetchHeaders)
    } else {
      reporting = fetching.reporting(as: try UnleashSettings(values, entropy: entropy))
      reportHeaders = plugins.headerProvider
    }
    try requireKey(plugins)
  }

  /// UNL-11. Only the host's headers or transport can make up for a missing key.
  private func requireKey(_ plugins: Plugins) throws(ConfigurationFailure) {
    guard fetching.mode == .frontend, fetching.isOnline, fetching.url != nil, fetching.key.isEmpty else { return }
    let isGiven = fetching.customHeaders.contains { ASCII.equalsIgnoringCase($0.name, fetching.keyHeader) }
    if isGiven || fetchHeaders != nil || plugins.transport != nil { return }
    throw ConfigurationFailure("key", "property \"key\" is required, unless a header, a header provider or a transport brings it")
  }
}

/// Replaces a client's properties for fetching.
public struct UnleashPoller: Sendable {
  public let values: PropertyValues
  public let headerProvider: (any HeaderProvider)?

  public init(values: PropertyValues, headerProvider: (any HeaderProvider)?) {
    self.values = values
    self.headerProvider = headerProvider
  }

  /// What it brings of its own.
  static let properties = [
    "url", "key", "key_header", "refresh_interval", "refresh_jitter_percent", "custom_headers", "fetch_method",
    "bootstrap", "bootstrap.file", "bootstrap.override", "bootstrap.delays_fetch", "storage_ttl",
  ]
}
