import Glibc
import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Rules in a store that several processes share (protocols/launchdarkly-server.md 10, 11.3)", .serialized)
struct SharedRulesTests {
  private let store = ScriptedRules()
  private static let off = #""on":false"#

  private func rig(_ properties: [String: String] = [:], isOnline: Bool = true) throws -> RulesRig {
    let rig = try RulesRig(properties, isOnline: isOnline, plugins: Plugins(rules: store))
    settle(rig)
    return rig
  }

  private func daemon(_ properties: [String: String] = [:]) throws -> RulesRig {
    try rig(["daemon_mode": "true", "mobile_key": ""].merging(properties) { $1 })
  }

  /// Waits until the store has nothing to do.
  private func settle(_ rig: RulesRig) {
    let isDone = Locked(0)
    // The lane does one after the other, and what it brings makes the next.
    while isDone.value < 2 {
      let before = (store.calls.value.count, isDone.value)
      rig.time.settle { rig.rules.shared?.isIdle ?? true }
      isDone.value = store.calls.value.count == before.0 ? before.1 + 1 : 0
    }
  }

  private func advance(_ rig: RulesRig, _ milliseconds: Int64) {
    rig.time.advance(milliseconds: milliseconds)
    settle(rig)
  }

  private func fill(_ flags: [String: String]) {
    for (key, json) in flags { store.write("flag \(key)", version: 1, json) }
    store.isFilled.value = true
  }

