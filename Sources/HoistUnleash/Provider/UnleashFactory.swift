public import HoistCore

/// Makes Unleash providers.
public struct UnleashFactory: ProviderFactory {
  public init() {}

  public var name: String { "unleash" }
  public var properties: [Property] { UnleashProperties.table }

  public func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    try UnleashProvider(values, host)
  }

  public func mode(_ values: PropertyValues) -> String { values.text("mode") }

  /// Definitions are the same for all, toggles are of a context.
  public func sharesFetches(_ values: PropertyValues) -> Bool { values.text("mode") == "backend" }

  public func storeIdentity(_ values: PropertyValues) -> String {
    let headers = values.textMap("custom_headers").map { (name: $0.key, value: $0.value) }
    let credential = UnleashSettings.credential(key: values.text("key"), keyHeader: values.text("key_header"), headers)
    return "unleash|\(values.text("mode"))|\(values.text("url"))|\(credential)"
  }

  /// What is not sent yet goes where the client reports to, and no other client sends it.
  public func storeIdentity(_ values: PropertyValues, _ plugins: Plugins) -> String {
    guard let poller = plugins.vendor[UnleashPlugins.poller] as? UnleashPoller else { return storeIdentity(values) }
    var fetching = values
    fetching.take(UnleashPoller.properties, from: poller.values)
    let reporting = values.text("url").isEmpty ? fetching : values
    return "\(storeIdentity(reporting))|\(storeIdentity(fetching))"
  }
}
