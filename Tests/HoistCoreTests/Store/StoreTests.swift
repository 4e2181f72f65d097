import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

/// A store over an obstinate manager, with everything a test turns.
struct StoreBench {
  let scheduler: ManualScheduler
  let clock: LeapingClock
  let manager: ObstinateManager
  let lines = Record<String>()
  let store: Store

  init(
    isReachedByOthers: Bool = false, announcements: Announcements? = nil, change: (inout Store.Options) -> Void = { _ in }
  ) {
    manager = ObstinateManager(isReachedByOthers: isReachedByOthers, announcements: announcements)
    scheduler = ManualScheduler()
    clock = LeapingClock(scheduler)
    let lines = lines
    let log = Log(threshold: .info, clock: scheduler) { level, message in lines.append("\(level) \(message)") }
    var options = Store.Options()
    change(&options)
    store = Store(
      manager: manager, log: log, clock: clock, scheduler: scheduler, entropy: SeededEntropy(seed: 7), options: options)
  }

  /// Lets the lane and the scheduler come to rest.
  func settle() {
    let deadline = SystemClock().monotonicNanoseconds + 10_000_000_000
    repeat {
      scheduler.run()
      _ = store.lane.drain(untilNanoseconds: deadline)
    } while scheduler.pendingPostCount > 0
  }

  /// Lets time pass in small steps, so that the lane keeps pace with it.
  func advance(_ milliseconds: Int64) {
    settle()
    for passed in stride(from: 0, to: milliseconds, by: 250) {
      scheduler.advance(milliseconds: min(250, milliseconds - passed))
      settle()
    }
  }

  var warnings: [String] { lines.all.filter { $0.hasPrefix("warning") } }
}

@Suite struct StoreTests {
  let bench = StoreBench()
  var store: Store { bench.store }

  func load(_ key: String) -> [UInt8]? {
    let found = Record<[UInt8]?>()
    store.load(key) { found.append($0) }
    bench.settle()
    #expect(found.all.count == 1)
    return found.all.first ?? nil
  }

  @Test func whatIsSavedIsThereBeforeItIsWritten() {
    let door = Door()
    bench.manager.block(at: door)
    store.save("a", [1])
    store.save("a", [2])
    #expect(door.waitForArrivals(1))
    let found = Record<[UInt8]?>()
    store.load("a") { found.append($0) }
    #expect(found.all.isEmpty)
    bench.scheduler.run()
    #expect(found.all == [[2]])
    door.open()
    bench.settle()
    #expect(load("a") == [2])
    store.remove("a")
    #expect(load("a") == nil)
    #expect(load("never saved") == nil)
  }

  @Test func onlyTheNewestValueOfAKeyIsWritten() {
    let door = Door()
    bench.manager.block(at: door)
    store.save("x", Array("first".utf8))
    #expect(door.waitForArrivals(1))
    for number in 0..<10 { store.save("a", Array("\(number)".utf8)) }
    store.save("b", [])
    store.remove("b")
    door.open()
    bench.settle()
    #expect(bench.manager.calls == ["save x=first", "save a=9", "remove b"])
  }

  @Test("a failure is told once per episode, and writes pause at growing intervals (G11)")
  func failuresAreToldOncePerEpisode() {
    bench.manager.fail(CacheFailure("disk full"))
    store.save("a", [65])
    bench.settle()
    #expect(bench.warnings == ["warning store: disk full"])
    store.save("a", [66])
    bench.settle()
    #expect(bench.manager.calls == ["save a=A"])
    bench.advance(60_000)
    let attempts = bench.manager.calls.count
    // 1, 2, 4, 8, 16, 32 s, each less up to a half: no storm.
    #expect((5...8).contains(attempts), "\(attempts)")
    #expect(bench.warnings.count == 1)
    bench.manager.fail(nil)
    store.save("a", [67])
    bench.advance(60_000)
    #expect(bench.lines.all.last == "info store: works again")
    #expect(load("a") == [67])
    bench.manager.fail(CacheFailure("disk full again"))
    store.save("a", [68])
    bench.settle()
    #expect(bench.warnings.count == 2)
  }

