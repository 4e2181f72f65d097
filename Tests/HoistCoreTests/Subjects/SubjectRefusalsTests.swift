import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("Who has refused is known to all who share a store (contract 8)") struct SubjectRefusalsTests {
  private let bench = StoreBench()

  private func id(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

  @discardableResult
  private func check(_ refusals: SubjectRefusals, _ subjects: [String], on bench: StoreBench? = nil) -> Bool? {
    let rows = subjects.map { EventRow(id: $0, pipeline: "hits", subject: $0, createdUnixMilliseconds: 0, payload: []) }
    let ended = Record<Bool>()
    refusals.check(EventBatch(id: "1", rows: rows, attempt: 1)) { ended.append($0) }
    (bench ?? self.bench).settle()
    #expect(ended.all.count == 1)
    return ended.all.first
  }

  @Test("So many refusals are remembered, the newest in any case") func manyRefusals() {
    let refusals = SubjectRefusals(store: nil) { _ in false }
    let (least, last) = (NotedSubjects.leastCount, 3 * NotedSubjects.leastCount - 1)
    for number in 0...last { refusals.note(id(number), isRefusal: true) }
    #expect(((last - least + 1)...last).allSatisfy { refusals.contains(id($0)) })
    #expect(!refusals.contains(id(0)))
    refusals.note(id(last), isRefusal: false)
    #expect(!refusals.contains(id(last)) && refusals.contains(id(last - 1)))
  }

  @Test func refusalsOfOthersAreHeardBeforeABatchGoes() {
    bench.manager.inject(key: "visitor:ben", value: [0])
    bench.manager.inject(key: "visitor:anna", value: [1])
    let refusals = SubjectRefusals(store: bench.store) { $0 == [0] }
    check(refusals, ["anna", "ben", "ben", ""])
    #expect(refusals.contains(Array("ben".utf8)) && !refusals.contains(Array("anna".utf8)))
    #expect(bench.manager.calls.sorted() == ["load visitor:anna", "load visitor:ben"])
  }

  @Test("What others can write to has to be asked before something of a person goes; a file of this machine does not (failing)")
  func whatOthersReach() {
    for isReached in [true, false] {
      let bench = StoreBench(isReachedByOthers: isReached)
      let refusals = SubjectRefusals(store: bench.store) { _ in false }
      bench.manager.fail(CacheFailure("away"))
      #expect(check(refusals, ["anna"], on: bench) == !isReached)
      #expect(check(refusals, [""], on: bench) == true, "of no person")
      bench.manager.fail(nil)
      #expect(check(refusals, ["anna"], on: bench) == true)
      bench.manager.fail(CacheFailure("for good", isPermanent: true))
      #expect(check(refusals, ["anna"], on: bench) == true, "it is not asked again")
    }
  }

  @Test func whereTheHostFollowsItsPeopleTheStoreIsNotAsked() {
    bench.manager.inject(key: "visitor:ben", value: [0])
    let refusals = SubjectRefusals(store: nil) { _ in true }
    check(refusals, ["ben"])
    #expect(!refusals.contains(Array("ben".utf8)) && bench.manager.calls.isEmpty)
  }
}
