import HoistBase
import HoistCore
import HoistSQLite
import HoistTestSupport
import Testing

@Suite("Changes of several at once are all kept (contract 8)") struct ReplacementTests {
  let scratch = Scratch()

  /// A cache manager of the old shape: it cannot compare and set.
  private final class OldManager: CacheManager, Sendable {
    let inner = MemoryCacheManager()
    func load(key: String) throws(CacheFailure) -> [UInt8]? { inner.load(key: key) }
    func save(key: String, value: [UInt8]) throws(CacheFailure) { inner.save(key: key, value: value) }
    func remove(key: String) throws(CacheFailure) { inner.remove(key: key) }
    func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure) {}
    func claimEvents(
      pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner
    ) throws(CacheFailure) -> [EventRow] { [] }
    func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {}
    func purgeEvents(subject: String, pipeline: String) throws(CacheFailure) {}
    func renewLease(owner: EventOwner) throws(CacheFailure) {}
    func releaseEvents(owner: EventOwner) throws(CacheFailure) {}
    func close() {}
  }

  private struct Neighbour {
    let scheduler = ManualScheduler()
    let lines = Lines()
    let store: Store

    init(_ manager: any CacheManager) {
      let lines = lines
      let log = Log(threshold: .info, clock: scheduler) { level, message in lines.add("\(level) \(message)") }
      store = Store(manager: manager, log: log, clock: SystemClock(), scheduler: scheduler)
    }

    func close() -> Bool { store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 60_000_000_000) }
  }

  /// Stores add their letters to one value at the same time.
  private func fill(_ managers: [any CacheManager], times: Int) throws -> [Neighbour] {
    let neighbours = managers.map { Neighbour($0) }
    let threads = neighbours.enumerated().map { index, neighbour in
      HostThread {
        for _ in 0..<times {
          let kept = Completion<Bool>()
          neighbour.store.update("shared") {
            ($0 ?? []) + [UInt8(index)]
          } completion: { _ in
            kept.give(true)
          }
          repeat {
            neighbour.scheduler.run()
          } while kept.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: 1)) == nil
        }
      }
    }
    for thread in threads { thread.join() }
    for neighbour in neighbours { #expect(neighbour.close()) }
    return neighbours
  }

  private func expectAll(_ value: [UInt8]?, of count: Int, times: Int) {
    for index in 0..<count { #expect((value ?? []).count { $0 == UInt8(index) } == times) }
  }

  @Test func ofTwoManagersOfOneFile() throws {
    let managers = (0..<3).map { _ in scratch.manager { $0.busyMilliseconds = 30_000 } }
    let neighbours = try fill(managers, times: 100)
    expectAll(try scratch.manager().load(key: "shared"), of: 3, times: 100)
    #expect(neighbours.allSatisfy { $0.lines.all.isEmpty })
  }

  @Test func ofClientsOfOneManagerInMemory() throws {
    let manager = MemoryCacheManager()
    _ = try fill([manager, manager, manager], times: 200)
    expectAll(manager.load(key: "shared"), of: 3, times: 200)
  }

  @Test func ofClientsOfOneManagerThatCannotCompareAndSetWhichIsToldOnce() throws {
    let manager = OldManager()
    let neighbours = try fill([manager, manager, manager], times: 200)
    expectAll(manager.inner.load(key: "shared"), of: 3, times: 200)
    for neighbour in neighbours {
      #expect(neighbour.lines.all.count == 1 && neighbour.lines.all[0].contains("cannot compare and set"))
    }
  }
}
