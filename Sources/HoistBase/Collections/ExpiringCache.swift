/// A cache that forgets its least recently used entries first, and entries that are too old. Not thread-safe.
///
/// Time is whatever the caller counts in, as long as it never runs back.
public struct ExpiringCache<Key: Hashable, Value> {
  private struct Entry {
    var value: Value
    var savedAt: Int64
    var usedAt: UInt64
  }

  /// The most entries; none at 0 or below.
  public let capacity: Int
  /// An entry is there while its age is less; forever at 0 or below.
  public let lifetime: Int64
  private var entries: [Key: Entry] = [:]
  /// Counts uses, to find the least recent one.
  private var uses: UInt64 = 0

  public init(capacity: Int, lifetime: Int64) {
    self.capacity = capacity
    self.lifetime = lifetime
  }

  public var count: Int { entries.count }

  /// A use: the entry becomes the most recent one, and no younger. An entry that is too old is removed.
  public mutating func lookUp(_ key: Key, at now: Int64) -> Value? {
    guard let entry = entries[key] else { return nil }
    if isTooOld(entry, now) {
      entries[key] = nil
      return nil
    }
    uses &+= 1
    entries[key]?.usedAt = uses
    return entry.value
  }

  /// Looks without a use, also at an entry that is too old.
  public func peek(_ key: Key) -> Value? { entries[key]?.value }

  /// Keeps the value as the youngest and most recent one.
  public mutating func save(_ key: Key, _ value: Value, at now: Int64) {
    guard capacity > 0 else { return }
    uses &+= 1
    entries[key] = Entry(value: value, savedAt: now, usedAt: uses)
    guard entries.count > capacity, let oldest = entries.min(by: { $0.value.usedAt < $1.value.usedAt }) else { return }
    entries[oldest.key] = nil
  }

  public mutating func remove(_ key: Key) { entries[key] = nil }

  public mutating func removeAll() { entries.removeAll() }

  private func isTooOld(_ entry: Entry, _ now: Int64) -> Bool {
    lifetime > 0 && now.subtractingReportingOverflow(entry.savedAt).partialValue >= lifetime
  }
}
