internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Lays flags and segments out as a snapshot, each as it is read: what is malformed ends in a failure, and the layout is
/// dropped (protocols/launchdarkly-server.md 3). Used once.
struct ServerCompiler: ~Copyable {
  var builder: SnapshotBuilder
  var writer = JSONWriter(reservingCapacity: 256)
  let resources: ServerResources
  /// Counters of the flags that were read.
  private(set) var cells: UInt32 = 0
  /// What the item that was read last refers to.
  var dependencies: [ItemName] = []
  var known = KnownLists()
  private var packer = TextPacker(sample: ItemSource.sample)

  init(_ resources: ServerResources, expectedBytes: Int) {
    self.resources = resources
    builder = SnapshotBuilder(expectedBytes: expectedBytes)
  }

  /// Continues another snapshot, whose flags are then kept one by one.
  init(continuing old: Snapshot, _ resources: ServerResources) {
    self.resources = resources
    builder = SnapshotBuilder(continuing: old)
  }

  /// Writes a flag down in the room of another snapshot.
  init(patching old: Snapshot, _ resources: ServerResources) {
    self.resources = resources
    builder = SnapshotBuilder(patching: old)
  }

  /// - Parameter name: by which it is found.
  mutating func flag(_ node: JSONNode, name: ByteView) throws(FlagFailure) -> Place<ServerFlagRecord> {
    dependencies.removeAll(keepingCapacity: true)
    let key = try required(node.text("key"), "key")
    var record = ServerFlagRecord(
      head: FlagHead(name: builder.text(name)), key: builder.text(key), version: try required(node.integer("version"), "version"))
    try readTraits(of: node, into: &record)
    if let values = try node.array("variations") {
      record.variations = try shared(.values, values.source) { (compiler: inout ServerCompiler) throws(FlagFailure) in
        var variations: [ValueRecord] = []
        for value in values.array.map({ Array($0) }) ?? [] {
          variations.append(compiler.builder.value(value, &compiler.writer))
        }
        return variations
      }
    }
    record.head.cellCount = record.variations.count &+ 1
    record.head.firstCell = builder.cells(record.head.cellCount)
    cells &+= record.head.cellCount
    let salt = try node.text("salt") ?? .noBytes
    record.otherwise =
      try node.object("fallthrough").map { node throws(FlagFailure) in try selection(node, key, salt) }
      ?? SelectionRecord()
    record.prerequisites = list(try node.objects("prerequisites").map { node throws(FlagFailure) in try prerequisite(node) })
    let users = try node.objects("targets").map { node throws(FlagFailure) in try target(node, users: []) }
    record.targets = list(users)
    record.contextTargets = list(
      try node.objects("contextTargets").map { node throws(FlagFailure) in try target(node, users: users) })
    var rules: [ServerRuleRecord] = []
    for rule in try node.objects("rules") { rules.append(try self.rule(rule, at: rules.count, key, salt)) }
    record.rules = list(rules)
    record.source = source(of: node)
    return builder.append(record)
  }

  private func readTraits(of node: JSONNode, into record: inout ServerFlagRecord) throws(FlagFailure) {
    if try node.truth("on") { record.traits.insert(.on) }
    if try node.truth("trackEvents") { record.traits.insert(.tracked) }
    if try node.truth("trackEventsFallthrough") { record.traits.insert(.tracksFallthrough) }
    if try node.truth("excludeFromSummaries") { record.traits.insert(.leftOutOfSummaries) }
    var isClientSide = try node.truth("clientSide")
    if let availability = try node.object("clientSideAvailability") {
      isClientSide = try availability.truth("usingEnvironmentId")
      _ = try availability.truth("usingMobileKey")
    }
    if isClientSide { record.traits.insert(.clientSide) }
    if let date = try node.date("debugEventsUntilDate") {
      record.traits.insert(.hasDebugDate)
      record.debuggedUntil = date
    }
    if let variation = try node.integer("offVariation") {
      record.traits.insert(.hasOffVariation)
      record.offVariation = Int32(clamping: variation)
    }
    record.samplingRatio = try node.integer("samplingRatio") ?? 1
    record.checkRatio = try node.object("migration")?.integer("checkRatio") ?? 1
  }

