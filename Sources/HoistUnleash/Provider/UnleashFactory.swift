public import HoistCore

/// Makes Unleash providers.
public struct UnleashFactory: ProviderFactory {
  public init() {}

  public var name: String { "unleash" }
  public var properties: [Property] { UnleashProperties.table }

  public func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    try UnleashProvider(values, host)
  }

  public func storeIdentity(_ values: PropertyValues) -> String {
    "unleash|\(values.text("mode"))|\(values.text("url"))|\(values.text("key"))"
  }
}
