import Glibc
import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Hits as a cache of the host's keeps them (FS-105, FS-106; no client)") struct HitCacheRecordTests {
  private static let second: Int64 = 1_700_000_000_250

  private func record(of row: EventRow) throws -> (key: String, json: String) {
    let record = try #require(HitCacheRecord(row))
    var writer = JSONWriter()
    record.write(to: &writer, environmentID: "env")
    return (String(decoding: record.key, as: UTF8.self), writer.text)
  }

  private func restore(_ key: String, _ json: String, now: Int64 = 7) throws -> EventRow? {
    try Array(json.utf8).withUnsafeBytes { bytes throws(JSONFailure) in
      try JSONNode.parse(bytes) { HitCacheRecord(key: Array(key.utf8), record: $0, now: now)?.row }
    }
  }

  private func row(_ item: String, subject: String = "user-42") -> EventRow {
    EventRow(
      id: "0b7c2f3e-8a51-4a3c-9d0e-5f6a7b8c9d0e", pipeline: "hits", subject: subject,
      createdUnixMilliseconds: Self.second, payload: Array(item.utf8))
  }

  @Test("A hit has the vendor's form") func form() throws {
    let (key, json) = try record(of: row(#"{"t":"SCREENVIEW","cid":"env","ds":"APP","vid":"user-42","dl":"home"}"#))
    #expect(key == "user-42:0b7c2f3e-8a51-4a3c-9d0e-5f6a7b8c9d0e")
    #expect(
      json
        == #"{"version":1,"data":{"visitorId":"user-42","anonymousId":null,"type":"SCREENVIEW","time":1700000000.25,"content":{"t":"SCREENVIEW","cid":"env","ds":"APP","vid":"user-42","dl":"home","qt":0},"numberOfBytes":76}}"#
    )
  }

  @Test("An activate keeps what the host is to be told") func activateForm() throws {
    let activate = ActivateRow(
      item: Array(#"{"vid":"known","aid":"anon","caid":"g","vaid":"v"}"#.utf8), flag: Array(#"{"key":"f"}"#.utf8),
      visitor: Array(#"{"id":"known"}"#.utf8))
    var row = row("", subject: "known")
    (row.pipeline, row.payload) = ("activates", activate.payload)
    let (key, json) = try record(of: row)
    #expect(key.hasPrefix("known:"))
    #expect(
      json.contains(
        #""visitorId":"known","anonymousId":"anon","type":"ACTIVATE","time":1700000000.25,"content":{"cid":"env","vid":"known","aid":"anon","caid":"g","vaid":"v","qt":0,"internal_exposure_flag":"{\"key\":\"f\"}","internal_exposure_visitor":"{\"id\":\"known\"}"}"#
      ))
    #expect(try restore(key, json) == row)
  }

  @Test(
    "Restoring gives back the identical item",
    arguments: [
      #"{"t":"SCREENVIEW","cid":"env","ds":"APP","vid":"user-42","dl":"home"}"#,
      #"{"t":"PAGEVIEW","cid":"env","ds":"APP","vid":"user-42","dl":"https://h/?a=\"b","sn":1,"sr":"1x1","sd":"24","ul":"fr","uip":"::1"}"#,
      #"{"t":"TRANSACTION","cid":"env","ds":"APP","vid":"user-42","tid":"T","ta":"A","tr":15.5,"ts":0,"tt":1,"icn":1}"#,
      #"{"t":"ITEM","cid":"env","ds":"APP","vid":"user-42","tid":"T","in":"N","ic":"C","ip":0,"iq":1}"#,
      #"{"t":"EVENT","cid":"env","ds":"APP","vid":"user-42","ec":"User Engagement","ea":"x","ev":0,"qa":true}"#,
      #"{"t":"SEGMENT","cid":"env","ds":"APP","vid":"user-42","s":{"vip":"true","":"é"}}"#,
      #"{"t":"EVENT","cid":"env","ds":"APP","vid":"anon","cuid":"user-42","ec":"Action Tracking","ea":"x"}"#,
    ]) func roundTrip(item: String) throws
  {
    let row = row(item)
    let (key, json) = try record(of: row)
    #expect(try restore(key, json) == row)
  }

  @Test("A consent hit comes back as one: it survives a refusal (FS-107; no client)") func consent() throws {
    let row = row(
      #"{"t":"EVENT","cid":"env","ds":"APP","vid":"user-42","ec":"User Engagement","ea":"fs_consent","el":"hoist:true"}"#,
      subject: "")
    let (key, json) = try record(of: row)
    #expect(try restore(key, json) == row)
  }

  @Test(
    "Times of other SDKs are in milliseconds",
    arguments: [
      (#""time":1700000000.25"#, second), (#""time":1700000000250"#, second), (#""timestamp":1700000000250"#, second),
      (#""time":1700000000"#, 1_700_000_000_000), (#""time":"soon""#, 7), (#""time":-1"#, 7), (#""a":1"#, 7),
      (#""time":1e300"#, 7),
    ]) func times(member: String, created: Int64) throws
  {
    let json =
      #"{"version":1,"data":{"visitorId":"v","type":"SCREENVIEW",\#(member),"content":{"t":"SCREENVIEW","vid":"v","dl":"x"}}}"#
    #expect(try restore("v:1", json)?.createdUnixMilliseconds == created)
  }

  @Test(
    "What is no hit is not taken",
    arguments: [
      "{}", "1", "null", #"{"version":2,"data":{"type":"SCREENVIEW","content":{"t":"SCREENVIEW","vid":"v"}}}"#,
      #"{"version":1,"data":{"type":"SCREENVIEW","content":{"t":"ODD","vid":"v"}}}"#,
      #"{"version":1,"data":{"type":"SCREENVIEW","content":{"t":"SCREENVIEW"}}}"#,
      #"{"version":1,"data":{"type":"SCREENVIEW","content":{"t":"SCREENVIEW","vid":""}}}"#,
      #"{"version":1,"data":{"type":"SCREENVIEW","content":[]}}"#, #"{"version":1,"data":[]}"#,
      #"{"version":1,"data":{"type":"ACTIVATE","content":{"vid":"v","caid":"c"}}}"#,
    ]) func garbage(json: String) throws
  {
    #expect(try restore("v:1", json) == nil)
    #expect(try restore("", #"{"version":1,"data":{"type":"SCREENVIEW","content":{"t":"SCREENVIEW","vid":"v"}}}"#) == nil)
  }
}

@Suite("A cache of hits of the host's") struct HostHitCacheTests {
  private func rig(
    _ cache: HostCache, _ properties: [String: String] = [:], status: Int = 200, visitor: String = "user-42"
  ) throws -> HitRig {
    var plugins = Plugins()
    plugins.vendor[FlagshipPlugins.hitCache] = cache as any HitCacheDelegate
    // A host's look-up has real time: on a busy machine its thread may have to wait for longer than the default.
    let own = ["events.durability": "immediate", "hit_cache.timeout_ms": "60000"]
    return try HitRig(own.merging(properties) { $1 }, plugins: plugins, status: status)
  }

  /// Whether it comes to something while time passes: a call of the host's returns when it does, and what waits for it
  /// goes on with the timer after that.
  private func comes(_ test: HitRig, every milliseconds: Int64 = 100, _ condition: () -> Bool) -> Bool {
    test.rig.settle {
      test.run(milliseconds)
      return condition()
    }
  }

  @Test("With continuous caching each hit is cached at once and flushed after its batch (FS-19, FS-22, FS-105, FS-107; ready)")
  func continuous() throws {
    let cache = HostCache()
    let test = try rig(cache)
    test.rig.settle { cache.calls.value == ["lookupHits"] }
    test.sendOnThread(.screen("a"))
    #expect(test.rig.settle { cache.kept.value.count == 1 })
    #expect(cache.kept.value.values.first?.contains(#""content":{"t":"SCREENVIEW""#) == true)
    test.sendOnThread(.screen("b"))
    test.run(5_000)
    #expect(test.rig.settle { cache.kept.value.isEmpty })
    #expect(test.locations == ["a,b"])
    #expect(cache.calls.value.filter { $0.hasPrefix("flushHits") } == ["flushHits 2"])
    #expect(!cache.calls.value.contains("flushAllHits"))
  }

  @Test("With periodic caching everything is flushed and the rest cached again (FS-20, FS-108; failing)") func periodic() throws {
    let cache = HostCache()
    let test = try rig(cache, ["hits.strategy": "periodic_caching", "events.durability": "periodic"], status: 500)
    test.rig.settle { cache.calls.value.contains("lookupHits") }
    test.send(.screen("a"))
    test.send(.screen("b"))
    #expect(comes(test) { cache.kept.value.count == 2 })
    test.send(.screen("other"), from: VisitorIdentity("user-43"))
    #expect(comes(test) { cache.kept.value.count == 3 })
    test.hits.forget(VisitorIdentity("user-43"))
    #expect(comes(test) { cache.kept.value.keys.filter { $0.hasPrefix("user-42") }.count == 2 && cache.kept.value.count == 2 })
    #expect(cache.calls.value.contains("flushAllHits"))
    test.answer(200)
    #expect(comes(test) { cache.kept.value.isEmpty })
    #expect(test.locations.last == "a,b")
  }

  @Test("What an earlier process cached is sent at the start, in one batch, and flushed (FS-44, FS-106; second process)")
  func restart() throws {
    let cache = HostCache()
    let first = try rig(cache, status: 500)
    first.sendOnThread(.screen("a"))
    first.run(10)
    first.sendOnThread(.screen("b"))
    first.expose("f")
    first.run()
    #expect(first.rig.settle { cache.kept.value.count == 3 })
    first.rig.client.onScheduler { $0.provider?.stop() }
    first.run()
    // Garbage among them is left alone.
    cache.kept.change { $0["odd"] = "{\"version\":9}" }
    let second = try rig(cache)
    #expect(second.rig.settle { second.batches.count == 1 && second.activateBatches.count == 1 })
    #expect(second.locations == ["a,b"])
    #expect(second.rig.settle { cache.kept.value.count == 1 })
    #expect(second.rig.settle { second.counter("hit_cache", "unread") == 1 })
    #expect(cache.calls.value.filter { $0 == "lookupHits" }.count == 2)
  }

  @Test("A refusal flushes the visitor's hits, not its consent hits (FS-107; no consent)") func refusal() throws {
    let cache = HostCache()
    let test = try rig(cache)
    test.sendOnThread(.screen("a"))
    test.hits.consent(false, of: test.visitor)
    test.hits.forget(test.visitor)
    #expect(test.rig.settle { cache.kept.value.count == 1 && cache.calls.value.contains { $0.hasPrefix("flushHits") } })
    #expect(cache.kept.value.values.first?.contains("fs_consent") == true)
  }

  @Test("What was cached before is forgotten with its visitor, though it was never looked up (FS-107; offline, no consent)")
  func refusalBeforeLookup() throws {
    let cache = HostCache()
    let other =
      #"{"version":1,"data":{"visitorId":"other","type":"SCREENVIEW","time":1700000000,"content":{"t":"SCREENVIEW","vid":"other","dl":"x"}}}"#
    let mine = other.split(separator: "other", omittingEmptySubsequences: false).joined(separator: "user-42")
    cache.kept.value = ["other:1": other, "user-42:1": mine]
    let test = try rig(cache, ["online": "false"])
    test.hits.forget(test.visitor)
    #expect(test.rig.settle { cache.kept.value.keys.sorted() == ["other:1"] })
  }

  @Test("A look-up that takes longer than its limit is given up, and the SDK goes on (FS-23, FS-24; slow plug-in)")
  func slowLookup() throws {
    let cache = HostCache()
    let door = Locked(false)
    cache.beforeLookup.value = { while !door.value { usleep(1_000) } }
    cache.kept.value = [
      "user-42:1":
        #"{"version":1,"data":{"visitorId":"v","type":"SCREENVIEW","time":1700000000,"content":{"t":"SCREENVIEW","vid":"v","dl":"x"}}}"#
    ]
    let test = try rig(cache, ["hit_cache.timeout_ms": "20", "events.durability": "memory"])
    defer { door.value = true }
    test.send(.screen("a"))
    test.run(5_000)
    #expect(test.locations == ["a"])
    let stored = try rig(cache, ["hit_cache.timeout_ms": "20"])
    #expect(stored.rig.settle { stored.rig.log.messages(.warning).contains { $0.contains("did not tell its hits in time") } })
    stored.run(5_000)
    #expect(stored.batches.isEmpty && cache.kept.value.count == 1)
    stored.sendOnThread(.screen("b"))
    stored.run(5_000)
    #expect(stored.rig.settle { stored.locations == ["b"] })
  }

  @Test("A cache that fails costs the host's copy, not the hits", arguments: ["cacheHits", "flushHits", "lookupHits"])
  func failing(member: String) throws {
    let cache = HostCache()
    cache.failing.value = [member]
    let test = try rig(cache)
    test.sendOnThread(.screen("a"))
    test.run(5_000)
    #expect(test.rig.settle { test.locations == ["a"] })
    #expect(test.rig.settle { !test.rig.log.messages(.warning).isEmpty })
    cache.failing.value = []
    #expect(comes(test, every: 60_000) { cache.kept.value.isEmpty })
  }

  @Test("What is told is checked", arguments: ["[1]", "no json", "", "{\"a\":1}"]) func garbage(text: String) throws {
    let cache = HostCache()
    cache.lie.value = text
    let test = try rig(cache)
    #expect(test.rig.settle { !test.rig.log.messages(.warning).isEmpty })
    test.sendOnThread(.screen("a"))
    test.run(5_000)
    #expect(test.rig.settle { test.locations == ["a"] })
  }

  @Test("After consent has returned the host is asked again (FS-106; ready, no consent)") func consentReturns() throws {
    let cache = HostCache()
    let test = try rig(cache)
    #expect(test.rig.settle { cache.calls.value == ["lookupHits"] })
    test.hits.consent(true, of: test.visitor)
    test.run()
    test.hits.consent(false, of: test.visitor)
    test.hits.consent(true, of: test.visitor)
    // At once, or at the next look for rows where the first is still under way.
    #expect(comes(test, every: 60_000) { cache.calls.value.filter { $0 == "lookupHits" }.count >= 2 })
  }
}

/// A host's cache in memory that does as the test says.
final class HostCache: HitCacheDelegate {
  let kept = Locked<[String: String]>([:])
  let calls = Locked<[String]>([])
  let failing = Locked<Set<String>>([])
  let lie = Locked<String?>(nil)
  let beforeLookup = Locked<@Sendable () -> Void>({})

  private func enter(_ member: String, _ count: Int? = nil) -> Bool {
    calls.change { $0.append(count.map { "\(member) \($0)" } ?? member) }
    return !failing.value.contains(member)
  }

  func cacheHits(_ hits: [UInt8]) -> Bool {
    guard let document = try? JSONDocument(parsing: hits) else { return false }
    let new = document.withRoot { root in
      Array(root.object.map { Array($0) } ?? []).map {
        ($0.key.string, String(decoding: (try? $0.value.text()) ?? [], as: UTF8.self))
      }
    }
    guard enter("cacheHits", new.count) else { return false }
    kept.change { for (key, record) in new { $0[key] = record } }
    return true
  }

  func lookUpHits(_ question: CacheLookUp) {
    beforeLookup.value()
    guard enter("lookupHits") else { return _ = question.fail() }
    if let lie = lie.value { return _ = question.reply(Array(lie.utf8)) }
    let members = kept.value.map { "\"\($0)\":\($1)" }.joined(separator: ",")
    question.reply(members.isEmpty ? nil : Array("{\(members)}".utf8))
  }

  func flushHits(_ ids: [[UInt8]]) -> Bool {
    guard enter("flushHits", ids.count) else { return false }
    kept.change { for id in ids { $0[String(decoding: id, as: UTF8.self)] = nil } }
    return true
  }

  func flushAllHits() -> Bool {
    guard enter("flushAllHits") else { return false }
    kept.value = [:]
    return true
  }
}
