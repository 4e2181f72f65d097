import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

/// A host's cache whose look-ups the test answers, or never.
final class ScriptedCache: VisitorCache {
  enum LookUps: Sendable { case answered([String: String]), later, never }

  private let lookUps: LookUps
  private let kept = Locked<[String]>([])
  private let waiting = Locked<[CacheLookUp]>([])
  /// Held by a look-up that never returns, until the test is over.
  private let gate = Completion<Bool>()

  init(_ lookUps: LookUps = .answered([:])) { self.lookUps = lookUps }

  func cache(_ visitorID: [UInt8], _ json: [UInt8]) { note("cache \(text(visitorID)) \(text(json))") }
  func flush(_ visitorID: [UInt8]) { note("flush \(text(visitorID))") }

  func lookUp(_ visitorID: [UInt8], _ question: CacheLookUp) {
    note("lookup \(text(visitorID))")
    switch lookUps {
    case .answered(let records): question.reply(records[text(visitorID)].map { Array($0.utf8) })
    case .later: waiting.change { $0.append(question) }
    case .never: _ = gate.wait(untilNanoseconds: .max)
    }
  }

  private func note(_ call: String) { kept.change { $0.append(call) } }
  var calls: [String] { kept.value }
  var question: CacheLookUp? { waiting.value.first }
  func letGo() { gate.give(true) }
}

