internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What a message makes of the rules.
struct ServerUpdate: Sendable {
  /// To be served from now on, owned by the receiver; nil when the message changes nothing that is served.
  var snapshot: Snapshot?
  /// The same where one flag takes another's place, in the snapshot that is served or in a copy of it.
  var patch: SnapshotPatch?
  /// Flags that may have other values than before, in the order of their keys.
  var changed: [String] = []
  /// Those that the vendor's listeners are told of (11.1). Quirk: nothing of an item that a whole set brings in an older
  /// version.
  var told: [String] = []
  /// The item that a single message has changed.
  var item: ItemName?
}

/// The rule set of an environment: what a snapshot holds, and the deleted items that are remembered by their version
/// (protocols/launchdarkly-server.md 3.4). A message that cannot be read changes nothing. Not thread-safe.
struct ServerTable {
  /// Of the rules that are served.
  private(set) var resources: ServerResources
  var tombstones: [ItemName: Int64] = [:]
  private(set) var dependencies = ItemDependencies()
  /// The same as the vendor's listeners know them. Quirk: a message that is too old to change anything changes these.
  private var toldDependencies = ItemDependencies()

  init(_ resources: ServerResources) { self.resources = resources }

  /// One without rules, for a whole set.
  var emptied: ServerTable { ServerTable(resources) }

  /// How a whole set is written down.
  enum Form {
    /// `{"path": "/", "data": {"flags": …, "segments": …}}` of streams.
    case put
    /// `{"flags": …, "segments": …}` of polls.
    case poll
  }

  /// The whole set: replaces everything.
  mutating func put(
    _ text: ByteView, _ form: Form, over old: Snapshot?, limits: JSONLimits = .standard
  ) throws(FlagFailure) -> ServerUpdate {
    var items = ServerItems(resources.renewed(), expectedBytes: text.count)
    do throws(JSONFailure) {
      try ServerDocument.read(text, form, limits, into: &items)
    } catch {
      throw FlagFailure(error)
    }
    return try take(items, over: old)
  }

  mutating func take(_ items: consuming ServerItems, over old: Snapshot?) throws(FlagFailure) -> ServerUpdate {
    (tombstones, dependencies, toldDependencies) = (items.tombstones, items.dependencies, items.dependencies)
    resources = items.resources
    guard let snapshot = items.finish() else { throw .tooLarge }
    let changes = snapshot.changes(since: old)
    let newer = changes.filter { $0.after ?? .max > $0.before ?? .min }
    let changed = dependencies.flags(affectedBy: changes.map(\.item))
    let told = newer.count == changes.count ? changed : toldDependencies.flags(affectedBy: newer.map(\.item))
    return ServerUpdate(snapshot: snapshot, changed: changed, told: told)
  }

  /// One item, new or changed; ignored when it is not newer than the known one.
  mutating func patch(_ text: ByteView, of old: Snapshot, limits: JSONLimits = .standard) throws(FlagFailure) -> ServerUpdate {
    try JSONNode.withRoot(of: text, limits) { (node) throws(FlagFailure) in
      guard let item = ItemName(path: try required(node.text("path"), "path")) else { return ServerUpdate() }
      let data = try required(node.object("data"), "data")
      let head = try ItemHead(data)
      if head.isDeleted { return try delete(item, head.version, of: old) }
      guard isNewer(head.version, item, than: old) else {
        try readOld(item, data)
        return ServerUpdate()
      }
      let update = try item.kind == .flag ? setFlag(item, data, of: old) : lay(item, data, of: old)
      tombstones[item] = nil
      return telling(update, of: item)
    }
  }

  /// Forgets an item, and remembers the version of that.
  mutating func delete(_ text: ByteView, of old: Snapshot, limits: JSONLimits = .standard) throws(FlagFailure) -> ServerUpdate {
    try JSONNode.withRoot(of: text, limits) { (node) throws(FlagFailure) in
      guard let item = ItemName(path: try required(node.text("path"), "path")) else { return ServerUpdate() }
      return try delete(item, try required(node.integer("version"), "version"), of: old)
    }
  }

