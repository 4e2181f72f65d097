/// What may become of a change that waits to be written.
public enum ChangeKind: Sendable {
  case ordinary
  /// A later one of this kind takes its place, and its completion is not told.
  case replaceable
  /// A refusal: where too much waits, it is given up after all others, and others are told of it.
  case lasting
}

/// Values that wait to be written: of each key the newest, and the changes that are still to be made to it.
struct PendingValues {
  /// Makes the new value from the stored one; called again when another writer was faster.
  typealias Transform = @Sendable (_ kept: [UInt8]?) -> [UInt8]?
  typealias Completion = @Sendable (Result<[UInt8]?, CacheFailure>) -> Void
  /// What makes the change when it is put behind the stored value; nil where it has to be made to the whole.
  typealias Addition = @Sendable () -> CacheAddition?

  /// How long what the transform has just made is of use, in milliseconds; nil for ever.
  typealias Lifetime = @Sendable () -> Int64?

  struct Change {
    let kind: ChangeKind
    let transform: Transform
    var addition: Addition?
    var lifetime: Lifetime?
    let completion: Completion
    /// Later ones have greater numbers.
    let number: UInt64
  }

  struct Item {
    enum Base {
      /// Whatever is stored.
      case stored
      /// This, in place of what is stored; nil removes it.
      case value([UInt8]?)
    }

    var key: ByteKey
    var base: Base
    /// When the base was set. Tells a value from a newer one of the same key, and the order in which they came.
    var order: UInt64
    /// Made to the base, in this order.
    var changes: [Change] = []
    var attempts = 0

    /// - Parameter stored: what the manager has.
    func value(from stored: [UInt8]?) -> [UInt8]? {
      var value = stored
      if case .value(let new) = base { value = new }
      for change in changes { value = change.transform(value) }
      return value
    }

    /// Of the last value that was made: the last change knows.
    var lifetime: Int64? { changes.last?.lifetime?() }

    /// nil where there is more to do than one addition.
    var addition: CacheAddition? {
      if case .stored = base, changes.count == 1 { changes[0].addition?() } else { nil }
    }

    var isLasting: Bool { changes.contains { $0.kind == .lasting } }

    fileprivate var bytes: Int {
      if case .value(let value?) = base { return value.count }
      return 0
    }
  }

  /// What came of an attempt to write an item.
  struct Settlement {
    var isGivenUp = false
    /// To be called.
    var completions: [Completion] = []
  }

  private static let maximumAttempts = 8

  private var items: [ByteKey: Item] = [:]
  private var bytes = 0
  private var changeCount = 0
  private var next: UInt64 = 0

  var isEmpty: Bool { items.isEmpty }

  /// nil when nothing waits for this key.
  func item(of key: ByteKey) -> Item? { items[key] }

  /// - Returns: those evicted: older ones, beyond the limits.
  mutating func set(_ key: ByteKey, _ value: [UInt8]?, maximumCount: Int, maximumBytes: Int) -> [Item] {
    next += 1
    let former = forget(key)
    // The value to change is replaced, so the waiting changes have nothing left to do.
    let waiting = (former?.changes ?? []).map { change in
      Change(kind: .ordinary, transform: { $0 }, completion: change.completion, number: next)
    }
    insert(Item(key: key, base: .value(value), order: next, changes: waiting))
    return makeRoom(maximumCount: maximumCount, maximumBytes: maximumBytes)
  }

  @inline(never)
  mutating func add(
    _ transform: @escaping Transform, _ kind: ChangeKind, addition: Addition?, lifetime: Lifetime?, to key: ByteKey,
    completion: @escaping Completion, maximumCount: Int, maximumBytes: Int
  ) -> [Item] {
    next += 1
    var item = forget(key) ?? Item(key: key, base: .stored, order: next)
    // One that is just being written is written once more, with this one.
    if kind == .replaceable { item.changes.removeAll { $0.kind == .replaceable } }
    item.changes.append(
      Change(kind: kind, transform: transform, addition: addition, lifetime: lifetime, completion: completion, number: next))
    insert(item)
    return makeRoom(maximumCount: maximumCount, maximumBytes: maximumBytes)
  }

  private mutating func makeRoom(maximumCount: Int, maximumBytes: Int) -> [Item] {
    var lost: [Item] = []
    while items.count > 1, max(items.count, changeCount) > maximumCount || bytes > maximumBytes,
      let first = items.values.min(by: { ($0.isLasting ? 1 : 0, $0.order) < ($1.isLasting ? 1 : 0, $1.order) }),
      let item = forget(first.key)
    {
      lost.append(item)
    }
    return lost
  }

  /// All of them, oldest first. They stay until `settled`.
  func inOrder() -> [Item] { items.values.sorted { $0.order < $1.order } }

  /// Forgets what was written, or has failed too often; what has come since stays.
  mutating func settled(_ item: Item, written: Bool) -> Settlement {
    guard var known = items[item.key], written || known.order == item.order else { return Settlement() }
    forget(item.key)
    known.attempts += 1
    var settlement = Settlement(isGivenUp: !written && known.attempts >= Self.maximumAttempts)
    if written || settlement.isGivenUp {
      let last = item.changes.last?.number ?? 0
      settlement.completions = known.changes.filter { $0.number <= last }.map(\.completion)
      known.changes.removeAll { $0.number <= last }
      // A newer value is still to be written; after this one, only its changes.
      if known.order == item.order { known.base = .stored }
      known.attempts = 0
    }
    if case .stored = known.base, known.changes.isEmpty { return settlement }
    insert(known)
    return settlement
  }

  private mutating func insert(_ item: Item) {
    items[item.key] = item
    bytes += item.bytes
    changeCount += item.changes.count
  }

  @discardableResult
  private mutating func forget(_ key: ByteKey) -> Item? {
    guard let item = items.removeValue(forKey: key) else { return nil }
    bytes -= item.bytes
    changeCount -= item.changes.count
    return item
  }
}
