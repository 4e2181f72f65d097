/// Values that wait to be written: the newest of each key.
struct PendingValues {
  struct Item {
    var key: ByteKey
    /// nil: the key's removal waits.
    var value: [UInt8]?
    /// Tells a value from a newer one of the same key, and the order in which they came.
    var order: UInt64
    var attempts = 0
  }

  private static let maximumAttempts = 8

  private var items: [ByteKey: Item] = [:]
  private var bytes = 0
  private var next: UInt64 = 0

  var isEmpty: Bool { items.isEmpty }

  /// nil when nothing waits for this key; a nil inside when its removal does.
  func value(of key: ByteKey) -> [UInt8]?? { items[key].map(\.value) }

  /// - Returns: how many older ones had to give way.
  mutating func set(_ key: ByteKey, _ value: [UInt8]?, maximumCount: Int, maximumBytes: Int) -> Int {
    next += 1
    forget(key)
    items[key] = Item(key: key, value: value, order: next)
    bytes += value?.count ?? 0
    var lost = 0
    while items.count > 1, items.count > maximumCount || bytes > maximumBytes,
      let oldest = items.values.min(by: { $0.order < $1.order })
    {
      forget(oldest.key)
      lost += 1
    }
    return lost
  }

  /// All of them, oldest first. They stay until `settled`.
  func inOrder() -> [Item] { items.values.sorted { $0.order < $1.order } }

  /// Forgets an item that was written or has failed too often, unless a newer one has come.
  /// - Returns: false when it was given up.
  mutating func settled(_ item: Item, written: Bool) -> Bool {
    guard let known = items[item.key], known.order == item.order else { return true }
    items[item.key]?.attempts += 1
    let isGivenUp = !written && known.attempts + 1 >= Self.maximumAttempts
    if written || isGivenUp { forget(item.key) }
    return !isGivenUp
  }

  private mutating func forget(_ key: ByteKey) {
    guard let item = items.removeValue(forKey: key) else { return }
    bytes -= item.value?.count ?? 0
  }
}
