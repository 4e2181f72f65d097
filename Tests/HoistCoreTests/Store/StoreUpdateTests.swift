import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("What is kept is changed in one step (contract 8)") struct StoreUpdateTests {
  typealias Kept = Result<[UInt8]?, CacheFailure>

  let bench = StoreBench()
  let told = Record<Kept>()
  var store: Store { bench.store }

  private func update(_ key: String, _ letter: UInt8) {
    let told = told
    store.update(key) {
      ($0 ?? []) + [letter]
    } completion: {
      told.append($0)
    }
  }

  private func read(_ key: String) -> Kept? {
    let found = Record<Kept>()
    store.read(key) { found.append($0) }
    bench.settle()
    return found.all.first
  }

  @Test func changesAreMadeToWhatIsKeptAndToldOfTogether() {
    bench.manager.inject(key: "a", value: [65])
    let door = Door()
    bench.manager.block(at: door)
    store.load("x") { _ in }
    #expect(door.waitForArrivals(1))
    update("a", 66)
    update("a", 67)
    let found = Record<Kept>()
    store.read("a") { found.append($0) }
    door.open()
    bench.settle()
    // How often the store has looked before depends on which thread comes first; it writes once.
    #expect(bench.manager.calls.filter { !$0.hasPrefix("load") } == ["save a=ABC"])
    #expect(told.all == [.success([65, 66, 67]), .success([65, 66, 67])])
    #expect(found.all == [.success([65, 66, 67])] && read("a") == .success([65, 66, 67]))
  }

  @Test func aChangeOfAValueThatWaitsIsMadeToThat() {
    let door = Door()
    bench.manager.block(at: door)
    store.load("x") { _ in }
    #expect(door.waitForArrivals(1))
    store.save("a", [65])
    update("a", 66)
    update("b", 66)
    store.save("b", [67])
    store.remove("c")
    update("c", 68)
    door.open()
    bench.settle()
    #expect(bench.manager.calls.dropFirst() == ["save a=AB", "save b=C", "save c=D"])
    #expect(told.all == [.success([65, 66]), .success([67]), .success([68])])
  }

  @Test func ofChangesThatReplaceEachOtherTheNewestIsMade() {
    let door = Door()
    bench.manager.block(at: door)
    store.load("x") { _ in }
    #expect(door.waitForArrivals(1))
    for letter in [65, 66, 67] as [UInt8] { store.update("a", kind: .replaceable) { ($0 ?? []) + [letter] } }
    update("a", 68)
    door.open()
    bench.settle()
    #expect(bench.manager.calls.last == "save a=CD")
  }

  @Test func whereTooMuchWaitsLastingChangesAreGivenUpAfterAllOthers() {
    let bench = StoreBench { $0.maximumPendingValues = 3 }
    let door = Door()
    bench.manager.block(at: door)
    bench.store.load("x") { _ in }
    #expect(door.waitForArrivals(1))
    bench.store.update("lasting", kind: .lasting) { _ in [65] }
    for number in 0..<5 { bench.store.update("\(number)") { _ in [66] } }
    door.open()
    bench.settle()
    #expect(bench.manager.calls.filter { $0.hasPrefix("save") } == ["save lasting=A", "save 3=B", "save 4=B"])
  }

  @Test func aChangeThatChangesNothingIsNotWrittenAndOneToNothingRemoves() {
    bench.manager.inject(key: "a", value: [65])
    store.update("a") { $0 }
    bench.settle()
    #expect(bench.manager.calls == ["load a"])
    store.update("a") { _ in nil }
    bench.settle()
    #expect(bench.manager.calls.last == "remove a" && read("a") == .success(nil))
  }

  @Test func whatCannotBeReadIsNotSavedOver() {
    bench.manager.inject(key: "a", value: [65])
    bench.manager.fail(CacheFailure("no disk"))
    update("a", 66)
    #expect(read("a") == .failure(CacheFailure("no disk")))
    bench.manager.fail(nil)
    // As it will be: writing pauses, reading does not.
    #expect(read("a") == .success([65, 66]))
    #expect(!bench.manager.calls.contains { $0.hasPrefix("save") } && told.all.isEmpty)
    bench.advance(5_000)
    #expect(told.all == [.success([65, 66])])
  }

  @Test func aChangeIsGivenUpWhereNothingHelps() {
    bench.manager.fail(CacheFailure("no disk"))
    update("a", 66)
    bench.advance(600_000)
    #expect(told.all == [.failure(CacheFailure("no disk"))])
    bench.manager.fail(nil)
    #expect(read("a") == .success(nil))
  }

  @Test func aChangeThatIsMadeWhileTheLastOneIsWrittenIsWrittenAtTheEnd() {
    let (store, told) = (store, told)
    store.update("a") {
      ($0 ?? []) + [65]
    } completion: { _ in
      store.update("a") {
        ($0 ?? []) + [66]
      } completion: {
        told.append($0)
      }
    }
    #expect(store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
    #expect(told.all == [.success([65, 66])] && bench.manager.calls.contains("save a=AB"))
  }

  @Test func withoutAStoreNothingIsKept() {
    let scheduler = ManualScheduler()
    let log = Log(threshold: nil, clock: scheduler) { _, _ in }
    let store = Store(manager: nil, log: log, clock: scheduler, scheduler: scheduler)
    store.update("a") { _ in
      [65]
    } completion: { [told] in
      told.append($0)
    }
    scheduler.run()
    #expect(told.all == [.failure(CacheFailure("there is no store"))])
  }
}
