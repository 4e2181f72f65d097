internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The rules of a snapshot of which much is stale, laid out anew: a piece at a time, while they are served and change, for a
/// fork of the process and the other clients wait for the end of each turn. On the scheduler's thread.
struct RulesRelay: ~Copyable {
  /// Some tenths of a millisecond.
  static let itemsOfTurn = 32

  private var items: ServerItems
  /// Those that have changed since they were laid out come once more: the last counts.
  private var waiting: [ItemName]
  private var next = 0

  init(of served: Snapshot, _ resources: ServerResources) {
    items = ServerItems(resources.renewed(), expectedBytes: Int(clamping: served.head.pointee.byteCount / 2))
    waiting = Array(served.itemVersions.keys)
  }

  /// An item is another one now, or is gone.
  mutating func note(_ item: ItemName) { waiting.append(item) }

  /// - Returns: whether all are laid out, as they are in `served`.
  mutating func takeTurn(_ served: Snapshot) throws(FlagFailure) -> Bool {
    let end = min(waiting.count, next + Self.itemsOfTurn)
    while next < end {
      try lay(waiting[next], of: served)
      next += 1
    }
    return next == waiting.count
  }

  private mutating func lay(_ item: ItemName, of served: Snapshot) throws(FlagFailure) {
    guard let source = served.source(of: item) else { return items.remove(item) }
    try item.key.withBytes { key in Result { () throws(FlagFailure) in try items.add(item.kind, key, source) } }.get()
  }

  var resources: ServerResources { items.resources }

  consuming func finish() -> Snapshot? { items.finish() }
}
