import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("What a client in mode server sends back (protocols/launchdarkly-server.md 5.1, 7)") struct ServerClientEventTests {
  private let sending = ["send_events": "true", "diagnostic_opt_out": "true"]

  private func rig(_ more: [String: String] = [:], isOnline: Bool = true) throws -> RulesRig {
    let rig = try RulesRig(sending.merging(more) { $1 }, isOnline: isOnline)
    rig.network.setResponder { $0.url.hasSuffix("/bulk") ? answer(202) : nil }
    return rig
  }

  private func posts(_ rig: RulesRig) -> [HTTPRequest] { rig.network.requests.filter { $0.url.hasSuffix("/bulk") } }

  private func flush(_ rig: RulesRig) {
    rig.client.onScheduler { $0.provider?.flush { _ in } }
    rig.time.run()
  }

  /// Kinds of what goes with the next payload.
  private func flushed(_ rig: RulesRig) -> [String] {
    let before = posts(rig).count
    flush(rig)
    rig.host.settle { posts(rig).count > before }
    return posts(rig).last.map { RecorderRig.kinds($0) } ?? []
  }

  private func track(_ rig: RulesRig, _ key: String, _ context: EvaluationContext?) -> Status {
    rig.client.track(
      TrackedEvent(
        key: key, context: context?.reference(), value: 1, properties: [("n", .int(1))],
        unixMilliseconds: rig.time.unixMilliseconds))
  }

  @Test("Evaluations, tracked flags, events and identifies of any context go with one index event each (LDS-40 to LDS-44; ready)")
  func everything() throws {
    let rig = try rig()
    rig.serve(["a": ServerRules.flag("a"), "t": ServerRules.flag("t", #""trackEvents":true"#)])
    let (one, two) = (EvaluationContext(targetingKey: "one"), EvaluationContext(targetingKey: "two"))
    for context in [one, two, one] { rig.value(of: "a", for: context, .counted) }
    rig.value(of: "t", for: one, .counted)
    #expect(track(rig, "bought", two) == .ok)
    _ = rig.client.identify(EvaluationContext(targetingKey: "three").reference(), completion: nil)
    rig.time.run()
    #expect(track(rig, "left", nil) == .ok)
    #expect(flushed(rig) == ["index", "index", "feature", "bought", "identify", "left", "summary"])
    let post = try #require(posts(rig).first)
    #expect(post.url == "https://events.launchdarkly.com/bulk" && post.header("Authorization") == RulesRig.key)
    #expect(post.text.contains(#""metricValue":1"#) && post.text.contains(#""data":{"n":1}"#))
  }

  @Test("Unknown flags are counted for their context, also before there are rules (LDS-03, LDS-43; starting, ready)")
  func unknownFlags() throws {
    let rig = try rig()
    rig.value(of: "early", .counted)
    #expect(flushed(rig) == ["index", "summary"])
    #expect(posts(rig).last?.text.contains(#""early""#) == true && posts(rig).last?.text.contains(#""unknown":true"#) == true)
    rig.serve([:])
    rig.value(of: "late", .counted)
    #expect(flushed(rig) == ["summary"] && posts(rig).last?.text.contains(#""late""#) == true)
  }

  @Test("A context that is none leaves no event, and none can be tracked for it (LDS-30, LDS-44; ready)") func invalidContexts()
    throws
  {
    let rig = try rig()
    rig.serve(["a": ServerRules.flag("a")])
    let none = EvaluationContext()
    for key in ["a", "unknown"] {
      for context in [none, EvaluationContext(targetingKey: ""), nil] { rig.value(of: key, for: context, .counted) }
    }
    #expect(track(rig, "bought", none) == .argument && track(rig, "bought", nil) == .argument)
    #expect(rig.host.settle { rig.log.messages(.error).filter { $0.contains("\"bought\"") }.count == 2 })
    flush(rig)
    rig.time.advance(milliseconds: 10_000)
    #expect(posts(rig).isEmpty)
  }

  @Test("Offline without rules nothing is recorded; with rules it waits (LDS-05; offline)") func offline() throws {
    let rig = try rig(isOnline: false)
    rig.value(of: "a", .counted)
    rig.setOnline(true)
    rig.serve(["a": ServerRules.flag("a")])
    rig.setOnline(false)
    rig.value(of: "a", .counted)
    rig.time.advance(milliseconds: 60_000)
    #expect(posts(rig).isEmpty)
    rig.setOnline(true)
    #expect(flushed(rig) == ["index", "summary"])
  }

  @Test("Events that are refused end for good, and flags go on; refresh begins them again (LDS-49; refused)") func refused()
    throws
  {
    let rig = try rig()
    rig.network.setResponder { $0.url.hasSuffix("/bulk") ? answer(403) : nil }
    rig.serve(["a": ServerRules.flag("a")])
    rig.value(of: "a", .counted)
    #expect(flushed(rig) == ["index", "summary"])
    rig.time.advance(milliseconds: 60_000)
    #expect(rig.state == .fatal && rig.value(of: "a") == #""on""# && posts(rig).count == 1)
    #expect(track(rig, "bought", EvaluationContext(targetingKey: "k")) == .rejected)
    rig.serve(["a": ServerRules.flag("a"), "b": ServerRules.flag("b")])
    #expect(rig.state == .fatal && rig.value(of: "b") == #""on""#)
    rig.network.setResponder { $0.url.hasSuffix("/bulk") ? answer(202) : nil }
    #expect(rig.client.refresh() == .ok)
    rig.time.run()
    #expect(track(rig, "bought", EvaluationContext(targetingKey: "k")) == .ok && flushed(rig).contains("bought"))
  }

  @Test("What is recorded goes out while the client closes; nothing after it (LDS-06; closing, closed)") func closing() throws {
    let rig = try rig()
    rig.serve(["a": ServerRules.flag("a")])
    rig.value(of: "a", .counted)
    #expect(rig.time.turning { rig.client.close(timeoutMilliseconds: 5_000) } == .ok)
    #expect(posts(rig).map { RecorderRig.kinds($0) } == [["index", "summary"]])
    rig.value(of: "a", .counted)
    #expect(track(rig, "bought", EvaluationContext(targetingKey: "k")) == .state)
    rig.time.advance(milliseconds: 60_000)
    #expect(posts(rig).count == 1)
  }

  @Test("A forked child counts anew, and asks for the rules again (LDS-08; forked)") func forked() throws {
    let rig = try rig()
    rig.serve(["a": ServerRules.flag("a")])
    rig.value(of: "a", .counted)
    rig.provider.forgetCountsAfterFork()
    rig.provider.abandonAfterFork()
    let asked = rig.network.streams.count
    rig.provider.start()
    rig.time.run()
    #expect(rig.network.streams.count == asked + 1 && rig.value(of: "a", .counted) == #""on""#)
    rig.serve(["a": ServerRules.flag("a")])
    #expect(rig.state == .ready && rig.value(of: "a") == #""on""#)
  }

  @Test("Diagnostics are a server's, and go to its address (LDS-50; starting)") func diagnostics() throws {
    let rig = try RulesRig(["send_events": "true"])
    #expect(rig.host.settle { rig.network.requests.contains { $0.url == "https://events.launchdarkly.com/diagnostic" } })
    let text = rig.network.requests.last { $0.url.hasSuffix("/diagnostic") }?.text ?? ""
    for member in [
      "osName", "userKeysCapacity\":1000", "userKeysFlushIntervalMillis\":300000", "dataStoreType\":\"memory",
      "eventsCapacity\":10000",
    ] {
      #expect(text.contains(member), "\(member)")
    }
    #expect(!text.contains("mobileKeyCount") && !text.contains("backgroundEnabled"))
  }

  @Test("Nothing is sent where events are off (LDS-51; ready)") func off() throws {
    let rig = try rig(["send_events": "false"])
    rig.serve(["a": ServerRules.flag("a")])
    rig.value(of: "a", .counted)
    #expect(track(rig, "bought", EvaluationContext(targetingKey: "k")) == .ok)
    rig.time.advance(milliseconds: 60_000)
    #expect(posts(rig).isEmpty)
  }
}
