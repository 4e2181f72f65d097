internal import HoistBase
internal import HoistCore

/// What of Unleash's features counts.
extension Fingerprint {
  mutating func add(_ feature: FeatureDefinition, segment: (Int32) -> UInt64?) {
    add(feature.name)
    add(feature.enabled)
    add(feature.impressionData)
    add(feature.strategies.count)
    for strategy in feature.strategies { add(strategy, segment: segment) }
    add(feature.variants.count)
    for variant in feature.variants { add(variant) }
    add(feature.dependencies.count)
    for dependency in feature.dependencies {
      add(dependency.feature)
      add(dependency.enabled)
      add(dependency.variants)
    }
  }

  mutating func add(_ constraints: [ConstraintDefinition]) {
    add(constraints.count)
    for constraint in constraints {
      add(constraint.contextName)
      add(constraint.operatorName)
      add(constraint.values)
      add(constraint.value)
      add(constraint.inverted)
      add(constraint.caseInsensitive)
    }
  }

  private mutating func add(_ strategy: StrategyDefinition, segment: (Int32) -> UInt64?) {
    add(strategy.name)
    add(strategy.parameters.count)
    for parameter in strategy.parameters {
      add(parameter.name)
      add(parameter.value)
    }
    add(strategy.constraints)
    add(strategy.segments.count)
    for id in strategy.segments { add(segment(id) ?? 0) }
    add(strategy.variants.count)
    for variant in strategy.variants { add(variant) }
  }

  private mutating func add(_ variant: VariantDefinition) {
    add(variant.name)
    add(variant.weight)
    add(variant.stickiness)
    add(variant.payload?.type)
    add(variant.payload?.value)
    add(variant.overrides.count)
    for override in variant.overrides {
      add(override.contextName)
      add(override.values)
    }
  }

  private mutating func add(_ texts: [ByteView]) {
    add(texts.count)
    for text in texts { add(text) }
  }
}
