internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Lays flags out as a snapshot: a whole set, or another snapshot with a flag more or less, or changed. Used once.
struct FlagLayout: ~Copyable {
  private var builder: SnapshotBuilder
  private var writer = JSONWriter(reservingCapacity: 256)
  /// The place of an existing root; none before it is made.
  private var rootPlace: Place<FlagsRoot> = .none
  private var root: FlagsRoot
  private var owner: EventContext?

  /// - Parameters:
  ///   - owner: the context that the snapshot's results are for; nil for the current one.
  ///   - expectedBytes: of the document.
  init(root: FlagsRoot, owner: EventContext? = nil, expectedBytes: Int) {
    self.root = root
    self.owner = owner
    builder = SnapshotBuilder(expectedBytes: expectedBytes &* 2)
  }

  /// Continues another snapshot, whose flags are then kept one by one.
  init?(continuing old: Snapshot) {
    guard let oldRoot = old.flagsRoot else { return nil }
    rootPlace = Place(offset: old.head.pointee.rootOffset)
    root = oldRoot.pointee
    root.period = oldRoot.period
    owner = old.owner
    builder = SnapshotBuilder(continuing: old)
  }

  /// Writes a flag down in the room of another snapshot.
  init?(patching old: Snapshot) {
    guard let oldRoot = old.flagsRoot else { return nil }
    root = oldRoot.pointee
    builder = SnapshotBuilder(patching: old)
  }

  /// - Parameter place: of the flag's record in the snapshot.
  consuming func patch(_ flag: FlagDefinition, at place: Place<LaunchDarklyFlagRecord>, of old: Snapshot) -> SnapshotPatch? {
    let former = old.base.at(place)
    let record = record(flag, name: former.pointee.head.name)
    return builder.patch([SnapshotPatch.Replacement(former, in: old, by: record)])
  }

  /// Makes the flags those of another context, or of another spelling of it.
  mutating func setContext(_ fingerprint: UInt64, spelling: UInt64, owner: EventContext?) {
    root.context = fingerprint
    root.spelling = spelling
    self.owner = owner
  }

  /// A key's place in the block.
  mutating func name(_ key: ByteView) -> TextReference { builder.uniqueText(key) }

  /// Writes a flag down.
  mutating func record(_ flag: FlagDefinition, name: TextReference) -> Place<LaunchDarklyFlagRecord> {
    var record = LaunchDarklyFlagRecord(head: FlagHead(name: name, firstCell: builder.cells(1), cellCount: 1))
    record.value = builder.value(flag.value, &writer)
    if flag.value != nil, flag.value?.bool != false { record.traits.insert(.enabled) }
    if let variation = flag.variation {
      record.traits.insert(.hasVariation)
      record.variation = variation
      record.variationName = digits(variation)
    }
    if let version = flag.version {
      record.traits.insert(.hasVersion)
      record.version = version
    }
    if let version = flag.flagVersion {
      record.traits.insert(.hasFlagVersion)
      record.flagVersion = version
    }
    if flag.isTracked { record.traits.insert(.tracked) }
    if flag.tracksReason { record.traits.insert(.tracksReason) }
    record.debuggedUntil = flag.debuggedUntil
    if let reason = flag.reason {
      record.reason = builder.json(reason, &writer)
      record.coreReason = Reason(launchDarkly: reason)
      if record.coreReason == .disabled { record.traits.remove(.enabled) }
    }
    setPrerequisites(flag.prerequisites, of: &record)
    if flag.isTracked || flag.debuggedUntil > 0 || record.prerequisiteCount > 0 { record.traits.insert(.recorded) }
    return builder.append(record)
  }

  private mutating func digits(_ number: Int64) -> TextReference {
    writer.removeAll()
    writer.int(number)
    return writer.bytes.withUnsafeBytes { builder.text($0) }
  }

