public import HoistCore

/// Makes Optimizely providers.
public struct OptimizelyFactory: ProviderFactory {
  public init() {}

  public var name: String { "optimizely" }
  public var properties: [Property] { OptimizelyProperties.table }

  public func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    try OptimizelyProvider(values, host)
  }

  public func sharesFetches(_ values: PropertyValues) -> Bool { true }

  public func storeIdentity(_ values: PropertyValues) -> String { "optimizely|\(values.text("sdk_key"))" }
}
