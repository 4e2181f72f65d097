internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Flags and the values of their variables.
extension DatafileCompiler {
  /// Of flags of one key the last counts, in the place of the first.
  mutating func addFlags() {
    var places: [BytesKey: Int] = [:]
    var offsets: [UInt32] = []
    var names: [TextReference] = []
    for flag in datafile.flags {
      let record = record(of: flag)
      let offset = builder.append(record)
      if let place = places[BytesKey(flag.key)] {
        offsets[place] = offset
      } else {
        places[BytesKey(flag.key)] = offsets.count
        offsets.append(offset)
        names.append(record.head.name)
      }
    }
    for (offset, name) in zip(offsets, names) { builder.addFlag(record: offset, name: name) }
    root.flags = builder.append(contentsOf: offsets)
    root.flagCount = UInt32(offsets.count)
  }

  private mutating func record(of flag: FlagDefinition) -> FlagRecord {
    var record = FlagRecord(head: FlagHead(name: builder.text(flag.key)))
    record.keyHash = Hash64.hash(flag.key)
    record.id = builder.text(flag.id)
    let rules = flag.experimentIDs.compactMap { experiments[BytesKey($0)] }
    record.experiments = builder.append(contentsOf: rules.map(\.offset))
    record.experimentCount = UInt32(rules.count)
    for (id, var rule) in zip(flag.experimentIDs.filter { experiments[BytesKey($0)] != nil }, rules)
    where !rule.record.belongsToFlag {
      rule.record.belongsToFlag = true
      builder.store(rule.record, at: rule.offset)
      experiments[BytesKey(id)] = rule
    }
    let deliveries = rollouts[BytesKey(flag.rolloutID)]
    record.deliveries = builder.append(contentsOf: deliveries?.map(\.offset) ?? [])
    record.deliveryCount = UInt32(deliveries?.count ?? 0)
    record.rollout =
      flag.rolloutID.isEmpty ? .none : deliveries.map { $0.isEmpty ? RolloutState.empty : .rules } ?? .unknown

    let variables = flag.variables.map {
      VariableRecord(key: builder.text($0.key), id: builder.text($0.id), type: $0.type)
    }
    record.variables = builder.append(contentsOf: variables)
    record.variableCount = UInt32(variables.count)
    record.defaults = values(of: flag.variables, in: nil)
    addVariations(of: rules + (deliveries ?? []), flag, &record)
    return record
  }

  private mutating func addVariations(of rules: [CompiledRule], _ flag: FlagDefinition, _ record: inout FlagRecord) {
    var seen: [ByteView] = []
    var variations: [FlagVariation] = []
    for rule in rules {
      for (index, variation) in rule.variations.enumerated() {
        let isKnown = seen.contains { $0.hasSameBytes(as: variation.id) }
        if !isKnown { seen.append(variation.id) }
        variations.append(
          FlagVariation(
            variation: rule.record.variation(at: index), isShadowed: isKnown,
            values: variation.isEnabled && overrides(variation, flag)
              ? values(of: flag.variables, in: variation) : record.defaults))
      }
    }
    record.variations = builder.append(contentsOf: variations)
    record.variationCount = UInt32(variations.count)
  }

  private func overrides(_ variation: VariationDefinition, _ flag: FlagDefinition) -> Bool {
    variation.variables.contains { value in flag.variables.contains { $0.id.hasSameBytes(as: value.id) } }
  }

  private mutating func values(of variables: [VariableDefinition], in variation: VariationDefinition?) -> VariableSet {
    var set = VariableSet()
    var writer = JSONWriter(wholeDoubles: .withFraction)
    var values: [VariableValue] = []
    writer.beginObject()
    for variable in variables {
      let own = variation?.variables.first { $0.id.hasSameBytes(as: variable.id) }?.value
      let text = own ?? variable.defaultValue
      if let value = VariableText.read(text, as: variable.type) {
        writer.key(utf8: variable.key.bindMemory(to: UInt8.self))
        value.write(to: &writer, text)
        values.append(value.record(text, &builder))
      } else {
        set.invalidCount += 1
        values.append(VariableValue(text: builder.text(text), isValid: false))
      }
    }
    writer.endObject()
    set.json = builder.text(writer.bytes)
    set.values = builder.append(contentsOf: values)
    return set
  }
}
