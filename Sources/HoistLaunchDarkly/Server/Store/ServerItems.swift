internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The head of an item, which decides whether it is laid out (protocols/launchdarkly-server.md 3.4).
struct ItemHead {
  let version: Int64
  let isDeleted: Bool

  /// Of a deleted item nothing else is read.
  init(_ node: JSONNode) throws(FlagFailure) {
    guard node.kind == .object else { throw FlagFailure("an item is no object") }
    version = try required(node.integer("version"), "version")
    isDeleted = try node.truth("deleted")
  }
}

extension ItemName {
  /// What a path of a message names: everything after the prefix is the key. Nil for anything else.
  init?(path: ByteView) {
    for (prefix, kind): (StaticString, Kind) in [("/flags/", .flag), ("/segments/", .segment)] {
      let (head, key) = (
        path.view(from: 0, to: prefix.utf8CodeUnitCount), path.view(from: prefix.utf8CodeUnitCount, to: path.count)
      )
      guard head.reads(prefix) else { continue }
      self.init(kind, key)
      return
    }
    return nil
  }
}

/// Which items refer to which: flags to others and to segments, segments to segments (11.1).
struct ItemDependencies {
  private var needs: [ItemName: Set<ItemName>] = [:]
  private var neededBy: [ItemName: Set<ItemName>] = [:]

  mutating func set(_ item: ItemName, _ references: [ItemName]) {
    for former in needs.removeValue(forKey: item) ?? [] {
      neededBy[former]?.remove(item)
      if neededBy[former]?.isEmpty ?? false { neededBy[former] = nil }
    }
    if references.isEmpty { return }
    needs[item] = Set(references)
    for reference in references { neededBy[reference, default: []].insert(item) }
  }

  /// Items with all that they refer to, each after that; what refers to itself in a round comes in any order.
  func ordered(_ items: [ItemName]) -> [ItemName] {
    var (seen, ordered): (Set<ItemName>, [ItemName]) = ([], [])
    var pending = items.reversed().map { (item: $0, isDone: false) }
    while let (item, isDone) = pending.popLast() {
      if isDone {
        ordered.append(item)
      } else if seen.insert(item).inserted {
        pending.append((item, true))
        for need in needs[item] ?? [] { pending.append((need, false)) }
      }
    }
    return ordered
  }

  /// The keys of flags among items, each there once, and all that depends on them.
  func flags(affectedBy items: [ItemName]) -> [String] {
    var affected = items
    if !neededBy.isEmpty {
      var (seen, pending) = (Set(items), items)
      while let item = pending.popLast() {
        for other in neededBy[item] ?? [] where seen.insert(other).inserted {
          affected.append(other)
          pending.append(other)
        }
      }
    }
    return affected.lazy.filter { $0.kind == .flag }.map { String(decoding: $0.key, as: UTF8.self) }.sorted()
  }
}

/// Items on their way into a snapshot; of items of one key the last counts.
struct ServerItems: ~Copyable {
  private var compiler: ServerCompiler
  private var flags = BytesTable()
  private var segments = BytesTable()
  private var keys = TextArena()
  private(set) var tombstones: [ItemName: Int64] = [:]
  private(set) var dependencies = ItemDependencies()
  var resources: ServerResources { compiler.resources }
  /// What the item that came last refers to.
  var references: [ItemName] { compiler.dependencies }

  init(_ resources: ServerResources, expectedBytes: Int) {
    compiler = ServerCompiler(resources, expectedBytes: expectedBytes)
  }

  mutating func add(_ kind: ItemName.Kind, _ key: ByteView, _ node: JSONNode) throws(FlagFailure) {
    let head = try ItemHead(node)
    let name = ItemName(kind, key)
    var place: UInt32 = 0
    if head.isDeleted {
      tombstones[name] = head.version
      dependencies.set(name, [])
    } else {
      tombstones[name] = nil
      place = kind == .flag ? try compiler.flag(node, name: key).offset : try compiler.segment(node, name: key).offset
      dependencies.set(name, compiler.dependencies)
    }
    if kind == .flag { flags.set(keys.keep(key), to: place) } else { segments.set(keys.keep(key), to: place) }
  }

  /// As if it had not been added.
  mutating func remove(_ item: ItemName) {
    let key = item.key.withBytes { keys.keep($0) }
    if item.kind == .flag { flags.set(key, to: 0) } else { segments.set(key, to: 0) }
  }

  consuming func finish() -> Snapshot? {
    for entry in flags.entries where entry.value != 0 {
      compiler.builder.addFlag(record: Place<ServerFlagRecord>(offset: entry.value), hash: entry.hash)
    }
    var present = BytesTable(expecting: segments.entries.count)
    for entry in segments.entries where entry.value != 0 { present.set(entry.key, to: entry.value) }
    return compiler.finish(segments: present, resources: compiler.resources)
  }
}

extension ServerCompiler {
  /// - Parameters:
  ///   - segments: places of their records by their names.
  ///   - former: of the snapshot that is continued.
  consuming func finish(segments: BytesTable, resources: ServerResources, former: ServerRoot? = nil) -> Snapshot? {
    var content = former ?? ServerRoot()
    content.segments = segments.entries.isEmpty ? NameTable() : builder.table(segments)
    if former == nil {
      content.wordCount = cells &+ cells / 4 &+ 128
      content.words = builder.scratch(content.wordCount)
    }
    let root = builder.append(content)
    let unlisted = builder.append(ServerFlagRecord(head: FlagHead(name: .none), key: .none, version: 0, traits: .unlisted))
    return builder.finish(
      evaluate: evaluateServerFlag, root: root, unlisted: unlisted.offset, resources: resources, hasRoom: true)
  }

  /// - Parameter former: of the snapshot that is patched, under the same name.
  consuming func patch(_ former: UnsafeRawPointer, in snapshot: Snapshot, by record: Place<ServerFlagRecord>) -> SnapshotPatch? {
    builder.patch([SnapshotPatch.Replacement(former, in: snapshot, by: record)])
  }
}
