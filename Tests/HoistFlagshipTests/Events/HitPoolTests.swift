import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("The pool of hits") struct HitPoolTests {
  @Test("A batch goes when the interval is over, five seconds by default (FS-14, FS-15, FS-17; ready)") func interval() throws {
    let test = try HitRig()
    test.send(.screen("a"))
    test.run(1_000)
    test.send(.screen("b"))
    test.run(3_900)
    #expect(test.batches.isEmpty)
    test.run(100)
    #expect(
      test.batches == [
        [
          #"{"t":"SCREENVIEW","cid":"c1ndrd07m0300ro0jf20","ds":"APP","vid":"user-42","dl":"a","qt":5000}"#,
          #"{"t":"SCREENVIEW","cid":"c1ndrd07m0300ro0jf20","ds":"APP","vid":"user-42","dl":"b","qt":4000}"#,
        ]
      ])
    let body = test.requests("/")[0].text
    #expect(body.hasPrefix(#"{"t":"BATCH","cid":"c1ndrd07m0300ro0jf20","ds":"APP","h":["#) && body.hasSuffix("]}"))
    test.run(20_000)
    #expect(test.batches.count == 1)
  }

  @Test("A full pool is sent without waiting (FS-14, FS-16, FS-17; ready)") func poolSize() throws {
    let test = try HitRig(["hits.pool_max_size": "3", "hits.batch_interval": "600"])
    test.send(.screen("a"))
    test.send(.screen("b"))
    test.run()
    #expect(test.batches.isEmpty)
    test.send(.screen("c"))
    test.run()
    #expect(test.locations == ["a,b,c"])
    let usual = try HitRig()
    for number in 0..<10 { usual.send(.screen("\(number)")) }
    usual.run()
    #expect(usual.locations == ["0,1,2,3,4,5,6,7,8,9"])
  }

  @Test("Headers and address are the vendor's") func request() throws {
    let test = try HitRig(["events.url": "http://localhost:1/base/", "client_name": "mine"])
    test.send(.screen("a"))
    test.run(5_000)
    let request = try #require(test.rig.transport.requests.first)
    #expect(request.method == "POST" && request.url == "http://localhost:1/base/")
    #expect(request.headers.value(of: "Accept") == "application/json")
    #expect(request.headers.value(of: "Content-Type") == "application/json")
    #expect(request.headers.value(of: "x-sdk-client") == "mine")
    #expect(request.headers.value(of: "x-sdk-version") == HoistVersion.text)
    #expect(request.headers.value(of: "x-api-key") == nil)
    #expect(request.timeoutMilliseconds == 60_000)
  }

  @Test(
    "Hits that failed are kept in their order and go with the next batch, their time reckoned anew (FS-18; failing)",
    arguments: [
      nil, 500, 429, 302,
    ]) func failure(status: Int?) throws
  {
    let test = try HitRig(["hits.pool_max_size": "3"])
    test.answers.value = { _ in status.map { .status($0) } ?? .noAnswer }
    for name in ["a", "b", "c"] { test.send(.screen(name)) }
    test.run(1_000)
    test.send(.screen("d"))
    test.run(3_999)
    #expect(test.locations == ["a,b,c"])
    test.answer(204)
    test.run(1)
    #expect(test.locations == ["a,b,c", "a,b,c,d"])
    #expect(test.said(test.batches, "qt") == ["0,0,0", "5000,5000,5000,4000"])
    #expect(test.counter("hits", "retried") == 1)
    test.run(60_000)
    #expect(test.batches.count == 2)
  }

  @Test(
    "After a failure a full pool waits until the pause is over, however long the service asks for (FS-18; failing)",
    arguments: [
      (nil, 1_000), ("60", 60_000),
    ] as [(String?, Int64)]) func pause(retryAfter: String?, milliseconds: Int64) throws
  {
    let test = try HitRig(["hits.pool_max_size": "3", "hits.batch_interval": "600"])
    let headers = retryAfter.map { [HTTPHeader("Retry-After", $0)] } ?? []
    test.answers.value = { _ in .success(HTTPResponse(status: 503, headers: headers, body: [])) }
    for name in ["a", "b", "c"] { test.send(.screen(name)) }
    test.run()
    test.answer(200)
    for name in ["d", "e", "f"] { test.send(.screen(name)) }
    test.run(milliseconds / 2 - 1)
    #expect(test.locations == ["a,b,c"])
    test.run(milliseconds / 2 + 1)
    #expect(test.locations == ["a,b,c", "a,b,c,d,e,f"])
  }

  @Test("A batch that is refused is taken apart until the bad hit stands alone, which is dropped and told of (FS-18; failing)")
  func refusedByTheService() throws {
    let test = try HitRig(["hits.pool_max_size": "3"])
    test.answers.value = { .status($0.text.contains(#""dl":"bad""#) ? 400 : 200) }
    for name in ["a", "bad", "c"] { test.send(.screen(name)) }
    test.run()
    #expect(test.locations == ["a,bad,c", "a", "bad,c", "bad", "c"])
    #expect(test.counter("hits", "delivered") == 2 && test.counter("hits", "rejected") == 1)
    let told = "hoist[flagship]: events: a record of \"hits\", a hit of type SCREENVIEW, is dropped: the service answered 400"
    #expect(test.rig.settle { test.rig.log.messages(.warning) == [told] })
    let results = Locked<[FlushResult]>([])
    for _ in 0..<2 {
      test.hits.flush { result in results.change { $0.append(result) } }
      test.run()
    }
    #expect(results.value == [.refused, .accepted])
    test.run(60_000)
    #expect(test.batches.count == 5)
  }

  @Test(
    "A service that takes nothing is told of once, with what it answered, at the level that is logged by default (FS-18; refused, failing)",
    arguments: [
      (403, LogLevel.error), (503, .warning),
    ]) func failureIsTold(status: Int, level: LogLevel) throws
  {
    let test = try HitRig(["log.level": "warning"], status: status)
    test.send(.screen("a"))
    test.expose("f")
    for _ in 0..<3 { test.run(5_000) }
    let wanted = ["activates", "hits"].map {
      #"hoist[flagship]: events: records of "\#($0)" cannot be delivered now (the service answered \#(status)); they are kept in memory and tried again"#
    }
    test.rig.settle { test.rig.log.messages(level).count >= 2 }
    #expect(test.rig.log.messages(level) == wanted)
  }

  @Test("Without consent nothing of the visitor enters the pool but consent hits (FS-65, FS-67; no consent)") func consent()
    throws
  {
    let test = try HitRig()
    #expect(test.send(.screen("a"), consent: false) == .flagshipNoConsent)
    test.hits.consent(false, of: test.visitor)
    test.run(5_000)
    #expect(
      test.batches == [
        [
          #"{"t":"EVENT","cid":"c1ndrd07m0300ro0jf20","ds":"APP","vid":"user-42","ec":"User Engagement","ea":"fs_consent","el":"hoist:false","qt":5000}"#
        ]
      ])
  }

  @Test(
    "A refusal takes hits out of the pool and out of a batch on its way, not consent hits (FS-66, FS-67; failing, no consent)")
  func refusal() throws {
    let test = try HitRig(["hits.pool_max_size": "2", "hits.batch_interval": "600"])
    test.answer(nil)
    test.send(.screen("on its way"))
    test.send(.screen("other"), from: VisitorIdentity("user-43"))
    test.run()
    test.send(.screen("pooled"))
    test.hits.consent(false, of: test.visitor)
    test.hits.forget(test.visitor)
    test.run()
    test.answer(200)
    test.rig.transport.open.first?.complete(.status(500))
    test.run()
    let isEmpty = Locked(false)
    test.hits.flush { isEmpty.value = $0 == .accepted }
    test.run()
    #expect(isEmpty.value)
    #expect(test.said(test.batches, "vid") == ["user-42,user-43", "user-43,user-42"])
    #expect(test.said(test.batches, "dl").last == "other,-")
    #expect(test.counter("hits", "purged") == 2)
  }

  @Test("What a visitor did under its anonymous id is forgotten with it (FS-66; no consent)") func bothIds() throws {
    let test = try HitRig()
    test.send(.screen("before"), from: VisitorIdentity("anon"))
    let known = VisitorIdentity("known", anonymous: "anon")
    test.send(.screen("after"), from: known)
    test.hits.forget(known)
    test.run(5_000)
    #expect(test.batches.isEmpty)
  }

  @Test("With an anonymous id, that one is vid and the visitor's own cuid") func identities() throws {
    let test = try HitRig()
    test.send(.screen("a"), from: VisitorIdentity("known", anonymous: "anon"))
    test.run(5_000)
    #expect(test.said(test.batches, "vid") == ["anon"] && test.said(test.batches, "cuid") == ["known"])
  }

  @Test("Without batching each hit is the body of a request of its own, sent at once (FS-201; ready, failing)") func noBatching()
    throws
  {
    let test = try HitRig(["hits.strategy": "no_batching"])
    test.send(.screen("a"))
    test.send(.action("b"))
    test.run()
    #expect(
      test.requests("/").map(\.text) == [
        #"{"t":"SCREENVIEW","cid":"c1ndrd07m0300ro0jf20","ds":"APP","vid":"user-42","dl":"a","qt":0}"#,
        #"{"t":"EVENT","cid":"c1ndrd07m0300ro0jf20","ds":"APP","vid":"user-42","ec":"Action Tracking","ea":"b","qt":0}"#,
      ])
    test.answer(500)
    test.send(.screen("c"))
    test.run(4_000)
    #expect(test.requests("/").count == 3)
    test.answer(200)
    test.run(1_000)
    #expect(test.requests("/").count == 4, "what failed goes with the interval")
  }

  @Test("In panic nothing is taken and nothing is sent, and what waits goes afterwards (FS-42; panic)") func panic() throws {
    let test = try HitRig()
    test.send(.screen("a"))
    test.rig.provider.status.answered(isPanic: true)
    #expect(test.send(.screen("b")) == .flagshipPanic)
    test.hits.consent(true, of: test.visitor)
    test.run(20_000)
    #expect(test.batches.isEmpty)
    test.rig.provider.status.answered(isPanic: false)
    test.run(5_000)
    #expect(test.locations == ["a"])
  }

  @Test("Before the start hits are refused (FS-39; before start)") func notInitialized() throws {
    let test = try HitRig(["autostart": "false"])
    #expect(test.send(.screen("a")) == .flagshipNotInitialized)
  }

  @Test("After four hours a hit is dropped") func age() throws {
    let test = try HitRig(["hits.batch_interval": "86400"], status: 500)
    test.send(.screen("old"))
    test.run(4 * 3_600_000)
    test.send(.screen("new"))
    test.run(1)
    test.answer(200)
    test.hits.flush { _ in }
    test.run()
    #expect(test.locations == ["new"])
    #expect(test.counter("hits", "expired") == 1)
  }

  @Test(
    "A hit is no older when the clock is set, and goes with the time that it has waited (FS-18; failing)",
    arguments: [1_636_928_000_000, 18_000_000])
  func ageWhileTheClockIsSet(leap: Int64) throws {
    let test = try HitRig(scheduler: ManualScheduler(unixMilliseconds: 63_072_000_000), status: 500)
    test.send(.screen("early"))
    test.run(5_000)
    test.rig.scheduler.leapWallClock(byMilliseconds: leap)
    test.answer(200)
    test.run(5_000)
    #expect(test.locations == ["early", "early"] && test.batches.last?.first?.contains(#""qt":10000}"#) == true)
  }

  /// In 1972, hours ahead, hours behind; in the same boot, or another, where a date hours behind may be true.
  @Test(
    "What a run has left whose clock was wrong is sent by the next (FS-18; failing, reopened)",
    arguments: [
      (-1_636_928_000_000, 1), (18_000_000, 1), (-18_000_000, 1), (-1_636_928_000_000, 2), (18_000_000, 2), (-18_000_000, 2),
    ] as [(Int64, UInt64)])
  func ageInTheNextRun(wrong: Int64, boot: UInt64) throws {
    let (store, scheduler) = (MemoryCacheManager(), ManualScheduler(unixMilliseconds: 1_700_000_000_000 + wrong))
    scheduler.boot = 1
    let properties = ["events.durability": "periodic"]
    let first = try HitRig(properties, cacheManager: store, scheduler: scheduler, status: 500)
    for number in 0..<51 { first.send(.screen("\(number)")) }
    first.run(5_000)
    first.leave()
    scheduler.leapWallClock(byMilliseconds: -wrong)
    scheduler.boot = boot
    let test = try HitRig(properties, cacheManager: store, scheduler: scheduler)
    let isBelieved = boot == 2 && wrong == -18_000_000
    test.rig.settle { test.counter("hits", isBelieved ? "expired" : "delivered") == 51 }
    #expect(
      test.counter("hits", "delivered") == (isBelieved ? 0 : 51) && test.counter("hits", "expired") == (isBelieved ? 51 : 0))
  }

  @Test("A hit with a flaw is told at ERROR and not sent") func flaw() throws {
    let test = try HitRig()
    #expect(test.send(.page("/relative")) == .flagshipHitInvalid)
    test.run(5_000)
    #expect(test.batches.isEmpty)
    #expect(
      test.rig.settle {
        test.rig.log.lines.contains { $0.level == .error && $0.message.contains("a hit is refused: the location") }
      })
  }

  @Test("Hits of a test are marked (FS-210; ready)") func qa() throws {
    let test = try HitRig(["qa": "true"])
    test.send(.screen("a"))
    test.run(5_000)
    #expect(test.batches[0][0].contains(#""dl":"a","qa":true,"qt":"#))
  }

  @Test("Identical hits inside the window are dropped, others are not (FS-204; ready)") func duplicates() throws {
    let test = try HitRig(["hits.deduplication_ms": "2500"])
    #expect(test.send(.screen("a")) == .ok)
    #expect(test.send(.screen("a")) == .ok)
    test.send(.screen("b"))
    test.send(.screen("a"), from: VisitorIdentity("user-43"))
    test.run(2_500)
    test.send(.screen("a"))
    test.run(2_500)
    #expect(test.locations == ["a,b,a,a"])
    #expect(test.counter("hits", "duplicates") == 1)
    let usual = try HitRig()
    usual.send(.screen("a"))
    usual.send(.screen("a"))
    usual.run(5_000)
    #expect(usual.locations == ["a,a"])
  }

  @Test("A hit for which there was no room may come again inside the window (FS-204; full queue)") func duplicatesOfTheRefused()
    throws
  {
    let test = try HitRig(["hits.deduplication_ms": "60000", "events.capacity": "10"])
    test.answer(nil)
    for number in 0..<10 { #expect(test.send(.screen("\(number)")) == .ok) }
    for _ in 0..<2 { #expect(test.send(.screen("again")) == .limit) }
    test.run()
    test.answer(200)
    for exchange in test.rig.transport.open { exchange.complete(.status(200)) }
    test.run()
    #expect(test.send(.screen("again")) == .ok && test.send(.screen("again")) == .ok)
    test.run(5_000)
    #expect(test.locations.last == "again" && test.counter("hits", "duplicates") == 1)
  }

  @Test("A segment hit has every pair of the context as text") func segment() throws {
    let test = try HitRig()
    let context = EvaluationContext(targetingKey: "user-42")
    try context.set(Array("vip".utf8), .bool(true))
    try context.set(Array("age".utf8), .int(31))
    try context.set(Array("score".utf8), .double(2.5))
    try context.set(Array("whole".utf8), .double(3))
    try context.set(Array("city".utf8), .string(Array("L\"yon".utf8)))
    let held = try #require(context.reference())
    _ = withExtendedLifetime(held) { test.hits.segment(held.frozen, of: test.visitor, hasConsented: true) }
    test.run(5_000)
    #expect(
      test.batches == [
        [
          #"{"t":"SEGMENT","cid":"c1ndrd07m0300ro0jf20","ds":"APP","vid":"user-42","s":{"vip":"true","age":"31","score":"2.5","whole":"3.0","city":"L\"yon"},"qt":5000}"#
        ]
      ])
  }

  @Test("A segment hit is the same however large the context is", arguments: [3, 400]) func segments(_ count: Int) throws {
    let test = try HitRig()
    let pairs = (0..<count).map { Attribute(name: Array("key\($0)".utf8), value: .int(Int64($0))) }
    let held = try #require(ContextReference(key: Array("user-42".utf8), attributes: pairs))
    #expect((held.frozen.bytes.count > 8_192) == (count > 100))
    _ = withExtendedLifetime(held) { test.hits.segment(held.frozen, of: test.visitor, hasConsented: true) }
    test.run(5_000)
    let text = (0..<count).map { #""key\#($0)":"\#($0)""# }.joined(separator: ",")
    #expect(
      test.batches == [
        [
          #"{"t":"SEGMENT","cid":"c1ndrd07m0300ro0jf20","ds":"APP","vid":"user-42","s":{\#(text)},"qt":5000}"#
        ]
      ])
  }

  @Test("A body keeps to the vendor's size, and to a thousand hits") func slices() throws {
    let test = try HitRig(["hits.pool_max_size": "100000", "hits.batch_interval": "600"])
    let long = String(repeating: "x", count: 900_000)
    for number in 0..<3 { test.send(.screen("\(number)\(long)")) }
    test.hits.flush { _ in }
    for _ in 0..<4 { test.run() }
    #expect(test.batches.map(\.count) == [2, 1])
    #expect(test.requests("/").allSatisfy { $0.text.utf8.count <= HitPolicy.maximumBatchBytes })
    for number in 0..<1_001 { test.send(.screen("\(number)")) }
    test.hits.flush { _ in }
    for _ in 0..<4 { test.run() }
    #expect(test.batches.map(\.count) == [2, 1, 1_000, 1])
  }

  @Test("A hit that is too large, and one for which there is no room, are refused (FS-71; full queue)") func limits() throws {
    let test = try HitRig(["events.capacity": "10", "hits.pool_max_size": "1000"])
    #expect(test.send(.screen(String(repeating: "x", count: 2 << 20))) == .limit)
    for number in 0..<10 { #expect(test.send(.screen("\(number)")) == .ok) }
    #expect(test.send(.screen("one too many")) == .limit)
  }

  @Test("On a full disk a hit is told as unsaved, and goes all the same (FS-19, FS-71; full disk)") func fullDisk() throws {
    let manager = GatedManager()
    let test = try HitRig(["events.durability": "immediate"], cacheManager: manager)
    #expect(test.rig.scheduler.turning { test.send(.screen("a")) } == .ok)
    manager.fill()
    #expect(test.rig.scheduler.turning { test.send(.screen("b")) } == .unsaved)
    test.run(5_000)
    #expect(test.rig.settle { test.locations == ["a,b"] })
  }

  @Test("A custom event dispatcher gets these requests as those of other services") func dispatcher() throws {
    let sink = TakingSink()
    var plugins = Plugins()
    plugins.eventSink = sink
    let test = try HitRig(plugins: plugins)
    test.send(.screen("a"))
    test.run(5_000)
    #expect(test.rig.transport.requests.isEmpty)
    #expect(sink.taken.value == ["hits https://events.flagship.io/ 1"])
    #expect(test.counter("hits", "delivered") == 1)
  }
}
