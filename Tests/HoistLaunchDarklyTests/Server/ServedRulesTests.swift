import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Rules by stream and polls (protocols/launchdarkly-server.md 2)") struct ServedRulesTests {
  @Test("The rules are streamed from /all with the SDK key, and each message is served (LDS-10, LDS-16, LDS-17; starting, ready)")
  func streams() throws {
    let rig = try RulesRig(["stream_url": "https://s.example/endpoints/7/"])
    let stream = try #require(rig.openedStream())
    #expect(stream.request.url == "https://s.example/endpoints/7/all" && stream.request.method == "GET")
    #expect(stream.request.header("Authorization") == RulesRig.key)
    #expect(stream.request.header("User-Agent")?.hasPrefix("HoistServer/") == true)
    #expect(stream.request.header("Accept") == "text/event-stream")
    #expect(rig.state == .notReady && rig.value(of: "a") == "PROVIDER_NOT_READY")
    rig.say(RulesRig.put(["a": ServerRules.flag("a")]), on: stream)
    #expect(rig.state == .ready && rig.value(of: "a") == #""on""# && rig.value(of: "b") == "FLAG_NOT_FOUND")
    rig.say("event: patch\ndata: {\"path\":\"/flags/b\",\"data\":\(ServerRules.flag("b"))}\n\n", on: stream)
    #expect(rig.value(of: "b") == #""on""#)
    rig.say("event: delete\ndata: {\"path\":\"/flags/a\",\"version\":2}\n\n", on: stream)
    #expect(rig.value(of: "a") == "FLAG_NOT_FOUND")
    rig.say("event: what\ndata: no JSON\n\nevent: patch\ndata: {\"path\":\"/cats/Jack\",\"data\":3}\n\n", on: stream)
    #expect(!stream.isEnded && rig.value(of: "b") == #""on""#)
  }

  @Test("A message that cannot be read drops the stream, and another one is opened; what was served stays (LDS-11; failing)")
  func malformedMessages() throws {
    let rig = try RulesRig()
    let stream = try #require(rig.openedStream())
    rig.say(RulesRig.put(["a": ServerRules.flag("a")]), on: stream)
    rig.say("event: patch\ndata: {\"path\":\"/flags/a\",\"data\":{\"key\":\"a\",\"version\":\"no\"}}\n\n", on: stream)
    #expect(stream.isEnded && rig.state == .stale && rig.value(of: "a") == #""on""#)
    rig.time.advance(milliseconds: 1000)
    let second = try #require(rig.openedStream())
    #expect(second !== stream)
    rig.say(RulesRig.put(["a": ServerRules.flag("a", #""on":false"#)]), on: second)
    #expect(rig.state == .ready && rig.value(of: "a") == #""off""#)
  }

  @Test("A refusal ends all attempts until the host asks (LDS-13; refused)", arguments: [401, 403, 404, 405, 410])
  func refusals(status: Int) throws {
    for mode in ["streaming", "polling"] {
      let rig = try RulesRig(["streaming_mode": mode])
      let first = try #require(rig.network.exchanges.last)
      if mode == "streaming" { first.open(status: status) } else { first.complete(answer(status)) }
      rig.time.advance(milliseconds: 3_600_000)
      #expect(rig.asked == 1 && rig.state == .fatal, "\(mode)")
      rig.rules.refresh()
      rig.time.run()
      #expect(rig.asked == 2 && rig.state != .fatal, "\(mode)")
    }
  }

  @Test("Other failures are tried again (LDS-13; failing)", arguments: [400, 408, 429, 500, 503])
  func failures(status: Int) throws {
    for mode in ["streaming", "polling"] {
      let rig = try RulesRig(["streaming_mode": mode])
      let first = try #require(rig.network.exchanges.last)
      if mode == "streaming" { first.open(status: status) } else { first.complete(answer(status)) }
      rig.time.advance(milliseconds: 30_000)
      #expect(rig.asked > 1 && rig.state == .error, "\(mode)")
    }
  }

  @Test("Polls ask for what has changed, every 30 seconds (LDS-14; starting, ready, failing)")
  func polls() throws {
    let rig = try RulesRig(["streaming_mode": "polling"])
    let first = try #require(rig.network.exchanges.last)
    #expect(first.request.url == "https://sdk.launchdarkly.com/sdk/latest-all" && first.request.header("If-None-Match") == nil)
    first.complete(answer(200, ServerRules.set(flags: ["a": ServerRules.flag("a")]), [HTTPHeader("ETag", "\"1\"")]))
    rig.time.run()
    #expect(rig.value(of: "a") == #""on""# && rig.state == .ready)
    let served = rig.servedID
    for (turn, next) in [answer(304), answer(200, #"{"flags":3}"#), answer(503), answer(304)].enumerated() {
      rig.time.advance(milliseconds: 30_000)
      let poll = try #require(rig.network.exchanges.last)
      #expect(rig.asked == turn + 2 && poll.request.header("If-None-Match") == "\"1\"")
      poll.complete(next)
      rig.time.run()
      #expect(rig.value(of: "a") == #""on""# && rig.state == (turn == 1 || turn == 2 ? .stale : .ready), "turn \(turn)")
    }
    #expect(rig.servedID == served, "nothing is served anew")
  }

  @Test("A filter is the only query, and one that the service does not take is none (LDS-15; starting)")
  func filters() throws {
    for (filter, query) in [("", ""), ("f-1.x_y", "?filter=f-1.x_y"), ("-f", ""), ("a b", ""), ("é", "")] {
      let rig = try RulesRig(filter: filter)
      #expect(rig.network.streams.last?.request.url == "https://stream.launchdarkly.com/all\(query)", "\(filter)")
    }
  }

  @Test("Tags have id and version only, and none with a blank (LDS-16; no client)") func tags() {
    func header(_ id: String?, _ version: String?) -> String? {
      ApplicationTags(server: ApplicationInfo(id: id, name: "n", version: version, versionName: "v")).header
    }
    #expect(header("a", "1") == "application-id/a application-version/1")
    #expect(header("a b", "1") == "application-version/1" && header(nil, "1 2") == nil)
  }

  @Test("Offline nothing is asked for; back online the rules come again (LDS-05; offline)") func offline() throws {
    let rig = try RulesRig(isOnline: false)
    #expect(rig.asked == 0)
    rig.setOnline(true)
    let stream = try #require(rig.openedStream())
    rig.say(RulesRig.put(["a": ServerRules.flag("a")]), on: stream)
    rig.setOnline(false)
    #expect(stream.isEnded && rig.value(of: "a") == #""on""# && rig.asked == 1)
  }
}
