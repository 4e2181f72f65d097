/// A first-in, first-out queue that never holds more than its capacity and counts what it lost.
/// Memory grows with what it holds, not with what it could hold. Not thread-safe.
public struct BoundedQueue<Element> {
  /// Which element is dropped when the queue is full.
  public enum Policy: Sendable {
    case refuseNewest
    case dropOldest
  }

  public let capacity: Int
  public let policy: Policy
  /// Elements lost to a full queue since it was made.
  public private(set) var dropped: UInt64 = 0
  public private(set) var count = 0

  /// A ring: the elements follow `first`, past the end from the beginning.
  private var slots: [Element?] = []
  private var first = 0

  /// A capacity below 0 counts as 0: everything is dropped.
  public init(capacity: Int, policy: Policy) {
    self.capacity = max(0, capacity)
    self.policy = policy
  }

  public var isEmpty: Bool { count == 0 }
  public var isFull: Bool { count == capacity }

  /// Adds an element at the end.
  /// - Returns: the element that was lost, either this one or the oldest.
  @discardableResult
  public mutating func append(_ element: Element) -> Element? {
    var lost: Element?
    if isFull {
      dropped &+= 1
      guard policy == .dropOldest, capacity > 0 else { return element }
      lost = popFirst()
    }
    if count == slots.count { grow() }
    slots[slot(count)] = element
    count += 1
    return lost
  }

  /// Takes the oldest element.
  public mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = slots[first]
    slots[first] = nil
    first = slot(1)
    count -= 1
    return element
  }

  /// Takes the oldest elements, at most `limit`.
  @discardableResult
  public mutating func removeFirst(_ limit: Int) -> [Element] {
    var taken: [Element] = []
    taken.reserveCapacity(min(max(0, limit), count))
    while taken.count < limit, let element = popFirst() { taken.append(element) }
    return taken
  }

  private func slot(_ index: Int) -> Int {
    let place = first + index
    return place < slots.count ? place : place - slots.count
  }

  /// Called when every slot is taken and there are fewer than the capacity.
  private mutating func grow() {
    let size = min(capacity, max(8, slots.count > capacity / 2 ? capacity : slots.count * 2))
    var larger: [Element?] = []
    larger.reserveCapacity(size)
    for index in 0..<count { larger.append(slots[slot(index)]) }
    larger.append(contentsOf: repeatElement(nil, count: size - count))
    slots = larger
    first = 0
  }
}

extension BoundedQueue: Sendable where Element: Sendable {}
