import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Rules that the service has not sent now: stored ones, and the host's (protocols/launchdarkly-server.md 2.5, 10)")
struct ServerStoreTests {
  private let flags = ["a": ServerRules.flag("a")]

  /// A client of the same store, which has ended.
  private func leave(_ manager: MemoryCacheManager, _ properties: [String: String] = [:]) throws {
    let rig = try RulesRig(properties, manager: manager)
    let inSegment = ServerRules.flag("s", ServerRules.rule(inSegments: ["t"]))
    let stream = rig.serve(["a": ServerRules.flag("a"), "b": ServerRules.flag("b"), "s": inSegment])
    let segment = ServerRules.segment("t", ##""included":["k"]"##)
    rig.say("event: patch\ndata: {\"path\":\"/segments/t\",\"data\":\(segment)}\n\n", on: stream)
    rig.say("event: delete\ndata: {\"path\":\"/flags/b\",\"version\":7}\n\n", on: stream)
    _ = rig.time.turning { rig.client.close(timeoutMilliseconds: 5_000) }
  }

  @Test("The next process decides by the rules of the last, until the service has spoken (LDS-04; second process)")
  func nextProcess() throws {
    let manager = MemoryCacheManager()
    try leave(manager)
    let next = try RulesRig(manager: manager, seed: 8)
    #expect(next.host.settle { next.state == .stale })
    #expect(next.value(of: "a") == #""on""# && next.value(of: "b") == "FLAG_NOT_FOUND" && next.value(of: "s") == #""off""#)
    #expect(next.client.waitReady(timeoutMilliseconds: 0) == .ok)
    next.serve(["a": ServerRules.flag("a", version: 2, #""on":false"#)])
    #expect(next.state == .ready && next.value(of: "a") == #""off""# && next.value(of: "s") == "FLAG_NOT_FOUND")
  }

  @Test("Offline the next process has the rules of the last, too (LDS-04; offline, second process)") func offline() throws {
    let manager = MemoryCacheManager()
    try leave(manager)
    let next = try RulesRig(isOnline: false, manager: manager, seed: 8)
    #expect(next.host.settle { next.state == .stale } && next.value(of: "a") == #""on""# && next.asked == 0)
  }

  @Test("A change that the stream brings before its rules changes nothing of what is stored (LDS-12; second process)")
  func changeBeforeTheRules() throws {
    let manager = MemoryCacheManager()
    try leave(manager)
    let next = try RulesRig(manager: manager, seed: 8)
    #expect(next.host.settle { next.state == .stale })
    let stream = try #require(next.openedStream())
    next.say(
      "event: patch\ndata: {\"path\":\"/flags/a\",\"data\":\(ServerRules.flag("a", version: 9, #""on":false"#))}\n\n", on: stream)
    #expect(stream.isEnded && next.value(of: "a") == #""on""# && next.state == .stale)
  }

  @Test(
    "Stored rules are those of a key and a filter (LDS-15; second client)",
    arguments: [
      ["mobile_key": "sdk-other"], ["payload_filter_key": "f"],
    ])
  func otherRules(other: [String: String]) throws {
    let manager = MemoryCacheManager()
    try leave(manager)
    let next = try RulesRig(other, manager: manager, seed: 8)
    #expect(next.state == .notReady)
  }

  @Test("What is stored and cannot be read is left aside (LDS-04; second process)") func brokenStore() throws {
    let manager = MemoryCacheManager()
    try leave(manager)
    let settings = try ServerSettings(
      TestHost.values(["mode": "server", "mobile_key": RulesRig.key], table: LaunchDarklyProperties.table))
    let spoiler = try RulesRig(isOnline: false, manager: manager)
    DocumentStorage(store: spoiler.client.store, key: settings.storageKey).save(
      StoredDocument(bytes: Array(#"{"flags":3}"#.utf8)))
    spoiler.settleStore()
    _ = spoiler.time.turning { spoiler.client.close(timeoutMilliseconds: 5_000) }
    let next = try RulesRig(manager: manager, seed: 8)
    #expect(next.state == .notReady)
    next.serve(flags)
    #expect(next.state == .ready)
  }

  @Test("Rules of the host's serve until the service has spoken; stored ones are preferred (LDS-67; starting, second process)")
  func given() throws {
    let given = #"{"flagValues":{"a":"mine","n":7},"flags":{"f":\#(ServerRules.flag("f"))}}"#
    let rig = try RulesRig(["bootstrap": given])
    #expect(
      rig.state == .stale && rig.value(of: "a") == #""mine""# && rig.value(of: "n") == "7" && rig.value(of: "f") == #""on""#)
    rig.serve(flags)
    #expect(rig.state == .ready && rig.value(of: "a") == #""on""# && rig.value(of: "n") == "FLAG_NOT_FOUND")
    let manager = MemoryCacheManager()
    try leave(manager)
    let next = try RulesRig(["bootstrap": given], manager: manager, seed: 8)
    #expect(next.host.settle { next.state == .stale } && next.value(of: "a") == #""on""#)
  }

  @Test("Without an SDK key the host's rules are all there is, and nothing is asked for (LDS-67; ready, offline)")
  func withoutKey() throws {
    let rig = try RulesRig(["mobile_key": "", "bootstrap": #"{"flagValues":{"a":true}}"#])
    #expect(rig.state == .stale && rig.value(of: "a") == "true" && rig.asked == 0)
    let bare = try RulesRig(["mobile_key": ""])
    #expect(bare.state == .fatal && bare.asked == 0 && bare.value(of: "a") == "PROVIDER_FATAL")
  }

  @Test(
    "Rules of the host's that cannot be read are refused where nothing is fetched, and else warned of (LDS-67; before start, starting)",
    arguments: [
      "[]", #"{"flags":7}"#, #"{"flagValues":[]}"#, #"{"flags":{"a":{"key":"a"}}}"#,
      #"{"flags":{"a":{"key":"a","version":1}},"flagValues":{"a":1}}"#,
    ])
  func badRules(text: String) throws {
    #expect(throws: ConfigurationFailure.self) { _ = try RulesRig(["mobile_key": "", "bootstrap": text]) }
    let rig = try RulesRig(["bootstrap": text])
    #expect(rig.host.settle { rig.log.messages(.warning).contains { $0.contains("left aside") } })
    rig.serve(flags)
    #expect(rig.state == .ready)
  }

  @Test(
    "A switch while the store is being read waits for that, and what is stored takes no newer rules' place (LDS-04; starting)")
  func switchWhileReading() throws {
    let manager = MemoryCacheManager()
    try leave(manager)
    let next = try RulesRig(manager: manager, seed: 8, settles: false)
    next.setOnline(false)
    next.setOnline(true)
    next.settleStore()
    #expect(next.network.open.count == 1)
    next.serve(["a": ServerRules.flag("a", version: 9, #""on":false"#)])
    next.settleStore()
    #expect(next.state == .ready && next.value(of: "a") == #""off""#)
  }
}