  private mutating func delete(_ item: ItemName, _ version: Int64, of old: Snapshot) throws(FlagFailure) -> ServerUpdate {
    toldDependencies.set(item, [])
    guard isNewer(version, item, than: old) else { return ServerUpdate() }
    var update = ServerUpdate()
    if Self.version(of: item, in: old) != nil { update = try lay(item, nil, of: old) }
    refer(item, to: [])
    if tombstones.count < FlagTable.maximumTombstones || tombstones[item] != nil { tombstones[item] = version }
    return telling(update, of: item)
  }

  func telling(_ update: ServerUpdate, of item: ItemName) -> ServerUpdate {
    var update = update
    update.changed = dependencies.flags(affectedBy: [item])
    update.told = toldDependencies.flags(affectedBy: [item])
    update.item = item
    return update
  }

  /// What cannot be read is malformed, however old it is.
  private mutating func readOld(_ item: ItemName, _ data: JSONNode) throws(FlagFailure) {
    var compiler = ServerCompiler(resources, expectedBytes: 0)
    try item.key.withBytes { key in
      Result { () throws(FlagFailure) in
        if item.kind == .flag { _ = try compiler.flag(data, name: key) } else { _ = try compiler.segment(data, name: key) }
      }
    }.get()
    toldDependencies.set(item, compiler.dependencies)
  }

  private func isNewer(_ version: Int64, _ item: ItemName, than old: Snapshot) -> Bool {
    guard let known = Self.version(of: item, in: old) ?? tombstones[item] else { return true }
    return version > known
  }

  static func version(of item: ItemName, in snapshot: Snapshot) -> Int64? {
    item.key.withBytes { snapshot.version(of: item.kind, $0) }
  }

  /// The same rules, laid out anew, are served.
  mutating func continues(with resources: ServerResources) { self.resources = resources }

  mutating func refer(_ item: ItemName, to references: [ItemName]) {
    dependencies.set(item, references)
    toldDependencies.set(item, references)
  }

  /// In the place of the former one, with the cost of this flag alone, where there is room.
  mutating func setFlag(_ item: ItemName, _ data: JSONNode, of old: Snapshot) throws(FlagFailure) -> ServerUpdate {
    guard item.key.withBytes({ old.find($0) }) != nil else { return try lay(item, data, of: old) }
    var references: [ItemName] = []
    let resources = resources
    let patch = try SnapshotPatch(of: old, relaysLater: true) { snapshot throws(FlagFailure) in
      try item.key.withBytes { key in
        Result { () throws(FlagFailure) -> SnapshotPatch? in
          guard let former = snapshot.find(key) else { return nil }
          var compiler = ServerCompiler(patching: snapshot, resources)
          let place = try compiler.flag(data, name: key)
          references = compiler.dependencies
          return compiler.patch(former, in: snapshot, by: place)
        }
      }.get()
    }
    guard let patch else { return try lay(item, data, of: old) }
    refer(item, to: references)
    return ServerUpdate(patch: patch)
  }

  /// The former block with an item more or less; written anew when most of that would be waste, because a `RulesRelay` has
  /// not come to its end.
  mutating func lay(_ item: ItemName, _ data: JSONNode?, of old: Snapshot) throws(FlagFailure) -> ServerUpdate {
    if old.isMostlyWaste { return try layAnew(item, data, of: old) }
    let resources = resources
    let (snapshot, references) = try item.key.withBytes { key in
      Result { () throws(FlagFailure) -> (Snapshot?, [ItemName]) in
        var compiler = ServerCompiler(continuing: old, resources)
        let place = try data.map { data throws(FlagFailure) in
          item.kind == .flag ? try compiler.flag(data, name: key).offset : try compiler.segment(data, name: key).offset
        }
        let references = compiler.dependencies
        return (compiler.finish(old, but: item.kind, key, place, resources), references)
      }
    }.get()
    guard let snapshot else { throw .tooLarge }
    refer(item, to: references)
    return ServerUpdate(snapshot: snapshot)
  }

  private mutating func layAnew(_ item: ItemName, _ data: JSONNode?, of old: Snapshot) throws(FlagFailure) -> ServerUpdate {
    var items = ServerItems(resources.renewed(), expectedBytes: Int(clamping: old.head.pointee.byteCount / 2))
    for index in 0..<old.flagCount {
      let flag = old.serverFlag(old.record(at: index))
      try items.add(.flag, old.name(of: flag), flag.pointee.source.text(old.base), but: item)
    }
    for segment in old.segments {
      try items.add(.segment, segment.pointee.name.bytes(old.base), segment.pointee.source.text(old.base), but: item)
    }
    if let data {
      try item.key.withBytes { key in Result { () throws(FlagFailure) in try items.add(item.kind, key, data) } }.get()
    }
    refer(item, to: items.references)
    let renewed = items.resources
    guard let snapshot = items.finish() else { throw .tooLarge }
    resources = renewed
    return ServerUpdate(snapshot: snapshot)
  }
}

