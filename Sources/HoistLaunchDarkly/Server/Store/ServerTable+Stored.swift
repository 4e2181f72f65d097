internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Rules that a store has, which may have been written by others (10.2). The vendor's listeners are not told of them (10.4).
extension ServerTable {
  /// All that a store has, in place of everything.
  /// - Parameter unreadable: gets what was left out.
  mutating func put(
    _ rules: StoredRules, over old: Snapshot?, unreadable: inout [ItemName]
  ) throws(FlagFailure) -> ServerUpdate {
    var items = ServerItems(resources.renewed(), expectedBytes: rules.items.reduce(0) { $0 + $1.item.json.count })
    for (kind, item) in rules.items {
      do throws(FlagFailure) {
        try item.key.withBytes { key in Result { () throws(FlagFailure) in try items.add(kind, key, item) } }.get()
      } catch {
        unreadable.append(ItemName(kind, item.key))
      }
    }
    var update = try take(items, over: old)
    update.told = []
    return update
  }

  /// One item of a store in place of the known one, whatever its version.
  mutating func put(_ item: FoundItem, named name: ItemName, of old: Snapshot) throws(FlagFailure) -> ServerUpdate {
    var update = try item.json.withBytes { text in
      Result { () throws(FlagFailure) -> ServerUpdate in
        try JSONNode.withRoot(of: text, .standard) { (node) throws(FlagFailure) in
          let head = try ItemHead(node)
          if head.isDeleted { return try remove(name, of: old, leaving: head.version) }
          let update = try name.kind == .flag ? setFlag(name, node, of: old) : lay(name, node, of: old)
          tombstones[name] = nil
          return telling(update, of: name)
        }
      }
    }.get()
    update.told = []
    return update
  }

  /// - Parameter version: of what is known to be deleted; nil for what is not there.
  mutating func remove(_ name: ItemName, of old: Snapshot, leaving version: Int64? = nil) throws(FlagFailure) -> ServerUpdate {
    guard Self.version(of: name, in: old) != nil else {
      tombstones[name] = version
      return ServerUpdate()
    }
    var update = try lay(name, nil, of: old)
    refer(name, to: [])
    tombstones[name] = version
    update = telling(update, of: name)
    update.told = []
    return update
  }

  /// What a store has otherwise than it is served, and what it has not.
  func differences(_ rules: StoredRules, from old: Snapshot) -> (changed: [(name: ItemName, item: FoundItem)], gone: [ItemName]) {
    var missing = old.itemVersions
    for (name, version) in tombstones { missing[name] = version }
    var changed: [(name: ItemName, item: FoundItem)] = []
    for (kind, item) in rules.items {
      let name = ItemName(kind, item.key)
      missing[name] = nil
      if old.source(of: name) == item.json { continue }
      if let version = tombstones[name], isTombstone(item, of: version) { continue }
      changed.append((name, item))
    }
    return (changed, Array(missing.keys))
  }

  private func isTombstone(_ item: FoundItem, of version: Int64) -> Bool {
    let head = try? item.json.withBytes { text in
      Result { () throws(FlagFailure) in
        try JSONNode.withRoot(of: text, .standard) { (node) throws(FlagFailure) in try ItemHead(node) }
      }
    }.get()
    return head.map { $0.isDeleted && $0.version == version } ?? false
  }

  // MARK: What a store is to have

  /// Segments first, each item after those that it refers to.
  func storedItems(of snapshot: Snapshot) -> [StoredItem] {
    func names(_ kind: ItemName.Kind, _ items: some Sequence<ItemName>) -> [ItemName] { items.filter { $0.kind == kind } }
    let all = snapshot.itemVersions.keys
    let segments = names(.segment, tombstones.keys) + dependencies.ordered(names(.segment, all))
    let flags = names(.flag, tombstones.keys) + dependencies.ordered(names(.flag, all)).filter { $0.kind == .flag }
    return (segments + flags).compactMap { storedItem($0, of: snapshot) }
  }

  func storedItem(_ name: ItemName, of snapshot: Snapshot) -> StoredItem? {
    if let version = tombstones[name] { return StoredItem(name, deletedVersion: version) }
    guard let version = Self.version(of: name, in: snapshot), let source = snapshot.source(of: name) else { return nil }
    return StoredItem(name, version: version, json: source)
  }
}

extension ServerItems {
  fileprivate mutating func add(_ kind: ItemName.Kind, _ key: ByteView, _ item: FoundItem) throws(FlagFailure) {
    try item.json.withUnsafeBytes { text in
      Result { () throws(FlagFailure) in
        try JSONNode.withRoot(of: text, .standard) { (node) throws(FlagFailure) in try add(kind, key, node) }
      }
    }.get()
  }
}

extension Snapshot {
  /// An item's text as it came.
  func source(of name: ItemName) -> [UInt8]? {
    name.key.withUnsafeBytes { key in
      switch name.kind {
      case .flag: find(key).map { serverFlag($0).pointee.source.text(base) }
      case .segment: segment(key, hash: Hash64.hash(key)).map { $0.pointee.source.text(base) }
      }
    }
  }
}