  private mutating func prerequisite(_ node: JSONNode) throws(FlagFailure) -> PrerequisiteRecord {
    let key = try required(node.text("key"), "key")
    dependencies.append(ItemName(.flag, key))
    return PrerequisiteRecord(key: name(key), variation: try variation(of: node))
  }

  private func variation(of node: JSONNode) throws(FlagFailure) -> Int32 {
    Int32(clamping: try required(node.integer("variation"), "variation"))
  }

  /// - Parameter users: the targets of users, of which an empty one of that kind stands for another.
  private mutating func target(_ node: JSONNode, users: [TargetRecord]) throws(FlagFailure) -> TargetRecord {
    let (keys, isEmpty) = try keys(required(node.texts("values"), "values"))
    let variation = try variation(of: node)
    return TargetRecord(
      kind: kind(try node.text("contextKind")), keys: keys, variation: variation,
      usersKeys: users.first { $0.variation == variation }?.keys ?? NameTable(), isEmpty: isEmpty)
  }

  private mutating func rule(
    _ node: JSONNode, at index: Int, _ key: ByteView, _ salt: ByteView
  ) throws(FlagFailure) -> ServerRuleRecord {
    var record = ServerRuleRecord(
      index: UInt32(truncatingIfNeeded: index), isTracked: try node.truth("trackEvents"), clauses: try clauses(node),
      selection: try selection(node, key, salt))
    if let id = try node.text("id") { record.id = builder.text(id) }
    return record
  }

  private mutating func selection(_ node: JSONNode, _ key: ByteView, _ salt: ByteView) throws(FlagFailure) -> SelectionRecord {
    var record = SelectionRecord()
    if let variation = try node.integer("variation") {
      record.hasVariation = true
      record.variation = Int32(clamping: variation)
    }
    guard let rollout = try node.object("rollout") else { return record }
    record.isExperiment = try rollout.text("kind")?.reads("experiment") ?? false
    let by = try rollout.text("bucketBy")
    record.bucket = bucket(
      kind: try rollout.text("contextKind"), by: record.isExperiment ? nil : by, seed: try rollout.integer("seed"), key, salt)
    let source = try required(rollout.array("variations"), "variations").source
    record.entries = try shared(.entries, source) { (compiler: inout ServerCompiler) throws(FlagFailure) in
      var entries: [RolloutEntry] = []
      var sum = 0.0
      for entry in try rollout.objects("variations") {
        sum += Double(try required(entry.integer("weight"), "weight")) / 100_000
        let isUntracked = try entry.truth("untracked")
        entries.append(RolloutEntry(upTo: sum, variation: try compiler.variation(of: entry), isTracked: !isUntracked))
      }
      return entries
    }
    return record
  }

  private mutating func bucket(
    kind: ByteView?, by attribute: ByteView?, seed: Int64?, _ key: ByteView, _ salt: ByteView
  ) -> Place<BucketRecord> {
    var record = BucketRecord(kind: self.kind(kind))
    if let attribute, !attribute.isEmpty { record.attribute = reference(attribute, isLiteral: kind?.isEmpty ?? true).place }
    let dot = UInt8(ascii: ".")
    record.prefix = builder.text(seed.map { Array("\($0).".utf8) } ?? Array(key) + [dot] + Array(salt) + [dot])
    return builder.append(record)
  }
}

/// Segments.
extension ServerCompiler {
  /// - Parameter name: by which it is found.
  mutating func segment(_ node: JSONNode, name: ByteView) throws(FlagFailure) -> Place<ServerSegmentRecord> {
    dependencies.removeAll(keepingCapacity: true)
    let key = try required(node.text("key"), "key")
    let salt = try node.text("salt") ?? .noBytes
    let generation = try node.integer("generation")
    var rules: [SegmentRuleRecord] = []
    for rule in try node.objects("rules") { rules.append(try segmentRule(rule, key, salt)) }
    return builder.append(
      ServerSegmentRecord(
        name: builder.text(name), key: builder.text(key), version: try required(node.integer("version"), "version"),
        generation: generation ?? 0, isUnbounded: try node.truth("unbounded"), hasGeneration: generation != nil,
        unboundedKind: kind(try node.text("unboundedContextKind")), included: try keys(node.texts("included")).table,
        excluded: try keys(node.texts("excluded")).table, includedContexts: try members("includedContexts", of: node),
        excludedContexts: try members("excludedContexts", of: node), rules: list(rules),
        source: source(of: node)))
  }

