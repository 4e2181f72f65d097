internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Flags, rules, the holdout.
extension ConfigurationCompiler {
  /// The flags, one for each key: the last one, at the position of the first.
  mutating func addFlagPlaces(_ list: JSONNode?) {
    var flagPlaces = BytesTable()
    for (index, node) in elements(list, "featureFlags").enumerated() {
      let place = ElementPlace().inside("flag", node["featureKey"]?.bytes ?? .noBytes, index)
      guard let key = node["featureKey"]?.bytes else {
        bad.note(place.text, "has no key: it is left out")
        continue
      }
      if let known = flagPlaces[key] {
        flags[Int(known)] = node
      } else {
        flagPlaces.set(key, to: UInt32(clamping: flags.count))
        flags.append(node)
      }
    }
    var usable: [JSONNode] = []
    for (index, node) in flags.enumerated() {
      guard hasUnnamedRule(node) else {
        usable.append(node)
        continue
      }
      let place = ElementPlace().inside("flag", node["featureKey"]?.bytes ?? .noBytes, index)
      bad.note(place.text, "has a rule without an id: the flag is left out")
    }
    flags = usable
    for (index, node) in usable.enumerated() {
      if let id = node["id"]?.wholeNumber { flagsByID[id] = UInt32(clamping: index) }
    }
  }

  private func hasUnnamedRule(_ flag: JSONNode) -> Bool {
    guard let rules = flag["rules"]?.array else { return false }
    return rules.contains { $0.object != nil && $0["id"]?.wholeNumber == nil }
  }

  mutating func addFlags() {
    let places = flags.map { _ in builder.reserve(1, of: KameleoonFlagRecord.self) }
    addGroups(places)
    for (index, node) in flags.enumerated() { add(node, at: places[index], index) }
    root.flags = builder.append(contentsOf: places)
    root.flagCount = UInt32(clamping: places.count)
    let sorted = experiments.map { ExperimentEntry(id: $0.key, rule: $0.value) }.sorted { $0.id < $1.id }
    root.experiments = builder.append(contentsOf: sorted)
    root.experimentCount = UInt32(clamping: sorted.count)
  }

  /// Flags of one group, by their ids (3.5); disabled ones too.
  private mutating func addGroups(_ places: [Place<KameleoonFlagRecord>]) {
    var members: [BytesKey: [(id: Int64, place: Place<KameleoonFlagRecord>)]] = [:]
    var order: [BytesKey] = []
    for (index, node) in flags.enumerated() {
      guard let name = node["mutuallyExclusiveGroup"]?.bytes, !name.isEmpty else { continue }
      let key = BytesKey(name)
      if members[key] == nil { order.append(key) }
      members[key, default: []].append((node["id"]?.wholeNumber ?? 0, places[index]))
    }
    for key in order {
      let sorted = (members[key] ?? []).sorted { $0.id < $1.id }
      for member in sorted { groupsFingerprint.add(member.id) }
      groups[key] = builder.append(
        GroupRecord(
          name: builder.text(key.bytes), members: builder.append(contentsOf: sorted.map(\.place)),
          memberCount: UInt32(clamping: sorted.count)))
    }
  }

  private mutating func add(_ node: JSONNode, at flagPlace: Place<KameleoonFlagRecord>, _ index: Int) {
    let key = node["featureKey"]?.bytes ?? .noBytes
    let place = ElementPlace().inside("flag", key, index)
    var record = KameleoonFlagRecord(head: FlagHead(name: builder.text(key)))
    record.id = node["id"]?.wholeNumber ?? 0
    record.isEnabled = node["environmentEnabled"]?.bool ?? false
    if let other = node["environmentEnabled"]?.unlessNull, other.bool == nil {
      bad.note(place.text, "\"environmentEnabled\" is no boolean: the flag is off")
    }
    if let id = node["bucketingCustomDataId"]?.wholeNumber, let data = customData.last(where: { $0.id == id }) {
      // The vendor's SDK takes index 0 for none (A7).
      record.bucketingIndex = options.isStrict && data.index == 0 ? -1 : data.index
    }
    var fingerprint = Fingerprint()
    fingerprint.add(node.source, record.bucketingIndex)
    if let name = node["mutuallyExclusiveGroup"]?.bytes, let group = groups[BytesKey(name)] {
      record.group = group
      fingerprint.add(groupsFingerprint.value)
    }
    addVariations(elements(node["variations"], "variations", place), to: &record)
    let defaultKey = node["defaultVariationKey"]?.bytes ?? .noBytes
    let row = row(key: defaultKey, flagPlace)
    record.defaultRow = append(row)
    addRules(rules(node, place), to: &record, flagPlace, &fingerprint)
    fingerprint.add(holdoutFingerprint, root.requiresConsent, root.blocksFully)
    record.fingerprint = fingerprint.value
    builder.store(record, at: flagPlace)
    builder.addFlag(record: flagPlace, hash: Hash64.hash(key))
  }

