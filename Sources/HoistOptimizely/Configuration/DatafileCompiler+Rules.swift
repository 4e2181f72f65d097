internal import HoistBase
internal import HoistCore

/// Experiments, delivery rules and holdouts.
extension DatafileCompiler {
  mutating func rule(_ definition: RuleDefinition, _ kind: RuleKind, group: UInt32 = 0) -> CompiledRule {
    let offset = builder.reserve(bytes: MemoryLayout<RuleRecord>.size, alignment: MemoryLayout<RuleRecord>.alignment)
    var record = RuleRecord(key: builder.text(definition.key), id: builder.text(definition.id), kind: kind)
    record.keyHash = Hash64.hash(definition.key)
    record.idHash = Hash64.hash(definition.id)
    record.campaign = ASCII.trimmed(definition.layerID).isEmpty ? record.id : builder.text(definition.layerID)
    record.isRunning = definition.isRunning
    record.isTargetedDelivery = definition.type == .targetedDelivery
    record.excludesTargetedDeliveries = definition.excludesTargetedDeliveries
    record.group = group
    record.audience = audience(of: definition)

    let taken = kind == .experiment && definition.type == .featureRollout ? injected[BytesKey(definition.id)] ?? [] : []
    let variations = definition.variations + taken
    let allocation = definition.allocation + taken.map { AllocationDefinition(entity: $0.id, end: 10_000) }
    addVariations(variations, of: offset, &record)
    addRows(allocation, variations, &record)
    addWhitelist(definition, variations, &record)
    if let holdouts = localHoldouts[BytesKey(definition.id)], kind != .holdout {
      record.holdouts = builder.append(contentsOf: holdouts)
      record.holdoutCount = UInt32(holdouts.count)
    }
    addPrediction(definition, &record)
    builder.store(record, at: offset)
    return CompiledRule(offset: offset, record: record, variations: variations)
  }

  private mutating func addVariations(
    _ variations: [VariationDefinition], of rule: UInt32, _ record: inout RuleRecord
  ) {
    let records = variations.map { variation in
      VariationRecord(
        key: builder.text(variation.key), id: builder.text(variation.id), isEnabled: variation.isEnabled,
        hasNumericID: !variation.id.isEmpty && variation.id.allSatisfy(ASCII.isDigit), rule: rule)
    }
    record.variations = builder.append(contentsOf: records)
    record.variationCount = UInt32(records.count)
  }

  private mutating func addRows(
    _ allocation: [AllocationDefinition], _ variations: [VariationDefinition], _ record: inout RuleRecord
  ) {
    let rows = allocation.map { row in
      let index = variations.firstIndex { $0.id.hasSameBytes(as: row.entity) }
      return AllocationRow(
        end: Self.end(row.end), variation: index.map { record.variation(at: $0) } ?? 0, entity: builder.text(row.entity))
    }
    record.rows = builder.append(contentsOf: rows)
    record.rowCount = UInt32(rows.count)
  }

  private mutating func addWhitelist(
    _ definition: RuleDefinition, _ variations: [VariationDefinition], _ record: inout RuleRecord
  ) {
    guard record.kind == .experiment, !definition.whitelist.isEmpty else { return }
    let entries = definition.whitelist.map { entry in
      let index = variations.firstIndex { $0.key.hasSameBytes(as: entry.variationKey) }
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
    let known = prediction.attributeIDs.compactMap { attributes[BytesKey($0)] }
    record.predictionAttributes = builder.append(contentsOf: known)
    record.predictionAttributeCount = UInt32(known.count)
  }
}

extension RuleRecord {
  /// The offset of a variation by its index.
  func variation(at index: Int) -> UInt32 { variations + UInt32(index * MemoryLayout<VariationRecord>.stride) }
}
