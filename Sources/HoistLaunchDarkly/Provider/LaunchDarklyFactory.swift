public import HoistCore

/// Makes LaunchDarkly providers.
public struct LaunchDarklyFactory: ProviderFactory {
  public init() {}

  public var name: String { "launchdarkly" }
  public var properties: [Property] { LaunchDarklyProperties.table }

  public func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    if isServer(values) { return try ServerProvider(values, host) }
    if host.plugins.bigSegmentStore != nil || host.plugins.rulesStore != nil {
      throw ConfigurationFailure("mode", "stores of rules and of big segments are for property \"mode\" server")
    }
    for doubt in ServerSettings.ignored(ServerSettings.serverOnly, values, "mode server") { host.log.warning(doubt) }
    return try LaunchDarklyProvider(values, host)
  }

  private func isServer(_ values: PropertyValues) -> Bool { values.text("mode") == "server" }

  public func mode(_ values: PropertyValues) -> String {
    if !isServer(values) { return values.text("streaming_mode") }
    return "server, " + (values.boolean("daemon_mode") ? "daemon" : values.text("streaming_mode"))
  }

  /// Rules are the same for all, flags are of a context.
  public func sharesFetches(_ values: PropertyValues) -> Bool { isServer(values) }

  public func storeIdentity(_ values: PropertyValues) -> String {
    "launchdarkly|\(isServer(values) ? "server|" : "")\(values.text("mobile_key"))"
  }

  public func environments(_ values: PropertyValues) -> [(name: String, values: PropertyValues)] {
    guard !isServer(values), let settings = try? LaunchDarklySettings(values) else { return [] }
    return settings.secondaryMobileKeys.sorted { $0.key < $1.key }.map { name, key in
      var own = values
      // The table takes any text for these.
      try? own.set("mobile_key", key.reveal())
      try? own.set("secondary_mobile_keys", "{}")
      return (name, own)
    }
  }
}
