import HoistBase
import HoistTestSupport
import Testing

@testable import HoistCurl

@Suite struct TimerHeapTests {
  /// Property: whatever is inserted and removed, timers come out by deadline, then by order of insertion.
  @Test(arguments: 0..<20)
  func timersComeOutInOrder(seed: UInt64) {
    let random = SeededEntropy(seed: seed)
    let owner = LoopThread(lock: Lock(), clock: SystemClock())
    var heap = TimerHeap()
    var model: [(deadline: Int64, timer: LoopTimer)] = []
    for _ in 0..<400 {
      switch random.below(5) {
      case 0...2:
        let timer = LoopTimer(deadline: Int64(random.below(50)), owner: owner) {}
        heap.insert(timer)
        model.append((timer.deadline, timer))
      case 3 where !model.isEmpty:
        let index = Int(random.below(UInt64(model.count)))
        heap.remove(model[index].timer)
        heap.remove(model[index].timer)
        model.remove(at: index)
      default:
        let now = Int64(random.below(60))
        let first = model.enumerated().min { ($0.element.deadline, $0.offset) < ($1.element.deadline, $1.offset) }
        #expect(heap.nextDeadline == first?.element.deadline)
        let popped = heap.popDue(at: now)
        if let first, first.element.deadline <= now {
          #expect(popped === first.element.timer, "seed \(seed)")
          model.remove(at: first.offset)
        } else {
          #expect(popped == nil)
        }
      }
    }
    #expect(heap.removeAll().count == model.count)
    #expect(heap.nextDeadline == nil)
    if let left = model.first { heap.remove(left.timer) }
  }
}
