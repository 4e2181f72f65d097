import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Migrations of a client in mode server (protocols/launchdarkly-server.md 9)")
struct ServerMigrationTests {
  private let someone = EvaluationContext(targetingKey: "k")

  /// A client with flags of that value.
  private func rig(_ values: [String: String], _ more: String = "") throws -> RulesRig {
    let rig = try RulesRig(["send_events": "true", "diagnostic_opt_out": "true"])
    rig.network.setResponder { $0.url.hasSuffix("/bulk") ? answer(202) : nil }
    rig.serve(
      values.reduce(into: [:]) { flags, entry in
        flags[entry.key] = ServerRules.flag(entry.key, version: 7, #""variations":["off",\#(entry.value)]"# + more)
      })
    return rig
  }

  private func face(_ rig: RulesRig) throws -> LaunchDarklyServerFace { try #require(LaunchDarklyServerFace(rig.client)) }

  private func migration(_ rig: RulesRig, _ key: String, _ fallback: MigrationStage? = .shadow) throws -> MigrationTracker {
    let face = try face(rig)
    return key.withBytes { face.migration($0, someone, fallback: fallback) }
  }

  /// Text of what goes with the next payload; "" for nothing.
  private func sent(_ rig: RulesRig) -> String {
    let posts = { rig.network.requests.filter { $0.url.hasSuffix("/bulk") } }
    let before = posts().count
    rig.client.onScheduler { $0.provider?.flush { _ in } }
    rig.time.run()
    rig.host.settle { posts().count > before }
    return posts().count > before ? posts().last?.text ?? "" : ""
  }

  private func operation(_ rig: RulesRig, _ tracker: MigrationTracker) throws -> Status {
    tracker.begin(.read)
    tracker.invoked(.old)
    return try face(rig).track(tracker)
  }

  @Test("The stage is the flag's, and its operation an event beside the evaluation's (LDS-45, LDS-61; ready)") func stage() throws
  {
    let rig = try rig(["m": #""live""#])
    let tracker = try migration(rig, "m")
    #expect(tracker.stage == .live)
    #expect(try operation(rig, tracker) == .ok)
    let text = sent(rig)
    #expect(
      text.contains(#""operation":"read""#)
        && text.contains(
          #""evaluation":{"key":"m","default":"shadow","value":"live","variation":1,"version":7,"reason":{"kind":"FALLTHROUGH"}}"#
        ))
    let kinds = ["index", "migration_op", "summary"]
    #expect(kinds.allSatisfy { text.contains("\"kind\":\"\($0)\"") } && !text.contains(#""kind":"feature""#))
  }

  @Test(
    "A value that names no stage is of the wrong type: the default, without an index (LDS-61; ready)",
    arguments: [#""nowhere""#, "7", "null", "true", #""OFF""#, #""""#])
  func wrongType(value: String) throws {
    let rig = try rig(["m": value])
    let tracker = try migration(rig, "m")
    #expect(tracker.stage == .shadow)
    #expect(try operation(rig, tracker) == .ok)
    #expect(
      sent(rig).contains(
        #""evaluation":{"key":"m","default":"shadow","value":"shadow","version":7,"reason":{"kind":"ERROR","errorKind":"WRONG_TYPE"}}"#
      ))
  }

  @Test("A flag that is not there, or off without a value, gives the default (LDS-61; ready)") func noValue() throws {
    let rig = try rig(["m": #""live""#], #","on":false,"offVariation":null"#)
    for (key, reason) in [
      ("m", #""version":7,"reason":{"kind":"OFF"}"#), ("nowhere", #""reason":{"kind":"ERROR","errorKind":"FLAG_NOT_FOUND"}"#),
    ] {
      #expect(try operation(rig, try migration(rig, key)) == .ok)
      #expect(sent(rig).contains(#""evaluation":{"key":"\#(key)","default":"shadow","value":"shadow",\#(reason)}"#))
    }
    #expect(try migration(rig, "nowhere", nil).stage == .off)
    #expect(rig.host.settle { rig.log.messages(.error).contains { $0.contains("default stage is none") } })
  }

  @Test(
    "Before there are rules it is the default, told as such; after close no event is taken (LDS-03, LDS-61; starting, closed, reopened)"
  )
  func life() throws {
    let rig = try RulesRig(["send_events": "true", "diagnostic_opt_out": "true"])
    rig.network.setResponder { $0.url.hasSuffix("/bulk") ? answer(202) : nil }
    let early = try migration(rig, "m")
    #expect(early.stage == .shadow)
    #expect(try operation(rig, early) == .ok)
    #expect(sent(rig).contains(#""reason":{"kind":"ERROR","errorKind":"CLIENT_NOT_READY"}"#))
    rig.serve(["m": ServerRules.flag("m", #""variations":["off","live"]"#)])
    let tracker = try migration(rig, "m")
    rig.close()
    #expect(try operation(rig, tracker) == .state)
    #expect(try migration(rig, "m").stage == .shadow)
    #expect(rig.client.reopen() == .ok)
    rig.time.run()
    #expect(try migration(rig, "m").stage == .live && operation(rig, tracker) == .ok)
  }

  @Test("Of no context there is the default, and no event (LDS-45, LDS-61; ready)") func noContext() throws {
    let rig = try rig(["m": #""live""#])
    let face = try face(rig)
    for context in [nil, EvaluationContext()] {
      let tracker = "m".withBytes { face.migration($0, context, fallback: .off) }
      #expect(tracker.stage == .off)
      #expect(try operation(rig, tracker) == .argument)
    }
    #expect(rig.host.settle { rig.log.messages(.warning).filter { $0.contains("its context is none") }.count == 2 })
  }

  // MARK: The migrator

  /// What a read or a write does in a stage: the systems in the order of their calls, a failed one with "!".
  private func run(
    _ kind: MigrationKind, _ stage: MigrationStage, _ order: MigrationOrder = .serial, failing: Set<MigrationOrigin> = [],
    isConsistent: Bool? = nil, more: String = "", measures: MigrationMeasures = [.latency, .errors]
  ) throws -> (calls: [String], outcome: Migrator.Outcome, event: String) {
    let rig = try rig(["m": "\"\(stage.rawValue)\""], more)
    let (calls, time, face) = (Locked<[String]>([]), rig.time, try face(rig))
    let tracker = try migration(rig, "m")
    let migrator = face.migrator(tracker, measures) { origin in
      calls.change { $0.append(origin.rawValue + (failing.contains(origin) ? "!" : "")) }
      if order != .concurrent { time.advance(milliseconds: 5) }
      return !failing.contains(origin)
    }
    let outcome = kind == .read ? migrator.read(order, compare: isConsistent.map { answer in { answer } }) : migrator.write()
    #expect(face.track(tracker) == .ok)
    return (calls.value, outcome, sent(rig))
  }

  @Test(
    "Reads and writes go where the stage says, first where the result counts (LDS-61; ready)",
    arguments: [
      (MigrationStage.off, ["old"], ["old"]), (.dualwrite, ["old"], ["old", "new"]), (.shadow, ["old", "new"], ["old", "new"]),
      (.live, ["new", "old"], ["new", "old"]), (.rampdown, ["new"], ["new", "old"]), (.complete, ["new"], ["new"]),
    ])
  func origins(stage: MigrationStage, reads: [String], writes: [String]) throws {
    let (read, write) = (try run(.read, stage), try run(.write, stage))
    #expect(read.calls == reads && write.calls == writes)
    #expect(read.outcome.authoritative.rawValue == reads[0] && write.outcome.authoritative.rawValue == writes[0])
    #expect(read.outcome.succeeded.count == reads.count && write.event.contains(#""operation":"write""#))
  }

  @Test("What is measured goes with the event: latencies, errors, whether both agree (LDS-45, LDS-61; ready)") func measurements()
    throws
  {
    let good = try run(.read, .shadow, isConsistent: true)
    #expect(good.event.contains(#"{"key":"consistent","value":true},{"key":"latency_ms","values":{"new":5,"old":5}}]"#))
    let bad = try run(.read, .live, failing: [.old], isConsistent: true)
    #expect(bad.event.contains(#"{"key":"latency_ms","values":{"new":5,"old":5}},{"key":"error","values":{"old":true}}]"#))
    #expect(!bad.event.contains("consistent") && bad.outcome.succeeded == [.new: true, .old: false])
    let bare = try run(.read, .live, failing: [.old], measures: [])
    #expect(bare.event.contains(#""measurements":[{"key":"invoked","values":{"new":true,"old":true}}]"#))
    let unchecked = try run(.read, .shadow, isConsistent: false, more: #","migration":{"checkRatio":0}"#)
    #expect(!unchecked.event.contains("consistent"))
  }

  @Test("Where the write that counts fails the other is not made (LDS-61; ready)") func failedWrite() throws {
    let write = try run(.write, .live, failing: [.new])
    #expect(write.calls == ["new!"] && write.outcome.succeeded == [.new: false])
    #expect(try run(.write, .live, failing: [.old]).outcome.succeeded == [.new: true, .old: false])
  }

  @Test("A flag's ratio of 0 makes no event of an operation, which is done all the same (LDS-46, LDS-61; ready)") func sampling()
    throws
  {
    let read = try run(.read, .live, more: #","samplingRatio":0"#)
    #expect(read.calls == ["new", "old"] && !read.event.contains("migration_op"))
  }

  @Test("In random order either system is read first (LDS-61; ready)") func random() throws {
    let rig = try rig(["m": #""live""#])
    let (firsts, face) = (Locked<Set<String>>([]), try face(rig))
    for _ in 0..<64 {
      let calls = Locked<[String]>([])
      let outcome = face.migrator(try migration(rig, "m"), []) { origin in
        calls.change { $0.append(origin.rawValue) }
        return origin == .new
      }.read(.random, compare: nil)
      #expect(calls.value.count == 2 && outcome.authoritative == .new && outcome.succeeded == [.new: true, .old: false])
      firsts.change { $0.insert(calls.value[0]) }
    }
    #expect(firsts.value == ["new", "old"])
  }

  @Test("Concurrent reads are under way at once, each on a thread of its own (LDS-61; ready)") func concurrent() throws {
    let rig = try rig(["m": #""shadow""#])
    let (lock, condition, face) = (Lock(), Condition(), try face(rig))
    let inside = Locked(0)
    // Each waits for the other to have begun.
    let outcome = face.migrator(try migration(rig, "m"), .latency) { origin in
      lock.withLock {
        inside.change { $0 += 1 }
        condition.broadcast()
        while inside.value < 2 { _ = condition.wait(lock, untilNanoseconds: .max) }
      }
      return origin == .old
    }.read(.concurrent, compare: nil)
    #expect(outcome.succeeded == [.old: true, .new: false])
  }
}
