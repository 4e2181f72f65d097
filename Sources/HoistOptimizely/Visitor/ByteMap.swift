internal import HoistBase

/// Values by bytes whose hash is known: a look-up allocates nothing and hashes nothing. Not thread-safe.
struct ByteMap<Value> {
  private struct Entry {
    let hash: UInt64
    let key: [UInt8]
    var value: Value
    /// The next entry of the same slot; -1 for none.
    var next: Int
  }

  private var entries: [Entry] = []
  /// The first entry of each slot; -1 for none. As many as a power of two.
  private var slots: [Int] = []

  var count: Int { entries.count }

  func find(_ key: ByteView, hash: UInt64) -> Value? { index(of: key, hash: hash).map { entries[$0].value } }

  /// Sets, replaces or, with nil, removes a value.
  mutating func set(_ key: ByteView, hash: UInt64, _ value: Value?) {
    let known = index(of: key, hash: hash)
    guard let value else {
      if let known { remove(at: known) }
      return
    }
    if let known { return entries[known].value = value }
    if entries.count >= slots.count { grow() }
    entries.append(Entry(hash: hash, key: Array(key), value: value, next: -1))
    link(entries.count - 1)
  }

  /// In no particular order.
  var all: [(key: [UInt8], value: Value)] { entries.map { ($0.key, $0.value) } }

  private func index(of key: ByteView, hash: UInt64) -> Int? {
    if entries.isEmpty { return nil }
    var at = slots[slot(hash)]
    while at >= 0 {
      if entries[at].hash == hash, entries[at].key.withBytes({ $0.hasSameBytes(as: key) }) { return at }
      at = entries[at].next
    }
    return nil
  }

  private func slot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (slots.count - 1) }

  private mutating func link(_ index: Int) {
    let slot = slot(entries[index].hash)
    entries[index].next = slots[slot]
    slots[slot] = index
  }

  private mutating func unlink(_ index: Int) {
    let (slot, next) = (slot(entries[index].hash), entries[index].next)
    guard slots[slot] != index else { return slots[slot] = next }
    var at = slots[slot]
    while at >= 0, entries[at].next != index { at = entries[at].next }
    if at >= 0 { entries[at].next = next }
  }

  /// The last entry takes the place.
  private mutating func remove(at index: Int) {
    unlink(index)
    let last = entries.count - 1
    if index < last {
      unlink(last)
      entries.swapAt(index, last)
      link(index)
    }
    entries.removeLast()
  }

  private mutating func grow() {
    slots = [Int](repeating: -1, count: max(8, slots.count * 2))
    for index in entries.indices { link(index) }
  }
}