@Suite("The visitor cache (protocols/flagship.md 6.1)") struct VisitorCachingTests {
  private func answer(_ host: TestHost, _ caching: VisitorCaching, _ id: String) -> [String] {
    let answers = Locked<[String]>([])
    caching.lookUp(Array(id.utf8)) { record in answers.change { $0.append(record.map { text($0) } ?? "nothing") } }
    host.settle { !answers.value.isEmpty }
    return answers.value
  }

  @Test("Without a cache of the host's, the client's store keeps visitors (FS-21, FS-100; ready)")
  func theStoreKeepsVisitors() {
    let manager = MemoryCacheManager()
    let host = TestHost(manager: manager)
    let caching = VisitorCaching(cache: nil, host: host, timeoutMilliseconds: 200)
    #expect(answer(host, caching, "v") == ["nothing"])
    caching.save(Array("v".utf8)) { Array("{}".utf8) }
    #expect(answer(host, caching, "v") == ["{}"])
    host.settle { manager.load(key: "visitor:v") != nil }
    #expect(manager.load(key: "visitor:v").map { text($0) } == "{}")
    caching.flush(Array("v".utf8))
    #expect(answer(host, caching, "v") == ["nothing"])
  }

  @Test(
    "A look-up comes after what was told before it, also while that is on its way to the store (FS-21; ready)", arguments: [1, 2])
  func aLookUpWaitsForTheChangeThatIsUnderWay(changes: Int) {
    let host = TestHost(manager: MemoryCacheManager())
    let caching = VisitorCaching(cache: nil, host: host, timeoutMilliseconds: 200)
    let (begun, gate, answers) = (Completion<Bool>(), Completion<Bool>(), Locked<[String]>([]))
    caching.save(Array("v".utf8)) {
      begun.give(true)
      _ = gate.wait(untilNanoseconds: .max)
      return Array("1".utf8)
    }
    _ = begun.wait(untilNanoseconds: .max)
    if changes == 2 { caching.save(Array("v".utf8)) { Array("2".utf8) } }
    caching.lookUp(Array("v".utf8)) { record in answers.change { $0.append(record.map { text($0) } ?? "nothing") } }
    gate.give(true)
    host.settle { !answers.value.isEmpty }
    #expect(answers.value == ["\(changes)"])
  }

  @Test func idsOfAllKindsAreKeptApart() {
    let host = TestHost(manager: MemoryCacheManager())
    let caching = VisitorCaching(cache: nil, host: host, timeoutMilliseconds: 200)
    let ids = ["a'; DROP TABLE visitors; --", "a", "A", "\u{e9}", "e\u{301}", ""]
    for (index, id) in ids.enumerated() { caching.save(Array(id.utf8)) { Array("\(index)".utf8) } }
    for (index, id) in ids.enumerated() { #expect(answer(host, caching, id) == ["\(index)"]) }
  }

  @Test("A host's cache takes the store's place (FS-22, FS-102 to FS-104; ready)")
  func aHostsCacheTakesTheStoresPlace() {
    let host = TestHost(manager: MemoryCacheManager())
    let cache = ScriptedCache(.answered(["v": "{\"a\":1}"]))
    let caching = VisitorCaching(cache: cache, host: host, timeoutMilliseconds: 200)
    #expect(answer(host, caching, "v") == ["{\"a\":1}"])
    #expect(answer(host, caching, "w") == ["nothing"])
    caching.save(Array("v".utf8)) { Array("{}".utf8) }
    host.settle { cache.calls.count == 3 }
    caching.flush(Array("v".utf8))
    host.settle { cache.calls.count == 4 }
    #expect(cache.calls == ["lookup v", "lookup w", "cache v {}", "flush v"])
  }

  @Test("A look-up that is never answered is given up at the deadline (FS-23, FS-24; slow plug-in)")
  func aLookUpWithoutAnAnswerIsGivenUp() {
    let host = TestHost()
    let cache = ScriptedCache(.later)
    let caching = VisitorCaching(cache: cache, host: host, timeoutMilliseconds: 200)
    let answers = Locked<[String]>([])
    caching.lookUp(Array("v".utf8)) { record in answers.change { $0.append(record.map { text($0) } ?? "nothing") } }
    host.settle { cache.question != nil }
    host.time.advance(milliseconds: 199)
    #expect(answers.value.isEmpty)
    host.time.advance(milliseconds: 1)
    #expect(answers.value == ["nothing"])
    #expect(cache.question?.reply(Array("{}".utf8)) == false, "too late")
    host.time.run()
    #expect(answers.value == ["nothing"])
    #expect(caching.counters.givenUp == 1)
  }

  @Test("So is a cache that never returns from the call; those who look up meanwhile are answered as well (FS-24; slow plug-in)")
  func aCacheThatNeverReturnsIsSetAside() {
    let host = TestHost()
    let cache = ScriptedCache(.never)
    let caching = VisitorCaching(cache: cache, host: host, timeoutMilliseconds: 200)
    let answers = Locked<[String]>([])
    for id in ["v", "w"] {
      caching.lookUp(Array(id.utf8)) { record in answers.change { $0.append("\(id) \(record == nil)") } }
    }
    host.settle { !cache.calls.isEmpty }
    host.time.advance(milliseconds: 200)
    #expect(answers.value.sorted() == ["v true", "w true"])
    #expect(host.lines.lines.contains { $0.message.contains("longer than 200 ms") })
    cache.letGo()
  }

  @Test func anAnswerMayComeLaterButOnce() {
    let host = TestHost()
    let cache = ScriptedCache(.later)
    let caching = VisitorCaching(cache: cache, host: host, timeoutMilliseconds: 200)
    let answers = Locked<[String]>([])
    caching.lookUp(Array("v".utf8)) { record in answers.change { $0.append(record.map { text($0) } ?? "nothing") } }
    host.settle { cache.question != nil }
    host.time.advance(milliseconds: 100)
    #expect(cache.question?.reply(Array("{}".utf8)) == true)
    #expect(cache.question?.reply(Array("[]".utf8)) == false)
    host.time.advance(milliseconds: 500)
    #expect(answers.value == ["{}"])
    #expect(caching.counters == .init(lookUps: 1, found: 1))
  }

  @Test("What waits for the store when the client closes gets there (FS-21; closing)")
  func closingWritesWhatWaits() {
    let manager = MemoryCacheManager()
    let host = TestHost(manager: manager)
    let caching = VisitorCaching(cache: nil, host: host, timeoutMilliseconds: 200)
    caching.save(Array("v".utf8)) { Array("{}".utf8) }
    caching.stop()
    host.settle { manager.load(key: "visitor:v") != nil }
    #expect(manager.load(key: "visitor:v") != nil)
  }

  @Test("After close no call of the host's begins, and after the next start they do (FS-22; closed, reopened)")
  func aHostsCacheIsNotCalledAfterClose() {
    let host = TestHost()
    let cache = ScriptedCache(.answered([:]))
    let caching = VisitorCaching(cache: cache, host: host, timeoutMilliseconds: 200)
    caching.stop()
    caching.save(Array("v".utf8)) { Array("{}".utf8) }
    #expect(answer(host, caching, "v") == ["nothing"])
    #expect(cache.calls.isEmpty && caching.counters.dropped == 1)
    caching.start()
    caching.save(Array("v".utf8)) { Array("{}".utf8) }
    host.settle { !cache.calls.isEmpty }
    #expect(cache.calls == ["cache v {}"])
  }
}