  @Test("what asks nothing of a failing store, or only reads while writes fail, does not say that it works again (G11)")
  func silenceIsNoSuccess() {
    bench.manager.fail(CacheFailure("gone"))
    #expect(load("a") == nil)
    #expect(bench.warnings.count == 1)
    bench.advance(2_000)
    bench.store.writeValues { _ in }
    bench.store.carryOutPurges(nil) { _ in }
    bench.settle()
    #expect(bench.lines.all.count == 1, "\(bench.lines.all)")
    bench.manager.fail(nil)
    bench.manager.fail(keys: ["full"])
    #expect(load("a") == nil)
    #expect(bench.lines.all.last == "info store: works again")
    store.save("full", [65])
    bench.settle()
    bench.manager.forgetCalls()
    for _ in 0..<20 {
      bench.advance(100)
      #expect(load("a") == nil)
      store.save("full", [66])
      bench.settle()
    }
    #expect(bench.lines.all.count == 3, "\(bench.lines.all)")
    #expect(bench.manager.calls.count { $0.hasPrefix("save") } <= 2)
    bench.manager.fail(keys: [])
    bench.advance(20_000)
    #expect(bench.lines.all.last == "info store: works again")
  }

  @Test func aFullDiskDoesNotKeepValuesWaitingForEver() {
    bench.manager.fail(CacheFailure("disk full"))
    store.save("a", [65])
    bench.advance(600_000)
    #expect(bench.manager.calls.count == 8)
    #expect(store.statistics.first { $0.name == "given_up" }?.value == 1)
  }

  @Test func oneValueThatIsRefusedDoesNotHoldUpTheOthers() {
    bench.manager.fail(keys: ["bad"])
    store.save("bad", [1])
    store.save("good", [2])
    bench.settle()
    bench.advance(5_000)
    #expect(bench.manager.calls.contains("save good=\u{2}"))
    #expect(load("good") == [2])
  }

  @Test func afterAPermanentFailureTheManagerIsLeftAlone() {
    bench.manager.fail(CacheFailure("made by a newer version", isPermanent: true))
    store.save("a", [65])
    bench.settle()
    #expect(load("a") == [65])
    #expect(load("b") == nil)
    bench.advance(3_600_000)
    #expect(bench.manager.calls == ["save a=A"])
    #expect(bench.warnings == ["warning store: made by a newer version"])
  }

  @Test("a manager that does not return is done without until it does (G11)")
  func aStuckManagerIsDoneWithout() {
    let door = Door()
    bench.manager.block(at: door)
    let found = Record<[UInt8]?>()
    store.load("a") { found.append($0) }
    #expect(door.waitForArrivals(1))
    store.load("b") { found.append($0) }
    bench.scheduler.advance(milliseconds: 10_000)
    #expect(found.all == [nil, nil])
    #expect(bench.warnings.count == 1)
    store.load("c") { found.append($0) }
    store.save("d", [1])
    bench.scheduler.run()
    #expect(found.all.count == 3)
    #expect(bench.manager.calls == ["load a"])
    door.open()
    #expect(bench.scheduler.run { bench.manager.calls.contains("save d=\u{1}") })
    bench.settle()
    #expect(found.all.count == 3)
    #expect(load("d") == [1])
  }

  @Test func valuesOverTheLimitAreNeitherWrittenNorBelieved() {
    let bench = StoreBench { $0.maximumValueBytes = 4 }
    bench.manager.inject(key: "planted", value: [1, 2, 3, 4, 5])
    bench.store.save("a", [1, 2, 3, 4, 5])
    bench.store.save("b", [1, 2, 3, 4])
    let found = Record<[UInt8]?>()
    bench.settle()
    for key in ["planted", "a", "b"] { bench.store.load(key) { found.append($0) } }
    bench.settle()
    #expect(found.all == [nil, nil, [1, 2, 3, 4]])
  }

