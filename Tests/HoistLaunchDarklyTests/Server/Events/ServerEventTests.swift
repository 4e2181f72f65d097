import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("What a server's events say (protocols/launchdarkly-server.md 7.3 to 7.8)")
struct ServerEventTests {
  private let later: Int64 = 1_700_000_000_000 + 60_000
  private let user = #"{"key":"u","kind":"user","name":"n"}"#

  @Test("A feature event has the flag's version, the final value and the default; the reason for a detail only (LDS-41; ready)")
  func feature() {
    let rig = ServerEventRig()
    for isDetailed in [false, true] {
      rig.evaluate("f", fallback: "1", isDetailed: isDetailed, reason: #"{"kind":"OFF"}"#) { $0.isTracked = true }
    }
    rig.flush()
    let common =
      #"{"kind":"feature","key":"f","creationDate":1700000000000,"context":\#(user),"version":2,"variation":0,"value":true,"default":1"#
    #expect(rig.texts.first?.contains(common + "}") == true)
    #expect(rig.texts.first?.contains(common + #","reason":{"kind":"OFF"}}"#) == true)
  }

  @Test("An experiment's feature event has its reason on plain calls, too (LDS-41; ready)")
  func experiment() {
    let rig = ServerEventRig()
    rig.evaluate("f", reason: #"{"kind":"FALLTHROUGH","inExperiment":true}"#) { ($0.isTracked, $0.tracksReason) = (true, true) }
    rig.flush()
    #expect(rig.texts.first?.contains(#""reason":{"kind":"FALLTHROUGH","inExperiment":true}}"#) == true)
  }

  @Test("A prerequisite's event comes first, names the flag that wants it, and has no default (LDS-41; ready)")
  func prerequisite() {
    let rig = ServerEventRig()
    rig.evaluate("p", prerequisiteOf: "f", hasCell: false) { $0.isTracked = true }
    rig.evaluate("f", fallback: "1") { $0.isTracked = true }
    rig.flush()
    #expect(rig.payloads == [["index", "feature", "feature", "summary"]])
    #expect(
      rig.texts.first?.contains(
        #""key":"p","creationDate":1700000000000,"context":\#(user),"version":2,"variation":0,"value":true,"default":null,"prereqOf":"f"}"#
      ) == true)
    #expect(
      rig.texts.first?.contains(#""p":{"contextKinds":["user"],"counters":[{"value":true,"variation":0,"version":2,"count":1}]}"#)
        == true)
  }

  @Test("Debug events end by both clocks (LDS-42; ready)")
  func debug() {
    let rig = ServerEventRig()
    let now = rig.time.unixMilliseconds
    rig.answer(answer(202, "", [HTTPHeader("Date", "Tue, 14 Nov 2023 22:43:20 GMT")]))
    rig.evaluate("f") { $0.debuggedUntil = now }
    rig.evaluate("f") { $0.debuggedUntil = later }
    rig.flush()
    // The service's clock is half an hour ahead.
    rig.evaluate("f") { $0.debuggedUntil = now + 1_800_000 }
    rig.evaluate("f") { $0.debuggedUntil = now + 1_800_001 }
    rig.flush()
    #expect(rig.payloads == [["index", "debug", "summary"], ["debug", "summary"]])
  }

  @Test("A summary has no context, the first value and default, every kind of contexts, and unknown flags (LDS-43; ready)")
  func summary() {
    let rig = ServerEventRig()
    rig.time.advance(milliseconds: 10)
    rig.evaluate("f", fallback: "1")
    rig.evaluate("f", fallback: "2")
    rig.evaluate("f", for: #"{"kind":"org","key":"o"}"#)
    rig.evaluate("f", variation: nil, result: "3", fallback: "3")
    rig.unknown("no", fallback: false)
    rig.time.advance(milliseconds: 20)
    rig.flush()
    let text = rig.texts.first ?? ""
    #expect(text.contains(#"{"kind":"summary","startDate":1700000000010,"endDate":1700000000030,"features":{"f":{"default":1,"#))
    #expect(text.contains(#""contextKinds":["user","org"],"#))
    #expect(text.contains(#"{"value":true,"variation":0,"version":2,"count":3}"#))
    #expect(text.contains(#"{"value":3,"version":2,"count":1}"#))
    #expect(
      text.contains(#""no":{"default":false,"contextKinds":["user"],"counters":[{"value":false,"unknown":true,"count":1}]}"#))
  }

  @Test("In the next period a flag is told of anew, and kinds beyond those with a bit of their own are told, too (LDS-43; ready)")
  func periods() {
    let rig = ServerEventRig()
    rig.host.network.setResponder { _ in answer(202) }
    rig.evaluate("f", fallback: "1")
    rig.flush()
    rig.evaluate("f", fallback: "2")
    let kinds = (0..<14).map { "kind-\($0)" }
    for kind in kinds { rig.evaluate("f", for: #"{"kind":"\#(kind)","key":"k"}"#) }
    rig.flush()
    let text = rig.texts.last ?? ""
    #expect(text.contains(#""f":{"default":2,"#) && text.contains(#""count":15"#))
    #expect(kinds.allSatisfy { text.contains("\"\($0)\"") })
  }

  @Test("A flag may be left out of summaries; its index and feature events are made (LDS-46; ready)")
  func leftOut() {
    let rig = ServerEventRig()
    rig.evaluate("f") { ($0.isTracked, $0.isLeftOut) = (true, true) }
    rig.flush()
    #expect(rig.payloads == [["index", "feature"]])
  }

  @Test("Of a ratio of 1 each event is made, of 0 and less none, of others a part (LDS-46; ready)")
  func sampling() {
    let rig = ServerEventRig()
    for (ratio, count) in [(1, 1), (0, 1), (-3, 1), (4, 400)] as [(Int64, Int)] {
      for _ in 0..<count { rig.evaluate("f") { ($0.isTracked, $0.samplingRatio) = (true, ratio) } }
    }
    rig.flush()
    let features = rig.payloads.first?.count { $0 == "feature" } ?? 0
    #expect((51...151).contains(features))
    #expect(rig.texts.first?.contains(#""count":403"#) == true)
  }

  @Test("Feature and custom events hide what anonymous contexts are; index, debug and identify events do not (LDS-48; ready)")
  func redaction() {
    let rig = ServerEventRig()
    rig.evaluate("f", for: ServerEventRig.anonymous) { ($0.isTracked, $0.debuggedUntil) = (true, later) }
    rig.track("e", for: ServerEventRig.anonymous)
    rig.identify(ServerEventRig.anonymous)
    rig.flush()
    let bare = #""context":{"_meta":"#
    let hidden = #""anonymous":true,"key":"a","kind":"user","_meta":{"redactedAttributes":["name"]}}"#
    let whole = #""context":{"anonymous":true,"key":"a","kind":"user","name":"n"}"#
    #expect(rig.texts.first?.components(of: hidden) == 2 && rig.texts.first?.contains(bare) == false)
    #expect(rig.texts.first?.components(of: whole) == 3)
  }

  @Test("What one context hides another shows (LDS-48; ready)")
  func privateAttributes() {
    let rig = ServerEventRig { $0.redaction = Redaction(globalPrivate: [AttributeReference("email")]) }
    rig.track("e", for: #"{"kind":"user","key":"1","name":"n","email":"e","_meta":{"privateAttributes":["name"]}}"#)
    rig.track("e", for: #"{"kind":"user","key":"2","name":"n","email":"e"}"#)
    rig.flush()
    #expect(rig.texts.first?.components(of: #"{"key":"1","kind":"user","_meta":{"redactedAttributes":["email","name"]}}"#) == 2)
    #expect(
      rig.texts.first?.components(of: #"{"key":"2","kind":"user","name":"n","_meta":{"redactedAttributes":["email"]}}"#) == 2)
  }

  @Test("A custom event has data and a metric, 0 too, where they are given; an identify its context alone (LDS-44; ready)")
  func host() {
    let rig = ServerEventRig()
    #expect(rig.track("e", data: #"{"a":[true]}"#, metric: 0) == .ok)
    #expect(rig.track("e") == .ok)
    #expect(rig.identify() == .ok)
    rig.flush()
    let custom = #"{"kind":"custom","key":"e","creationDate":1700000000000,"context":\#(user)"#
    #expect(rig.texts.first?.contains(custom + #","data":{"a":[true]},"metricValue":0}"#) == true)
    #expect(rig.texts.first?.contains(custom + "}") == true)
    #expect(rig.texts.first?.contains(#"{"kind":"identify","creationDate":1700000000000,"context":\#(user)}"#) == true)
  }

  @Test("Where events are off nothing is recorded or sent (LDS-51; ready)")
  func off() {
    let rig = ServerEventRig { $0.isEnabled = false }
    rig.evaluate("f") { $0.isTracked = true }
    rig.unknown("no")
    #expect(rig.track("e") == .ok && rig.identify() == .ok)
    #expect(rig.flush() == .accepted)
    rig.time.advance(milliseconds: 60_000)
    #expect(rig.requests.isEmpty)
  }
}
