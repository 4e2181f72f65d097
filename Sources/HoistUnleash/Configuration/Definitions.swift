internal import HoistBase

/// A flag as the document has it. Texts are borrowed from the document.
struct FeatureDefinition {
  var name = ByteView.noBytes
  var enabled = false
  var stale = false
  var impressionData = false
  var type: ByteView?
  var project: ByteView?
  var description: ByteView?
  var strategies: [StrategyDefinition] = []
  var variants: [VariantDefinition] = []
  var dependencies: [DependencyDefinition] = []
}

struct StrategyDefinition {
  var name = ByteView.noBytes
  var parameters: [(name: ByteView, value: ByteView)] = []
  var constraints: [ConstraintDefinition] = []
  var segments: [Int32] = []
  var variants: [VariantDefinition] = []

  func parameter(_ name: StaticString) -> ByteView? {
    parameters.first { $0.name.reads(name) }?.value
  }
}

struct ConstraintDefinition {
  var contextName = ByteView.noBytes
  var operatorName = ByteView.noBytes
  var values: [ByteView] = []
  var value: ByteView?
  var inverted = false
  var caseInsensitive = false
}

struct VariantDefinition {
  var name = ByteView.noBytes
  var weight: Int32 = 0
  var stickiness: ByteView?
  var payload: PayloadDefinition?
  var overrides: [OverrideDefinition] = []
}

struct PayloadDefinition {
  var type: ByteView
  var value: ByteView
}

struct OverrideDefinition {
  var contextName = ByteView.noBytes
  var values: [ByteView] = []
}

struct DependencyDefinition {
  var feature = ByteView.noBytes
  var enabled = true
  var variants: [ByteView] = []
}

struct SegmentDefinition {
  var id: Int32 = 0
  var constraints: [ConstraintDefinition] = []
}
