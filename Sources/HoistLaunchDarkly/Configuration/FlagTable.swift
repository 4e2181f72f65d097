internal import CShims
internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What a message makes of the flags.
struct FlagUpdate: Sendable {
  /// To be served from now on, owned by the receiver; nil when the message was too old to change anything.
  var snapshot: Snapshot?
  /// The same where one flag takes another's place, in the snapshot that is served or in a copy of it.
  var patch: SnapshotPatch?
  /// Where value or variation differ, in the order of the keys' bytes (5.6).
  var changes: [FlagChange] = []
}

/// The flags of one context: those a snapshot holds, and the deleted ones that are remembered by their version (2.2).
///
/// A message that cannot be read changes nothing. Not thread-safe.
struct FlagTable {
  /// Versions of deleted flags; they count as absent.
  private(set) var tombstones: [[UInt8]: Int64] = [:]
  /// Tombstones beyond this are not remembered: only a service that deletes unknown flags would get there.
  static let maximumTombstones = 100_000

  /// The complete set: replaces everything.
  /// - Parameter owner: the context that the flags' results are for; nil for the current one.
  mutating func put(
    _ text: ByteView, in root: FlagsRoot, owner: EventContext? = nil, over old: Snapshot?, limits: JSONLimits = .standard
  ) throws(FlagFailure) -> FlagUpdate {
    let snapshot = try FlagReader.read(text, in: root, owner: owner, form: .flags, limits: limits) { _, _ in }
    tombstones = [:]
    return FlagUpdate(snapshot: snapshot, changes: Self.changes(from: old, to: snapshot))
  }

  /// Flags and tombstones from the cache.
  mutating func restore(
    _ text: ByteView, in root: FlagsRoot, owner: EventContext? = nil, over old: Snapshot?, limits: JSONLimits = .standard
  ) throws(FlagFailure) -> FlagUpdate {
    var restored: [[UInt8]: Int64] = [:]
    let snapshot = try FlagReader.read(text, in: root, owner: owner, form: .cache, limits: limits) { key, version in
      if restored.count < Self.maximumTombstones { restored[Array(key)] = version }
    }
    tombstones = restored
    return FlagUpdate(snapshot: snapshot, changes: Self.changes(from: old, to: snapshot))
  }

  /// One flag, new or changed; ignored when its version is not newer than the known one.
  mutating func patch(_ text: ByteView, of old: Snapshot, limits: JSONLimits = .standard) throws(FlagFailure) -> FlagUpdate {
    try JSONNode.withRoot(of: text, limits) { (node) throws(FlagFailure) in
      let flag = try FlagDefinition(node)
      guard let key = flag.key else { throw FlagFailure("a patch has no \"key\"") }
      guard isNewer(flag.version, key, than: old) else { return FlagUpdate() }
      tombstones[Array(key)] = nil
      return try Self.replace(key, by: flag, in: old)
    }
  }

  /// Forgets a flag, and remembers the version of that.
  mutating func delete(_ text: ByteView, of old: Snapshot, limits: JSONLimits = .standard) throws(FlagFailure) -> FlagUpdate {
    try JSONNode.withRoot(of: text, limits) { (node) throws(FlagFailure) in
      guard node.kind == .object else { throw FlagFailure("a deletion is no object") }
      guard let key = node["key"]?.bytes else { throw FlagFailure("a deletion has no \"key\"") }
      let version = try node.integer("version")
      guard isNewer(version, key, than: old) else { return FlagUpdate() }
      if tombstones.count < Self.maximumTombstones { tombstones[Array(key)] = version ?? 0 }
      return old.find(flag: key) == nil ? FlagUpdate() : try Self.replace(key, by: nil, in: old)
    }
  }

  mutating func removeAll() { tombstones = [:] }

  /// 2.2: an unknown key, no version, or one above the stored.
  private func isNewer(_ version: Int64?, _ key: ByteView, than old: Snapshot) -> Bool {
    guard let version else { return true }
    if let flag = old.find(flag: key) { return version > flag.pointee.comparedVersion }
    if let deleted = tombstones[Array(key)] { return version > deleted }
    return true
  }

  private static func replace(
    _ key: ByteView, by flag: FlagDefinition?, in old: Snapshot
  ) throws(FlagFailure) -> FlagUpdate {
    let before = old.find(flag: key)
    if let before, let flag, let update = patch(before, by: flag, in: old) { return update }
    guard let snapshot = laidOut(key, flag, before, old) else {
      throw FlagFailure("the flags are too large, or memory has run out")
    }
    let after = snapshot.find(flag: key)
    var update = FlagUpdate(snapshot: snapshot)
    if let before, let after, !FlagValue.differs(before, old, after, snapshot) { return update }
    if before != nil || after != nil { update.changes = [change(key, before, old, after, snapshot)] }
    return update
  }

