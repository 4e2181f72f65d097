internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Compiles a datafile into one snapshot. Used once; the datafile's reader outlives it.
struct DatafileCompiler: ~Copyable {
  let datafile: Datafile
  var builder: SnapshotBuilder
  var root = SnapshotRoot()
  /// `AudienceRecord`s by id.
  var audiences: [BytesKey: UInt32] = [:]
  /// `AttributeRecord`s by id.
  var attributes: [BytesKey: UInt32] = [:]
  /// Names of segments that conditions of typed audiences ask for.
  var segments: [[UInt8]] = []
  var knownSegments: Set<[UInt8]> = []
  /// Offsets of local holdouts by the id of the rule they hold out of.
  var localHoldouts: [BytesKey: [UInt32]] = [:]
  /// Experiments by id.
  var experiments: [BytesKey: CompiledRule] = [:]
  /// Delivery rules by the id of their rollout.
  var rollouts: [BytesKey: [CompiledRule]] = [:]
  /// Variations that feature rollouts take over from everyone else (2.4), by the id of the experiment.
  var injected: [BytesKey: [VariationDefinition]] = [:]

  /// A rule in the snapshot, and what flags need to know of it.
  struct CompiledRule {
    var offset: UInt32
    var record: RuleRecord
    var variations: [VariationDefinition]
  }

  init(_ datafile: Datafile, expectedBytes: Int) {
    self.datafile = datafile
    builder = SnapshotBuilder(expectedBytes: expectedBytes)
  }

  /// - Returns: nil when memory ran out or the configuration is too large.
  consuming func compile() -> Snapshot? {
    addTexts()
    addAttributes()
    addEvents()
    addAudiences()
    addHoldouts()
    findInjectedVariations()
    for rollout in datafile.rollouts {
      rollouts[BytesKey(rollout.id)] = rollout.rules.map { rule($0, .delivery) }
    }
    addExperiments()
    addFlags()
    let root = builder.append(self.root)
    return builder.finish(evaluate: evaluateDecision, root: root)
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
    var byKey: [BytesKey: (name: TextReference, record: UInt32)] = [:]
    for attribute in datafile.attributes {
      let key = builder.text(attribute.key)
      let record = builder.append(
        AttributeRecord(key: key, id: builder.text(attribute.id), keyHash: Hash64.hash(attribute.key)))
      byKey[BytesKey(attribute.key)] = (key, record)
      attributes[BytesKey(attribute.id)] = record
    }
    root.attributes = builder.table(Array(byKey.values))
  }

  private mutating func addEvents() {
    var byKey: [BytesKey: (name: TextReference, record: UInt32)] = [:]
    for event in datafile.events {
      let key = builder.text(event.key)
      byKey[BytesKey(event.key)] = (key, builder.append(EventRecord(key: key, id: builder.text(event.id))))
    }
    root.events = builder.table(Array(byKey.values))
  }

  /// Global ones, and local ones by the rules they name (2.5).
  private mutating func addHoldouts() {
    var global: [UInt32] = []
    for holdout in datafile.holdouts { global.append(rule(holdout, .holdout).offset) }
    root.holdouts = builder.append(contentsOf: global)
    root.holdoutCount = UInt32(global.count)
    for holdout in datafile.localHoldouts where !holdout.includedRules.isEmpty {
      let offset = rule(holdout, .holdout).offset
      for id in holdout.includedRules { localHoldouts[BytesKey(id), default: []].append(offset) }
    }
  }

  private mutating func findInjectedVariations() {
    var last: [BytesKey: VariationDefinition] = [:]
    for rollout in datafile.rollouts { last[BytesKey(rollout.id)] = rollout.rules.last?.variations.first }
    for flag in datafile.flags {
      guard let variation = last[BytesKey(flag.rolloutID)] else { continue }
      for id in flag.experimentIDs { injected[BytesKey(id), default: []].append(variation) }
    }
  }

  private mutating func addExperiments() {
    var byKey: [BytesKey: (name: TextReference, record: UInt32)] = [:]
    for definition in datafile.experiments { add(definition, group: 0, &byKey) }
    for group in datafile.groups {
      let record = group.isExclusive ? self.group(group) : 0
      for definition in group.experiments { add(definition, group: record, &byKey) }
    }
    root.experiments = builder.table(Array(byKey.values))
  }

  private mutating func add(
    _ definition: RuleDefinition, group: UInt32, _ byKey: inout [BytesKey: (name: TextReference, record: UInt32)]
  ) {
    let compiled = rule(definition, .experiment, group: group)
    experiments[BytesKey(definition.id)] = compiled
    byKey[BytesKey(definition.key)] = (compiled.record.key, compiled.offset)
  }

  private mutating func group(_ group: GroupDefinition) -> UInt32 {
    let rows = group.allocation.map { AllocationRow(end: Self.end($0.end), entity: builder.text($0.entity)) }
    return builder.append(
      GroupRecord(id: builder.text(group.id), rows: builder.append(contentsOf: rows), rowCount: UInt32(rows.count)))
  }

  static func end(_ number: Int64) -> UInt32 { UInt32(clamping: number) }
}
