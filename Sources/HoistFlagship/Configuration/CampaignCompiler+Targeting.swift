internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Targeting (4.3).
extension CampaignCompiler {
  /// From how many texts on a list is looked up instead of walked.
  private static var longList: Int { 8 }

  mutating func append(_ groups: [[TargetingDefinition]]) -> (first: Place<TargetingGroupRecord>, count: UInt32) {
    let first = builder.reserve(groups.count, of: TargetingGroupRecord.self)
    for (index, group) in groups.enumerated() {
      var record = TargetingGroupRecord()
      record.targetings = builder.reserve(group.count, of: TargetingRecord.self)
      record.targetingCount = UInt32(clamping: group.count)
      for (index, targeting) in group.enumerated() {
        builder.store(self.record(of: targeting), at: record.targetings.at(index))
      }
      builder.store(record, at: first.at(index))
    }
    return (first, UInt32(clamping: groups.count))
  }

  private mutating func record(of targeting: TargetingDefinition) -> TargetingRecord {
    var record = TargetingRecord(key: builder.text(targeting.key), keyHash: Hash64.hash(targeting.key))
    record.name = builder.text(targeting.name)
    record.test = targeting.test
    if targeting.key.reads("fs_all_users") { record.source = .everybody }
    if targeting.key.reads("fs_users") { record.source = .visitor }
    record.predefined = PredefinedKey(named: targeting.key)
    if let own = automatic?.value(of: targeting.key) { record.automatic = builder.append(target(own)) }
    writer.removeAll()
    if let value = targeting.value { writer.value(value) } else { writer.null() }
    record.json = builder.text(writer.bytes)
    if targeting.test == .present || targeting.test == .absent {
      // The value false turns the question round.
      if targeting.value?.bool == false { record.test = targeting.test == .present ? .absent : .present }
      return record
    }
    guard let value = targeting.value else { return record }
    record.isList = value.array != nil
    addTargets(value.array.map { Array($0) } ?? [value], to: &record)
    return record
  }

  private mutating func addTargets(_ values: [JSONNode], to record: inout TargetingRecord) {
    var walked = values
    let isLookedUp = record.isList && (record.test == .equals || record.test == .notEquals)
    if isLookedUp, values.count > Self.longList {
      var texts = BytesTable(expecting: values.count)
      walked = []
      for value in values {
        if let text = value.bytes { texts.set(text, to: builder.append(target(value)).offset) } else { walked.append(value) }
      }
      record.texts = builder.table(texts)
    }
    record.targets = builder.reserve(walked.count, of: TargetRecord.self)
    record.targetCount = UInt32(clamping: walked.count)
    for (index, value) in walked.enumerated() { builder.store(target(value), at: record.targets.at(index)) }
  }

  private mutating func target(_ value: JSONNode) -> TargetRecord {
    var record = TargetRecord()
    switch value.kind {
    case .bool: (record.value.kind, record.value.integer) = (.bool, value.bool ?? false ? 1 : 0)
    case .int: (record.value.kind, record.value.integer) = (.int, value.int64 ?? 0)
    case .double: (record.value.kind, record.value.number) = (.double, value.double ?? 0)
    case .string: return target(text: value.bytes ?? .noBytes)
    case .null, .array, .object: record.value.kind = .other
    }
    return record
  }

  /// Of a pair that the SDK sets: a text or a boolean.
  private mutating func target(_ value: AttributeValue) -> TargetRecord {
    if case .string(let text) = value { return text.withBytes { target(text: $0) } }
    var record = TargetRecord()
    if case .bool(let truth) = value { (record.value.kind, record.value.integer) = (.bool, truth ? 1 : 0) }
    return record
  }

  private mutating func target(text: ByteView) -> TargetRecord {
    TargetRecord(text: builder.text(text), value: Comparand.Plain(kind: .string, textHash: Hash64.hash(text)))
  }
}
