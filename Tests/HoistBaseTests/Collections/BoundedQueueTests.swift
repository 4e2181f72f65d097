import HoistBase
import Testing

@Suite struct BoundedQueueTests {
  @Test func elementsLeaveInTheOrderTheyCame() {
    var queue = BoundedQueue<Int>(capacity: 100, policy: .refuseNewest)
    for number in 0..<100 { #expect(queue.append(number) == nil) }
    #expect(queue.isFull)
    #expect((0..<100).map { _ in queue.popFirst() } == (0..<100).map { $0 })
    #expect(queue.popFirst() == nil)
    #expect(queue.isEmpty)
    #expect(queue.dropped == 0)
  }

  /// G5: the limit has a counter; tested at the limit and one past it.
  @Test func aFullQueueRefusesTheNewest() {
    var queue = BoundedQueue<Int>(capacity: 3, policy: .refuseNewest)
    let lost = (1...5).map { queue.append($0) }
    #expect(lost == [nil, nil, nil, 4, 5])
    #expect(queue.dropped == 2)
    #expect(queue.elements == [1, 2, 3])
  }

  @Test func aFullQueueDropsTheOldest() {
    var queue = BoundedQueue<Int>(capacity: 3, policy: .dropOldest)
    let lost = (1...5).map { queue.append($0) }
    #expect(lost == [nil, nil, nil, 1, 2])
    #expect(queue.dropped == 2)
    #expect(queue.elements == [3, 4, 5])
  }

  @Test(arguments: [BoundedQueue<Int>.Policy.refuseNewest, .dropOldest])
  func withoutCapacityEverythingIsDropped(policy: BoundedQueue<Int>.Policy) {
    for capacity in [0, -1, .min] {
      var queue = BoundedQueue<Int>(capacity: capacity, policy: policy)
      #expect(queue.append(1) == 1)
      #expect(queue.dropped == 1)
      #expect(queue.isEmpty)
      #expect(queue.popFirst() == nil)
    }
  }

  @Test func aHugeCapacityCostsNothingBeforehand() {
    var queue = BoundedQueue<Int>(capacity: .max, policy: .dropOldest)
    for number in 0..<1_000 { queue.append(number) }
    #expect(queue.count == 1_000)
    #expect(queue.removeFirst(.max).count == 1_000)
  }

  @Test func batchesAreTaken() {
    var queue = BoundedQueue<Int>(capacity: 10, policy: .dropOldest)
    for number in 0..<10 { queue.append(number) }
    #expect(queue.removeFirst(3) == [0, 1, 2])
    #expect(queue.removeFirst(0) == [])
    #expect(queue.removeFirst(-1) == [])
    #expect(queue.count == 7)
    #expect(queue.removeFirst(99) == [3, 4, 5, 6, 7, 8, 9])
  }

  @Test func elementsAreReleasedWhenTheyLeave() {
    final class Witness {}
    var queue = BoundedQueue<Witness>(capacity: 4, policy: .dropOldest)
    weak var first: Witness?
    do {
      let witness = Witness()
      first = witness
      queue.append(witness)
    }
    #expect(first != nil)
    _ = queue.popFirst()
    #expect(first == nil)
  }

  /// Any mixture of calls does what the same calls do to an array.
  @Test(arguments: [BoundedQueue<Int>.Policy.refuseNewest, .dropOldest])
  func itBehavesLikeAnArrayWithALimit(policy: BoundedQueue<Int>.Policy) {
    var generator = SeededGenerator(seed: 17)
    for capacity in [1, 2, 7, 8, 9, 33] {
      var queue = BoundedQueue<Int>(capacity: capacity, policy: policy)
      var model: [Int] = []
      var dropped: UInt64 = 0
      for step in 0..<2_000 {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<6:
          queue.append(step)
          if model.count < capacity {
            model.append(step)
          } else {
            dropped += 1
            if policy == .dropOldest { model = model.dropFirst() + [step] }
          }
        case 6, 7: #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
        default:
          let limit = Int.random(in: 0...4, using: &generator)
          #expect(queue.removeFirst(limit) == Array(model.prefix(limit)))
          model.removeFirst(min(limit, model.count))
        }
        #expect(queue.elements == model)
        #expect(queue.count == model.count)
        #expect(queue.dropped == dropped)
      }
    }
  }
}

extension BoundedQueue {
  /// The oldest first; the queue keeps them.
  fileprivate var elements: [Element] {
    var copy = self
    return copy.removeFirst(.max)
  }
}
