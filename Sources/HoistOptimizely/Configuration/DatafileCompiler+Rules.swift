internal import HoistBase
internal import HoistCore

/// Experiments, delivery rules and holdouts.
extension DatafileCompiler {
  mutating func rule(_ definition: RuleDefinition, _ kind: RuleKind, in group: CompiledGroup? = nil) -> CompiledRule {
    let offset = builder.reserve(bytes: MemoryLayout<RuleRecord>.size, alignment: MemoryLayout<RuleRecord>.alignment)
    var record = RuleRecord(key: builder.uniqueText(definition.key), id: builder.uniqueText(definition.id), kind: kind)
    record.keyHash = Hash64.hash(definition.key)
    record.idHash = Hash64.hash(definition.id)
    record.campaign = ASCII.trimmed(definition.layerID).isEmpty ? record.id : layer(definition.layerID)
    record.isRunning = definition.isRunning
    record.isTargetedDelivery = definition.type == .targetedDelivery
    record.excludesTargetedDeliveries = definition.excludesTargetedDeliveries
    record.group = group?.offset ?? 0
    record.audience = audience(of: definition)

    addVariations(definition.variations, of: offset, &record)
    addRows(definition, &record)
    addWhitelist(definition, &record)
    var holdouts: [CompiledRule] = []
    if !localHoldouts.isEmpty, kind != .holdout { holdouts = localHoldouts[BytesKey(definition.id)] ?? [] }
    record.holdouts = builder.append(contentsOf: holdouts.map(\.offset))
    record.holdoutCount = UInt32(holdouts.count)
    addPrediction(definition, &record)
    builder.store(record, at: offset)
    return CompiledRule(
      offset: offset, variationsOffset: record.variations,
      fingerprint: fingerprint(of: definition, record, group, holdouts), variations: definition.variations)
  }

  /// Rules of one roll-out, which come one after the other, have one layer.
  private mutating func layer(_ id: ByteView) -> TextReference {
    if !lastLayer.reference.isNone, lastLayer.id.hasSameBytes(as: id) { return lastLayer.reference }
    lastLayer = (id, builder.uniqueText(id))
    return lastLayer.reference
  }

  private mutating func addVariations(
    _ variations: DefinitionList<VariationDefinition>, of rule: UInt32, _ record: inout RuleRecord
  ) {
    let first = builder.reserve(variations.count, of: VariationRecord.self)
    record.variations = first
    record.variationCount = UInt32(variations.count)
    for (index, variation) in variations.enumerated() {
      let record = VariationRecord(
        key: builder.text(variation.key), id: builder.uniqueText(variation.id), isEnabled: variation.isEnabled,
        hasNumericID: !variation.id.isEmpty && variation.id.allSatisfy(ASCII.isDigit), rule: rule)
      builder.store(record, at: first, index: index)
    }
  }

  private mutating func addRows(_ definition: RuleDefinition, _ record: inout RuleRecord) {
    record.rows = builder.reserve(definition.allocation.count, of: AllocationRow.self)
    record.rowCount = UInt32(definition.allocation.count)
    for (index, row) in definition.allocation.enumerated() {
      let variation = definition.variations.firstIndex { $0.id.hasSameBytes(as: row.entity) }
      let place = variation.map { record.variation(at: $0) } ?? 0
      let entity = builder.value(at: place, as: VariationRecord.self)?.id ?? builder.text(row.entity)
      builder.store(AllocationRow(end: Self.end(row.end), variation: place, entity: entity), at: record.rows, index: index)
    }
  }

  private mutating func addWhitelist(_ definition: RuleDefinition, _ record: inout RuleRecord) {
    guard record.kind == .experiment, !definition.whitelist.isEmpty else { return }
    let entries = definition.whitelist.map { entry in
      let index = definition.variations.firstIndex { $0.key.hasSameBytes(as: entry.variationKey) }
      return WhitelistEntry(
        userHash: Hash64.hash(entry.user), user: builder.text(entry.user),
        variation: index.map { record.variation(at: $0) } ?? 0, variationKey: builder.text(entry.variationKey))
    }
    record.whitelist = builder.append(contentsOf: entries)
    record.whitelistCount = UInt32(entries.count)
  }

  private mutating func addPrediction(_ definition: RuleDefinition, _ record: inout RuleRecord) {
    guard record.kind == .experiment, let prediction = definition.prediction else { return }
    record.predictionRange = Int32(clamping: max(0, prediction.range))
    let known = prediction.attributeIDs.compactMap { attributes[$0] }
    record.predictionAttributes = builder.append(contentsOf: known)
    record.predictionAttributeCount = UInt32(known.count)
  }
}

extension RuleRecord {
  /// The offset of a variation by its index.
  func variation(at index: Int) -> UInt32 { VariationRecord.offset(index, from: variations) }
}

extension VariationRecord {
  /// - Parameter first: the offset of the first of a list.
  static func offset(_ index: Int, from first: UInt32) -> UInt32 {
    first &+ UInt32(truncatingIfNeeded: index &* MemoryLayout<VariationRecord>.stride)
  }
}
