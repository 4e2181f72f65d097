internal import HoistBase

/// A hash over what decides a flag's value, to tell which flags a new configuration changes. Members that
/// only inform (descriptions, dates) are left out; what a service never sends twice in another order is
/// hashed in its order.
struct Fingerprint {
  private(set) var value: UInt64 = 1

  mutating func add(_ number: some BinaryInteger) {
    value = Hash64.combine(value, UInt64(truncatingIfNeeded: number))
  }

  mutating func add(_ flag: Bool) { add(flag ? 1 : 2) }
  mutating func add(_ text: ByteView) { value = Hash64.combine(value, Hash64.hash(text)) }
  mutating func add(_ text: ByteView?) {
    if let text { add(text) } else { add(0) }
  }

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
