import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Evaluations that are more than counts (LD-82, LD-83, 4.2.5, 4.4.2, 4.4.3; ready)")
struct EvaluationEventTests {
  private let later: Int64 = 1_700_000_000_000 + 60_000

  @Test func aTrackedFlagMakesAnEventEachTime() {
    let rig = RecorderRig()
    for _ in 0..<3 { rig.evaluate("f", isFirst: false) { $0.events.isTracked = true } }
    rig.flush()
    #expect(rig.payloads == [["identify", "feature", "feature", "feature"]])
  }

  @Test func featureComesBeforeDebug() {
    let rig = RecorderRig()
    rig.evaluate("f", isFirst: false) {
      $0.events.isTracked = true
      $0.events.debuggedUntil = later
    }
    rig.flush()
    #expect(rig.payloads == [["identify", "feature", "debug"]])
  }

  @Test("Anonymous parts lose their attributes in feature events only (LD-83; ready)")
  func redaction() throws {
    let rig = RecorderRig()
    rig.evaluate("f", isFirst: false) {
      $0.events.isTracked = true
      $0.events.debuggedUntil = later
    }
    rig.track("e")
    rig.flush()
    let text = try #require(rig.requests.first?.text)
    let bare = #""context":{"kind":"user","key":"u"}"#
    let whole = #""context":{"kind":"user","key":"u","name":"n"}"#
    #expect(text.ranges(of: bare).count == 1)
    #expect(text.ranges(of: whole).count == 3)
    #expect(text.contains(#"{"kind":"feature","key":"f","creationDate":1700000000000,\#(bare),"#))
  }

  @Test("4.4.3: debugging ends by the local clock")
  func localClock() {
    let rig = RecorderRig()
    rig.time.advance(milliseconds: 10)
    rig.evaluate("f", isFirst: false) { $0.events.debuggedUntil = rig.time.unixMilliseconds }
    rig.evaluate("f", isFirst: false) { $0.events.debuggedUntil = rig.time.unixMilliseconds + 1 }
    rig.flush()
    #expect(rig.payloads == [["identify", "debug"]])
  }

  @Test("4.4.3: and by the service's clock, of which only a later time counts")
  func serverClock() {
    let rig = RecorderRig()
    // Half an hour ahead of the local clock, then an hour behind that.
    rig.answer(
      answer(202, "", [HTTPHeader("Date", "Tue, 14 Nov 2023 22:43:20 GMT")]),
      answer(202, "", [HTTPHeader("Date", "Tue, 14 Nov 2023 21:43:20 GMT")]))
    rig.host.network.setResponder { _ in answer(202) }
    let ahead: Int64 = 1_700_000_000_000 + 1_800_000
    rig.evaluate("f", isFirst: false) { $0.events.debuggedUntil = ahead }
    rig.flush()
    #expect(rig.payloads.last == ["identify", "debug"])
    for _ in 0..<2 {
      rig.track("e")
      rig.evaluate("f", isFirst: false) { $0.events.debuggedUntil = ahead }
      rig.flush()
      #expect(rig.payloads.last == ["e"])
    }
    rig.evaluate("f", isFirst: false) { $0.events.debuggedUntil = ahead + 1 }
    rig.flush()
    #expect(rig.payloads.last == ["debug"])
  }

  @Test("A date that is none changes nothing (G2)", arguments: ["", "yesterday", "Tue, 99 Nov 2099 22:43:20 GMT"])
  func wrongDate(text: String) {
    let time = ServerTime()
    time.learn(from: HTTPResponse(status: 202, headers: [HTTPHeader("Date", text)]), nowUnixMilliseconds: 0)
    #expect(time.isBefore(5, nowUnixMilliseconds: 4))
  }

  @Test("A date more than a day ahead of our clock is not believed: it would end debugging for good (contract 9)")
  func dateOfTheFuture() {
    let time = ServerTime()
    for (text, known) in [("Sat, 03 Jan 1970 00:00:00 GMT", false), ("Fri, 02 Jan 1970 00:00:00 GMT", true)] {
      time.learn(from: HTTPResponse(status: 202, headers: [HTTPHeader("Date", text)]), nowUnixMilliseconds: 0)
      #expect(time.isBefore(86_400_000, nowUnixMilliseconds: 0) != known)
    }
  }

  @Test("Prerequisites come first, are counted, and make events of their own (LD-82; ready)")
  func prerequisites() throws {
    let rig = RecorderRig()
    "pre".withBytes { pre in
      "nope".withBytes { missing in
        "7".withBytes { value in
          var flag = FlagFacts(key: pre, variation: 3, version: 9, value: value)
          flag.events.isTracked = true
          rig.evaluate("top", prerequisites: ["pre": flag]) {
            $0.events.isTracked = true
            $0.prerequisites = [pre, missing]
          }
        }
      }
    }
    rig.flush()
    #expect(rig.payloads == [["identify", "feature", "feature", "summary"]])
    let text = try #require(rig.requests.first?.text)
    #expect(
      text.contains(#"{"kind":"feature","key":"pre","#) && text.contains(#""version":9,"variation":3,"value":7,"default":null}"#))
    #expect(text.contains(#""pre":{"contextKinds":["user"],"counters":[{"value":7,"variation":3,"version":9,"count":1}]}"#))
    #expect(text.contains(#""nope":{"contextKinds":["user"],"counters":[{"value":null,"unknown":true,"count":1}]}"#))
    // The flag itself is counted by its cell.
    #expect(!text.contains(#""top":{"#))
  }

  @Test func theFirstEvaluationOfAPeriodIsNotedAndTheCellsAreCounted() {
    let cells = Cells()
    let rig = RecorderRig(identifies: false, cells: cells)
    rig.recorder.identify(RecorderRig.user)
    rig.host.network.setResponder { _ in answer(202) }
    (cells.count, cells.periods) = (40, 0)
    rig.evaluate("f")
    rig.flush()
    #expect(rig.requests.last?.text.contains(#""counters":[{"value":true,"variation":0,"version":2,"count":40}]"#) == true)
    #expect(cells.periods == 1)
    #expect(rig.flush() == true)
    #expect(rig.requests.count == 1 && cells.periods == 2)
  }
}

/// Of flag "f".
private final class Cells: CountedFlags {
  var count: UInt64 = 0
  var periods = 0

  func drain(_ body: (ByteView, CounterIdentity, UInt64, EventContext?) -> Void) {
    if count > 0 { "f".withBytes { body($0, CounterIdentity(variation: 0, version: 2), count, nil) } }
    count = 0
  }

  func beginPeriod() { periods += 1 }
}
