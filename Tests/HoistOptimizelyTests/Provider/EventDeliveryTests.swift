import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Events wait, travel together and are tried again (OPT-63, OPT-72, OPT-98; ready)")
struct EventDeliveryTests {
  /// A client that serves a datafile.
  private func rig(
    _ properties: [String: String] = [:], plugins: Plugins = Plugins(), more: String = "",
    respond: (@Sendable (HTTPRequest) -> ScriptedTransport.Answer?)? = { _ in .status(204) }
  ) throws -> OptimizelyRig {
    let rig = try OptimizelyRig(properties, plugins: plugins, respond: respond)
    let result = rig.start(SmallProject.datafile(more: more), .noBackgroundFetch)
    #expect(result.hasSucceeded)
    return rig
  }

  private func track(_ rig: OptimizelyRig, _ key: String = "buy", value: Double? = nil) -> Status {
    rig.client.track(
      TrackedEvent(
        key: key, context: EvaluationContext(targetingKey: "u1").reference(), value: value, properties: [],
        unixMilliseconds: rig.scheduler.unixMilliseconds))
  }

  @Test func anEvaluationOfTheCoreIsAnImpression() throws {
    let rig = try rig(["events.batch_size": "1"])
    #expect(rig.isOn("on", user: "u7"))
    rig.scheduler.run()
    #expect(rig.posts.map(\.url) == ["https://logx.optimizely.com/v1/events"])
    #expect(rig.posts.first?.headers.value(of: "Content-Type") == "application/json")
    let events = try #require(rig.posts.first.map { PostedEvents($0) })
    #expect(events.visitors == ["u7"])
    #expect(events.keys == ["campaign_activated"])
  }

