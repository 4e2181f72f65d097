public import HoistCore

/// Makes LaunchDarkly providers.
public struct LaunchDarklyFactory: ProviderFactory {
  public init() {}

  public var name: String { "launchdarkly" }
  public var properties: [Property] { LaunchDarklyProperties.table }

  public func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    try LaunchDarklyProvider(values, host)
  }

  public func storeIdentity(_ values: PropertyValues) -> String { "launchdarkly|\(values.text("mobile_key"))" }
}
