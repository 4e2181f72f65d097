import HoistBase
import HoistTestSupport
import Synchronization
import Testing

@Suite("A lock for a moment") struct SpinLockTests {
  private final class Guarded: @unchecked Sendable {
    private let lock = SpinLock()
    var left = 0
    var right = 0

    func enter() -> Bool { lock.enter() }
    func leave() { lock.leave() }
    var isTaken: Bool { lock.isTaken }
  }

  @Test func oneThreadHasItAtATime() {
    let guarded = Guarded()
    let threads = (0..<4).map { _ in
      HostThread {
        for _ in 0..<5_000 {
          guard guarded.enter() else { return }
          guarded.left += 1
          guarded.right += 1
          guarded.leave()
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(guarded.left == 20_000 && guarded.right == 20_000)
    #expect(!guarded.isTaken)
  }

  @Test("What another thread had at a fork is lost in the child, and the rest is not (G9)", .enabled(if: ForkedChild.isSupported))
  func forkedChild() {
    let (taken, free) = (Guarded(), Guarded())
    #expect(taken.enter())
    let ending = ForkedChild.run {
      guard !taken.enter(), taken.isTaken else { return 1 }
      guard free.enter() else { return 2 }
      free.leave()
      return 0
    }
    #expect(ending == .exited(0))
    taken.leave()
    #expect(taken.enter())
  }
}
