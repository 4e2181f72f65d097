internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Lays campaigns out as one snapshot. Used once; texts that definitions lend outlive it.
struct CampaignCompiler: ~Copyable {
  var builder: SnapshotBuilder
  /// For one value after the other.
  var writer = JSONWriter(wholeDoubles: .withFraction)
  private var root: CampaignsRoot
  private var campaigns: [Place<CampaignRecord>] = []
  /// Ordinals by key.
  private var flags = BytesTable()
  /// By ordinal.
  private var candidates: [[Place<CampaignRecord>]] = []
  /// By campaign: of all that its flags share.
  private var fingerprints: [Place<CampaignRecord>: UInt64] = [:]
  /// By ordinal: of the flag's own values.
  private var ownFingerprints: [UInt64] = []
  /// nil where contexts of one call are not decided for.
  let automatic: AutomaticContext?

  init(isDecided: Bool, widensIntegers: Bool = false, automatic: AutomaticContext? = nil, expectedBytes: Int = 0) {
    self.automatic = automatic
    root = CampaignsRoot(isDecided: isDecided, widensIntegers: widensIntegers)
    builder = SnapshotBuilder(expectedBytes: expectedBytes)
  }

  /// Forgets what was added: another list of campaigns takes its place.
  mutating func removeAll() {
    campaigns = []
    flags = BytesTable()
    candidates = []
    ownFingerprints = []
  }

  mutating func add(_ campaign: CampaignDefinition) {
    let place = builder.reserve(1, of: CampaignRecord.self)
    var record = CampaignRecord(
      id: builder.text(campaign.id), name: builder.text(campaign.name), type: builder.text(campaign.type),
      slug: builder.text(campaign.slug))
    record.groups = builder.reserve(campaign.groups.count, of: GroupRecord.self)
    record.groupCount = UInt32(clamping: campaign.groups.count)
    for (index, group) in campaign.groups.enumerated() {
      let groupPlace = record.groups.at(index)
      builder.store(self.record(of: group, at: groupPlace, campaign: place), at: groupPlace)
    }
    builder.store(record, at: place)
    campaigns.append(place)
    fingerprints[place] = campaign.fingerprint
  }

  private mutating func record(
    of group: GroupDefinition, at groupPlace: Place<GroupRecord>, campaign: Place<CampaignRecord>
  ) -> GroupRecord {
    var record = GroupRecord(id: builder.text(group.id), name: builder.text(group.name))
    record.idHash = Hash64.hash(group.id)
    record.bucketing = Murmur3State(group.id)
    record.campaign = campaign
    if case .targeted(let groups) = group.audience {
      (record.targetingGroups, record.targetingGroupCount) = append(groups)
    }
    record.variations = builder.reserve(group.variations.count, of: VariationRecord.self)
    record.variationCount = UInt32(clamping: group.variations.count)
    var end: UInt32 = 0
    for (index, variation) in group.variations.enumerated() {
      end = min(end + variation.allocation, 100)
      let place = record.variations.at(index)
      var made = VariationRecord(
        id: builder.text(variation.id), groupID: record.id, name: builder.text(variation.name))
      made.idHash = Hash64.hash(variation.id)
      made.group = groupPlace
      made.end = end
      made.isReference = variation.isReference
      (made.values, made.valueCount) = append(variation.values, of: place, made.idHash, campaign)
      builder.store(made, at: place)
    }
    return record
  }

  /// The values of a variation; of members of one name the last counts, in the first one's place.
  private mutating func append(
    _ values: JSONNode?, of variation: Place<VariationRecord>, _ idHash: UInt64, _ campaign: Place<CampaignRecord>
  ) -> (first: Place<ValueRecord>, count: UInt32) {
    guard let members = values?.object, !members.isEmpty else { return (.none, 0) }
    var nodes: [JSONNode] = []
    nodes.reserveCapacity(members.count)
    var places = BytesTable(expecting: members.count)
    for member in members {
      if let known = places[ByteView(member.name)] {
        nodes[Int(known)] = member
      } else {
        places.set(ByteView(member.name), to: UInt32(clamping: nodes.count))
        nodes.append(member)
      }
    }
    let first = builder.reserve(nodes.count, of: ValueRecord.self)
    for (index, node) in nodes.enumerated() {
      var record = value(node)
      record.flag = ordinal(of: ByteView(node.name), campaign)
      record.variation = variation
      let own = Hash64.combine(idHash, Hash64.hash(writer.bytes))
      ownFingerprints[Int(record.flag)] = Hash64.combine(ownFingerprints[Int(record.flag)], own)
      builder.store(record, at: first.at(index))
    }
    return (first, UInt32(clamping: nodes.count))
  }

  private mutating func value(_ node: JSONNode) -> ValueRecord {
    var record = ValueRecord()
    writer.removeAll()
    writer.value(node)
    record.json = builder.text(writer.bytes)
    switch node.kind {
    case .null: record.kind = .null
    case .bool: (record.kind, record.integer) = (.bool, node.bool ?? false ? 1 : 0)
    case .int: (record.kind, record.integer) = (.int, node.int64 ?? 0)
    case .double: (record.kind, record.number) = (.double, node.double ?? 0)
    case .string: (record.kind, record.text) = (.string, builder.text(node.bytes ?? .noBytes))
    case .array: record.kind = .array
    case .object: record.kind = .object
    }
    return record
  }

  /// The ordinal of a flag, of which the campaign is a candidate from now on.
  private mutating func ordinal(of key: ByteView, _ campaign: Place<CampaignRecord>) -> UInt32 {
    guard let known = flags[key] else {
      let ordinal = UInt32(clamping: candidates.count)
      flags.set(key, to: ordinal)
      candidates.append([campaign])
      ownFingerprints.append(0)
      return ordinal
    }
    if candidates[Int(known)].last != campaign { candidates[Int(known)].append(campaign) }
    return known
  }

  /// - Parameter isComplete: false where a flag that is missing is not known to be none.
  /// - Returns: owned by the caller; nil when memory ran out or the campaigns are too large.
  consuming func finish(isPanic: Bool, isComplete: Bool = true) -> Snapshot? {
    root.isPanic = isPanic
    if isPanic { removeAll() }
    root.campaigns = builder.append(contentsOf: campaigns)
    root.campaignCount = UInt32(clamping: campaigns.count)
    root.flagCount = UInt32(clamping: candidates.count)
    var records: [Place<CampaignFlagRecord>] = []
    records.reserveCapacity(candidates.count)
    for entry in flags.entries {
      let name = builder.text(entry.key)
      var record = CampaignFlagRecord(head: FlagHead(name: name), ordinal: entry.value)
      record.candidates = builder.append(contentsOf: Array(candidates[Int(entry.value)].reversed()))
      record.candidateCount = UInt32(clamping: candidates[Int(entry.value)].count)
      record.fingerprint = ownFingerprints[Int(entry.value)]
      for campaign in candidates[Int(entry.value)] {
        record.fingerprint = record.fingerprint &* 0x9E37_79B9_7F4A_7C15 &+ (fingerprints[campaign] ?? 0)
      }
      let place = builder.append(record)
      builder.addFlag(record: place, hash: entry.hash)
      records.append(place)
    }
    root.flags = builder.append(contentsOf: records)
    let root = builder.append(self.root)
    let isUnknown = isPanic || !isComplete
    let unlisted = isUnknown ? builder.append(CampaignFlagRecord(head: FlagHead(name: .none))).offset : 0
    return builder.finish(evaluate: evaluateCampaignFlag, root: root, unlisted: unlisted)
  }
}
