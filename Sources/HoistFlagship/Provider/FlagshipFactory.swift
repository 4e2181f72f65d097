public import HoistCore

/// Makes Flagship providers.
public struct FlagshipFactory: ProviderFactory {
  public init() {}

  public var name: String { "flagship" }
  public var properties: [Property] { FlagshipProperties.table }

  public func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    try FlagshipProvider(values, host)
  }

  public func logLevels(_ values: PropertyValues) -> LogLevels {
    guard values.isSet("log_level") else { return .upTo(LogLevel(name: values.text("log.level"))) }
    return VendorLogLevel(name: values.text("log_level")).levels
  }

  public func mode(_ values: PropertyValues) -> String { values.text("mode") }

  public func sharesFetches(_ values: PropertyValues) -> Bool { values.text("mode") == "bucketing" }

  public func storeIdentity(_ values: PropertyValues) -> String { "flagship|\(values.text("env_id"))" }
}