  private mutating func members(_ name: StaticString, of node: JSONNode) throws(FlagFailure) -> RecordList<TargetRecord> {
    var records: [TargetRecord] = []
    for entry in try node.objects(name) {
      let (keys, isEmpty) = try keys(required(entry.texts("values"), "values"))
      records.append(
        TargetRecord(
          kind: kind(try entry.text("contextKind")), keys: keys, variation: 0, usersKeys: NameTable(), isEmpty: isEmpty))
    }
    return list(records)
  }

  private mutating func segmentRule(_ node: JSONNode, _ key: ByteView, _ salt: ByteView) throws(FlagFailure) -> SegmentRuleRecord
  {
    _ = try node.text("id")
    let (by, kind) = (try node.text("bucketBy"), try node.text("rolloutContextKind"))
    var record = SegmentRuleRecord(clauses: try clauses(node))
    if let weight = try node.integer("weight") {
      (record.isWeighted, record.weight) = (true, Double(weight) / 100_000)
      record.bucket = bucket(kind: kind, by: by, seed: nil, key, salt)
    }
    return record
  }
}

/// What flags and segments are made of.
extension ServerCompiler {
  private mutating func source(of node: JSONNode) -> ItemSource {
    let packed = packer.pack(node.source ?? .noBytes)
    return ItemSource(packed: packed.withBytes { builder.uniqueText($0) })
  }

  /// A list of records; where the same was read before, that one.
  /// - Parameter source: JSON text.
  mutating func shared<Record: BitwiseCopyable>(
    _ kind: KnownLists.Kind, _ source: ByteView?, _ read: (inout ServerCompiler) throws(FlagFailure) -> [Record]
  ) throws(FlagFailure) -> RecordList<Record> {
    if let source, let entry = known.find(kind, source) {
      dependencies += entry.dependencies
      return RecordList(first: Place(offset: entry.first), count: entry.count)
    }
    let before = dependencies.count
    let made = list(try read(&self))
    if let source {
      known.add(
        kind, source, KnownLists.Entry(first: made.first.offset, count: made.count, dependencies: Array(dependencies[before...])))
    }
    return made
  }

  mutating func list<Record: BitwiseCopyable>(_ records: [Record]) -> RecordList<Record> {
    RecordList(first: builder.append(contentsOf: records), count: UInt32(truncatingIfNeeded: records.count))
  }

  mutating func name(_ text: ByteView) -> NameRecord { NameRecord(text: builder.text(text), hash: Hash64.hash(text)) }

  /// - Parameter text: nil and empty for users.
  mutating func kind(_ text: ByteView?) -> KindRecord {
    guard let text, !text.isEmpty, !text.reads("user") else { return KindRecord(name: NameRecord(), isUser: true) }
    return KindRecord(name: name(text), isUser: false)
  }

  /// The strings of an array, to be found by their hashes.
  mutating func keys(_ array: JSONNode?) -> (table: NameTable, isEmpty: Bool) {
    let texts = array?.array.map { $0.compactMap(\.bytes) } ?? []
    return (table(texts), texts.isEmpty)
  }

  mutating func table(_ texts: [ByteView]) -> NameTable {
    if texts.isEmpty { return NameTable() }
    var records = BytesTable(expecting: texts.count)
    for text in texts where records[text] == nil { records.set(text, to: builder.append(builder.text(text)).offset) }
    return builder.table(records)
  }

  /// - Returns: with the name, where it is one and has no meaning of its own.
  mutating func reference(_ text: ByteView, isLiteral: Bool) -> (place: Place<ReferenceRecord>, plain: NameRecord) {
    let string = String(decoding: text, as: UTF8.self)
    let reference = isLiteral ? AttributeReference(literal: string) : AttributeReference(string)
    var names: [NameRecord] = []
    for component in reference.components { names.append(component.withBytes { name($0) }) }
    var builtIn = BuiltInAttribute.none
    if let first = reference.components.first {
      if first.reads("_meta") { builtIn = .meta }
      if names.count == 1 {
        builtIn = first.reads("kind") ? .kind : first.reads("key") ? .key : first.reads("anonymous") ? .anonymous : builtIn
      }
    }
    let place = builder.append(ReferenceRecord(names: list(names), builtIn: builtIn))
    return (place, names.count == 1 && builtIn == .none ? names[0] : NameRecord())
  }
}
