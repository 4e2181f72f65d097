import HoistBase
import HoistCore
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

@Suite("Observers of changes (LD-30 to LD-37, 5.6; no client)") struct ChangeObserversTests {
  /// Calls wait until the test delivers them.
  private final class Lane: @unchecked Sendable {
    var waiting: [@Sendable () -> Void] = []
    func deliver() { while !waiting.isEmpty { waiting.removeFirst()() } }
  }

  private let lane = Lane()
  private let told = Locked<[String]>([])
  private let observers: ChangeObservers

  init() {
    let lane = lane
    observers = ChangeObservers { lane.waiting.append($0) }
  }

  @discardableResult
  private func observe(_ name: String, _ what: ObservedChanges, then: (() -> Void)? = nil) -> UInt64 {
    let observer = NotingObserver(name, told)
    observer.then = then
    let token = observers.add(observer, for: what)
    #expect(token != 0)
    return token
  }

  private func flags(_ keys: String...) -> ObservedChanges { .flags(keys.map { Array($0.utf8) }) }

  private func update(_ changes: (String, String?, String?)...) {
    observers.updated(
      changes.map { FlagChange(key: $0.0, oldValue: $0.1.map { Array($0.utf8) }, newValue: $0.2.map { Array($0.utf8) }) })
  }

  private func heard() -> [String] {
    lane.deliver()
    defer { told.value = [] }
    return told.value
  }

  @Test func eachHearsOfItsOwnFlagsOncePerUpdate() {
    observe("a", flags("a"))
    observe("ab", flags("a", "b", "x"))
    observe("all", .all)
    observe("unchanged", .unchanged)
    update(("a", "1", "2"), ("b", nil, "true"), ("c", #""old""#, nil))
    #expect(heard() == ["a: a 1>2", "ab: a 1>2, b ->true", #"all: a 1>2, b ->true, c "old">-"#])
    update(("c", nil, "null"))
    #expect(heard() == ["all: c ->null"])
  }

  @Test("An update without a change is told to those who ask for that, and to nobody else (LD-33, ruling A3; no client)")
  func unchangedIsTold() {
    observe("all", .all)
    observe("unchanged", .unchanged)
    update()
    #expect(heard() == ["unchanged: unchanged"])
  }

  @Test("A key is a text, told apart by its bytes (LD-73; no client)")
  func keysAreBytesNotCharacters() {
    observe("composed", flags("\u{e9}"))
    observe("unchanged", .unchanged)
    observe("mode", .connectionMode)
    update(("e\u{301}", "1", "2"))
    #expect(heard() == [])
    update(("\u{e9}", "1", "2"))
    update()
    observers.connectionModeChanged(3)
    #expect(heard() == ["composed: \u{e9} 1>2", "unchanged: unchanged", "mode: mode 3"])
  }

  @Test func severalOfOneKeyAreAllCalled() {
    for name in ["one", "two"] { observe(name, flags("a")) }
    update(("a", "1", "2"))
    #expect(heard() == ["one: a 1>2", "two: a 1>2"])
  }

  @Test("The connection's mode is told (LD-34; no client)") func modesAreTold() {
    observe("mode", .connectionMode)
    observe("all", .all)
    observers.connectionModeChanged(2)
    #expect(heard() == ["mode: mode 2"])
  }

  @Test("No call of an observer that has ended begins, not even one that is queued (LD-35, LD-36; no client)")
  func anEndedObserverIsNotCalled() {
    let ended = [("flag", flags("a")), ("all", ObservedChanges.all), ("unchanged", .unchanged), ("mode", .connectionMode)]
      .map { observe($0.0, $0.1) }
    observe("other", .all)
    update(("a", "1", "2"))
    for token in ended { #expect(observers.remove(token)) }
    #expect(!observers.remove(ended[0]))
    observe("late", .all)
    #expect(heard() == ["other: a 1>2"])
    update(("a", "2", "3"))
    update()
    observers.connectionModeChanged(1)
    #expect(heard() == ["other: a 2>3", "late: a 2>3"])
  }

  @Test func anObserverMayEndItself() {
    let (observers, token) = (observers, Locked<UInt64>(0))
    token.value = observe("all", .all) { _ = observers.remove(token.value) }
    update(("a", "1", "2"))
    update(("a", "2", "3"))
    #expect(heard() == ["all: a 1>2"])
  }

  @Test func whatAnObserverHoldsGoesWithItsRegistrationAndItsLastCall() {
    weak var gone: NotingObserver?
    var token: UInt64 = 0
    do {
      let observer = NotingObserver("all", told)
      (gone, token) = (observer, observers.add(observer, for: .all))
    }
    #expect(gone != nil)
    update(("a", "1", "2"))
    #expect(observers.remove(token))
    lane.deliver()
    #expect(gone == nil)
  }
}
