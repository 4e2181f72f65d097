import HoistBase
import HoistCore
import HoistTestSupport

@testable import HoistUnleash

/// Options as a host would set them.
func unleashOptions(_ properties: [String: String] = [:]) throws -> UnleashSettings {
  var values = PropertyValues(table: CoreProperties.table + UnleashProperties.table)
  let defaults = ["url": "https://flags.test/api/frontend", "key": "*:dev.secret", "app_name": "shop"]
  for (name, value) in defaults.merging(properties, uniquingKeysWith: { $1 }) { try values.set(name, value) }
  return try UnleashSettings(values, entropy: SeededEntropy(seed: 1))
}
