import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("The queue of visitors") struct TrackingQueueTests {
  private func recipient(_ number: Int) -> TrackingRecipient {
    TrackingRecipient(TrackingIdentity(subject: [], code: Array("\(number)".utf8)))
  }

  @Test func aFifthGivesWayWhenItIsFull() {
    let queue = TrackingQueue()
    #expect(queue.append((0..<TrackingQueue.capacity).map(recipient)).dropped.isEmpty)
    let dropped = queue.append([recipient(-1)]).dropped
    #expect(dropped.count == 200_000 && dropped.first?.identity.code == Array("0".utf8))
    #expect(queue.count == 800_001 && queue.droppedCount == 200_000)
    #expect(queue.take(atMost: 1).first?.identity.code == Array("200000".utf8))
  }

  @Test func whoFailedIsFirstAgain() {
    let queue = TrackingQueue()
    _ = queue.append([recipient(1), recipient(2)])
    queue.putFirst([recipient(3)])
    #expect(queue.take().map(\.identity.code) == [3, 1, 2].map { Array("\($0)".utf8) } && queue.count == 0)
  }

  @Test func aMarkIsSetOnceUntilItIsCleared() {
    let mark = TrackingMark()
    #expect(mark.set() && !mark.set())
    mark.clear()
    #expect(mark.set())
  }
}
