import HoistBase
import HoistJSON
import Testing

@testable import HoistLaunchDarkly

/// The text of events (protocols/launchdarkly.md 4.4.1 to 4.4.4).
@Suite("Events have the members of their kind, and no others")
struct EventTextTests {
  private let context = EventContext(
    fullyQualifiedKey: "org:\"o\"", kinds: ["org"], json: Array(#"{"kind":"org","key":"\"o\"","name":"n"}"#.utf8),
    anonymousJSON: Array(#"{"kind":"org","key":"\"o\""}"#.utf8), fingerprint: 1)

  private func text(_ event: ByteView) -> String { String(decoding: event, as: UTF8.self) }

  private func custom(_ key: String, data: String? = nil, metric: Double? = nil) -> String {
    key.withBytes { key in
      func make(_ data: ByteView?) -> String {
        EventText.custom(key, data: data, metric: metric, context.json, at: 1_700_000_000_000) { text($0) }
      }
      return data.map { $0.withBytes { make($0) } } ?? make(nil)
    }
  }

  @Test("4.4.1: identify has the fully-qualified key and the context")
  func identify() {
    let event = EventText.identify(context, at: 1_700_000_000_000) { text($0) }
    #expect(
      event == #"{"kind":"identify","key":"org:\"o\"","creationDate":1700000000000,"#
        + #""context":{"kind":"org","key":"\"o\"","name":"n"}}"#)
  }

  @Test("A custom event has neither data nor metric when none are given (LD-40; no client)")
  func customWithNothing() {
    #expect(
      custom("e") == #"{"kind":"custom","key":"e","creationDate":1700000000000,"#
        + #""context":{"kind":"org","key":"\"o\"","name":"n"}}"#)
  }

  @Test("Data and metric are carried, also a metric of 0 (LD-44; no client)")
  func customWithEverything() {
    #expect(custom("e", data: "[1]", metric: 0).hasSuffix(#","data":[1],"metricValue":0}"#))
    #expect(custom("e", metric: -1.5).hasSuffix(#"},"metricValue":-1.5}"#))
  }

  @Test("A metric that is no number is left out", arguments: [Double.nan, .infinity])
  func metricThatIsNoNumber(metric: Double) { #expect(!custom("e", metric: metric).contains("metricValue")) }

  @Test("4.4.4: any key is taken, the empty one too", arguments: ["", "\u{0}\"\\\n", String(repeating: "\u{1}", count: 3000)])
  func anyKey(key: String) throws {
    let document = try JSONDocument(parsing: custom(key, data: #"{"a":1}"#, metric: 1e300))
    document.withRoot { root in
      #expect(root["key"]?.string == key)
      #expect(root["metricValue"]?.double == 1e300)
    }
  }

  private func evaluation(
    _ kind: EventText.EvaluationKind, flag: (inout FlagFacts) -> Void = { _ in }, isDetailed: Bool = false,
    fallback: String? = "2"
  ) -> String {
    "f".withBytes { key in
      "7".withBytes { result in
        #"{"kind":"OFF"}"#.withBytes { reason in
          var facts = FlagFacts(key: key, variation: 0, version: 3, value: result)
          facts.reason = reason
          flag(&facts)
          func make(_ fallback: ByteView?) -> String {
            EventText.evaluation(
              kind, FlagUse(key: key, flag: facts, result: result, fallback: fallback, isDetailed: isDetailed), context,
              at: 5
            ) { text($0) }
          }
          return fallback.map { $0.withBytes { make($0) } } ?? make(nil)
        }
      }
    }
  }

  @Test("Feature events have the context without anonymous attributes, and no reason unasked (LD-83, 4.4.2; no client)")
  func feature() {
    #expect(
      evaluation(.feature) == #"{"kind":"feature","key":"f","creationDate":5,"context":{"kind":"org","key":"\"o\""},"#
        + #""version":3,"variation":0,"value":7,"default":2}"#)
  }

  @Test("4.4.3: debug events have the whole context")
  func debug() {
    #expect(
      evaluation(.debug) == #"{"kind":"debug","key":"f","creationDate":5,"context":{"kind":"org","key":"\"o\"","name":"n"},"#
        + #""version":3,"variation":0,"value":7,"default":2}"#)
  }

  @Test("4.4.2: a reason goes with detail calls, and with flags that track it")
  func reasons() {
    #expect(evaluation(.feature, isDetailed: true).hasSuffix(#","default":2,"reason":{"kind":"OFF"}}"#))
    #expect(evaluation(.debug, flag: { $0.events.tracksReason = true }).hasSuffix(#","reason":{"kind":"OFF"}}"#))
    #expect(!evaluation(.feature, flag: { $0.reason = nil }, isDetailed: true).contains("reason"))
  }

  @Test("4.4.2: what is unknown is absent, but a missing default is null")
  func absentMembers() {
    let event = evaluation(.feature, flag: { ($0.version, $0.variation) = (nil, nil) }, fallback: nil)
    #expect(event.hasSuffix(#"},"value":7,"default":null}"#))
  }

  @Test func integersBeyondDoublesStayWhole() {
    #expect(evaluation(.feature, flag: { $0.version = .max }).contains(#""version":9223372036854775807,"#))
  }
}
