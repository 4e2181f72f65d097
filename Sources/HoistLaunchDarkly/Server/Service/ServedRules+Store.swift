internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Rules that a store has.
extension ServedRules: SharedRulesOwner {
  /// Beyond these all items are laid out anew at once.
  private static let mostSingleChanges = 8

  var allItems: [StoredItem] { host.withSnapshot { $0.map { table.storedItems(of: $0) } ?? [] } }

  func item(_ name: ItemName) -> StoredItem? { host.withSnapshot { $0.flatMap { table.storedItem(name, of: $0) } } }

  /// A store that was never filled has nothing to serve, but where it is all there is (ruling S9).
  func found(_ rules: StoredRules, isWanted: @escaping @Sendable () -> Bool, completion: @escaping @Sendable () -> Void) {
    guard isDaemon || rules.isInitialized else { return completion() }
    take(rules, isWanted) { [self] isTaken in
      if isTaken { noteFound() }
      completion()
    }
  }

  private func noteFound() {
    isServing = true
    let message = "the rules of the store are served"
    guard isDaemon else { return hasArrived ? () : host.report(.serving(message)) }
    arrived.store(true, ordering: .releasing)
    listener?.storeIsRead()
    for report in [.ready(message), .heard, .serving(message)] as [LifeReport] { host.report(report) }
  }

  private func take(
    _ rules: StoredRules, _ isWanted: @escaping @Sendable () -> Bool, _ completion: @escaping @Sendable (Bool) -> Void
  ) {
    let changes = host.withSnapshot { $0.map { table.differences(rules, from: $0) } }
    if let changes, changes.changed.count + changes.gone.count <= Self.mostSingleChanges {
      for (name, item) in changes.changed { take(item, named: name) }
      for name in changes.gone { remove(name) }
      return completion(true)
    }
    compile(bytes: rules.items.reduce(0) { $0 &+ $1.item.json.count }) { table, old, bad throws(FlagFailure) in
      try table.put(rules, over: old, unreadable: &bad)
    } completion: { [self] made in
      guard isWanted() else {
        made.discard()
        return completion(false)
      }
      for name in made.unreadable { leaveOut(name) }
      switch made.update {
      case .success(let update):
        table = made.table
        completion(serve(update))
      case .failure(let failure):
        host.log.error("the store of rules: \(failure.reason)")
        completion(false)
      }
    }
  }

  /// What cannot be read is not there.
  private func take(_ item: FoundItem, named name: ItemName) {
    let update = host.withSnapshot { old in old.flatMap { try? table.put(item, named: name, of: $0) } }
    if let update { return _ = serve(update) }
    leaveOut(name)
    remove(name)
  }

  private func remove(_ name: ItemName) {
    if let update = host.withSnapshot({ old in old.flatMap { try? table.remove(name, of: $0) } }) { _ = serve(update) }
  }

  private func leaveOut(_ name: ItemName) {
    guard unreadable.count < FlagTable.maximumTombstones, unreadable.insert(name).inserted else { return }
    let key = String(decoding: name.key.prefix(80), as: UTF8.self)
    host.log.warning("the store of rules: \(name.kind == .flag ? "flag" : "segment") \"\(key)\" cannot be read, and is left out")
  }

  /// It counts where it is newer than what has come meanwhile.
  func found(_ item: FoundItem, of kind: ItemName.Kind) {
    let name = ItemName(kind, item.key)
    let head = try? item.json.withBytes { text in
      Result { () throws(FlagFailure) in
        try JSONNode.withRoot(of: text, .standard) { (node) throws(FlagFailure) in try ItemHead(node) }
      }
    }.get()
    let known = host.withSnapshot { $0.flatMap { ServerTable.version(of: name, in: $0) } } ?? table.tombstones[name]
    guard let head, head.version >= known ?? .min, self.item(name)?.json != item.json else { return }
    take(item, named: name)
  }

  /// Where the store is all there is, it is the service.
  func storeFailed(_ message: String, isNews: Bool) {
    if isDaemon { host.report(.refused(.io, message)) } else if isNews { host.log.error(message) }
  }
}
