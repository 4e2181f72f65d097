import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

/// Letters, of which each has its place in what is kept.
private final class Letters: SubjectRecord, @unchecked Sendable {
  let mark = WriteMark()
  let storeKey: String?
  private let lock = Lock()
  private var added: [UInt8] = []
  private var merged: [UInt8] = []
  private var keptCount = 0

  init(_ key: String? = "letters") { storeKey = key }

  var writes: Int { lock.withLock { keptCount } }
  func add(_ letter: UInt8) { lock.withLock { added.append(letter) } }

  func merge(into kept: [UInt8]?, under key: String) -> [UInt8]? {
    lock.withLock {
      merged = added
      return ((kept ?? []) + added).sorted()
    }
  }

  func wasKept() {
    lock.withLock {
      added.removeFirst(merged.count)
      keptCount += 1
    }
  }
}

@Suite("What is known of people is written behind, into what others have written (contract 8)") struct SubjectStoreTests {
  let bench = StoreBench()

  private func subjects(isImmediate: Bool = false) -> SubjectStore<Letters> {
    SubjectStore(
      store: bench.store, scheduler: bench.scheduler, options: .init(delayMilliseconds: 50, isImmediate: isImmediate))
  }

  private func change(_ record: Letters, _ letter: UInt8, _ subjects: SubjectStore<Letters>) {
    record.add(letter)
    subjects.changed(record)
  }

  @Test func changesOfAMomentAreWrittenOnce() {
    let (subjects, record) = (subjects(), Letters())
    bench.manager.inject(key: "letters", value: [77])
    change(record, 65, subjects)
    change(record, 66, subjects)
    bench.settle()
    #expect(bench.manager.calls.isEmpty && record.mark.isWaiting(0))
    bench.advance(50)
    #expect(bench.manager.calls == ["load letters", "load letters", "save letters=ABM"])
    #expect(record.writes == 1 && record.mark.isSettled(0) && subjects.written == 1)
    change(record, 67, subjects)
    bench.advance(50)
    #expect(bench.manager.calls.last == "save letters=ABCM")
  }

  @Test func whatChangesWhileItIsWrittenIsWrittenAgainAndOnce() {
    let (subjects, record, door) = (subjects(), Letters(), Door())
    change(record, 65, subjects)
    bench.manager.block(at: door)
    subjects.writeAll()
    #expect(door.waitForArrivals(1))
    change(record, 66, subjects)
    #expect(!record.mark.isWaiting(0) && !record.mark.isSettled(0))
    door.open()
    bench.settle()
    // The first write took it along: the second one finds nothing to do.
    #expect(bench.manager.calls.filter { $0.hasPrefix("save") } == ["save letters=AB"])
    #expect(bench.manager.calls.last == "load letters" && record.writes == 2 && record.mark.isSettled(0))
  }

  @Test func theEndWritesWhatWaits() {
    let (subjects, record) = (subjects(), Letters())
    change(record, 65, subjects)
    let told = Record<Bool>()
    subjects.writeAll { told.append(true) }
    #expect(bench.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
    #expect(bench.manager.calls.contains("save letters=A"))
    bench.scheduler.run()
    #expect(told.all == [true])
  }

  @Test func withImmediateDurabilityCallersWaitForTheStore() {
    let (subjects, record) = (subjects(isImmediate: true), Letters())
    change(record, 65, subjects)
    #expect(subjects.waitForCommit(untilNanoseconds: SystemClock().monotonicNanoseconds) == .unsaved)
    #expect(record.writes == 0)
    #expect(waited(subjects) == .ok && record.writes == 1)
    #expect(subjects.waitForCommit(untilNanoseconds: 0) == .ok)
  }

  @Test("With immediate durability who waits hears at once that the store fails (contract 6)")
  func aFailureIsToldToWhoWaits() {
    let (subjects, record) = (subjects(isImmediate: true), Letters())
    bench.manager.fail(CacheFailure("disk full"))
    change(record, 65, subjects)
    #expect(waited(subjects) == .unsaved)
    bench.manager.fail(nil)
    bench.advance(120_000)
    change(record, 66, subjects)
    #expect(waited(subjects) == .ok && bench.manager.calls.last == "save letters=AB")
  }

  private func waited(_ subjects: SubjectStore<Letters>) -> Status? {
    let (told, deadline) = (Completion<Status>(), SystemClock().monotonicNanoseconds + 60_000_000_000)
    _ = hostThread { told.give(subjects.waitForCommit(untilNanoseconds: deadline)) }
    while !told.isGiven, SystemClock().monotonicNanoseconds < deadline { bench.settle() }
    return told.wait(untilNanoseconds: 0)
  }

  @Test("What the parent of a forked child has left to write is the parent's (G9)") func fork() {
    let (subjects, record) = (subjects(), Letters())
    change(record, 65, subjects)
    bench.scheduler.simulateFork()
    bench.advance(1_000)
    subjects.writeAll()
    bench.settle()
    #expect(bench.manager.calls.isEmpty)
    change(record, 66, subjects)
    bench.advance(50)
    #expect(record.writes == 1)
  }

  @Test func whatIsNotToBeKeptIsNotWritten() {
    let (subjects, record) = (subjects(), Letters(nil))
    change(record, 65, subjects)
    bench.advance(50)
    #expect(bench.manager.calls.isEmpty && record.mark.isSettled(0))
  }
}
