import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Exposures") struct ActivateTests {
  @Test("An exposure is sent at once (FS-77, FS-79; ready)") func atOnce() throws {
    let test = try HitRig(status: 204)
    test.expose("f")
    test.run()
    let request = try #require(test.requests("/activate").first)
    #expect(request.method == "POST" && request.url == "https://decision.flagship.io/v2/activate")
    #expect(
      request.text
        == #"{"cid":"c1ndrd07m0300ro0jf20","batch":[{"vid":"user-42","caid":"vg1","vaid":"va2","qt":0}]}"#)
    #expect(request.headers.value(of: "Content-Type") == "application/json")
    #expect(request.headers.value(of: "x-api-key") == nil)
    test.run(60_000)
    #expect(test.rig.transport.requests.count == 1)
  }

  @Test("A known visitor keeps its own id in vid") func identities() throws {
    let test = try HitRig()
    test.expose("f", of: VisitorIdentity("known", anonymous: "anon"))
    test.run()
    #expect(test.activateBatches == [[#"{"vid":"known","aid":"anon","caid":"vg1","vaid":"va2","qt":0}"#]])
  }

  @Test("What failed is appended to the next exposure, the new one first (FS-18; failing)") func keptRideAlong() throws {
    let test = try HitRig(status: 500)
    test.expose("first", variation: "1")
    test.run(1_000)
    test.expose("second", variation: "2")
    test.run(2_000)
    #expect(test.said(test.activateBatches, "vaid") == ["1", "2,1"])
    test.answer(204)
    test.expose("third", variation: "3")
    test.run(100)
    #expect(test.said(test.activateBatches, "vaid") == ["1", "2,1", "3,1,2"])
    #expect(test.said(test.activateBatches, "qt").last == "0,3000,2000")
    test.expose("fourth", variation: "4")
    test.run(60_000)
    #expect(test.said(test.activateBatches, "vaid").last == "4")
    #expect(test.activateBatches.count == 4)
  }

  @Test("Exposures wait while the pause after a failure goes on, and then go in one request (FS-18; failing)") func pause() throws
  {
    let test = try HitRig(status: 500)
    test.expose("f", variation: "1")
    test.run()
    test.answer(204)
    for variation in ["2", "3"] { test.expose("f", variation: variation) }
    test.run(499)
    #expect(test.said(test.activateBatches, "vaid") == ["1"])
    test.run(501)
    #expect(test.said(test.activateBatches, "vaid") == ["1", "3,1,2"])
  }

  @Test("A refused request is taken apart until the bad activate stands alone, and the next flush tells it (FS-18; failing)")
  func refusedByTheService() throws {
    let test = try HitRig(["hits.batch_activates": "true", "hits.pool_max_size": "3"])
    test.answers.value = { .status($0.text.contains(#""vaid":"bad""#) ? 400 : 200) }
    for variation in ["1", "bad", "3"] { test.expose("f", variation: variation) }
    test.run()
    #expect(test.said(test.activateBatches, "vaid") == ["1,bad,3", "1", "bad,3", "bad", "3"])
    #expect(test.counter("activates", "rejected") == 1)
    test.send(.screen("a"))
    test.run(5_000)
    #expect(test.locations == ["a"], "hits ask for kept activates")
    let result = Locked<FlushResult?>(nil)
    test.activates.flush { result.value = $0 }
    test.run()
    #expect(result.value == .refused)
  }

  @Test("What failed goes with the interval too, before hits") func keptBeforeHits() throws {
    let test = try HitRig(status: 500)
    test.expose("f")
    test.run(1_000)
    test.answer(200)
    test.send(.screen("a"))
    test.run(4_000)
    #expect(test.rig.transport.requests.map { $0.url.suffix(9) }.suffix(2) == ["/activate", "agship.io/"].map { $0.suffix(9) })
    #expect(test.activateBatches.count == 2 && test.batches.count == 1)
    test.answer(500)
    test.expose("f")
    test.run()
    test.answer(200)
    for number in 0..<10 { test.send(.screen("\(number)")) }
    test.run()
    #expect(test.activateBatches.count == 3 && test.batches.count == 2, "hits cut no pause short")
    test.run(1_000)
    for number in 0..<10 { test.send(.screen("\(number)")) }
    test.run()
    #expect(test.rig.transport.requests.suffix(2).map { $0.url.hasSuffix("/activate") } == [true, false])
  }

  @Test("A request has at most a hundred activates") func cap() throws {
    let test = try HitRig(["online": "false"], status: 204)
    for number in 0..<250 { test.expose("f", variation: "\(number)") }
    test.rig.client.onScheduler { $0.provider?.setOnline(true) }
    for _ in 0..<4 { test.run(5_000) }
    #expect(test.activateBatches.map(\.count) == [100, 100, 50])
  }

  @Test("The host is told after a 2xx, once for each exposure, from what was captured (FS-26 to FS-29; failing, ready)")
  func notices() throws {
    let observer = ExposureRecorder()
    let test = try HitRig(observer: observer, status: 500)
    let context = EvaluationContext(targetingKey: "user-42")
    try context.set(Array("vip".utf8), .bool(true))
    try context.set(Array("age".utf8), .int(31))
    try context.set(Array("score".utf8), .double(2.5))
    try context.set(Array("city".utf8), .string(Array("Ly\"on".utf8)))
    test.expose("btnColor", context: context, value: "\"green\"", fallback: .string("red"))
    test.settleNotices()
    #expect(observer.heard.value.isEmpty)
    test.answer(204)
    test.run(1_000)
    test.expose("other", of: VisitorIdentity("known", anonymous: "anon"), value: "[1,\"a\"]")
    test.settleNotices()
    #expect(
      observer.heard.value == [
        #"{"id":"user-42","anonymousId":null,"context":{"vip":true,"age":31,"score":2.5,"city":"Ly\"on"}}"#,
        #"{"key":"btnColor","value":"green","defaultValue":"red","metadata":{"campaignId":"camp1","campaignName":"Checkout","variationGroupId":"vg1","variationGroupName":"All","variationId":"va2","variationName":"Green","isReference":false,"campaignType":"ab","slug":""}}"#,
        #"{"id":"known","anonymousId":"anon","context":{}}"#,
        #"{"key":"other","value":[1,"a"],"metadata":{"campaignId":"camp1","campaignName":"Checkout","variationGroupId":"vg1","variationGroupName":"All","variationId":"va2","variationName":"Green","isReference":false,"campaignType":"ab","slug":""}}"#,
      ])
  }

  @Test(
    "Every type of default is told as it is (FS-28, FS-78; no client)",
    arguments: [
      (ExposedValue.bool(true), "true"), (.int(42), "42"), (.double(2.5), "2.5"), (.double(5), "5.0"), (.double(-0.0), "-0.0"),
      (.none, "null"), (.json("{\"a\":1}"), "{\"a\":1}"),
      (.json("no json"), "\"no json\""), (.string("a\"b"), "\"a\\\"b\""),
    ]) func types(fallback: ExposedValue, text: String)
  {
    fallback.with { fallback in
      let said = ExposureText.flag(key: .noBytes, value: .noBytes, fallback: fallback, metadata: FlagMetadata())
      let members = String(decoding: said, as: UTF8.self)
      #expect(members.contains("\"value\":null,"))
      #expect(members.contains("\"defaultValue\":\(text),") == (fallback.kind != .none))
    }
  }

  @Test("Doubles keep their fraction, as the flag's own value does (FS-27, FS-28; ready)") func wholeDoubles() throws {
    let observer = ExposureRecorder()
    let test = try HitRig(observer: observer, status: 204)
    let context = EvaluationContext(targetingKey: "user-42")
    try context.set(Array("score".utf8), .double(3))
    try context.set(Array("age".utf8), .int(3))
    test.expose("f", context: context, value: "5.0", fallback: .double(5))
    test.settleNotices()
    #expect(observer.heard.value.first == #"{"id":"user-42","anonymousId":null,"context":{"score":3.0,"age":3}}"#)
    #expect(observer.heard.value.last?.hasPrefix(#"{"key":"f","value":5.0,"defaultValue":5.0,"#) == true)
  }

  @Test("The host is told of what an earlier process saw as well (FS-26, FS-44; second process)") func noticesAfterRestart()
    throws
  {
    let manager = MemoryCacheManager()
    let observer = ExposureRecorder()
    let properties = ["events.durability": "immediate"]
    let first = try HitRig(properties, observer: observer, cacheManager: manager, status: 500)
    first.expose("btnColor", value: "1")
    first.run()
    first.leave()
    #expect(observer.heard.value.isEmpty)
    let second = try HitRig(properties, observer: observer, cacheManager: manager)
    #expect(second.rig.settle { observer.heard.value.count == 2 })
    #expect(observer.heard.value[1].hasPrefix(#"{"key":"btnColor","value":1,"#))
    #expect(second.activateBatches.count == 1)
  }

  @Test(
    "What an earlier process has left goes behind what is new, and in the order of its making (FS-18, FS-44; offline, second process)"
  )
  func leftBehind() throws {
    let manager = MemoryCacheManager()
    let properties = ["events.durability": "immediate", "online": "false"]
    let first = try HitRig(properties, cacheManager: manager)
    for variation in ["1", "2"] { first.expose("f", variation: variation) }
    first.run()
    first.leave()
    let second = try HitRig(properties, cacheManager: manager)
    #expect(second.rig.settle { second.activates.statistics.contains { $0.name == "adopted" && $0.value == 2 } })
    second.expose("f", variation: "3")
    second.run()
    second.rig.client.onScheduler { $0.provider?.setOnline(true) }
    #expect(second.rig.settle { !second.activateBatches.isEmpty })
    #expect(second.said(second.activateBatches, "vaid") == ["3,1,2"])
  }

  @Test("Without consent, in panic and before the start nothing is exposed (FS-42, FS-65; no consent, panic, before start)")
  func refused() throws {
    let test = try HitRig()
    #expect(test.expose("f", consent: false) == .flagshipNoConsent)
    test.rig.provider.status.answered(isPanic: true)
    #expect(test.expose("f") == .flagshipPanic)
    test.run(60_000)
    #expect(test.rig.transport.requests.isEmpty)
    #expect(try HitRig(["autostart": "false"]).expose("f") == .flagshipNotInitialized)
  }

  @Test("A refusal takes kept activates away, also those on their way (FS-66; failing, no consent)") func forgotten() throws {
    let test = try HitRig(status: 500)
    test.expose("f")
    test.expose("f", of: VisitorIdentity("other"))
    test.run(1_000)
    test.answer(nil)
    test.expose("g")
    test.run()
    test.activates.forget(test.visitor)
    test.run()
    try #require(test.rig.transport.open.first).complete(.status(500))
    test.answer(204)
    test.run(60_000)
    #expect(test.said(test.activateBatches, "vid").last == "other")
    #expect(test.counter("activates", "delivered") == 1)
  }

  @Test("Exposures may wait as hits do, for the interval or a full pool (FS-43, FS-204; ready, closing)") func batching() throws {
    let test = try HitRig(["hits.batch_activates": "true", "hits.pool_max_size": "3"], status: 204)
    test.expose("f", variation: "1")
    test.run(4_900)
    #expect(test.activateBatches.isEmpty)
    test.send(.screen("a"))
    test.run(100)
    #expect(test.said(test.activateBatches, "vaid") == ["1"])
    #expect(test.rig.transport.requests.map { $0.url.hasSuffix("/activate") } == [true, false], "before hits")
    for variation in ["2", "3", "4"] { test.expose("f", variation: variation) }
    test.run()
    #expect(test.said(test.activateBatches, "vaid") == ["1", "2,3,4"], "in the order of their making")
    test.expose("f", variation: "5")
    test.run()
    let closing = test.rig.close()
    #expect(closing == .ok)
    #expect(test.said(test.activateBatches, "vaid").last == "5", "a close sends them")
  }

  @Test("What failed stays before what is new where exposures wait (FS-18, FS-204; failing)") func batchingAfterAFailure() throws
  {
    let test = try HitRig(["hits.batch_activates": "true"], status: 500)
    test.expose("f", variation: "1")
    test.run(5_000)
    test.answer(204)
    test.expose("f", variation: "2")
    test.run(5_000)
    #expect(test.said(test.activateBatches, "vaid") == ["1", "1,2"])
  }

  @Test("Identical exposures inside the window are dropped (FS-204; ready)") func duplicates() throws {
    let test = try HitRig(["hits.deduplication_ms": "2500"])
    test.expose("f")
    test.expose("f")
    test.expose("g", variation: "other")
    test.run(2_500)
    test.expose("f")
    test.run()
    #expect(test.said(test.activateBatches, "vaid") == ["other,va2", "va2"])
    #expect(test.counter("activates", "duplicates") == 1)
  }

  @Test("An exposure for which there was no room may come again inside the window (FS-204; full queue)")
  func duplicatesOfTheRefused() throws {
    let test = try HitRig(["hits.deduplication_ms": "60000", "events.capacity": "10"])
    test.answer(nil)
    for number in 0..<10 { #expect(test.expose("f", variation: "\(number)") == .ok) }
    for _ in 0..<2 { #expect(test.expose("f", variation: "again") == .limit) }
    test.run()
    test.answer(204)
    for exchange in test.rig.transport.open { exchange.complete(.status(204)) }
    test.run(5_000)
    #expect(test.expose("f", variation: "again") == .ok)
    test.run()
    #expect(test.said(test.activateBatches, "vaid").last == "again")
  }

  @Test("Activates of a test are marked (FS-210; ready)") func qa() throws {
    let test = try HitRig(["qa": "true"])
    test.expose("f")
    test.run()
    #expect(test.activateBatches == [[#"{"vid":"user-42","caid":"vg1","vaid":"va2","qa":true,"qt":0}"#]])
  }

  @Test("Rows from a store that cannot be read are dropped, and spoil no batch") func garbage() throws {
    let good = ActivateRow(
      item: Array(#"{"vid":"v","caid":"c","vaid":"a"}"#.utf8), flag: Array("{\"k\":1}".utf8), visitor: Array("{}".utf8))
    #expect(ActivateRow(good.payload) == good)
    for count in 0..<good.payload.count - 2 {
      #expect(ActivateRow(Array(good.payload.prefix(count))) != good)
    }
    for item in [
      #"{"vid":"v","caid":"c"}"#, #"{"vid":"","caid":"c","vaid":"a"}"#, "[1]", "{", #"{"vid":1,"caid":"c","vaid":"a"}"#,
    ] {
      #expect(try !ActivateRow(item: Array(item.utf8), flag: [], visitor: []).isSound())
    }
    for item in ["{}", "{\"a\":1} ", "{\"a\":1", ""] { #expect(try !QueuedItem.isSound(item)) }
  }
}
