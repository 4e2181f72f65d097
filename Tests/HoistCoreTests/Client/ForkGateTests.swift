import CShims
import Glibc
import HoistBase
import HoistTestSupport
import Synchronization
import Testing

/// Locks that are not ours, as the shared library sees those of the Swift runtime.
@Suite("A fork waits for who holds a lock of the runtime's (G9)", .serialized, .enabled(if: ForkedChild.isSupported))
struct ForkGateTests {
  @Test func whoIsInsideHasLeftWhenTheChildBegins() {
    let isInside = Atomic(false)
    let hasLeft = Atomic(false)
    let holder = HostThread {
      shim_gate_enter()
      shim_gate_enter()
      isInside.store(true, ordering: .releasing)
      while !shim_gate_is_closed() {}
      shim_gate_leave()
      hasLeft.store(true, ordering: .releasing)
      shim_gate_leave()
    }
    // Not a lock is made before: the fork handlers are in place from the first one on.
    _ = Lock()
    while !isInside.load(ordering: .acquiring) {}
    let ending = ForkedChild.run { hasLeft.load(ordering: .acquiring) && shim_gate_inside() == 0 ? 0 : 1 }
    holder.join()
    #expect(ending == .exited(0))
  }

  /// Looked at in a child: nobody else forks there meanwhile.
  @Test func theGateIsOpenOnceTheForkIsOver() {
    let ending = ForkedChild.run {
      let inner = ForkedChild.run { shim_gate_is_closed() ? 1 : 0 }
      return inner == .exited(0) && !shim_gate_is_closed() ? 0 : 1
    }
    #expect(ending == .exited(0))
  }

  /// As the first user of a global of Swift does, whose initialiser makes a lock of ours.
  @Test func whoIsInsideMayWaitForALockOfOurs() {
    let isInside = Atomic(false)
    let hasLeft = Atomic(false)
    let lock = Lock()
    let holder = HostThread {
      shim_gate_enter()
      isInside.store(true, ordering: .releasing)
      while !shim_gate_is_closed() {}
      lock.withLock { hasLeft.store(true, ordering: .releasing) }
      shim_gate_leave()
    }
    while !isInside.load(ordering: .acquiring) {}
    let ending = ForkedChild.run { hasLeft.load(ordering: .acquiring) ? 0 : 1 }
    holder.join()
    #expect(ending == .exited(0))
  }

  @Test func aChildMayEnterAndForkAgain() {
    let ending = ForkedChild.run {
      shim_gate_enter()
      shim_gate_leave()
      let inner = ForkedChild.run { shim_gate_inside() == 0 ? 0 : 1 }
      return inner == .exited(0) ? 0 : 2
    }
    #expect(ending == .exited(0))
  }

  @Test func aForkInsideDoesNotWaitForItself() {
    shim_gate_enter()
    defer { shim_gate_leave() }
    #expect(ForkedChild.run { shim_gate_inside() == 1 ? 0 : 1 } == .exited(0))
  }
}