  @Test func decideOptionsOfThePropertiesSilenceImpressions() throws {
    let rig = try rig(["events.batch_size": "1", "decide_options": #"["DISABLE_DECISION_EVENT"]"#])
    #expect(rig.isOn("on"))
    rig.scheduler.run()
    #expect(rig.posts.isEmpty)
  }

  @Test func tenEventsTravelAtOnce() throws {
    let rig = try rig()
    for _ in 0..<9 { #expect(track(rig) == .ok) }
    rig.scheduler.run()
    #expect(rig.posts.isEmpty)
    #expect(track(rig) == .ok)
    rig.scheduler.run()
    #expect(rig.posts.count == 1)
    #expect(Set(rig.postedIDs).count == 10)
  }

  @Test("Batches go side by side: a slow service holds none of them up (OPT-72; ready)") func batchesGoSideBySide() throws {
    let rig = try rig(respond: { _ in nil })
    for _ in 0..<40 { #expect(track(rig) == .ok) }
    rig.scheduler.run()
    #expect(rig.posts.count == 4 && Set(rig.postedIDs).count == 40)
  }

  @Test func fewerTravelAfterAMinute() throws {
    let rig = try rig()
    #expect(track(rig) == .ok)
    rig.scheduler.advance(milliseconds: 59_000)
    #expect(rig.posts.isEmpty)
    rig.scheduler.advance(milliseconds: 1_001)
    #expect(rig.posts.count == 1)
  }

  @Test func aTimerOfZeroSendsAtOnce() throws {
    let rig = try rig(["events.timer_interval": "0"])
    #expect(track(rig) == .ok)
    rig.scheduler.run()
    #expect(rig.posts.count == 1)
  }

  @Test func flushSendsWhatWaits() throws {
    let rig = try rig()
    #expect(track(rig) == .ok)
    let done = Ended()
    rig.client.onScheduler { $0.provider?.flush { done.set($0.status) } }
    rig.scheduler.run()
    #expect(done.status == .ok)
    #expect(rig.posts.count == 1)
  }

  @Test(arguments: [500, 503, 408, 429])
  func aFailureIsTriedAgainAfter200And400MillisecondsThenLongerPauses(status: Int) throws {
    let rig = try rig(["events.batch_size": "1"]) { _ in .status(status) }
    #expect(track(rig) == .ok)
    rig.scheduler.run()
    #expect(rig.posts.count == 1)
    // And on from there, twice as long each time (OPT-98; failing).
    for (attempt, pause) in [200, 400, 800, 1_600, 3_200].enumerated() {
      rig.scheduler.advance(milliseconds: Int64(pause) - 1)
      #expect(rig.posts.count == attempt + 1)
      rig.scheduler.advance(milliseconds: 1)
      #expect(rig.posts.count == attempt + 2)
    }
    rig.transport.setResponder { _ in .status(204) }
    rig.scheduler.advance(milliseconds: 6_400)
    // Kept, and always the same event (OPT-98; failing).
    #expect(rig.posts.count == 7)
    #expect(Set(rig.postedIDs).count == 1)
    rig.scheduler.advance(milliseconds: 600_000)
    #expect(rig.posts.count == 7)
  }

  @Test("(OPT-98; failing)") func withoutAnAnswerEventsAreKept() throws {
    let rig = try rig(["events.batch_size": "1"]) { _ in .noAnswer }
    #expect(track(rig) == .ok)
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.posts.count == 3)
    rig.transport.setResponder { _ in .status(200) }
    let done = Ended()
    rig.client.onScheduler { $0.provider?.flush { done.set($0.status) } }
    rig.scheduler.run()
    #expect(done.status == .ok)
    #expect(Set(rig.postedIDs).count == 1)
  }

  @Test("(OPT-98; failing)", arguments: [400, 404, 422])
  func whatIsRefusedIsDropped(status: Int) throws {
    let rig = try rig(["events.batch_size": "1"]) { _ in .status(status) }
    #expect(track(rig) == .ok)
    rig.scheduler.advance(milliseconds: 600_000)
    #expect(rig.posts.count == 1)
    #expect(rig.provider.statistics.contains { $0.name == "rejected" && $0.value == 1 })
  }

  @Test("(OPT-98; refused)", arguments: [401, 403])
  func whatTheServiceDoesNotTakeFromThisClientIsKeptAndSeldomTried(status: Int) throws {
    let rig = try rig(["events.batch_size": "1"]) { _ in .status(status) }
    #expect(track(rig) == .ok)
    rig.scheduler.advance(milliseconds: 299_999)
    #expect(rig.posts.count == 1)
    rig.transport.setResponder { _ in .status(204) }
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.posts.count == 2 && Set(rig.postedIDs).count == 1)
    #expect(rig.provider.statistics.contains { $0.name == "delivered" && $0.value == 1 })
  }

  @Test("(OPT-98; failing)") func theServiceIsGivenTheTimeItAsksFor() throws {
    let rig = try rig(["events.batch_size": "1"]) { _ in
      .success(HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", "30")]))
    }
    #expect(track(rig) == .ok)
    rig.scheduler.advance(milliseconds: 29_000)
    #expect(rig.posts.count == 1)
    rig.scheduler.advance(milliseconds: 1_500)
    #expect(rig.posts.count == 2)
  }

  @Test func eventsOfAnotherRevisionTravelApart() throws {
    let rig = try rig()
    #expect(track(rig) == .ok)
    let result = rig.start(SmallProject.datafile(revision: "2"), .noBackgroundFetch)
    #expect(result.hasSucceeded)
    #expect(track(rig) == .ok)
    rig.scheduler.advance(milliseconds: 61_000)
    #expect(rig.posts.map { PostedEvents($0).revision } == ["1", "2"])
  }

  @Test func theEuropeanRegionHasItsOwnAddress() throws {
    let rig = try rig(["events.batch_size": "1"], more: #""region":"EU""#)  // (OPT-99; ready)
    #expect(track(rig) == .ok)
    rig.scheduler.run()
    #expect(rig.posts.map(\.url) == ["https://eu.logx.optimizely.com/v1/events"])
  }

  @Test func theHostMayNameAnotherAddress() throws {
    let rig = try rig(["events.batch_size": "1", "events.url.us": "http://127.0.0.1:9/e"])
    #expect(track(rig) == .ok)
    rig.scheduler.run()
    #expect(rig.posts.map(\.url) == ["http://127.0.0.1:9/e"])
  }

  @Test func unknownEventsAreRefused() throws {
    let rig = try rig()
    #expect(track(rig, "no such event") == .optimizelyEventKeyInvalid)  // (OPT-63; ready)
    let unready = try OptimizelyRig()
    #expect(track(unready) == .optimizelySDKNotReady)
  }

  @Test("(OPT-72; full queue)") func theQueueIsBoundedAndNewEventsGiveWay() throws {
    let rig = try rig(["events.capacity": "100", "events.batch_size": "1000"])
    // The batch size raises the capacity (5.6).
    for _ in 0..<999 { #expect(track(rig) == .ok) }
    rig.client.onScheduler { $0.provider?.setOnline(false) }
    rig.scheduler.run()
    #expect(track(rig) == .ok)
    #expect(track(rig) == .limit)
  }

  @Test func observersHearOfEachAttempt() throws {
    let rig = try rig(["events.batch_size": "1"]) { _ in .status(500) }
    let heard = HeardTexts()
    #expect(rig.provider.notifications.add(.logEvent, heard) != 0)
    #expect(track(rig) == .ok)
    rig.scheduler.advance(milliseconds: 1_000)
    _ = rig.client.dispatch(limit: 0)
    #expect(heard.texts.count == 3)  // (OPT-69, 3.4; failing)
    #expect(heard.texts.allSatisfy { text in text.hasPrefix(#"{"url":"https://logx.optimizely.com/v1/events","event":{"#) })
  }

  @Test func aDispatcherGetsTheWholeRequest() throws {
    let sink = KeepingSink()
    var plugins = Plugins()
    plugins.eventSink = sink
    let rig = try rig(["events.batch_size": "1"], plugins: plugins)
    #expect(track(rig, value: 12.5) == .ok)
    rig.scheduler.run()
    #expect(rig.posts.isEmpty)
    let delivery = try #require(sink.deliveries.first)  // (OPT-04; ready)
    #expect(delivery.request.method == "POST")
    #expect(delivery.request.url == "https://logx.optimizely.com/v1/events")
    #expect(PostedEvents(delivery.request).keys == ["buy"])
  }

  @Test("(OPT-39, OPT-72; background)") func inTheBackgroundEventsWait() throws {
    let rig = try rig()
    #expect(track(rig) == .ok)
    #expect(rig.face.setActive(false) == .ok)
    rig.scheduler.run()
    #expect(rig.posts.count == 1)
    #expect(track(rig) == .ok)
    rig.scheduler.advance(milliseconds: 600_000)
    #expect(rig.posts.count == 1)
    #expect(rig.face.setActive(true) == .ok)
    rig.scheduler.advance(milliseconds: 61_000)
    #expect(rig.posts.count == 2)
  }

  @Test("(OPT-39, OPT-72; background, forked)") func aChildOfABackgroundProcessHoldsItsEvents() throws {
    let rig = try rig()
    #expect(rig.face.setActive(false) == .ok)
    rig.scheduler.run()
    rig.scheduler.simulateFork()
    rig.client.onScheduler { client in
      client.provider?.abandonAfterFork()
      client.provider?.start()
    }
    rig.scheduler.run()
    #expect(track(rig) == .ok)
    rig.scheduler.advance(milliseconds: 600_000)
    #expect(rig.posts.isEmpty)
    #expect(rig.face.setActive(true) == .ok)
    rig.scheduler.advance(milliseconds: 61_000)
    #expect(rig.posts.count == 1)
  }

  @Test func whoIsActiveAgainBeforeTheEventsAreSentIsNotHeld() throws {
    let rig = try rig(["events.batch_size": "1"], respond: nil)
    #expect(track(rig) == .ok)
    #expect(rig.face.setActive(false) == .ok)
    rig.scheduler.run()
    #expect(rig.face.setActive(true) == .ok)
    rig.scheduler.run()
    rig.transport.setResponder { _ in .status(204) }
    for exchange in rig.transport.open { exchange.complete(.status(204)) }
    rig.scheduler.run()
    #expect(track(rig) == .ok)
    rig.scheduler.run()
    #expect(rig.posts.count == 2)  // (OPT-39; background)
  }

  @Test("(OPT-98; failing)") func eventsCarryTheHeadersOfTheHeaderProvider() throws {
    var plugins = Plugins()
    plugins.headerProvider = Token()
    let rig = try rig(["events.batch_size": "1"], plugins: plugins) { request in
      request.method == "POST" ? .status(503) : SmallProject.answer()
    }
    #expect(track(rig) == .ok)
    #expect(rig.settle { rig.posts.count == 1 && rig.transport.open.isEmpty })
    rig.scheduler.advance(milliseconds: 200)
    #expect(rig.settle { rig.posts.count == 2 })
    // Asked before each attempt.
    #expect(rig.posts.map { $0.headers.value(of: "x-token") } == ["1", "2"])
    #expect(rig.posts.allSatisfy { $0.headers.value(of: "Content-Type") == "application/json" })
  }

  @Test func withoutAUserIDNothingIsTracked() throws {
    let rig = try rig(["events.batch_size": "1"])
    let nobody = EvaluationContext(targetingKey: nil, attributes: [])
    let event = TrackedEvent(key: "buy", context: nobody.reference(), value: nil, properties: [], unixMilliseconds: 0)
    #expect(rig.client.track(event) == .optimizelyUserIDInvalid)
    rig.scheduler.advance(milliseconds: 61_000)
    #expect(rig.posts.isEmpty)
  }

  @Test("(OPT-72; offline)") func theNextRunDeliversWhatThisOneCouldNot() throws {
    let manager = MemoryCacheManager(clock: SystemClock())
    let properties = [
      "events.durability": "immediate", "datafile": SmallProject.datafile(), "autostart": "true", "online": "false",
    ]
    let first = try OptimizelyRig(properties, cacheManager: manager)
    #expect(first.settle { first.isOn("on") })
    first.settle { first.provider.statistics.contains { $0.name == "waiting" && $0.value == 1 } }
    first.client.onScheduler { $0.provider?.stop() }
    first.scheduler.run()
    #expect(first.client.store.close(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: 20_000)))
    let second = try OptimizelyRig(
      properties.merging(["online": "true", "background_fetch": "false"]) { $1 }, cacheManager: manager
    ) { _ in .status(204) }
    second.settle { second.provider.statistics.contains { $0.name == "adopted" && $0.value >= 1 } }
    second.client.onScheduler { $0.provider?.flush { _ in } }
    second.settle { !second.posts.isEmpty }
    #expect(second.posts.count == 1)
    #expect(Set(second.postedIDs).count == second.postedIDs.count)
  }
}

@Suite("Rows of events survive the store")
struct RecordedEventTests {
  @Test func whatIsWrittenIsRead() throws {
    let event = UserEvent(projectID: Array("p".utf8), revision: Array("7".utf8), region: .eu, head: [1, 2], visitor: [3, 4, 5])
    let row = RecordedEvent.withRow(of: event, url: Array("http://h/".utf8)) { Array($0) }
    let record = try #require(RecordedEvent(row))
    #expect(Array(record.url) == Array("http://h/".utf8))
    #expect(Array(record.head) == [1, 2])
    #expect(Array(record.visitor) == [3, 4, 5])
    #expect(record.region == .eu)
  }

  @Test func everyShorterRowIsRefusedOrReadWithoutHarm() {
    let event = UserEvent(projectID: [1], revision: [2], region: .us, head: [3], visitor: [4])
    let bytes = RecordedEvent.withRow(of: event, url: []) { Array($0) }
    for count in 0..<bytes.count { #expect(RecordedEvent(Array(bytes.prefix(count))) == nil) }
  }
}

private final class Ended: @unchecked Sendable {
  private let lock = Lock()
  private var kept: Status?
  func set(_ status: Status) { lock.withLock { kept = status } }
  var status: Status? { lock.withLock { kept } }
}

private final class KeepingSink: EventSink, @unchecked Sendable {
  private let lock = Lock()
  private var kept: [EventDelivery] = []
  var deliveries: [EventDelivery] { lock.withLock { kept } }

  func deliver(_ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void) -> (any Cancellable)? {
    lock.withLock { kept.append(delivery) }
    completion(.taken)
    return nil
  }
}

/// Another value for each request.
private final class Token: HeaderProvider, @unchecked Sendable {
  private let count = Locked(0)
  func headers(for url: String) -> [HTTPHeader]? {
    count.change { $0 += 1 }
    return [HTTPHeader("x-token", "\(count.value)")]
  }
}
