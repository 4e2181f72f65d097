internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Variations and their variables (protocols/kameleoon.md 3.10).
extension ConfigurationCompiler {
  mutating func addVariations(_ nodes: [JSONNode], to flag: inout KameleoonFlagRecord) {
    flag.variations = builder.reserve(nodes.count, of: VariationRecord.self)
    flag.variationCount = UInt32(clamping: nodes.count)
    variationPlaces.removeAll(keepingCapacity: true)
    for (index, node) in nodes.enumerated() {
      let key = node["key"]?.bytes ?? .noBytes
      let place = ElementPlace().inside("flag", flag.head.name.isNone ? .noBytes : key, index)
      var record = VariationRecord(key: builder.text(key), name: builder.text(node["name"]?.bytes ?? .noBytes))
      addVariables(elements(node["variables"], "variables", place), to: &record, place)
      builder.store(record, at: flag.variations.at(index))
      let offset = Int64(record.key.offset)
      if variationPlaces[offset] == nil { variationPlaces[offset] = flag.variations.at(index) }
    }
  }

  private mutating func addVariables(_ nodes: [JSONNode], to variation: inout VariationRecord, _ place: ElementPlace) {
    var known = BytesTable(expecting: nodes.count)
    var kept: [VariableRecord] = []
    var texts: [[UInt8]] = []
    for (index, node) in nodes.enumerated() {
      let name = node["key"]?.bytes ?? .noBytes
      var record = variable(node, place.inside("variable", name, index))
      guard let earlier = known.set(name, to: UInt32(clamping: kept.count)) else {
        kept.append(record)
        texts.append(writer.bytes)
        continue
      }
      // The last one counts, except for a look-up of one variable by its key.
      known.set(name, to: earlier)
      let former = kept[Int(earlier)]
      record.first = former.first.isNone ? append(former) : former.first
      kept[Int(earlier)] = record
      texts[Int(earlier)] = writer.bytes
    }
    variation.variables = builder.reserve(kept.count, of: VariableRecord.self)
    variation.variableCount = UInt32(clamping: kept.count)
    for (index, record) in kept.enumerated() {
      var record = record
      record.place = variation.variables.at(index)
      builder.store(record, at: record.place)
    }
    variation.json = object(known, texts)
  }

  private mutating func append(_ record: VariableRecord) -> Place<VariableRecord> {
    var record = record
    record.place = builder.reserve(1, of: VariableRecord.self)
    builder.store(record, at: record.place)
    return record.place
  }

  private mutating func object(_ names: BytesTable, _ values: [[UInt8]]) -> TextReference {
    writer.removeAll()
    writer.beginObject()
    for (entry, value) in zip(names.entries, values) {
      writer.key(entry.key)
      writer.raw(value)
    }
    writer.endObject()
    return builder.text(writer.bytes)
  }

  private mutating func variable(_ node: JSONNode, _ place: ElementPlace) -> VariableRecord {
    let type = node["type"]?.bytes ?? .noBytes
    var record = VariableRecord(key: builder.text(node["key"]?.bytes ?? .noBytes), type: builder.text(type))
    let value = node["value"]
    if type.reads("JSON") {
      // A text that contains JSON; all else is null.
      guard let text = value?.bytes else {
        set(nil, &record)
        return record
      }
      let isRead: Void? = try? JSONNode.parse(text) { set($0, &record) }
      if isRead == nil {
        bad.note(place.text, "its value is no JSON: it is null")
        set(nil, &record)
      }
      return record
    }
    let known: [StaticString] = ["BOOLEAN", "NUMBER", "STRING", "CSS", "JS"]
    let isKnown = known.contains { type.reads($0) }
    set(isKnown ? value : nil, &record)
    return record
  }

  private mutating func set(_ value: JSONNode?, _ record: inout VariableRecord) {
    writer.removeAll()
    if let value { writer.value(value) } else { writer.null() }
    record.json = builder.text(writer.bytes)
    guard let value else { return }
    switch value.kind {
    case .null: break
    case .bool: (record.kind, record.integer) = (.bool, value.bool ?? false ? 1 : 0)
    case .int: (record.kind, record.integer) = (.int, value.int64 ?? 0)
    case .double: (record.kind, record.number) = (.double, value.double ?? 0)
    case .string: (record.kind, record.text) = (.string, builder.text(value.bytes ?? .noBytes))
    case .array, .object: record.kind = .json
    }
  }
}
