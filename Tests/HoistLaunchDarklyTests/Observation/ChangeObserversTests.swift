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
  private let owner = ObserverOwner()

  init() {
    let lane = lane
    observers = ChangeObservers { lane.waiting.append($0) }
  }

  @discardableResult
  private func observe(_ name: String, _ what: ObservedChanges, _ owner: ObserverOwner? = nil) -> NotingObserver {
    let observer = NotingObserver(name, told)
    #expect(observers.add(observer, of: owner ?? self.owner, for: what) == .ok)
    return observer
  }

  private func flags(_ keys: String...) -> ObservedChanges { .flags(keys.map { Array($0.utf8) }) }

  private func update(_ changes: (String, String?, String?)...) {
    observers.updated(changes.map { FlagChange(key: $0.0, oldValue: $0.1.map { Array($0.utf8) }, newValue: $0.2.map { Array($0.utf8) }) })
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

  @Test("A key is a text, told apart by its bytes; one owner has handlers of every kind (LD-73; no client)")
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
    observers.remove(owner)
    update(("\u{e9}", "2", "3"))
    #expect(heard() == [])
  }

  @Test func severalOfOneOwnerAndKeyAreAllCalled() {
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

  @Test("Ending an owner's observers ends all kinds of them, and no call that is queued (LD-35; no client)") func stoppingEndsAllKinds() {
    let other = ObserverOwner()
    for (name, what) in [("flag", flags("a")), ("all", ObservedChanges.all), ("unchanged", .unchanged), ("mode", .connectionMode)] {
      observe(name, what)
    }
    observe("other", .all, other)
    update(("a", "1", "2"))
    observers.remove(owner)
    observe("late", .all)
    #expect(heard() == ["flag: a 1>2", "all: a 1>2", "other: a 1>2"])
    update(("a", "2", "3"))
    #expect(heard() == ["other: a 2>3", "late: a 2>3"])
    observers.remove(owner)
    update()
    observers.connectionModeChanged(1)
    #expect(heard() == [])
  }

  @Test("No call of an owner that has ended begins, not even one that is queued (LD-36; no client)") func anEndedOwnersCallsNeverBegin() {
    observe("all", .all)
    observe("other", .all, ObserverOwner())
    update(("a", "1", "2"))
    update(("a", "2", "3"))
    owner.end()
    #expect(heard() == ["other: a 1>2", "other: a 2>3"])
    #expect(observers.add(NotingObserver("dead", told), of: owner, for: .all) == .state)
  }

  @Test func anObserverMayEndItsOwnOwner() {
    let owner = owner
    observe("all", .all).then = { owner.end() }
    observe("second", .all)
    update(("a", "1", "2"))
    update(("a", "2", "3"))
    #expect(heard() == ["all: a 1>2"])
  }

  @Test func whatAnObserverHoldsGoesWithItsOwnerAndItsLastCall() {
    weak var gone: NotingObserver?
    do {
      gone = observe("all", .all)
    }
    #expect(gone != nil)
    update(("a", "1", "2"))
    owner.end()
    #expect(gone != nil)
    lane.deliver()
    #expect(gone == nil && observers.isEmpty)
  }

  @Test("Closing ends all registrations (LD-17, 5.9; closing)") func closingEndsAll() {
    observe("all", .all)
    observers.stop()
    update(("a", "1", "2"))
    #expect(heard() == [] && observers.isEmpty)
  }
}
