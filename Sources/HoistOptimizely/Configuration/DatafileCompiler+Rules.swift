internal import HoistBase
internal import HoistCore

/// Experiments, delivery rules and holdouts.
extension DatafileCompiler {
  mutating func rule(_ definition: RuleDefinition, _ kind: RuleKind, in group: CompiledGroup? = nil) -> CompiledRule {
    let place = builder.reserve(1, of: RuleRecord.self)
    var record = RuleRecord(key: builder.uniqueText(definition.key), id: builder.uniqueText(definition.id), kind: kind)
    record.keyHash = Hash64.hash(definition.key)
    record.idHash = Hash64.hash(definition.id)
    record.campaign = ASCII.trimmed(definition.layerID).isEmpty ? record.id : layer(definition.layerID)
    record.isRunning = definition.isRunning
    record.isTargetedDelivery = definition.type == .targetedDelivery
    record.excludesTargetedDeliveries = definition.excludesTargetedDeliveries
    record.group = group?.place ?? .none
    record.audience = audience(of: definition)

    addVariations(definition.variations, of: place, &record)
    addRows(definition, &record)
    addWhitelist(definition, &record)
    var holdouts: [CompiledRule] = []
    if !localHoldouts.isEmpty, kind != .holdout { holdouts = localHoldouts[BytesKey(definition.id)] ?? [] }
    record.holdouts = builder.append(contentsOf: holdouts.map(\.place))
    record.holdoutCount = UInt32(holdouts.count)
    addPrediction(definition, &record)
    builder.store(record, at: place)
    return CompiledRule(
      place: place, firstVariation: record.variations,
      fingerprint: fingerprint(of: definition, record, group, holdouts), variations: definition.variations)
  }

  /// Rules of one roll-out, which come one after the other, have one layer.
  private mutating func layer(_ id: ByteView) -> TextReference {
    if !lastLayer.reference.isNone, lastLayer.id.hasSameBytes(as: id) { return lastLayer.reference }
    lastLayer = (id, builder.uniqueText(id))
    return lastLayer.reference
  }

  private mutating func addVariations(
    _ variations: DefinitionList<VariationDefinition>, of rule: Place<RuleRecord>, _ record: inout RuleRecord
  ) {
    let first = builder.reserve(variations.count, of: VariationRecord.self)
    record.variations = first
    record.variationCount = UInt32(variations.count)
    for (index, variation) in variations.enumerated() {
      let record = VariationRecord(
        key: builder.text(variation.key), id: builder.uniqueText(variation.id), isEnabled: variation.isEnabled,
        hasNumericID: !variation.id.isEmpty && variation.id.allSatisfy(ASCII.isDigit), rule: rule)
      builder.store(record, at: first.at(index))
    }
  }

  private mutating func addRows(_ definition: RuleDefinition, _ record: inout RuleRecord) {
    record.rows = builder.reserve(definition.allocation.count, of: AllocationRow.self)
    record.rowCount = UInt32(definition.allocation.count)
    for (index, row) in definition.allocation.enumerated() {
      let variation = definition.variations.firstIndex { $0.id.hasSameBytes(as: row.entity) }
      let place = variation.map { record.variations.at($0) } ?? .none
      let entity = builder.value(at: place)?.id ?? builder.text(row.entity)
      builder.store(AllocationRow(end: Self.end(row.end), variation: place, entity: entity), at: record.rows.at(index))
    }
  }

  private mutating func addWhitelist(_ definition: RuleDefinition, _ record: inout RuleRecord) {
    guard record.kind == .experiment, !definition.whitelist.isEmpty else { return }
    let entries = definition.whitelist.map { entry in
      let index = definition.variations.firstIndex { $0.key.hasSameBytes(as: entry.variationKey) }
      return WhitelistEntry(
        userHash: Hash64.hash(entry.user), user: builder.text(entry.user),
        variation: index.map { record.variations.at($0) } ?? .none, variationKey: builder.text(entry.variationKey))
    }
    record.whitelist = builder.append(contentsOf: entries)
    record.whitelistCount = UInt32(entries.count)
  }

  private mutating func addPrediction(_ definition: RuleDefinition, _ record: inout RuleRecord) {
    guard record.kind == .experiment, let prediction = definition.prediction else { return }
    record.predictionRange = Int32(clamping: max(0, prediction.range))
    let known = prediction.attributeIDs.compactMap { attributes[$0].map { Place<AttributeRecord>(offset: $0) } }
    record.predictionAttributes = builder.append(contentsOf: known)
    record.predictionAttributeCount = UInt32(known.count)
  }
}
