internal import HoistBase

/// The visitors of a client that somebody holds. Thread-safe.
final class OpenVisitors: Sendable {
  private struct Entry {
    weak var visitor: FlagshipVisitor?
  }

  private let entries = LockedValue<(list: [Entry], limit: Int)>(([], 64))

  func add(_ visitor: FlagshipVisitor) {
    entries.withLock { entries in
      if entries.list.count >= entries.limit {
        entries.list.removeAll { $0.visitor == nil }
        entries.limit = max(64, entries.list.count * 2)
      }
      entries.list.append(Entry(visitor: visitor))
    }
  }

  var all: [FlagshipVisitor] { entries.withLock { $0.list }.compactMap(\.visitor) }
}
