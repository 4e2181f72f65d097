public import HoistCore

/// Makes Kameleoon providers.
public struct KameleoonFactory: ProviderFactory {
  public init() {}

  public var name: String { "kameleoon" }
  public var properties: [Property] { KameleoonProperties.table }

  public func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    try KameleoonProvider(values, host)
  }

  /// Visitors belong to a site and an environment (4.6).
  public func sharesFetches(_ values: PropertyValues) -> Bool { true }

  public func storeIdentity(_ values: PropertyValues) -> String {
    "kameleoon|\(values.text("site_code"))|\(values.text("environment"))"
  }
}
