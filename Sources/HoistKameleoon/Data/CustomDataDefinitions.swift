/// One entry of the configuration's `customData` (protocols/kameleoon.md 2.3).
struct CustomDataDefinition: Sendable, Equatable {
  /// What a flag's bucketing names; 0 for none.
  var id: Int64
  var index: Int64
  /// Empty for none.
  var name: [UInt8]
  /// Whether it belongs to the visitor, on every device.
  var isVisitorScoped = false
  /// Whether it is never sent.
  var isLocalOnly = false
  var isMappingIdentifier = false
}

/// What the configuration says of custom data. Immutable; any thread.
final class CustomDataDefinitions: Sendable {
  /// In the configuration's order; entries without an index are left out.
  let all: [CustomDataDefinition]
  /// With several the last one counts.
  let mappingIndex: Int64?

  init(_ definitions: [CustomDataDefinition]) {
    all = definitions
    mappingIndex = definitions.last { $0.isMappingIdentifier }?.index
  }

  func index(named name: [UInt8]) -> Int64? { all.last { $0.name == name }?.index }
  func isLocalOnly(_ index: Int64) -> Bool { all.contains { $0.index == index && $0.isLocalOnly } }
  func isVisitorScoped(_ index: Int64) -> Bool { all.contains { $0.index == index && $0.isVisitorScoped } }
}
