internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Variants and counters (protocols/unleash.md C.8, C.11, D.4).
extension FeatureCompiler {
  static var variantSeed: UInt32 { 86_028_157 }

  /// Adds the flag's own variants and those of its strategies, and gives the flag its counters: yes, no, one
  /// for each name of a variant, "disabled".
  mutating func addVariants(
    _ feature: FeatureDefinition, _ strategies: inout [StrategyRecord], _ record: inout UnleashFlagRecord
  ) {
    var table = VariantTable()
    if !feature.variants.isEmpty {
      record.variantSet = addSet(
        feature.variants, group: feature.name, stickiness: feature.variants.first?.stickiness, to: &table)
    }
    // A flag that cannot be compiled has no strategies to give variants to.
    for index in strategies.indices where !feature.strategies[index].variants.isEmpty {
      let strategy = feature.strategies[index]
      strategies[index].variantSet = addSet(
        strategy.variants, group: strategy.parameter("groupId") ?? feature.name,
        stickiness: strategy.parameter("stickiness"), to: &table)
    }
    record.variants = builder.append(contentsOf: table.records)
    record.variantCount = UInt32(table.records.count)
    guard options.countsReads else { return }
    record.traits.insert(.counted)
    record.head.cellCount = UInt32(table.cells.count) + 3
    record.head.firstCell = builder.cells(record.head.cellCount)
    // Only now it is known which counter comes last.
    for index in table.records.indices where table.records[index].cell == VariantTable.disabledCell {
      table.records[index].cell = record.head.cellCount - 1
      builder.store(table.records[index], at: record.variants.at(index))
    }
  }

  private mutating func addSet(
    _ variants: [VariantDefinition], group: ByteView, stickiness: ByteView?, to table: inout VariantTable
  ) -> Place<VariantSet> {
    var set = VariantSet(first: UInt32(table.records.count), count: UInt32(variants.count))
    set.groupName = builder.text(group)
    set.group = Murmur3State(group, seed: Self.variantSeed)
    set.group.append(0x3A)
    if let stickiness, !stickiness.reads("default") { set.field = field(stickiness) }
    var overrides: [OverrideRecord] = []
    for variant in variants {
      let weight = UInt32(max(variant.weight, 0))
      set.total += UInt64(weight)
      for override in variant.overrides {
        overrides.append(
          OverrideRecord(
            variant: UInt32(table.records.count), field: field(override.contextName),
            values: valueList(override.values)))
      }
      var made = VariantRecord(name: builder.text(variant.name), upTo: set.total, weight: weight)
      made.cell = table.cell(of: variant.name)
      if let payload = variant.payload { made.setPayload(payload, &builder) }
      table.records.append(made)
    }
    set.overrides = builder.append(contentsOf: overrides)
    set.overrideCount = UInt32(overrides.count)
    return builder.append(set)
  }
}

/// The variants of one flag as they are gathered.
struct VariantTable {
  static var disabledCell: UInt32 { .max }

  var records: [VariantRecord] = []
  /// Counters of names, after yes and no.
  private(set) var cells: [BytesKey: UInt32] = [:]

  /// The counter of a variant's name; `disabledCell` for the name that flags without variants count.
  mutating func cell(of name: ByteView) -> UInt32 {
    if name.reads("disabled") { return Self.disabledCell }
    let next = UInt32(cells.count) + 2
    let key = BytesKey(name)
    if let known = cells[key] { return known }
    cells[key] = next
    return next
  }
}

extension VariantRecord {
  /// Reads the payload's text as what its type says, once (C.11).
  mutating func setPayload(_ sent: PayloadDefinition, _ builder: inout SnapshotBuilder) {
    let (type, value) = (sent.type, sent.value)
    (payloadType, payload) = (builder.text(type), builder.text(value))
    if type.reads("string") {
      payloadKind = .string
    } else if type.reads("csv") {
      payloadKind = .csv
    } else if type.reads("json") {
      payloadKind = .json
      isJSON = (try? JSONNode.parse(value) { _ in }) != nil
    } else if type.reads("number") {
      payloadKind = .number
      if let number = DecimalParser.parse(value, [.plusSign, .leadingZeros, .bareFraction, .bareWhole]), number.isFinite {
        (self.number, isNumber) = (number, true)
      }
      if let integer = IntegerParser.parse(value, as: Int64.self, signs: .plusOrMinus).value {
        (self.integer, isInteger) = (integer, true)
      }
    } else {
      payloadKind = .other
    }
  }
}
