import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("What was done for a migration becomes an event, or is refused (protocols/launchdarkly-server.md 9)")
struct MigrationTrackerTests {
  private let rig = ServerEventRig()

  private func tracker(ratio: Int64 = 1, checkRatio: Int64 = 1, key: String = "m") -> MigrationTracker {
    MigrationTracker(
      MigrationTracker.Evaluation(
        key: key, flag: MigrationOperation.Flag(version: 7, samplingRatio: ratio), fallback: .off, stage: .live, variation: 3,
        reason: Array(#"{"kind":"FALLTHROUGH"}"#.utf8), checkRatio: checkRatio), entropy: rig.host.entropy)
  }

  private func record(_ tracker: MigrationTracker) -> Status {
    rig.events.record(tracker, of: rig.context(ServerEventRig.anonymous))
  }

  @Test("Its event says what was found, invoked and measured, without an index event (LDS-45, LDS-48; ready)")
  func event() {
    let tracker = tracker(checkRatio: 1)
    tracker.begin(.read)
    for origin in MigrationOrigin.allCases { tracker.invoked(origin) }
    tracker.took(.old, milliseconds: 12.5)
    tracker.failed(.new)
    tracker.check { false }
    #expect(record(tracker) == .ok)
    rig.flush()
    let context = #"{"anonymous":true,"key":"a","kind":"user","_meta":{"redactedAttributes":["name"]}}"#
    #expect(
      rig.texts == [
        #"[{"kind":"migration_op","creationDate":1700000000000,"operation":"read","context":\#(context),"evaluation":{"key":"m","default":"off","value":"live","variation":3,"version":7,"reason":{"kind":"FALLTHROUGH"}},"measurements":[{"key":"invoked","values":{"new":true,"old":true}},{"key":"consistent","value":false},{"key":"latency_ms","values":{"old":12.5}},{"key":"error","values":{"new":true}}]}]"#
      ])
  }

  @Test("A ratio of 0 makes no event, and compares nothing (LDS-45, LDS-46; ready)")
  func sampling() {
    let tracker = tracker(ratio: 0, checkRatio: 0)
    tracker.begin(.write)
    tracker.invoked(.old)
    var isCompared = false
    tracker.check {
      isCompared = true; return true
    }
    #expect(!isCompared && record(tracker) == .ok)
    rig.flush()
    #expect(rig.requests.isEmpty)
  }

  @Test("What does not fit together is refused, and the log says what (LDS-45; ready)", arguments: 0..<6)
  func refused(which: Int) {
    let tracker = tracker(key: which == 0 ? "" : "m")
    if which != 1 { tracker.begin(.read) }
    if which != 2 { tracker.invoked(.old) }
    switch which {
    case 3: tracker.took(.new, milliseconds: 1)
    case 4: tracker.failed(.new)
    case 5: tracker.check { true }
    default: break
    }
    #expect(record(tracker) == .argument)
    #expect(rig.host.lines.messages(.warning).contains { $0.contains("no event is made of a migration's operation") })
    rig.flush()
    #expect(rig.requests.isEmpty)
  }
}

@Suite("Values of which the least recently used is forgotten (no client)")
struct RecentTableTests {
  @Test func theLeastRecentGoes() {
    var table = RecentTable<String>(capacity: 2)
    let kept = [table.keep(1, "a")?.value, table.keep(2, "b")?.value]
    let first = table.use(1)
    let forgets = [table.keep(3, "c")?.value, table.keep(1, "d")?.value, table.keep(4, "e")?.value]
    let left = [1, 2, 3, 4].map { table.use($0) }
    #expect(kept == [nil, nil] && first == "a")
    #expect(forgets == ["b", nil, "c"] && left == ["d", nil, nil, "e"])
    table.removeAll()
    let isEmpty = table.use(1) == nil
    #expect(isEmpty)
  }
}
