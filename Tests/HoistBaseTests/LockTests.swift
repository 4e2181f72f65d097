import CShims
import HoistBase
import HoistTestSupport
import Synchronization
import Testing

@Suite("Locks") struct LockTests {
  private final class Guarded: @unchecked Sendable {
    let lock = InlineLock()
    var left = 0
    var right = 0
  }

  @Test("One thread has an inline lock at a time, however many wait") func oneThreadAtATime() {
    let guarded = Guarded()
    let threads = (0..<4).map { _ in
      HostThread {
        for _ in 0..<20_000 {
          guarded.lock.withLock {
            guarded.left += 1
            guarded.right += 1
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(guarded.left == 80_000 && guarded.right == 80_000)
  }

  @Test("Another object's lock can be had while one is held") func nested() {
    let (outer, inner) = (Guarded(), Guarded())
    outer.lock.withLock { inner.lock.withLock { inner.left = 1 } }
    #expect(inner.lock.withLock { inner.left } == 1)
  }

  @Test("A child has no lock that was another thread's (G9)", .enabled(if: ForkedChild.isSupported))
  func forkedChild() {
    let (guarded, isOver) = (Guarded(), SharedFlag())
    let thread = HostThread { while !isOver.isSet { guarded.lock.withLock { guarded.left += 1 } } }
    for _ in 0..<50 {
      #expect(ForkedChild.run { guarded.lock.withLock { 0 } } == .exited(0))
    }
    isOver.set()
    thread.join()
  }

  @Test("What is given back leaves the registry, which each fork goes through") func registry() {
    let before = shim_lock_count()
    var locks = (0..<50_000).map { _ in Lock() }
    #expect(locks.count == 50_000 && shim_lock_count() >= before + 40_000)
    locks = []
    #expect(shim_lock_count() < before + 10_000)
  }
}

private final class SharedFlag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
