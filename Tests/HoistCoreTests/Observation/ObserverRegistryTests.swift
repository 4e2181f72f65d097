import HoistBase
@testable import HoistCore
import Testing

@Suite("A registry knows who is told of what") struct ObserverRegistryTests {
  let registry = ObserverRegistry()
  let observer = ClosureObserver { _ in }

  func tokens(_ notification: Notification) -> [UInt64] { registry.observers(of: notification).map(\.token) }

  @Test func tokensAreNeverZeroAndNeverUsedTwice() {
    var seen: Set<UInt64> = [0]
    for _ in 0..<100 {
      let token = registry.add(.ready, key: nil, observer).token
      #expect(seen.insert(token).inserted)
      #expect(registry.remove(token))
    }
  }

  @Test func aTopicReachesItsObserversInTheOrderOfRegistration() {
    let first = registry.add(.error, key: nil, observer).token
    _ = registry.add(.ready, key: nil, observer)
    let second = registry.add(.error, key: nil, observer).token
    #expect(tokens(Notification(.error)) == [first, second])
    #expect(tokens(Notification(.state)) == [])
    #expect(registry.isObserved(.ready) && !registry.isObserved(.state))
  }

  @Test func aKeyIsComparedByBytes() {
    let all = registry.add(.flagChanged, key: nil, observer).token
    let composed = registry.add(.flagChanged, key: "caf\u{E9}", observer).token
    let decomposed = registry.add(.flagChanged, key: "cafe\u{301}", observer).token
    #expect(tokens(Notification(.flagChanged, keys: ["caf\u{E9}"])) == [all, composed])
    #expect(tokens(Notification(.flagChanged, keys: ["x", "cafe\u{301}"])) == [all, decomposed])
    #expect(tokens(Notification(.flagChanged, keys: [])) == [all])
  }

  @Test func aRegistrationEndsOnce() {
    let token = registry.add(.ready, key: nil, observer).token
    #expect(registry.contains(token))
    #expect(registry.remove(token))
    #expect(!registry.remove(token))
    #expect(!registry.remove(0) && !registry.remove(.max))
    #expect(!registry.contains(token))
  }

  @Test func anObserverIsLetGoOutsideTheLock() {
    let registry = registry
    let released = Flag()
    final class Watching: Observer {
      let atEnd: @Sendable () -> Void
      init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }
      deinit { atEnd() }
      func notify(_ notification: Notification) {}
    }
    // Asking the registry from `deinit` would wait for ever if its lock were held.
    for removesAll in [true, false] {
      let token = registry.add(.ready, key: nil, Watching { if !registry.isObserved(.ready) { released.raise() } }).token
      if removesAll { registry.removeAll() } else { #expect(registry.remove(token)) }
    }
    #expect(released.isRaised)
  }
}