  /// Without those whose segment cannot be read: they would match every visitor.
  private mutating func rules(_ flag: JSONNode, _ place: ElementPlace) -> [JSONNode] {
    elements(flag["rules"], "rules", place).enumerated().compactMap { index, node in
      let place = place.inside("rule", .noBytes, index)
      if let other = node["exposition"]?.unlessNull, other.double == nil {
        bad.note(place.text, "\"exposition\" is no number: nobody is exposed")
      }
      guard let segment = node["segmentId"]?.unlessNull else { return node }
      guard let id = segment.wholeNumber else {
        bad.note(place.text, "\"segmentId\" is no id: the rule is left out")
        return nil
      }
      if id != 0, segments[id] == nil { bad.note(place.text, "segment \(id) is not there: the rule is for everybody") }
      return node
    }
  }

  private mutating func addRules(
    _ nodes: [JSONNode], to flag: inout KameleoonFlagRecord, _ flagPlace: Place<KameleoonFlagRecord>,
    _ fingerprint: inout Fingerprint
  ) {
    flag.rules = builder.reserve(nodes.count, of: RuleRecord.self)
    flag.ruleCount = UInt32(clamping: nodes.count)
    for (index, node) in nodes.enumerated() {
      let place = flag.rules.at(index)
      var rule = rule(node, at: place, of: flag, flagPlace)
      if let segment = node["segmentId"]?.wholeNumber, let known = segments[segment] {
        rule.segment = known.place
        fingerprint.add(known.fingerprint.value)
        if known.asksAssignments { flag.asksAssignments = true }
      }
      builder.store(rule, at: place)
      experiments[rule.experimentID] = place
    }
  }

  private mutating func rule(
    _ node: JSONNode, at place: Place<RuleRecord>, of flag: KameleoonFlagRecord, _ flagPlace: Place<KameleoonFlagRecord>
  ) -> RuleRecord {
    var rule = RuleRecord(id: node["id"]?.wholeNumber ?? 0, experimentID: node["experimentId"]?.wholeNumber ?? 0, flag: flagPlace)
    let type = node["type"]?.bytes ?? .noBytes
    if type.reads("EXPERIMENTATION") { rule.type = .experimentation }
    if type.reads("TARGETED_DELIVERY") { rule.type = .targetedDelivery }
    rule.exposition = node["exposition"]?.double ?? 0
    let respool = node["respoolTime"]?.wholeNumber ?? 0
    rule.name = builder.text("\(rule.id)")
    rule.ruleSuffix = suffix(rule.id, respool)
    rule.experimentSuffix = suffix(rule.experimentID, respool)
    addRows(node["variationByExposition"], to: &rule, at: place, of: flag)
    return rule
  }

  /// Decimal, without anything between (3.2).
  private mutating func suffix(_ id: Int64, _ respool: Int64) -> TextReference {
    builder.text(respool == 0 ? "\(id)" : "\(id)\(respool)")
  }

  private mutating func addRows(
    _ list: JSONNode?, to rule: inout RuleRecord, at place: Place<RuleRecord>, of flag: KameleoonFlagRecord?
  ) {
    let nodes = elements(list, "variationByExposition")
    rule.rows = builder.reserve(nodes.count, of: RowRecord.self)
    rule.rowCount = UInt32(clamping: nodes.count)
    for (index, node) in nodes.enumerated() {
      let key = node["variationKey"]?.bytes ?? .noBytes
      var row = flag.map { _ in self.row(key: key, rule.flag) } ?? RowRecord(key: builder.text(key))
      row.variationID = node["variationId"]?.wholeNumber ?? -1
      row.experimentID = rule.experimentID
      row.exposition = node["exposition"]?.double ?? 0
      row.rule = place
      row.place = rule.rows.at(index)
      builder.store(row, at: row.place)
    }
  }

  /// - Parameter flag: the flag whose variations were added last.
  private mutating func row(key: ByteView, _ flag: Place<KameleoonFlagRecord>) -> RowRecord {
    var row = RowRecord(key: builder.text(key), flag: flag)
    row.isActive = !key.reads("off")
    row.variation = variationPlaces[Int64(row.key.offset)] ?? .none
    return row
  }

  private mutating func append(_ row: RowRecord) -> Place<RowRecord> {
    let place = builder.reserve(1, of: RowRecord.self)
    var row = row
    row.place = place
    builder.store(row, at: place)
    return place
  }

  /// The holdout, as a rule with an exposition of 100 % (3.4).
  mutating func addHoldout(_ node: JSONNode?) {
    guard let node = node?.unlessNull, node.object != nil else { return }
    let place = builder.reserve(1, of: RuleRecord.self)
    var rule = RuleRecord(experimentID: node["experimentId"]?.wholeNumber ?? 0, exposition: 1)
    rule.type = .experimentation
    rule.experimentSuffix = suffix(rule.experimentID, 0)
    addRows(node["variationByExposition"], to: &rule, at: place, of: nil)
    builder.store(rule, at: place)
    root.holdout = place
    var fingerprint = Fingerprint()
    fingerprint.add(node.source)
    holdoutFingerprint = fingerprint.value
  }
}
