internal import HoistBase
internal import HoistCore

/// What of Unleash's features counts.
extension Fingerprint {
  mutating func add(_ feature: FeatureDefinition, segment: (Int32) -> UInt64?) {
    add(feature.name, feature.enabled, feature.impressionData, feature.strategies.count)
    for strategy in feature.strategies {
      add(strategy.name, strategy.parameters.count)
      for parameter in strategy.parameters { add(parameter.name, parameter.value) }
      add(strategy.constraints, strategy.segments.map { segment($0) ?? 0 }, strategy.variants)
    }
    add(feature.variants, feature.dependencies)
  }
}

extension DependencyDefinition: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) { fingerprint.add(feature, enabled, variants) }
}

extension ConstraintDefinition: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) {
    fingerprint.add(contextName, operatorName, values, value, inverted, caseInsensitive)
  }
}

extension VariantDefinition: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) { fingerprint.add(name, weight, stickiness, payload, overrides) }
}

extension PayloadDefinition: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) { fingerprint.add(type, value) }
}

extension OverrideDefinition: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) { fingerprint.add(contextName, values) }
}
