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

@Suite("Refusals are announced by who stores them (FLT 1)") struct AnnouncedRefusalTests {
  private let said = Announcements()

  @Test("One that is stored is announced once it is; ordinary changes, and what changes nothing, are not (ready)")
  func announced() {
    let bench = StoreBench(announcements: said)
    bench.store.update("visitor:anna", kind: .ordinary) { _ in [1] }
    bench.store.save("visitor:eva", [1])
    bench.settle()
    bench.store.update("visitor:ben", kind: .lasting) { _ in [0] }
    bench.settle()
    bench.store.update("visitor:ben", kind: .lasting) { _ in [0] }
    bench.settle()
    #expect(said.keys.value == ["visitor:ben"])
    bench.manager.fail(CacheFailure("away"))
    bench.store.update("visitor:eva", kind: .lasting) { _ in [0] }
    bench.settle()
    #expect(said.keys.value == ["visitor:ben"])
    bench.manager.fail(nil)
    bench.advance(2_000)
    #expect(said.keys.value == ["visitor:ben", "visitor:eva"])
  }

  @Test("An announcement that fails is no failure of the store's (failing)")
  func failing() {
    let bench = StoreBench(announcements: said)
    said.isLost.value = true
    bench.store.update("visitor:ben", kind: .lasting) { _ in [0] }
    bench.settle()
    #expect(said.keys.value == ["visitor:ben"] && !bench.warnings.contains { $0.contains("nobody hears") })
    #expect(bench.manager.calls.contains { $0.hasPrefix("save visitor:ben") })
  }

  @Test("That it listens does not say that what fails works again, nor wait for that (failing)")
  func listeningWhileItFails() {
    let bench = StoreBench(announcements: said)
    bench.manager.fail(CacheFailure("away"))
    bench.store.save("a", [1])
    bench.settle()
    SubjectRefusals(store: bench.store) { _ in false }.start()
    bench.settle()
    #expect(said.listeners.value.count == 1 && !bench.lines.all.contains { $0.contains("works again") })
  }

  @Test("Who is neither in memory nor has anything waiting is not looked for; who has refused is not again (second client)")
  func known() {
    let bench = StoreBench(announcements: said)
    for id in ["anna", "ben", "eva"] { bench.manager.inject(key: "visitor:\(id)", value: [0]) }
    let (refusals, heard) = (SubjectRefusals(store: bench.store) { $0 == [0] }, Record<[[UInt8]]>())
    refusals.govern([], held: { [Array("ben".utf8)] }, heard: { heard.append($0) })
    refusals.start()
    bench.settle()
    for key in ["visitor:anna", "visitor:ben", "bucketing"] { said.post(key) }
    bench.advance(500)
    #expect(heard.all == [[Array("ben".utf8)]] && refusals.contains(Array("ben".utf8)))
    #expect(bench.manager.calls == ["load visitor:ben"])
    said.post("visitor:ben")
    said.post(nil)
    bench.advance(4_000)
    #expect(bench.manager.calls == ["load visitor:ben"])
    #expect(bench.store.statistics.contains { $0 == ("heard", 3) })
  }

  @Test("When more has changed than news can name, everyone in memory is looked for, and once more after that (ready)")
  func anyone() {
    let bench = StoreBench(announcements: said)
    let people = (0..<600).map { Array("p\($0)".utf8) }
    for (number, id) in people.enumerated() where number % 2 == 0 { bench.manager.inject(key: PersonKey.make(id), value: [0]) }
    let (refusals, heard) = (SubjectRefusals(store: bench.store) { $0 == [0] }, Record<[[UInt8]]>())
    refusals.govern([], held: { people }, heard: { heard.append($0) })
    refusals.start()
    bench.settle()
    said.post(nil)
    bench.advance(4_000)
    #expect(heard.all.map(\.count) == [300] && people.count { refusals.contains($0) } == 300)
    #expect(bench.manager.calls.count == 600)
    bench.manager.inject(key: PersonKey.make(people[1]), value: [0])
    // The second comes while the first is under way, the third with it.
    for _ in 0..<3 { refusals.storeChanged(nil) }
    bench.settle()
    #expect(heard.all.map(\.count) == [300, 1])
    #expect(bench.manager.calls.count == 300 + 299)
  }

  @Test("What could not be looked for is looked for again, until that is done (failing)", arguments: [nil, "visitor:ben"])
  func lost(news: String?) {
    let bench = StoreBench(isReachedByOthers: true, announcements: said)
    bench.manager.inject(key: "visitor:ben", value: [0])
    let refusals = SubjectRefusals(store: bench.store) { $0 == [0] }
    refusals.govern([], held: { [Array("ben".utf8)] })
    refusals.start()
    bench.settle()
    bench.manager.fail(CacheFailure("away"))
    said.post(news)
    bench.advance(600_000)
    let tried = bench.manager.calls.count
    #expect(tried > 10 && tried < 100 && !refusals.contains(Array("ben".utf8)))
    bench.manager.fail(nil)
    bench.advance(100_000)
    #expect(refusals.contains(Array("ben".utf8)))
    let done = bench.manager.calls.count
    bench.advance(600_000)
    #expect(bench.manager.calls.count == done)
  }

  @Test("One who cannot be read has everyone looked for again, but less and less often (failing)") func oneThatFails() {
    let bench = StoreBench(isReachedByOthers: true, announcements: said)
    let people = (0..<600).map { Array("p\($0)".utf8) }
    let refusals = SubjectRefusals(store: bench.store) { $0 == [0] }
    refusals.govern([], held: { people })
    refusals.start()
    bench.settle()
    bench.manager.fail(keys: [PersonKey.make(people[0])])
    said.post(nil)
    bench.advance(600_000)
    let rounds = bench.manager.calls.count { $0 == "load \(PersonKey.make(people[0]))" }
    #expect((8...30).contains(rounds))
  }

  @Test("A store that is closed listens no more; where no manager tells of news, or no client wants them, none listens (closed)")
  func closed() {
    let bench = StoreBench(announcements: said)
    let refusals = SubjectRefusals(store: bench.store) { _ in false }
    #expect(said.listeners.value.isEmpty)
    refusals.start()
    bench.settle()
    refusals.start()
    bench.settle()
    #expect(said.listeners.value.count == 1)
    _ = bench.store.close(untilNanoseconds: .max)
    refusals.start()
    bench.settle()
    #expect(said.listeners.value.isEmpty)
    let deaf = StoreBench()
    SubjectRefusals(store: deaf.store) { _ in false }.start()
    #expect(deaf.store.withState { $0.news == nil && $0.listeners.isEmpty })
  }
}
