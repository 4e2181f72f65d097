internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Compiles a datafile into one snapshot. Used once; the datafile's reader outlives it.
struct DatafileCompiler: ~Copyable {
  let datafile: Datafile
  var builder: SnapshotBuilder
  var bad: BadElements
  /// Whether the conditions that are being compiled go deeper than what is evaluated.
  var isTooDeep = false
  var root = SnapshotRoot()
  var audienceCount: UInt32 = 0
  /// `AudienceRecord`s by id.
  var audiences = BytesTable()
  /// `AttributeRecord`s by id.
  var attributes = BytesTable()
  /// Names of segments that conditions of typed audiences ask for.
  var segments = BytesTable()
  var texts = TextArena()
  /// The programs of rules by the text of their conditions, which many rules share.
  var programs = BytesTable()
  var lastLayer = (id: ByteView.noBytes, reference: TextReference.none)
  /// For the variables of one variation after the other.
  var writer = JSONWriter(wholeDoubles: .withFraction)
  /// Local holdouts by the id of the rule they hold out of.
  var localHoldouts: [BytesKey: [CompiledRule]] = [:]
  /// Of the global holdouts, which every flag depends on.
  var holdoutsFingerprint = Fingerprint()
  /// Experiments and delivery rules.
  var rules: [CompiledRule] = []
  /// Indices of experiments in `rules` by id.
  var experiments = BytesTable()
  /// The delivery rules of each rollout, in `rules`.
  var deliveries: [Range<Int>] = []
  /// Indices in `deliveries` by the id of the rollout.
  var rollouts = BytesTable()

  /// A rule in the snapshot, and what flags need to know of it.
  struct CompiledRule {
    var place: Place<RuleRecord>
    var firstVariation: Place<VariationRecord>
    var belongsToFlag = false
    var fingerprint: UInt64
    var variations: DefinitionList<VariationDefinition>
  }

  /// Mutually exclusive experiments.
  struct CompiledGroup {
    var place: Place<GroupRecord>
    var fingerprint: UInt64
  }

  init(_ datafile: Datafile, expectedBytes: Int, _ log: Log?) {
    self.datafile = datafile
    bad = BadElements("the datafile", log)
    builder = SnapshotBuilder(expectedBytes: expectedBytes)
  }

  /// - Returns: nil when memory ran out or the configuration is too large.
  consuming func compile(for records: UserRecords?) -> Snapshot? {
    addTexts()
    addAttributes()
    addEvents()
    addAudiences()
    addHoldouts()
    addRollouts()
    addExperiments()
    addFlags()
    bad.finish()
    let root = builder.append(self.root)
    return builder.finish(evaluate: evaluateDecision, root: root, resources: records)
  }

  private mutating func addTexts() {
    root.projectID = builder.text(datafile.projectID)
    root.accountID = builder.text(datafile.accountID)
    root.revision = builder.text(datafile.revision)
    root.anonymizesAddresses = datafile.anonymizesAddresses
    root.botFiltering = datafile.botFiltering.map { $0 ? 1 : 0 } ?? -1
    root.sendsFlagDecisions = datafile.sendsFlagDecisions
    root.region = datafile.region
    if let host = datafile.segmentsHost { root.segmentsHost = builder.text(host) }
    if let key = datafile.segmentsKey { root.segmentsKey = builder.text(key) }
    root.bucketingName = builder.text("$opt_bucketing_id")
    root.bucketingNameHash = "$opt_bucketing_id".withBytes { Hash64.hash($0) }
  }

  private mutating func addAttributes() {
    var byKey = BytesTable(expecting: datafile.attributes.count)
    for attribute in datafile.attributes {
      let key = builder.text(attribute.key)
      let record = builder.append(
        AttributeRecord(key: key, id: builder.text(attribute.id), keyHash: Hash64.hash(attribute.key)))
      byKey.set(attribute.key, to: record.offset)
      attributes.set(attribute.id, to: record.offset)
    }
    root.attributes = builder.table(byKey)
  }

  private mutating func addEvents() {
    var byKey = BytesTable(expecting: datafile.events.count)
    for event in datafile.events {
      let record = builder.append(EventRecord(key: builder.text(event.key), id: builder.text(event.id)))
      byKey.set(event.key, to: record.offset)
    }
    root.events = builder.table(byKey)
  }

  /// Global ones, and local ones by the rules they name (2.5).
  private mutating func addHoldouts() {
    var global: [Place<RuleRecord>] = []
    for (index, definition) in datafile.holdouts.enumerated() {
      if !definition.includedRules.isEmpty {
        bad.note(ElementPlace().inside("holdout", definition.id, index).text, "it is for all rules; \"includedRules\" is ignored")
      }
      let holdout = rule(definition, .holdout)
      global.append(holdout.place)
      holdoutsFingerprint.add(holdout.fingerprint)
    }
    root.holdouts = builder.append(contentsOf: global)
    root.holdoutCount = UInt32(global.count)
    for (index, holdout) in datafile.localHoldouts.enumerated() {
      guard !holdout.includedRules.isEmpty else {
        bad.note(
          ElementPlace().inside("local holdout", holdout.id, index).text, "\"includedRules\" names no rule; it is left out")
        continue
      }
      let compiled = rule(holdout, .holdout)
      for id in holdout.includedRules { localHoldouts[BytesKey(id), default: []].append(compiled) }
    }
  }

  private mutating func addRollouts() {
    rollouts = BytesTable(expecting: datafile.rollouts.count)
    for rollout in datafile.rollouts {
      let first = rules.count
      for definition in rollout.rules { rules.append(rule(definition, .delivery)) }
      rollouts.set(rollout.id, to: UInt32(deliveries.count))
      deliveries.append(first..<rules.count)
    }
  }

  private mutating func addExperiments() {
    experiments = BytesTable(expecting: datafile.experiments.count)
    var byKey = BytesTable(expecting: datafile.experiments.count)
    for definition in datafile.experiments { add(definition, in: nil, &byKey) }
    for group in datafile.groups {
      let compiled = group.isExclusive ? self.group(group) : nil
      for definition in group.experiments { add(definition, in: compiled, &byKey) }
    }
    root.experiments = builder.table(byKey)
  }

  private mutating func add(_ definition: RuleDefinition, in group: CompiledGroup?, _ byKey: inout BytesTable) {
    let compiled = rule(definition, .experiment, in: group)
    experiments.set(definition.id, to: UInt32(rules.count))
    byKey.set(definition.key, to: compiled.place.offset)
    rules.append(compiled)
  }

  private mutating func group(_ group: GroupDefinition) -> CompiledGroup {
    let rows = group.allocation.map { AllocationRow(end: Self.end($0.end), entity: builder.text($0.entity)) }
    let record = GroupRecord(
      id: builder.text(group.id), rows: builder.append(contentsOf: rows), rowCount: UInt32(rows.count))
    return CompiledGroup(place: builder.append(record), fingerprint: group.fingerprint)
  }

  static func end(_ number: Int64) -> UInt32 { UInt32(clamping: number) }
}
