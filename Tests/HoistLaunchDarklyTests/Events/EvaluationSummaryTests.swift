import HoistBase
import HoistJSON
import Testing

@testable import HoistLaunchDarkly

/// The counters of evaluations (protocols/launchdarkly.md 4.4.5).
@Suite("Summaries count by variation and version, and keep what was first")
struct EvaluationSummaryTests {
  private func note(
    _ summary: inout EvaluationSummary, _ key: String, _ identity: CounterIdentity, _ result: String, _ fallback: String?,
    kinds: [String] = ["user"]
  ) {
    key.withBytes { key in
      result.withBytes { result in
        func note(_ fallback: ByteView?) {
          summary.note(key, identity, kinds: kinds.map { Array("\"\($0)\"".utf8) }, result: result, fallback: fallback)
        }
        if let fallback { fallback.withBytes { note($0) } } else { note(nil) }
      }
    }
  }

  private func count(_ summary: inout EvaluationSummary, _ key: String, _ identity: CounterIdentity, _ times: UInt64 = 1) {
    key.withBytes { summary.count($0, identity, times: times) }
  }

  private func text(_ summary: EvaluationSummary) -> String {
    String(decoding: summary.event(endUnixMilliseconds: 9), as: UTF8.self)
  }

  private let one = CounterIdentity(variation: 0, version: 1)

  @Test func theFirstDefaultAndTheFirstResultStay() {
    var summary = EvaluationSummary(startUnixMilliseconds: 5)
    note(&summary, "f", one, "\"a\"", "\"d\"")
    note(&summary, "f", one, "\"b\"", "\"e\"")
    count(&summary, "f", one, 3)
    #expect(
      text(summary) == #"{"kind":"summary","startDate":5,"endDate":9,"features":{"f":{"default":"d","contextKinds":["user"],"#
        + #""counters":[{"value":"a","variation":0,"version":1,"count":3}]}}}"#)
  }

  @Test func variationAndVersionTellCountersApart() {
    var summary = EvaluationSummary(startUnixMilliseconds: 5)
    for identity in [one, CounterIdentity(variation: 1, version: 1), CounterIdentity(variation: 0, version: 2)] {
      note(&summary, "f", identity, "1", nil)
      count(&summary, "f", identity)
    }
    #expect(
      text(summary).contains(
        #""counters":[{"value":1,"variation":0,"version":1,"count":1},{"value":1,"variation":1,"version":1,"count":1},"#
          + #"{"value":1,"variation":0,"version":2,"count":1}]"#))
  }

  @Test("Without version a counter is unknown, with or without a variation; a default of null is absent")
  func unknown() {
    var summary = EvaluationSummary(startUnixMilliseconds: 5)
    note(&summary, "f", CounterIdentity(), "null", nil)
    count(&summary, "f", CounterIdentity())
    note(&summary, "g", CounterIdentity(variation: 4), "1", "2")
    count(&summary, "g", CounterIdentity(variation: 4))
    #expect(text(summary).contains(#""f":{"contextKinds":["user"],"counters":[{"value":null,"unknown":true,"count":1}]}"#))
    #expect(text(summary).contains(#"{"value":1,"variation":4,"unknown":true,"count":1}"#))
  }

  @Test func theKindsOfAllContextsAreCollected() {
    var summary = EvaluationSummary(startUnixMilliseconds: 5)
    note(&summary, "f", one, "1", nil, kinds: ["org", "user"])
    note(&summary, "f", one, "1", nil, kinds: ["user", "device"])
    count(&summary, "f", one)
    #expect(text(summary).contains(#""contextKinds":["org","user","device"]"#))
  }

  @Test func whatWasCountedAndNotNotedWaits() {
    var summary = EvaluationSummary(startUnixMilliseconds: 5)
    count(&summary, "f", one, 2)
    #expect(!summary.hasReportable)
    var next = summary.remainder(startUnixMilliseconds: 9)
    note(&next, "f", one, "1", "0")
    count(&next, "f", one)
    #expect(next.hasReportable)
    #expect(
      text(next).contains(#""default":0,"contextKinds":["user"],"counters":[{"value":1,"variation":0,"version":1,"count":3}]"#))
    #expect(text(next).contains(#""startDate":9"#))
  }

  @Test func whatWasNotedAndNotCountedIsNotReported() {
    var summary = EvaluationSummary(startUnixMilliseconds: 5)
    note(&summary, "f", one, "1", nil)
    #expect(!summary.hasReportable)
  }

  @Test func aLateCountTakesItsNotesFromThePeriodBefore() {
    var former = EvaluationSummary(startUnixMilliseconds: 1)
    note(&former, "f", one, "1", "0", kinds: ["org"])
    var summary = EvaluationSummary(startUnixMilliseconds: 5)
    count(&summary, "f", one, 2)
    count(&summary, "g", one)
    summary.complete(from: former)
    #expect(
      text(summary).contains(
        #""f":{"default":0,"contextKinds":["org"],"counters":[{"value":1,"variation":0,"version":1,"count":2}]}"#))
    #expect(!text(summary).contains(#""g""#))
    #expect(summary.remainder(startUnixMilliseconds: 9).flags.map { String(decoding: $0.key, as: UTF8.self) } == ["g"])
  }

  @Test("Flags beyond the limit are counted as lost, at the limit they are not (G5)")
  func limit() {
    var summary = EvaluationSummary(startUnixMilliseconds: 5)
    for number in 0..<EvaluationSummary.maximumFlags { count(&summary, "f\(number)", one) }
    #expect(summary.overflow == 0)
    count(&summary, "one more", one, 3)
    count(&summary, "f0", one)
    #expect(summary.overflow == 3)
    #expect(summary.flags.count == EvaluationSummary.maximumFlags)
  }

  @Test func aCountDoesNotOverflow() {
    var summary = EvaluationSummary(startUnixMilliseconds: 5)
    note(&summary, "f", one, "1", nil)
    count(&summary, "f", one, .max)
    count(&summary, "f", one, 2)
    #expect(text(summary).contains("\"count\":18446744073709551615"))
  }

  @Test func aClockThatWentBackDoesNotEndAPeriodBeforeItsStart() {
    var summary = EvaluationSummary(startUnixMilliseconds: 100)
    note(&summary, "f", one, "1", nil)
    count(&summary, "f", one)
    #expect(text(summary).hasPrefix(#"{"kind":"summary","startDate":100,"endDate":100,"#))
  }
}
