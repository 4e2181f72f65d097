/// Values by key, of which the least recently used is forgotten when there are too many. Every step takes the same time,
/// however many there are. Not thread-safe.
struct RecentTable<Value> {
  /// One of a ring, in the order of use; the ring's own place comes after the least recent and before the most recent.
  private struct Node {
    var key: UInt64 = 0
    var value: Value?
    var newer = 0
    var older = 0
  }

  private let capacity: Int
  private var places: [UInt64: Int] = [:]
  private var nodes = [Node()]

  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// A use.
  mutating func use(_ key: UInt64) -> Value? {
    guard let place = places[key] else { return nil }
    if nodes[0].older != place {
      unlink(place)
      link(place)
    }
    return nodes[place].value
  }

  /// Keeps a value as the most recent one.
  /// - Returns: what was forgotten for it.
  @discardableResult
  mutating func keep(_ key: UInt64, _ value: Value) -> (key: UInt64, value: Value)? {
    if use(key) != nil, let place = places[key] {
      nodes[place].value = value
      return nil
    }
    guard capacity > 0 else { return nil }
    let isFull = places.count >= capacity
    let place = isFull ? nodes[0].newer : nodes.count
    let forgotten = isFull ? nodes[place].value.map { (nodes[place].key, $0) } : nil
    if isFull {
      places[nodes[place].key] = nil
      unlink(place)
    } else {
      nodes.append(Node())
    }
    (nodes[place].key, nodes[place].value) = (key, value)
    places[key] = place
    link(place)
    return forgotten
  }

  mutating func removeAll() { self = RecentTable(capacity: capacity) }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (nodes[place].newer, nodes[place].older)
    nodes[newer].older = older
    nodes[older].newer = newer
  }

  /// As the most recent one.
  private mutating func link(_ place: Int) {
    let former = nodes[0].older
    (nodes[place].newer, nodes[place].older) = (0, former)
    nodes[former].newer = place
    nodes[0].older = place
  }
}
