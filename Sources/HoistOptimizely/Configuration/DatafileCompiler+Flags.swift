internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Flags and the values of their variables.
extension DatafileCompiler {
  /// Of flags with the same key the last counts, at the position of the first.
  mutating func addFlags() {
    var places = BytesTable(expecting: datafile.flags.count)
    for flag in datafile.flags { places.set(flag.key, to: builder.append(record(of: flag)).offset) }
    for flag in places.entries { builder.addFlag(record: Place<OptimizelyFlagRecord>(offset: flag.value), hash: flag.hash) }
    root.flags = builder.append(contentsOf: places.entries.map { Place(offset: $0.value) })
    root.flagCount = UInt32(places.entries.count)
  }

  private mutating func record(of flag: FlagDefinition) -> OptimizelyFlagRecord {
    var record = OptimizelyFlagRecord(head: FlagHead(name: builder.uniqueText(flag.key)))
    record.keyHash = Hash64.hash(flag.key)
    record.id = builder.uniqueText(flag.id)
    var rules = flag.experimentIDs.compactMap { experiments[$0].map { Int($0) } }
    record.experiments = append(rules)
    record.experimentCount = UInt32(rules.count)
    for rule in rules where !self.rules[rule].belongsToFlag {
      self.rules[rule].belongsToFlag = true
      builder.update(at: self.rules[rule].place) { $0.belongsToFlag = true }
    }
    let deliveries = rollouts[flag.rolloutID].map { self.deliveries[Int($0)] }
    record.rollout =
      flag.rolloutID.isEmpty ? .none : deliveries.map { $0.isEmpty ? RolloutState.empty : .rules } ?? .unknown
    if let deliveries {
      record.deliveries = append(Array(deliveries))
      record.deliveryCount = UInt32(deliveries.count)
      rules += deliveries
    }
    record.variables = builder.reserve(flag.variables.count, of: VariableRecord.self)
    record.variableCount = UInt32(flag.variables.count)
    for (index, variable) in flag.variables.enumerated() {
      let entry = VariableRecord(
        key: builder.text(variable.key), id: builder.uniqueText(variable.id), type: variable.type)
      builder.store(entry, at: record.variables.at(index))
    }
    record.defaults = values(of: flag.variables, in: nil)
    addVariations(of: rules, flag, &record)
    record.fingerprint = fingerprint(of: flag, record, rules)
    return record
  }

  private mutating func append(_ rules: [Int]) -> Place<Place<RuleRecord>> {
    builder.append(contentsOf: rules.map { self.rules[$0].place })
  }

  private mutating func addVariations(of rules: [Int], _ flag: FlagDefinition, _ record: inout OptimizelyFlagRecord) {
    let count = rules.reduce(0) { $0 + self.rules[$1].variations.count }
    record.variations = builder.reserve(count, of: FlagVariation.self)
    record.variationCount = UInt32(count)
    var seen = SeenTexts(expecting: count)
    var place = 0
    for rule in rules {
      let rule = self.rules[rule]
      for (index, variation) in rule.variations.enumerated() {
        let isKnown = !seen.insert(variation.id)
        let entry = FlagVariation(
          variation: rule.firstVariation.at(index), isShadowed: isKnown,
          values: variation.isEnabled && overrides(variation, flag)
            ? values(of: flag.variables, in: variation) : record.defaults)
        builder.store(entry, at: record.variations.at(place))
        place += 1
      }
    }
  }

  private func overrides(_ variation: VariationDefinition, _ flag: FlagDefinition) -> Bool {
    variation.variables.contains { value in flag.variables.contains { $0.id.hasSameBytes(as: value.id) } }
  }

  private mutating func values(
    of variables: DefinitionList<VariableDefinition>, in variation: VariationDefinition?
  ) -> VariableSet {
    var set = VariableSet()
    set.values = builder.reserve(variables.count, of: VariableValue.self)
    writer.removeAll()
    writer.beginObject()
    for (index, variable) in variables.enumerated() {
      let own = variation?.variables.first { $0.id.hasSameBytes(as: variable.id) }?.value
      let text = own ?? variable.defaultValue
      let value: VariableValue
      if let read = VariableText.read(text, as: variable.type) {
        writer.key(variable.key)
        read.write(to: &writer, text)
        value = read.record(text, &builder)
      } else {
        set.invalidCount += 1
        value = VariableValue(text: builder.text(text), isValid: false)
      }
      builder.store(value, at: set.values.at(index))
    }
    writer.endObject()
    set.json = builder.text(writer.bytes)
    return set
  }
}

/// Which texts came before; few in most cases.
private struct SeenTexts {
  private var few: [ByteView] = []
  private var many: BytesTable?

  init(expecting count: Int) {
    if count > 12 { many = BytesTable(expecting: count) } else { few.reserveCapacity(count) }
  }

  /// - Returns: false for one that came before.
  mutating func insert(_ text: ByteView) -> Bool {
    if many != nil { return many?.set(text, to: 1) == nil }
    if few.contains(where: { $0.hasSameBytes(as: text) }) { return false }
    few.append(text)
    return true
  }
}
