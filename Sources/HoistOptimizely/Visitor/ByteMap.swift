internal import HoistBase

/// Values by bytes whose hash is known: a look-up allocates nothing. Not thread-safe.
struct ByteMap<Value> {
  private struct Entry {
    var key: [UInt8]
    var value: Value
  }

  private var buckets: [UInt64: [Entry]] = [:]
  private(set) var count = 0

  func find(_ key: ByteView, hash: UInt64) -> Value? {
    guard let bucket = buckets[hash] else { return nil }
    for entry in bucket where entry.key.withBytes({ $0.hasSameBytes(as: key) }) { return entry.value }
    return nil
  }

  /// Sets, replaces or, with nil, removes a value.
  mutating func set(_ key: ByteView, hash: UInt64, _ value: Value?) {
    var bucket = buckets[hash] ?? []
    if let at = bucket.firstIndex(where: { $0.key.withBytes { $0.hasSameBytes(as: key) } }) {
      bucket.remove(at: at)
      count -= 1
    }
    if let value {
      bucket.append(Entry(key: Array(key), value: value))
      count += 1
    }
    buckets[hash] = bucket.isEmpty ? nil : bucket
  }

  /// In no particular order.
  var all: [(key: [UInt8], value: Value)] { buckets.values.flatMap { $0.map { ($0.key, $0.value) } } }
}
