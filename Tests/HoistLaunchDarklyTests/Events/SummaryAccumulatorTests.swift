import HoistBase
import Testing

@testable import HoistLaunchDarkly

@Suite("Summaries of periods, for all contexts or for each (LD-90, 4.4.5; no client)")
struct SummaryAccumulatorTests {
  static func context(_ key: String, fingerprint: UInt64, kinds: [String] = ["user"]) -> EventContext {
    EventContext(
      fullyQualifiedKey: key, kinds: kinds, json: Array(#"{"kind":"user","key":"\#(key)","name":"n"}"#.utf8),
      anonymousJSON: Array(#"{"kind":"user","key":"\#(key)"}"#.utf8), fingerprint: fingerprint)
  }

  private let a = context("a", fingerprint: 1)
  private let b = context("b", fingerprint: 2, kinds: ["org"])

  private func count(_ book: SummaryAccumulator, _ key: String, _ context: EventContext) {
    key.withBytes { key in
      "1".withBytes {
        book.count(FlagUse(key: key, flag: nil, result: $0, fallback: nil, isDetailed: false), kinds: context.kinds, context)
      }
    }
  }

  private func texts(_ pages: [SummaryAccumulator.SummaryEvent]) -> [String] {
    pages.map { String(decoding: $0.event, as: UTF8.self) }
  }

  @Test func nothingIsReportedWhenNothingWasEvaluated() {
    let book = SummaryAccumulator(isPerContext: false, startUnixMilliseconds: 1)
    #expect(book.close(nowUnixMilliseconds: 2) {}.isEmpty)
    #expect(book.news(nowUnixMilliseconds: 2).isEmpty)
  }

  @Test func aPeriodBeginsWhereTheLastOneEnded() {
    let book = SummaryAccumulator(isPerContext: false, startUnixMilliseconds: 1)
    #expect(book.close(nowUnixMilliseconds: 20) {}.isEmpty)
    count(book, "f", a)
    #expect(
      texts(book.close(nowUnixMilliseconds: 30) {}).first?.hasPrefix(#"{"kind":"summary","startDate":20,"endDate":30,"#) == true)
    #expect(book.close(nowUnixMilliseconds: 40) {}.isEmpty)
    count(book, "f", a)
    #expect(
      texts(book.close(nowUnixMilliseconds: 50) {}).first?.hasPrefix(#"{"kind":"summary","startDate":40,"endDate":50,"#) == true)
  }

  @Test func allContextsShareOneSummaryWithoutContext() {
    let book = SummaryAccumulator(isPerContext: false, startUnixMilliseconds: 1)
    count(book, "f", a)
    count(book, "f", b)
    let texts = texts(book.close(nowUnixMilliseconds: 2) {})
    #expect(texts.count == 1)
    #expect(texts.first?.contains(#""context":"#) == false)
    #expect(texts.first?.contains(#""contextKinds":["user","org"],"counters":[{"value":1,"unknown":true,"count":2}]"#) == true)
  }

  @Test("Each context has its own, with the context as feature events have it (LD-90; no client)")
  func perContext() {
    let book = SummaryAccumulator(isPerContext: true, startUnixMilliseconds: 1)
    count(book, "f", a)
    count(book, "f", b)
    count(book, "f", Self.context("a", fingerprint: 1))
    let pages = book.close(nowUnixMilliseconds: 2) {}
    #expect(Set(pages.map(\.name)).count == 2)
    #expect(texts(pages).map { $0.contains(#""context":{"kind":"user","key":"a"},"#) } == [true, false])
    #expect(texts(pages).map { $0.contains(#""count":2"#) } == [true, false])
  }

  @Test("Contexts beyond the limit are counted as lost, also those of cells (LD-90, G5; no client)")
  func limitOfContexts() {
    let book = SummaryAccumulator(isPerContext: true, startUnixMilliseconds: 1)
    for number in 0..<SummaryAccumulator.maximumContexts { count(book, "f", Self.context("k", fingerprint: UInt64(number))) }
    #expect(book.overflow == 0)
    count(book, "f", Self.context("k", fingerprint: .max))
    "f".withBytes { book.count($0, CounterIdentity(), times: 4, Self.context("k", fingerprint: .max)) }
    #expect(book.overflow == 5)
    #expect(book.close(nowUnixMilliseconds: 2) {}.count == SummaryAccumulator.maximumContexts)
    // The next but one period has room again.
    #expect(book.close(nowUnixMilliseconds: 3) {}.isEmpty)
    count(book, "f", Self.context("k", fingerprint: .max))
    #expect(book.close(nowUnixMilliseconds: 4) {}.count == 1)
  }

  @Test func newsAreTheWholeSummarySoFarAndComeOnce() {
    let book = SummaryAccumulator(isPerContext: false, startUnixMilliseconds: 1)
    count(book, "f", a)
    #expect(texts(book.news(nowUnixMilliseconds: 2)).first?.contains(#""count":1"#) == true)
    #expect(book.news(nowUnixMilliseconds: 3).isEmpty)
    count(book, "f", a)
    #expect(texts(book.news(nowUnixMilliseconds: 4)).first?.contains(#""count":2"#) == true)
    #expect(texts(book.close(nowUnixMilliseconds: 5) {}).first?.contains(#""count":2"#) == true)
  }

  @Test func cellsThatWereNotedAddUp() {
    let book = SummaryAccumulator(isPerContext: false, startUnixMilliseconds: 1)
    var hasRun = false
    "f".withBytes { key in
      "true".withBytes { value in
        let flag = FlagFacts(key: key, variation: 1, version: 2, value: value)
        let use = FlagUse(key: key, flag: flag, result: value, fallback: nil, isDetailed: false)
        book.note(use, kinds: a.kinds, a) { hasRun = true }
        book.count(key, flag.identity, times: 41, a)
      }
    }
    #expect(hasRun)
    #expect(
      texts(book.close(nowUnixMilliseconds: 2) {}).first?.contains(
        #""counters":[{"value":true,"variation":1,"version":2,"count":41}]"#) == true)
  }

  @Test("A forked child reports nothing of its parent's (LD-90, G9; forked)")
  func fork() {
    let book = SummaryAccumulator(isPerContext: false, startUnixMilliseconds: 1)
    count(book, "f", a)
    book.forget(nowUnixMilliseconds: 5)
    #expect(book.close(nowUnixMilliseconds: 6) {}.isEmpty)
  }
}