  private static func patch(
    _ before: UnsafePointer<LaunchDarklyFlagRecord>, by flag: FlagDefinition, in old: Snapshot
  ) -> FlagUpdate? {
    let place = Place<LaunchDarklyFlagRecord>(offset: UInt32(truncatingIfNeeded: UnsafeRawPointer(before) - old.base))
    let patch = SnapshotPatch(of: old) { FlagLayout(patching: $0)?.patch(flag, at: place, of: $0) }
    guard let patch, let record = patch.record(at: 0) else { return nil }
    let after = patch.snapshot.flag(record)
    var update = FlagUpdate(patch: patch)
    if FlagValue.differs(before, old, after, patch.snapshot) {
      update.changes = [change(old.name(of: before), before, old, after, patch.snapshot)]
    }
    return update
  }

  /// The former block with the flag appended; written anew when much of that would be waste.
  private static func laidOut(
    _ key: ByteView, _ flag: FlagDefinition?, _ before: UnsafePointer<LaunchDarklyFlagRecord>?, _ old: Snapshot
  ) -> Snapshot? {
    guard let root = old.flagsRoot else { return nil }
    let hasRoom = old.head.pointee.usedCells < root.pointee.wordCount
    if hasRoom, !old.isWasteful, var layout = FlagLayout(continuing: old) {
      layout.keepAll(of: old, but: before)
      if let flag { layout.add(flag, key) }
      return layout.finish(count: old.flagCount &+ 1)
    }
    var fresh = root.pointee
    fresh.period = root.period
    var layout = FlagLayout(root: fresh, owner: old.owner, expectedBytes: Int(clamping: old.head.pointee.byteCount / 2))
    for index in 0..<old.flagCount {
      let record = old.flag(old.record(at: index))
      if record != before { layout.copy(record, of: old) }
    }
    if let flag { layout.add(flag, key) }
    return layout.finish(count: old.flagCount &+ 1)
  }

  /// The changes when nothing is served any more.
  static func removals(of old: Snapshot?) -> [FlagChange] {
    guard let old else { return [] }
    return (0..<old.flagCount).map { index in
      let record = old.record(at: index)
      return change(old.name(of: record), old.flag(record), old, nil, old)
    }
  }

  /// Both are in the order of their keys.
  static func changes(from old: Snapshot?, to new: Snapshot) -> [FlagChange] {
    var changes: [FlagChange] = []
    let oldCount = old?.flagCount ?? 0
    var (oldIndex, newIndex) = (0, 0)
    while oldIndex < oldCount || newIndex < new.flagCount {
      let before = oldIndex < oldCount ? old.map { $0.flag($0.record(at: oldIndex)) } : nil
      let after = newIndex < new.flagCount ? new.flag(new.record(at: newIndex)) : nil
      switch order(before, old, after, new) {
      case .less:
        oldIndex += 1
        if let before, let old { changes.append(change(old.name(of: before), before, old, nil, new)) }
      case .greater:
        newIndex += 1
        if let after { changes.append(change(new.name(of: after), nil, old, after, new)) }
      case .equal:
        oldIndex += 1
        newIndex += 1
        if let before, let after, let old, FlagValue.differs(before, old, after, new) {
          changes.append(change(new.name(of: after), before, old, after, new))
        }
      }
    }
    return changes
  }

  /// By key; one that is not there comes last.
  private static func order(
    _ before: UnsafePointer<LaunchDarklyFlagRecord>?, _ old: Snapshot?, _ after: UnsafePointer<LaunchDarklyFlagRecord>?,
    _ new: Snapshot
  ) -> Ordering {
    guard let before, let old else { return .greater }
    guard let after else { return .less }
    return old.name(of: before).order(against: new.name(of: after))
  }

  private static func change(
    _ key: ByteView, _ before: UnsafePointer<LaunchDarklyFlagRecord>?, _ old: Snapshot?,
    _ after: UnsafePointer<LaunchDarklyFlagRecord>?,
    _ new: Snapshot
  ) -> FlagChange {
    FlagChange(
      key: String(decoding: key, as: UTF8.self),
      oldValue: before.flatMap { before in old.map { Array(before.pointee.value.json.bytes($0.base)) } },
      newValue: after.map { Array($0.pointee.value.json.bytes(new.base)) })
  }
}

extension FlagLayout {
  mutating func add(_ flag: FlagDefinition, _ key: ByteView) {
    let name = name(key)
    let record = record(flag, name: name)
    add(record: record, hash: Hash64.hash(key))
  }
}

extension UnsafePointer<FlagsRoot> {
  /// The period that runs.
  var period: UInt32 { shim_load_u32(UnsafeRawPointer(self).assumingMemoryBound(to: UInt32.self)) }
}
