import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Events of the data platform (OPT-14, OPT-68, OPT-97; ready)") struct PlatformEventReporterTests {
  @Test("(OPT-68; starting, ready)") func eventsWaitForADatafileAndThenGoTenAtATime() throws {
    let rig = try PlatformRig()
    rig.host.network.setResponder { _ in answer(200) }
    for number in 0..<23 { #expect(rig.send("\(number)") == nil) }
    #expect(rig.requests.isEmpty)
    try rig.serve()
    #expect(rig.sentActions.map(\.count) == [10, 10, 3])
    #expect(rig.sentActions.joined().elementsEqual((0..<23).map { "\($0)" }))
    let request = try #require(rig.requests.first)
    #expect(request.url == "https://odp.example/v3/events" && request.method == "POST")
    #expect(request.headers.value(of: "x-api-key") == "KEY")
    #expect(request.headers.value(of: "content-type") == "application/json")
    #expect(request.timeoutMilliseconds == 10_000)
  }

  @Test func eachEventIsSentAtOnce() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.setResponder { _ in answer(204) }
    #expect(rig.send("one") == nil)
    #expect(rig.send("two") == nil)
    #expect(rig.sentActions == [["one"], ["two"]])
  }

  @Test("Without an integration nothing is kept (OPT-18; ready)") func withoutAnIntegrationTheQueueIsEmptied() throws {
    let rig = try PlatformRig()
    #expect(rig.send("early") == nil)
    try rig.serve(host: nil)
    #expect(rig.send("late") == .notIntegrated)
    #expect(rig.platform.events.counters.waiting == 0)
    rig.host.network.setResponder { _ in answer(200) }
    try rig.serve()
    #expect(rig.requests.isEmpty)
    #expect(rig.send("now") == nil)
    #expect(rig.sentActions == [["now"]])
  }

  @Test("(OPT-68; full queue)") func ahundredEventsWait() throws {
    let rig = try PlatformRig()
    for number in 0..<100 { #expect(rig.send("\(number)") == nil) }
    #expect(rig.send("too many") == .eventFailed("the queue is full, or the event too large"))
    #expect(rig.platform.events.counters.waiting == 100)
  }

  @Test("(OPT-68; failing)") func attemptsGoOnInLongerPausesAndNewEventsWait() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.setResponder { _ in answer(503) }
    _ = rig.send("one")
    #expect(rig.requests.count == 1)
    rig.host.time.advance(milliseconds: 199)
    #expect(rig.requests.count == 1)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.requests.count == 2)
    rig.host.time.advance(milliseconds: 399)
    #expect(rig.requests.count == 2)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.requests.count == 3)
    // It stays as it is, and the next one waits behind it.
    rig.host.network.setResponder { _ in answer(200) }
    _ = rig.send("two")
    rig.host.time.advance(milliseconds: 799)
    #expect(rig.requests.count == 3)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.sentActions == [["one"], ["one"], ["one"], ["one"], ["two"]])
    #expect(rig.requests.map(\.text).prefix(4).allSatisfy { $0 == rig.requests[0].text })
  }

  @Test("(OPT-68; failing)") func aServiceThatStaysAwayIsAskedLessAndLess() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.setResponder { _ in noAnswer }
    _ = rig.send("one")
    rig.host.time.advance(milliseconds: 600_000)
    // 0.2, 0.4, 0.8 … 204.8 s, and the next pause is the longest there is.
    #expect(rig.requests.count == 12)
    rig.host.time.advance(milliseconds: 109_399)
    #expect(rig.requests.count == 12)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.requests.count == 13)
    let counters = rig.platform.events.counters
    #expect(counters.waiting + counters.inFlight == 1 && counters.rejected == 0)
  }

  @Test("(OPT-68; failing)") func aLongerWishOfTheServiceIsHeeded() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.enqueue(answer(503, "", [HTTPHeader("Retry-After", "5")]), answer(200))
    _ = rig.send("one")
    rig.host.time.advance(milliseconds: 4_999)
    #expect(rig.requests.count == 1)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.requests.count == 2)
  }

  @Test("(OPT-68; failing)") func whatIsRefusedIsTakenApartAndTheBadEventAloneIsDropped() throws {
    let rig = try PlatformRig()
    for number in 0..<11 { _ = rig.send("\(number)") }
    rig.host.network.setResponder { $0.text.contains(#""action":"3""#) ? answer(400) : answer(200) }
    try rig.serve()
    let parts = [Array(0...9), Array(0...4), [0, 1], [2, 3, 4], [2], [3, 4], [3], [4], Array(5...9), [10]]
    #expect(rig.sentActions == parts.map { $0.map { "\($0)" } })
    #expect(rig.platform.events.counters.rejected == 1)
    #expect(rig.platform.events.counters.delivered == 10)
  }

  @Test func beforeAChangeOfTheKeyWhatWaitsGoesWithTheOldOne() throws {
    let rig = try PlatformRig()
    try rig.serve()
    _ = rig.send("old")
    _ = rig.send("waiting")
    try rig.serve(key: "NEW")
    #expect(rig.requests.count == 1)
    rig.host.network.setResponder { _ in answer(200) }
    rig.host.network.open.first?.complete(answer(200))
    rig.host.time.run()
    _ = rig.send("new")
    #expect(rig.sentActions == [["old"], ["waiting"], ["new"]])
    #expect(rig.requests.map { $0.headers.value(of: "x-api-key") } == ["KEY", "KEY", "NEW"])
  }

  @Test func anIntegrationThatGoesTakesWhatCouldNotBeSentAlong() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.enqueue(answer(500))
    _ = rig.send("one")
    try rig.serve(host: nil)
    rig.host.network.setResponder { _ in answer(200) }
    try rig.serve()
    rig.host.time.advance(milliseconds: 100_000)
    #expect(rig.requests.allSatisfy { $0.text.contains(#""action":"one""#) })
    #expect(rig.platform.events.counters.waiting == 0)
  }

  @Test("The checks come in the service's order (OPT-17, OPT-68; ready)") func theFirstThingWrongIsTold() throws {
    let rig = try PlatformRig()
    func send(_ action: String, data: String, identifiers: String = "{}") -> PlatformFailure? {
      do throws(PlatformFailure) {
        try rig.platform.events.send(type: nil, action: action) { () throws(PlatformFailure) in
          try identifiers.withBytes { identifiers in
            Result { () throws(PlatformFailure) in
              try data.withBytes { data in
                Result { () throws(PlatformFailure) in try .init(identifiers: identifiers, data: data) }
              }.get()
            }
          }.get()
        }
      } catch {
        return error
      }
      return nil
    }
    let good = #"{"s":"x","n":1,"d":1.5,"b":true,"z":null}"#
    for bad in [#"{"a":[]}"#, #"{"a":{}}"#] { #expect(send("", data: bad) == .invalidData) }
    for bad in ["", "[]", "1", "{"] { #expect(send("", data: bad)?.status == .parse) }
    #expect(send("", data: good, identifiers: #"{"a":1}"#)?.status == .parse)
    #expect(send("", data: good) == .invalidAction)
    #expect(send("a", data: good) == nil)
    try rig.serve(host: nil)
    #expect(send("", data: "[") == .notIntegrated)
  }

  @Test func theVisitorIDIsAddedUnlessItIsThere() throws {
    let rig = try PlatformRig(["vuid.enabled": "true"])
    let vuid = try #require(rig.visitorID.current)
    rig.host.network.setResponder { _ in answer(200) }
    try rig.serve()
    _ = rig.send("with", [("FS-user-ID", "u")])
    _ = rig.send("own", [("vuid", "vuid_own")])
    let texts = rig.requests.suffix(2).map(\.text)
    #expect(texts.first?.contains(#""identifiers":{"fs_user_id":"u","vuid":"\#(vuid)"}"#) ?? false)
    #expect(texts.last?.contains(#""identifiers":{"vuid":"vuid_own"}"#) ?? false)
  }

  @Test("Identified only with two identifiers (OPT-97; ready)") func usersAreIdentifiedByTwoNames() throws {
    let rig = try PlatformRig(["vuid.enabled": "true"])
    let vuid = try #require(rig.visitorID.current)
    rig.host.network.setResponder { _ in answer(200) }
    try rig.serve()
    for user in ["", vuid, "VUID_x", "u"] { rig.platform.events.identify(Array(user.utf8)) }
    rig.host.time.run()
    #expect(rig.sentActions == [["client_initialized"], ["identified"]])
    #expect(rig.requests.first?.text.contains(#""identifiers":{"vuid":"\#(vuid)"}"#) ?? false)
    #expect(rig.requests.last?.text.contains(#""identifiers":{"vuid":"\#(vuid)","fs_user_id":"u"}"#) ?? false)
  }

  @Test func withoutAVisitorIDNobodyIsIdentified() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.platform.events.identify(Array("u".utf8))
    rig.host.time.run()
    #expect(rig.requests.isEmpty)
  }

  @Test("(OPT-68; offline)") func offlineEventsWait() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.setResponder { _ in answer(200) }
    rig.platform.setOnline(false)
    _ = rig.send("one")
    #expect(rig.requests.isEmpty)
    rig.platform.setOnline(true)
    rig.host.time.run()
    #expect(rig.sentActions == [["one"]])
  }

  @Test func eventsOutliveTheProcess() throws {
    let cache = MemoryCacheManager()
    do {
      let rig = try PlatformRig(cache: cache)
      _ = rig.send("kept")
      rig.platform.stop()
      rig.host.time.run()
      #expect(rig.host.store.close(untilNanoseconds: .max))
    }
    // Somebody has damaged a row of the store.
    cache.putEvents(
      [EventRow(id: "torn", pipeline: "odp", subject: "odp", createdUnixMilliseconds: 0, payload: [0x7B])],
      owner: EventOwner(id: "other", leaseMilliseconds: 1))
    cache.releaseEvents(owner: EventOwner(id: "other", leaseMilliseconds: 1))
    let rig = try PlatformRig(cache: cache, seed: 8)
    rig.host.network.setResponder { _ in answer(200) }
    try rig.serve()
    rig.host.settle { !rig.requests.isEmpty }
    #expect(rig.sentActions == [["kept"]])
    #expect(rig.platform.events.counters.rejected == 1)
  }

  @Test func whatTheClientTellsOfItself() throws {
    let rig = try PlatformRig()
    try rig.serve()
    _ = rig.send("a")
    let text = try #require(rig.requests.first).text
    #expect(text.hasPrefix(#"[{"type":"fullstack","action":"a","identifiers":{"email":"a@b"},"data":{"idempotence_id":""#))
    for member in [#""data_source_type":"sdk""#, #""data_source":"hoist""#, #""data_source_version":"1""#, #""os":"Linux""#] {
      #expect(text.contains(member))
    }
  }
}