  private mutating func setPrerequisites(_ list: JSONNode?, of record: inout LaunchDarklyFlagRecord) {
    guard let keys = list?.array, !keys.isEmpty else { return }
    var references: [TextReference] = []
    for key in keys { references.append(builder.text(ByteView(key.utf8 ?? UnsafeBufferPointer(start: nil, count: 0)))) }
    record.prerequisites = builder.append(contentsOf: references)
    record.prerequisiteCount = UInt32(truncatingIfNeeded: references.count)
  }

  /// Makes a record of this layout findable.
  mutating func add(record: Place<LaunchDarklyFlagRecord>, hash: UInt64) { builder.addFlag(record: record, hash: hash) }

  /// Keeps all flags of another snapshot but one, whose memory is not reused.
  mutating func keepAll(of old: Snapshot, but dropped: UnsafePointer<LaunchDarklyFlagRecord>?) {
    for index in 0..<old.flagCount {
      let record = old.record(at: index)
      if let dropped, record == UnsafeRawPointer(dropped) { continue }
      let place = Place<LaunchDarklyFlagRecord>(offset: UInt32(truncatingIfNeeded: record - old.base))
      builder.addFlag(record: place, hash: Hash64.hash(old.name(of: record)))
    }
    guard let dropped else { return }
    let record = dropped.pointee
    let texts = [record.head.name, record.value.json, record.value.text, record.reason].reduce(0) { $0 &+ Int($1.count) }
    builder.waste(UInt32(truncatingIfNeeded: texts &+ MemoryLayout<LaunchDarklyFlagRecord>.size))
  }

  /// Copies a flag from another snapshot, with what it uses only.
  mutating func copy(_ flag: UnsafePointer<LaunchDarklyFlagRecord>, of old: Snapshot) {
    var record = flag.pointee
    func text(_ reference: TextReference) -> ByteView { reference.bytes(old.base) }
    record.head.name = builder.uniqueText(text(flag.pointee.head.name))
    record.head.firstCell = builder.cells(1)
    record.value.json = builder.text(text(flag.pointee.value.json))
    if !record.value.text.isNone { record.value.text = builder.text(text(flag.pointee.value.text)) }
    if !record.reason.isNone { record.reason = builder.text(text(flag.pointee.reason)) }
    if !record.variationName.isNone { record.variationName = builder.text(text(flag.pointee.variationName)) }
    if record.prerequisiteCount > 0 {
      var references: [TextReference] = []
      for key in old.prerequisites(of: flag) { references.append(builder.text(key)) }
      record.prerequisites = builder.append(contentsOf: references)
    }
    builder.addFlag(record: builder.append(record), hash: Hash64.hash(old.name(of: flag)))
  }

  /// - Parameter count: how many flags there are, as a guess, when the root is still to come.
  consuming func finish(count: Int) -> Snapshot? {
    if rootPlace.isNone {
      root.wordCount = UInt32(clamping: count &+ count / 4 &+ 128)
      rootPlace = Place(offset: builder.reserve(bytes: Int(FlagsRoot.size), alignment: 64))
      _ = builder.scratch(root.wordCount)  // right behind it
    }
    builder.store(root, at: rootPlace)
    return builder.finish(evaluate: evaluateFlag, root: rootPlace, resources: owner, hasRoom: true)
  }
}

extension Reason {
  /// The service's reason (4.2.1) in the words of OpenFeature.
  init(launchDarkly reason: JSONNode) {
    guard let kind = reason["kind"]?.utf8.map({ ByteView($0) }) else {
      self = .unknown
      return
    }
    if kind.reads("OFF") || kind.reads("PREREQUISITE_FAILED") {
      self = .disabled
    } else if kind.reads("ERROR") {
      self = .error
    } else if reason["inExperiment"]?.bool == true {
      self = .split
    } else if kind.reads("FALLTHROUGH") {
      self = .default
    } else if kind.reads("TARGET_MATCH") || kind.reads("RULE_MATCH") {
      self = .targetingMatch
    } else {
      self = .unknown
    }
  }
}