extension ServerItems {
  /// An item as it was sent before, unless it is another's turn.
  fileprivate mutating func add(
    _ kind: ItemName.Kind, _ key: ByteView, _ source: [UInt8], but item: ItemName
  ) throws(FlagFailure) {
    if kind == item.kind, item.key.withBytes({ $0.hasSameBytes(as: key) }) { return }
    try add(kind, key, source)
  }

  /// - Parameter source: an item as it was sent.
  mutating func add(_ kind: ItemName.Kind, _ key: ByteView, _ source: [UInt8]) throws(FlagFailure) {
    try source.withBytes { source in
      Result { () throws(FlagFailure) in
        try JSONNode.withRoot(of: source, .standard) { (node) throws(FlagFailure) in try add(kind, key, node) }
      }
    }.get()
  }
}

extension ServerCompiler {
  /// Keeps all of another snapshot but one item, in whose place another may be.
  fileprivate consuming func finish(
    _ old: Snapshot, but kind: ItemName.Kind, _ key: ByteView, _ place: UInt32?, _ resources: ServerResources
  ) -> Snapshot? {
    for index in 0..<old.flagCount {
      let record = old.record(at: index)
      if kind == .flag, old.name(of: record).hasSameBytes(as: key) {
        builder.waste(old.serverFlag(record).pointee.source.packed.count &* 4)
      } else {
        let place = Place<ServerFlagRecord>(offset: UInt32(truncatingIfNeeded: record - old.base))
        builder.addFlag(record: place, hash: Hash64.hash(old.name(of: record)))
      }
    }
    if kind == .flag, let place { builder.addFlag(record: Place<ServerFlagRecord>(offset: place), hash: Hash64.hash(key)) }
    var segments = BytesTable()
    for segment in old.segments {
      let name = segment.pointee.name.bytes(old.base)
      if kind == .segment, name.hasSameBytes(as: key) {
        builder.waste(segment.pointee.source.packed.count &* 4)
      } else {
        segments.set(name, to: UInt32(truncatingIfNeeded: UnsafeRawPointer(segment) - old.base))
      }
    }
    if kind == .segment, let place { segments.set(key, to: place) }
    return finish(segments: segments, resources: resources, former: old.root(as: ServerRoot.self).pointee)
  }
}

extension Snapshot {
  /// Items of another version than in the rules of before; nil where there is none.
  fileprivate func changes(since old: Snapshot?) -> [(item: ItemName, before: Int64?, after: Int64?)] {
    var changes: [(item: ItemName, before: Int64?, after: Int64?)] = []
    func add(_ kind: ItemName.Kind, _ key: ByteView, _ before: Int64?, _ after: Int64?) {
      if before != after { changes.append((ItemName(kind, key), before, after)) }
    }
    forEachItem { kind, key, version in add(kind, key, old?.version(of: kind, key), version) }
    old?.forEachItem { kind, key, version in
      if self.version(of: kind, key) == nil { add(kind, key, version, nil) }
    }
    return changes
  }

  /// Of a snapshot of rules.
  var itemVersions: [ItemName: Int64] {
    var versions: [ItemName: Int64] = [:]
    forEachItem { versions[ItemName($0, $1)] = $2 }
    return versions
  }

  private func forEachItem(_ body: (ItemName.Kind, ByteView, _ version: Int64) -> Void) {
    for index in 0..<flagCount {
      let flag = serverFlag(record(at: index))
      body(.flag, name(of: flag), flag.pointee.version)
    }
    for segment in segments { body(.segment, segment.pointee.name.bytes(base), segment.pointee.version) }
  }

  fileprivate func version(of kind: ItemName.Kind, _ key: ByteView) -> Int64? {
    switch kind {
    case .flag: find(key).map { serverFlag($0).pointee.version }
    case .segment: segment(key, hash: Hash64.hash(key))?.pointee.version
    }
  }
}

extension FlagFailure {
  static let tooLarge = FlagFailure("the flags are too large, or memory has run out")
}