  @Test("What comes from the service is kept: whole sets in order, single items as they change (LDS-65; ready)") func writes()
    throws
  {
    let rig = try rig()
    let flags = [
      "a": ServerRules.flag("a", ##""prerequisites":[{"key":"z","variation":0}]"##),
      "z": ServerRules.flag("z", ServerRules.rule(inSegments: ["s"])),
    ]
    let stream = rig.serve(
      flags,
      segments: [
        "s": ServerRules.segment("s"), "r": ServerRules.segment("r", "\"rules\":[{\"clauses\":[\(ServerRules.clause(["s"]))]}]"),
      ])
    settle(rig)
    let order = (store.calls.value.last ?? "").dropFirst("init ".count).split(separator: ",").map { $0.drop { $0 == " " } }
    #expect(order.prefix(2).allSatisfy { $0.hasPrefix("segment") } && Array(order.suffix(2)) == ["flag z", "flag a"])
    #expect(try #require(order.firstIndex(of: "segment s")) < (try #require(order.firstIndex(of: "segment r"))))
    #expect(store.isFilled.value && store.json("flag z") == flags["z"])
    rig.say(RulesRig.patch("/flags/z", ServerRules.flag("z", version: 2, #""more":{"kept":1}"#)), on: stream)
    rig.say("event: delete\ndata: {\"path\":\"/flags/a\",\"version\":7}\n\n", on: stream)
    rig.say(RulesRig.patch("/flags/z", ServerRules.flag("z", version: 1)), on: stream)
    settle(rig)
    #expect(store.calls.value.suffix(2) == ["upsert flag z 2", "upsert flag a 7"])
    #expect(store.json("flag z")?.contains(#""more":{"kept":1}"#) == true)
    #expect(store.json("flag a") == #"{"key":"a","version":7,"deleted":true}"#)
  }

  @Test("The version in the store counts: what it keeps is served (LDS-65; ready, second process)") func storeWins() throws {
    let rig = try rig()
    let stream = rig.serve(["a": ServerRules.flag("a")])
    settle(rig)
    store.write("flag a", version: 10, ServerRules.flag("a", version: 10, Self.off))
    rig.say(RulesRig.patch("/flags/a", ServerRules.flag("a", version: 2)), on: stream)
    settle(rig)
    #expect(rig.value(of: "a") == #""off""# && store.kept.value["flag a"]?.version == 10)
    rig.say(RulesRig.patch("/flags/a", ServerRules.flag("a", version: 11)), on: stream)
    settle(rig)
    #expect(rig.value(of: "a") == #""on""# && store.kept.value["flag a"]?.version == 11)
  }

  @Test("Until the service has spoken stored rules are served, if there was a whole set (LDS-04; starting, offline)")
  func beforeTheService() throws {
    store.write("flag a", version: 1, ServerRules.flag("a"))
    let none = try rig()
    #expect(none.state == .notReady && none.value(of: "a") == "PROVIDER_NOT_READY")
    fill(["a": ServerRules.flag("a")])
    advance(none, 15_000)
    #expect(none.state == .stale && none.value(of: "a") == #""on""#)
    let offline = try rig(isOnline: false)
    #expect(offline.state == .stale && offline.value(of: "a") == #""on""# && offline.asked == 0)
    #expect(
      offline.host.settle { offline.log.messages(.info).filter { $0.contains("rules of the store are served") }.count >= 1 })
    none.serve(["a": ServerRules.flag("a", version: 2, Self.off)])
    settle(none)
    #expect(none.state == .ready && none.value(of: "a") == #""off""#)
    advance(offline, 15_000)
    #expect(offline.value(of: "a") == #""off""#, "the other client has written it")
  }

  @Test("Nothing of the rules is in the cache manager's store (LDS-65; second process)") func noCopy() throws {
    let manager = MemoryCacheManager()
    let rig = try RulesRig(manager: manager, plugins: Plugins(rules: store))
    settle(rig)
    rig.serve(["a": ServerRules.flag("a")])
    _ = rig.time.turning { rig.client.close(timeoutMilliseconds: 5_000) }
    let next = try RulesRig(manager: manager, seed: 8)
    #expect(next.state == .notReady)
  }

  @Test("A store that is away is tried until it is back, and then has everything; evaluations go on (LDS-64; failing)")
  func away() throws {
    let rig = try rig()
    let observer = StoreObserver()
    #expect(rig.provider.observers.add(observer, for: .store(.rules)) != 0)
    let stream = rig.serve(["a": ServerRules.flag("a"), "b": ServerRules.flag("b")])
    settle(rig)
    #expect(rig.rules.shared?.status == StoreStatus(isAvailable: true, isStale: false))
    store.fails.value = true
    rig.say(RulesRig.patch("/flags/a", ServerRules.flag("a", version: 2, Self.off)), on: stream)
    settle(rig)
    #expect(rig.rules.shared?.status == StoreStatus(isAvailable: false, isStale: true) && rig.value(of: "a") == #""off""#)
    rig.say(RulesRig.patch("/flags/b", ServerRules.flag("b", version: 2, Self.off)), on: stream)
    let calls = store.calls.value.count
    for _ in 0..<4 { advance(rig, 500) }
    #expect(store.calls.value.count == calls + 4 && rig.state == .ready)
    let failed = store.calls.value.count
    store.fails.value = false
    advance(rig, 500)
    #expect(store.kept.value["flag a"]?.version == 2 && store.kept.value["flag b"]?.version == 2)
    #expect(store.calls.value.dropFirst(failed).prefix(2).map { $0.prefix(5) } == ["initi", "init "])
    while rig.client.dispatch(limit: 0) > 0 {}
    #expect(
      observer.told.value == [
        StoreStatus(isAvailable: false, isStale: true), StoreStatus(isAvailable: true, isStale: true),
        StoreStatus(isAvailable: true, isStale: false),
      ])
    #expect(rig.host.settle { rig.log.messages(.error).filter { $0.contains("it is away") }.count == 1 })
    #expect(rig.log.messages(.info).contains { $0.contains("works again") })
  }

  @Test("A store that fails at the start holds nothing up, and is read when it is back (LDS-64; starting, failing)")
  func failingStart() throws {
    fill(["a": ServerRules.flag("a")])
    store.fails.value = true
    let rig = try rig()
    #expect(rig.asked == 1 && rig.state == .notReady)
    store.fails.value = false
    advance(rig, 500)
    #expect(rig.state == .stale && rig.value(of: "a") == #""on""#)
  }

  @Test(
    "What others have written is seen when all is read again, and only what has changed is laid out anew (LDS-65; ready, second process)"
  )
  func readsAgain() throws {
    let rig = try rig()
    rig.serve(["a": ServerRules.flag("a"), "b": ServerRules.flag("b")])
    settle(rig)
    let served = rig.servedID
    advance(rig, 15_000)
    #expect(rig.servedID == served)
    store.write("flag a", version: 9, ServerRules.flag("a", version: 9, Self.off))
    advance(rig, 14_999)
    #expect(rig.value(of: "a") == #""on""#)
    advance(rig, 1)
    #expect(rig.value(of: "a") == #""off""# && rig.value(of: "b") == #""on""#)
    store.kept.change { $0["flag b"] = nil }
    store.write("flag c", version: 1, ServerRules.flag("c"))
    advance(rig, 15_000)
    #expect(rig.value(of: "b") == "FLAG_NOT_FOUND" && rig.value(of: "c") == #""on""#)
  }

  @Test("How often all is read again is a property's (LDS-65; ready)", arguments: [("0", 500), ("1000", 1_000), ("-1", nil)])
  func pace(cache: String, milliseconds: Int64?) throws {
    let rig = try daemon(["rules_cache_ms": cache])
    let calls = store.calls.value.count
    advance(rig, (milliseconds ?? 3_600_000) - 1)
    #expect(store.calls.value.count == calls)
    advance(rig, 1)
    #expect((store.calls.value.count > calls) == (milliseconds != nil))
  }

  @Test(
    "In daemon mode the store is all there is: ready although it is empty, and nothing is asked of the service (LDS-66; starting, ready)"
  )
  func daemonMode() throws {
    let rig = try daemon()
    #expect(rig.state == .ready && rig.asked == 0 && rig.value(of: "a") == "FLAG_NOT_FOUND" && rig.rules.hasArrived)
    #expect(LaunchDarklyAnyFace(rig.client)?.dataSource.state == .valid)
    store.write("flag a", version: 1, " \(ServerRules.flag("a"))\n")
    advance(rig, 15_000)
    #expect(rig.value(of: "a") == #""on""#)
    let served = rig.servedID
    advance(rig, 15_000)
    #expect(rig.servedID == served && rig.state == .ready && rig.asked == 0)
    store.write("flag a", version: 2, #"{"key":"$deleted","version":2,"deleted":true}"#)
    #expect(rig.client.refresh() == .ok)
    settle(rig)
    #expect(
      rig.value(of: "a") == "FLAG_NOT_FOUND" && store.calls.value.allSatisfy { !$0.hasPrefix("init ") && !$0.hasPrefix("upsert") }
    )
  }

  @Test("In daemon mode a store that fails is the client's failure (LDS-66; failing)") func failingDaemon() throws {
    fill(["a": ServerRules.flag("a")])
    store.fails.value = true
    let rig = try daemon()
    #expect(rig.state == .error && rig.value(of: "a") == "PROVIDER_NOT_READY")
    #expect(rig.host.settle { rig.log.messages(.error).contains { $0.contains("it is away") } })
    store.fails.value = false
    advance(rig, 500)
    #expect(rig.state == .ready && rig.value(of: "a") == #""on""#)
    store.fails.value = true
    advance(rig, 15_000)
    #expect(rig.state == .stale && rig.value(of: "a") == #""on""#)
  }

  @Test("Daemon mode needs a store (LDS-66; before start)") func daemonWithoutStore() throws {
    #expect(throws: ConfigurationFailure.self) { _ = try RulesRig(["daemon_mode": "true"]) }
  }

  @Test("An item that cannot be read is left out, and named once (LDS-65, LDS-20; ready)") func unreadable() throws {
    fill(["a": ServerRules.flag("a"), "bad": #"{"key":"bad","version":"no"}"#, "worse": "nothing"])
    let rig = try daemon()
    for _ in 0..<2 { advance(rig, 15_000) }
    #expect(rig.value(of: "a") == #""on""# && rig.value(of: "bad") == "FLAG_NOT_FOUND" && rig.state == .ready)
    store.write("flag a", version: 2, "{")
    for _ in 0..<2 { advance(rig, 15_000) }
    #expect(rig.value(of: "a") == "FLAG_NOT_FOUND")
    #expect(
      rig.host.settle {
        ["bad", "worse", "a"].allSatisfy { key in
          rig.log.messages(.warning).filter { $0.contains("\"\(key)\" cannot be read") }.count == 1
        }
      })
  }

  @Test("Many changes at once are one set (LDS-65; ready)") func manyChanges() throws {
    fill(["a": ServerRules.flag("a")])
    let rig = try daemon()
    fill(Dictionary(uniqueKeysWithValues: (0..<20).map { ("f\($0)", ServerRules.flag("f\($0)")) }))
    advance(rig, 15_000)
    #expect((0..<20).allSatisfy { rig.value(of: "f\($0)") == #""on""# } && rig.value(of: "a") == #""on""#)
  }

  @Test(
    "What waits to be written is written at the end, and nothing afterwards; reopened, the store is read again (LDS-65; closed, reopened)"
  )
  func closed() throws {
    let rig = try rig()
    let stream = rig.serve(["a": ServerRules.flag("a")])
    rig.say(RulesRig.patch("/flags/a", ServerRules.flag("a", version: 2)), on: stream)
    _ = rig.time.turning { rig.client.close(timeoutMilliseconds: 5_000) }
    #expect(store.kept.value["flag a"]?.version == 2)
    let calls = store.calls.value.count
    rig.time.advance(milliseconds: 60_000)
    #expect(store.calls.value.count == calls)
    #expect(rig.client.reopen() == .ok)
    #expect(rig.host.settle { store.calls.value.count > calls } && rig.value(of: "a") == #""on""#)
  }

  @Test("A call that does not return keeps others back, and evaluations and the service go on (LDS-64; failing)") func stuck()
    throws
  {
    let rig = try rig()
    let mayReturn = Locked(false)
    store.during.value = { while !mayReturn.value { sched_yield() } }
    let calls = store.calls.value.count
    rig.serve(["a": ServerRules.flag("a")])
    rig.time.settle { store.calls.value.count > calls }
    rig.time.advance(milliseconds: 60_000)
    #expect(store.calls.value.count == calls + 1 && rig.value(of: "a") == #""on""# && rig.state == .ready)
    #expect(rig.rules.shared?.status == StoreStatus(isAvailable: false, isStale: true))
    store.during.value = nil
    mayReturn.value = true
    settle(rig)
    advance(rig, 500)
    #expect(rig.rules.shared?.status == StoreStatus(isAvailable: true, isStale: false) && store.json("flag a") != nil)
  }
}
