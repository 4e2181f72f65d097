/// Small numbers by text, for compilers of configurations: open addressing over `Hash64`, no reference counts.
///
/// Texts are borrowed and outlive the table.
public struct BytesTable {
  public struct Entry {
    public let hash: UInt64
    public let key: ByteView
    public var value: UInt32
  }

  /// In the order in which their texts came first.
  public private(set) var entries: [Entry] = []
  /// Place in `entries`, plus 1; 0 marks an empty slot. A power of two, at most half full.
  private var slots: [UInt32]

  /// - Parameter expected: how many texts, as a guess.
  public init(expecting expected: Int = 0) {
    var size = 8
    while size < expected &* 2 { size &*= 2 }
    slots = [UInt32](repeating: 0, count: size)
    entries.reserveCapacity(expected)
  }

  public subscript(key: ByteView) -> UInt32? {
    if entries.isEmpty { return nil }
    let place = slots[slot(of: key, hash: Hash64.hash(key))]
    return place == 0 ? nil : entries[Int(place) - 1].value
  }

  /// Sets a text's number.
  /// - Returns: the one it had.
  @discardableResult
  public mutating func set(_ key: ByteView, to value: UInt32) -> UInt32? {
    if (entries.count + 1) * 2 > slots.count { grow() }
    let hash = Hash64.hash(key)
    let slot = slot(of: key, hash: hash)
    if slots[slot] > 0 {
      let place = Int(slots[slot]) - 1
      defer { entries[place].value = value }
      return entries[place].value
    }
    entries.append(Entry(hash: hash, key: key, value: value))
    slots[slot] = UInt32(truncatingIfNeeded: entries.count)
    return nil
  }

  /// The slot that has the text, or the empty one where it belongs.
  private func slot(of key: ByteView, hash: UInt64) -> Int {
    let mask = slots.count - 1
    var at = Int(truncatingIfNeeded: hash) & mask
    while slots[at] > 0 {
      let entry = entries[Int(slots[at]) - 1]
      if entry.hash == hash, entry.key.hasSameBytes(as: key) { return at }
      at = (at + 1) & mask
    }
    return at
  }

  private mutating func grow() {
    let mask = slots.count * 2 - 1
    slots = [UInt32](repeating: 0, count: mask + 1)
    for (index, entry) in entries.enumerated() {
      var at = Int(truncatingIfNeeded: entry.hash) & mask
      while slots[at] > 0 { at = (at + 1) & mask }
      slots[at] = UInt32(truncatingIfNeeded: index + 1)
    }
  }
}
