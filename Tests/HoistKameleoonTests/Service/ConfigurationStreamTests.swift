import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("Changes are streamed where the account has that (KAM-20, protocols/kameleoon.md 2.4, 4.2; ready, failing)")
struct ConfigurationStreamTests {
  private func streaming(_ properties: [String: String] = [:]) throws -> KameleoonRig {
    let rig = try KameleoonRig(properties.merging(["site_code": "a b"], uniquingKeysWith: { $1 }), configuration: nil)
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration(streams: true)))
    return rig
  }

  /// The connection stands, and nothing has changed before that.
  @discardableResult
  private func opened(_ rig: KameleoonRig) throws -> ScriptedExchange {
    let stream = try #require(rig.transport.streams.last)
    stream.open()
    rig.passSecond()
    rig.answerFetch(answer(304))
    rig.passSecond()
    return stream
  }

  private func event(_ data: String, _ name: String = "configuration-update-event") -> String {
    "event: \(name)\ndata: \(data)\n\n"
  }

  @Test("A configuration opens the stream, and another one closes it")
  func onAndOff() throws {
    let rig = try streaming()
    let stream = try #require(rig.transport.streams.first)
    #expect(stream.request.url == "https://events.kameleoon.eu:8110/sse?siteCode=a%20b")
    #expect(stream.request.headers.value(of: "Accept") == "text/event-stream")
    #expect(stream.request.headers.value(of: "Cache-Control") == "no-cache")
    #expect(stream.request.headers.value(of: "Authorization") == nil)
    try opened(rig)
    stream.receive(event(#"{"ts":1767265200123}"#))
    rig.scheduler.run()
    #expect(rig.fetches.last?.url.hasSuffix("?ts=1767265200123") == true)
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f2", streams: false)))
    #expect(stream.isCancelled)
    #expect(!rig.provider.source.isStreaming)
  }

  @Test("Other events, and those older than one seen before, fetch nothing; one without a time does")
  func whichEvents() throws {
    let rig = try streaming()
    let stream = try opened(rig)
    stream.receive(event(#"{"ts":1}"#, "other") + ": comment\n\n" + "data: {\"ts\":1}\n\n")
    rig.scheduler.run()
    #expect(rig.fetches.count == 2)
    stream.receive(event(#"{"ts":20}"#))
    rig.scheduler.run()
    rig.answerFetch(answer(304))
    rig.passSecond()
    stream.receive(event(#"{"ts":19}"#))
    rig.scheduler.run()
    #expect(rig.fetches.count == 3)
    stream.receive(event("nonsense"))
    rig.scheduler.run()
    #expect(rig.fetches.count == 4)
    #expect(rig.fetches.last?.url.contains("ts=") == false)
  }

  @Test(
    "Streaming, an event is dated in the future: those after it are fetched for all the same (2.4, contract 9)",
    arguments: [1_000, 3_600_000, 23 * 3_600_000, 86_400_000 * 2, 86_400_000 * 365 * 100, Int64.max - 1_700_000_100_000]
      as [Int64])
  func future(ahead: Int64) throws {
    let rig = try streaming()
    let stream = try opened(rig)
    stream.receive(event("{\"ts\":\(rig.scheduler.unixMilliseconds + ahead)}"))
    rig.scheduler.run()
    #expect(rig.fetches.count == 3)
    rig.answerFetch(answer(304))
    rig.passSecond()
    stream.receive(event("{\"ts\":\(rig.scheduler.unixMilliseconds)}"))
    rig.scheduler.run()
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f2", streams: true)))
    #expect(rig.fetches.count == 4 && rig.serves("f2"))
    #expect(rig.logged("dated more than a day ahead") == (ahead > 86_400_000 ? 1 : 0))
  }

  @Test("Streaming, an event is dated in the future and the connection is lost: the configuration is polled (contract 9)")
  func futureAndPolling() throws {
    let rig = try streaming(["refresh_interval_minute": "1"])
    let stream = try opened(rig)
    stream.receive(event("{\"ts\":\(Int64.max)}"))
    rig.scheduler.run()
    rig.answerFetch(answer(304))
    stream.endStream()
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.fetches.count == 4)
  }

  @Test(
    "Streaming, the connection was lost: what is caught up with is told to the update handler, once (KAM-43, KAM-77; failing)")
  func caughtUp() throws {
    let rig = try streaming(["refresh_interval_minute": "1"])
    let told = Locked<[String]>([])
    rig.face.observe(
      updateConfiguration: { told.change { $0.append("handler") } },
      datafileUpdate: { update in told.change { $0.append("\(update.source)") } })
    try opened(rig).endStream()
    rig.scheduler.advance(milliseconds: 3_750)
    rig.transport.streams.last?.open()
    rig.scheduler.run()
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f2", streams: true)))
    rig.deliver()
    #expect(told.value == ["handler", "streaming"])
    // Lost again, and polled meanwhile: that is no real-time event.
    rig.transport.streams.last?.endStream(TransportFailure(.unreachable, "gone"))
    rig.scheduler.advance(milliseconds: 60_000)
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f3", streams: true)))
    rig.deliver()
    #expect(told.value == ["handler", "streaming", "polling"])
  }

  @Test("Streaming, a poll failed and one was good: what changed before the stream is open again is fetched (KAM-77; failing)")
  func openedAgain() throws {
    let rig = try streaming(["refresh_interval_minute": "1"])
    try opened(rig).endStream()
    rig.face.fetchConfiguration(at: nil)
    rig.scheduler.run()
    for _ in 0..<2 { rig.answerFetch(answer(503)) }
    #expect(!rig.face.isStreaming)
    rig.face.fetchConfiguration(at: nil)
    rig.scheduler.run()
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f1", streams: true)))
    #expect(rig.face.isStreaming && !rig.transport.open.contains { !$0.isStream })
    rig.transport.streams.last?.open()
    rig.passSecond()
    #expect(rig.transport.open.contains { !$0.isStream })
  }

  @Test(
    "Started, and forked: what changed between the first fetch and the opening of the stream is fetched (KAM-20, 2.4; starting, forked)"
  )
  func openedFirst() throws {
    let rig = try streaming()
    rig.transport.streams.last?.open()
    rig.passSecond()
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f2", streams: true)))
    #expect(rig.serves("f2") && rig.fetches.last?.url.contains("ts=") == false)
    rig.scheduler.simulateFork()
    rig.client.onScheduler { client in
      client.provider?.abandonAfterFork()
      client.provider?.start()
    }
    rig.settle { rig.transport.open.contains { !$0.isStream } }
    rig.answerFetch(answer(304))
    rig.transport.streams.last?.open()
    rig.passSecond()
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f3", streams: true)))
    #expect(rig.serves("f3") && rig.transport.streams.count == 2)
  }

  @Test("Streaming, an event says no time: what it brings is told as of any other (KAM-43; ready)") func withoutATime() throws {
    let rig = try streaming()
    let told = Locked(0)
    rig.face.observe(updateConfiguration: { told.change { $0 += 1 } })
    let stream = try opened(rig)
    stream.receive(event("nonsense"))
    rig.scheduler.run()
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f2", streams: true)))
    rig.deliver()
    #expect(told.value == 1)
  }

  @Test("An event during a fetch is followed by another fetch")
  func eventMeanwhile() throws {
    let rig = try streaming()
    let stream = try opened(rig)
    stream.receive(event(#"{"ts":1}"#) + event(#"{"ts":2}"#) + event(#"{"ts":3}"#))
    rig.scheduler.run()
    #expect(rig.fetches.count == 3)
    rig.answerFetch(answer(304))
    rig.passSecond()
    #expect(rig.fetches.count == 4)
    #expect(rig.fetches.last?.url.hasSuffix("ts=3") == true)
  }

  @Test(
    "However many events the service sends, fetches begin a second apart, and the last says what is asked for (KAM-20; ready)")
  func floodOfEvents() throws {
    let rig = try streaming()
    let stream = try opened(rig)
    rig.transport.setResponder { _ in answer(304) }
    for number in 1...3_000 {
      stream.receive(event("{\"ts\":\(number)}"))
      rig.scheduler.advance(milliseconds: 2)
    }
    rig.passSecond()
    #expect(rig.fetches.count <= 2 + 7 && rig.fetches.last?.url.hasSuffix("ts=3000") == true)
  }

  @Test("While the stream stands nothing is polled")
  func noPolling() throws {
    let rig = try streaming()
    try opened(rig)
    rig.scheduler.advance(milliseconds: 3 * 3_600_000)
    #expect(rig.fetches.count == 2)
  }

  @Test(
    "A connection that ends is opened again for ever, after 3 s at first and a minute at last, and then what was missed is fetched (KAM-77; failing)"
  )
  func reconnecting() throws {
    let rig = try streaming()
    try opened(rig).endStream()
    rig.scheduler.advance(milliseconds: 2999)
    #expect(rig.transport.streams.count == 1)
    rig.scheduler.advance(milliseconds: 751)
    #expect(rig.transport.streams.count == 2)
    for _ in 0..<20 {
      rig.transport.streams.last?.endStream(TransportFailure(.unreachable, "gone"))
      rig.scheduler.run()
      #expect(rig.transport.open.filter(\.isStream).isEmpty)
      rig.scheduler.advance(milliseconds: 75_000)
      #expect(rig.transport.open.filter(\.isStream).count == 1)
    }
    let before = rig.fetches.count
    rig.transport.streams.last?.open()
    rig.scheduler.run()
    #expect(rig.fetches.count == before + 1)
  }

  @Test("While no connection stands, the configuration is polled")
  func pollingWithoutConnection() throws {
    let rig = try streaming(["refresh_interval_minute": "1"])
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.fetches.count == 2)
  }

  @Test("A failed fetch ends the stream; the next good one, be it 304, opens it again (KAM-16; failing)")
  func failureEndsTheStream() throws {
    let rig = try streaming()
    let stream = try opened(rig)
    rig.transport.setResponder { _ in answer(500) }
    stream.receive(event(#"{"ts":6}"#))
    rig.scheduler.run()
    #expect(stream.isCancelled)
    #expect(rig.face.isReady)
    rig.transport.setResponder { _ in answer(304) }
    rig.scheduler.advance(milliseconds: 3000)
    #expect(rig.transport.open.filter(\.isStream).count == 1)
  }
}