  @Test func whatWaitsIsBoundedAndTheOldestGivesWay() {
    let bench = StoreBench {
      $0.maximumPendingValues = 3
      $0.maximumPendingBytes = 100
    }
    let door = Door()
    bench.manager.block(at: door)
    bench.store.load("x") { _ in }
    #expect(door.waitForArrivals(1))
    for number in 0..<5 { bench.store.save("\(number)", [65]) }
    bench.store.save("large", Array(repeating: 66, count: 99))
    door.open()
    bench.settle()
    #expect(bench.manager.calls.dropFirst().map { String($0.prefix(10)) } == ["save 4=A", "save large"])
    #expect(bench.store.statistics.first { $0.name == "given_up" }?.value == 4)
  }

  @Test func aStoreWithoutAManagerRemembersNothingAndNeverFails() {
    let scheduler = ManualScheduler()
    let store = Store(
      manager: nil, log: Log(threshold: nil, clock: scheduler) { _, _ in }, clock: scheduler, scheduler: scheduler)
    let found = Record<[UInt8]?>()
    store.save("a", [1])
    store.load("a") { found.append($0) }
    #expect(found.all.isEmpty)
    scheduler.run()
    #expect(found.all == [nil])
    #expect(store.close(untilNanoseconds: 0))
  }

  @Test func closeWritesWhatWaitsAndReleasesTheRows() {
    store.putEvents([.sample("1")]) { _ in }
    store.save("a", [65])
    #expect(store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
    #expect(bench.manager.calls.contains("save a=A"))
    #expect(bench.manager.calls.suffix(2) == ["release", "close"])
    store.reopen()
    #expect(load("a") == [65])
  }

  @Test func closeWaitsNoLongerThanItsDeadline() {
    let door = Door()
    bench.manager.block(at: door)
    store.save("a", [65])
    #expect(door.waitForArrivals(1))
    #expect(!store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 1_000_000))
    door.open()
  }

  /// Whether the bench comes to rest; asked on a thread of its own, since it might never.
  private func comesToRest() -> Bool {
    let rested = Completion<Bool>()
    let bench = bench
    let isRunning = hostThread {
      bench.settle()
      rested.give(true)
    }
    return isRunning && rested.wait(untilNanoseconds: SystemClock().monotonicNanoseconds + 60_000_000_000) ?? false
  }

  @Test("a closed store rests with what it owes, and writes it when it is opened again (G4)")
  func aClosedStoreRests() throws {
    let door = Door()
    bench.manager.block(at: door)
    store.save("a", [65])
    #expect(door.waitForArrivals(1))
    store.save("b", [66])
    #expect(!store.close(untilNanoseconds: 0))
    door.open()
    try #require(comesToRest())
    store.save("c", [67])
    try #require(comesToRest())
    #expect(!bench.manager.calls.contains("save c=C"))
    store.reopen()
    try #require(comesToRest())
    #expect(bench.manager.calls == ["save a=A", "save b=B", "save c=C"])
  }

  @Test("a closed store stays closed in a forked child (G9)") func aClosedStoreRestsInAForkedChildToo() throws {
    #expect(store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
    bench.scheduler.simulateFork()
    store.save("a", [65])
    try #require(comesToRest())
    #expect(!bench.manager.calls.contains("save a=A"))
  }

  @Test("a forked child's store begins anew (G9)") func aForkedChildBeginsAnew() {
    let door = Door()
    bench.manager.block(at: door)
    store.load("x") { _ in }
    #expect(door.waitForArrivals(1))
    store.save("parent", [65])
    bench.scheduler.simulateFork()
    // The real fork leaves the lane's threads behind as well; here the door's is let go.
    door.open()
    bench.settle()
    bench.manager.forgetCalls()
    store.save("child", [66])
    bench.settle()
    #expect(bench.manager.calls == ["save child=B"])
  }
}

extension ObstinateManager {
  /// As another program would.
  func inject(key: String, value: [UInt8]) {
    do { try save(key: key, value: value) } catch {}
    forgetCalls()
  }
}

extension EventRow {
  static func sample(_ id: String, pipeline: String = "events", subject: String = "", _ text: String = "payload")
    -> EventRow
  {
    EventRow(id: id, pipeline: pipeline, subject: subject, createdUnixMilliseconds: 0, payload: Array(text.utf8))
  }
}
