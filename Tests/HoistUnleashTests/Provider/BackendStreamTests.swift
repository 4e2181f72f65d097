import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

private typealias Service = BackendService

/// Streams that meet with polling, faults and new beginnings (protocol B.9).
struct BackendStreamTests {
  private func rig(_ options: [String: String] = [:]) throws -> ClientRig {
    try #require(ClientRig(Service.options("streaming", ["refresh_interval": "15"]).merging(options) { $1 }))
  }

  /// A client whose stream has brought `names`.
  private func streaming(_ options: [String: String] = [:], _ id: Int = 7) throws -> (ClientRig, ScriptedExchange) {
    let rig = try rig(options)
    rig.begin()
    let stream = try #require(rig.transport.streams.last)
    stream.openAsEvents()
    stream.say("unleash-connected", id: id, Service.batch(Service.hydration(id, "a", "b")))
    rig.scheduler.run()
    #expect(rig.on("a", "b", "c") == ["a", "b"])
    return (rig, stream)
  }

  @Test("A fetch by hand beside the stream leaves it something to change (UNL-93; ready)")
  func aFetchBesideTheStreamKeepsEverything() throws {
    let (rig, stream) = try streaming()
    rig.transport.enqueue(Service.ok(Service.document("a", "b", "c")))
    rig.fetch()
    #expect(rig.on("a", "b", "c") == ["a", "b", "c"])
    stream.say("unleash-updated", id: 8, Service.batch(Service.updated(8, "d"), Service.removed(9, "a")))
    rig.scheduler.run()
    #expect(rig.on("a", "b", "c", "d") == ["b", "c", "d"])
  }

  @Test("An answer that the stream has overtaken is not taken (UNL-93, G3; ready)")
  func anOvertakenAnswerIsNotTaken() throws {
    let (rig, stream) = try streaming()
    let outcome = rig.fetch()
    stream.say("unleash-updated", id: 8, Service.batch(Service.updated(8, "c"), Service.removed(9, "b")))
    rig.scheduler.run()
    rig.transport.exchanges.last?.complete(Service.ok(Service.document("a", "b"), ["ETag": "\"q:7:v1\""]))
    rig.scheduler.run()
    #expect(outcome.value == .ok && rig.on("a", "b", "c") == ["a", "c"])
    rig.fetch()
    #expect(rig.sent("If-None-Match").last == .some(nil))
  }

  @Test("The hint `polling` ends the stream, and the header `fetch-mode` begins a new one that keeps every flag (UNL-93; ready)")
  func hintsChangeTheMode() throws {
    let (rig, stream) = try streaming()
    rig.transport.enqueue(Service.ok(Service.document("a", "b", "c"), ["fetch-mode": "polling"]))
    stream.say("fetch-mode", "polling")
    rig.scheduler.run()
    #expect(stream.isCancelled && rig.transport.requests.last?.url == Service.features && rig.on("c") == ["c"])
    rig.transport.enqueue(Service.ok(Service.document("a", "b", "c"), ["fetch-mode": "streaming"]))
    let outcome = rig.fetch()
    #expect(outcome.value == .ok)  // the flags it brought are served
    try #require(rig.transport.streams.count == 2)
    let second = rig.transport.streams[1]
    second.openAsEvents()
    second.say("unleash-connected", id: 9, Service.batch(Service.updated(9, "d")))
    rig.scheduler.run()
    #expect(rig.on("a", "b", "c", "d") == ["a", "b", "c", "d"])
    // No polling beside it.
    let count = rig.transport.requests.count
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.transport.requests.count == count)
  }

  @Test("Other modes than polling in a hint are ignored (UNL-93; ready)")
  func otherHintsAreIgnored() throws {
    let (rig, stream) = try streaming()
    stream.say("fetch-mode", "streaming")
    stream.say("fetch-mode", "carrier-pigeon")
    stream.say("future", "{}")
    rig.scheduler.run()
    #expect(!stream.isCancelled && rig.transport.requests.count == 1 && rig.client.state == .ready)
  }

  @Test("B.6: a client whose host chose no mode follows the service to streaming; one that chose polling stays")
  func theServiceMayAskForStreaming() throws {
    for (chosen, streams) in [(nil, 1), ("polling", 0)] as [(String?, Int)] {
      let rig = try #require(ClientRig(Service.options(chosen)))
      rig.transport.enqueue(Service.ok(Service.document("a"), ["fetch-mode": "streaming"]))
      #expect(rig.begin().value == .ok && rig.on("a") == ["a"])
      #expect(rig.transport.streams.count == streams)
    }
  }

  @Test(
    "A stream that was not offered is tried again now and then, and takes the polling over when it comes (UNL-93, B.9; ready)")
  func aRefusedStreamIsTriedAgain() throws {
    let rig = try rig()
    rig.transport.setResponder { _ in Service.ok(Service.document("a")) }
    rig.begin()
    rig.transport.streams.first?.open(status: 404)
    rig.transport.streams.first?.endStream()
    rig.scheduler.run()
    #expect(rig.on("a") == ["a"] && rig.client.state == .ready)
    rig.scheduler.advance(milliseconds: 300_000)
    try #require(rig.transport.streams.count == 2)
    // It is polled on meanwhile, and nobody hears of an attempt that is in vain.
    let told = rig.messages(of: .fetchFailed)
    rig.transport.streams.last?.open(status: 404)
    rig.transport.streams.last?.endStream()
    rig.scheduler.run()
    #expect(told.take().isEmpty && rig.client.state == .ready)
    let polls = rig.transport.requests.count
    rig.scheduler.advance(milliseconds: 300_000)
    #expect(rig.transport.requests.count == polls + 21)
    try #require(rig.transport.streams.count == 3)
    rig.transport.streams.last?.openAsEvents()
    rig.transport.streams.last?.say("unleash-connected", id: 9, Service.batch(Service.hydration(9, "b")))
    rig.scheduler.run()
    #expect(rig.on("a", "b") == ["b"])
    let count = rig.transport.requests.count
    rig.scheduler.advance(milliseconds: 600_000)
    #expect(rig.transport.requests.count == count && rig.transport.streams.count == 3)
    // From here on it is a stream like any other.
    rig.transport.streams.last?.endStream()
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.transport.streams.count == 4)
  }

  @Test("A new start tries the stream again after it was given up (UNL-93; ready)")
  func aNewStartTriesTheStreamAgain() throws {
    let rig = try rig()
    rig.begin()
    rig.transport.enqueue(Service.ok(Service.document("a")))
    rig.transport.streams.first?.open(status: 404)
    rig.transport.streams.first?.endStream()
    rig.scheduler.run()
    #expect(rig.on("a") == ["a"])
    rig.begin()
    #expect(rig.transport.streams.count == 2)
    let count = rig.transport.requests.count
    rig.scheduler.advance(milliseconds: 14_000)
    #expect(rig.transport.requests.count == count)  // and the polling is over
  }

  @Test("Bootstrap given anew makes the next stream ask for everything (UNL-93; ready)")
  func bootstrapForgetsTheLastEvent() throws {
    let (rig, _) = try streaming()
    rig.begin(bootstrap: Service.document("boot"))
    #expect(rig.on("a", "boot") == ["boot"])
    rig.scheduler.advance(milliseconds: 15_000)
    try #require(rig.transport.streams.count == 2)
    #expect(rig.transport.streams[1].request.headers.value(of: "Last-Event-ID") == nil)
  }

  @Test("Going offline ends the stream, coming back resumes it where it was (UNL-93; offline)")
  func offlineAndBack() throws {
    let (rig, stream) = try streaming()
    _ = rig.client.setOnline(false)
    rig.scheduler.run()
    #expect(stream.isCancelled && rig.on("a") == ["a"])
    _ = rig.client.setOnline(true)
    rig.scheduler.run()
    try #require(rig.transport.streams.count == 2)
    #expect(rig.transport.streams[1].request.headers.value(of: "Last-Event-ID") == "7")
  }

  @Test("A stream may be silent for 60 seconds, and has no other limit (UNL-93; ready)")
  func streamsHaveAnIdleLimit() throws {
    let (_, stream) = try streaming(["network.connect_timeout_ms": "700"])
    #expect(stream.request.idleTimeoutMilliseconds == 60_000 && stream.request.timeoutMilliseconds == 0)
    #expect(stream.request.connectTimeoutMilliseconds == 700)
  }

  @Test(
    "Waits double from 2 to 30 seconds, less up to a half, and begin anew within a minute after a minute of good connection (UNL-93; failing)"
  )
  func reconnectingWaitsLonger() throws {
    let (rig, _) = try streaming()
    func delayAfterFailure() throws -> Int64 {
      let count = rig.transport.streams.count
      rig.transport.streams.last?.endStream(TransportFailure(.connectionReset, "reset"))
      return try #require(rig.milliseconds(step: 10) { rig.transport.streams.count == count + 1 })
    }
    for ceiling in [2000, 4000, 8000, 16_000] as [Int64] {
      #expect((ceiling / 2...ceiling).contains(try delayAfterFailure()), "\(ceiling)")
    }
    rig.transport.streams.last?.openAsEvents()
    rig.scheduler.advance(milliseconds: 60_000)
    #expect((1000...60_000).contains(try delayAfterFailure()))
  }

  @Test("A service that asks to wait is not asked before (UNL-93; failing)", arguments: [503, 500])
  func retryAfterDelaysTheNextStream(_ code: Int) throws {
    let rig = try rig()
    rig.begin()
    rig.transport.streams.last?.open(status: code, headers: [HTTPHeader("Retry-After", "20")])
    rig.transport.streams.last?.endStream()
    rig.scheduler.advance(milliseconds: 19_999)
    #expect(rig.transport.streams.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.transport.streams.count == 2)
  }

  @Test("Too many streams: while definitions are polled the stream is not tried before the service wants it (UNL-93; failing)")
  func retryAfterDelaysTheNextTry() throws {
    let rig = try rig()
    rig.begin()
    rig.transport.streams.last?.open(status: 429, headers: [HTTPHeader("Retry-After", "1000")])
    rig.scheduler.advance(milliseconds: 999_999)
    #expect(rig.transport.streams.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.transport.streams.count == 2)
  }

  @Test("Failures of a stream leave the flags alone and are told with their cause (UNL-93, G3; failing)")
  func failuresAreTold() throws {
    let causes: [(String, (ScriptedExchange) -> Void)] = [
      ("reset by peer", { $0.endStream(TransportFailure(.connectionReset, "reset by peer")) }),
      ("ended the stream", { $0.endStream() }),
      ("type must be one that is known", { $0.say("unleash-updated", id: 8, #"{"events":[{"type":"x","eventId":8}]}"#) }),
      ("not a JSON document", { $0.say("unleash-updated", id: 8, #"{"events":[{"type":"feat"#) }),
    ]
    for (cause, spoil) in causes {
      let (rig, stream) = try streaming()
      let told = rig.messages(of: .fetchFailed)
      spoil(stream)
      rig.scheduler.run()
      let messages = told.take()
      #expect(messages.count == 1 && messages.first?.contains(cause) == true, "\(cause): \(messages)")
      #expect(rig.on("a", "b") == ["a", "b"] && rig.client.state == .stale)
      // And it recovers.
      rig.scheduler.advance(milliseconds: 2000)
      let next = try #require(rig.transport.streams.last)
      #expect(next !== stream)
      next.openAsEvents()
      next.say("unleash-connected", id: 9, Service.batch(Service.hydration(9, "c")))
      rig.scheduler.run()
      #expect(rig.on("a", "c") == ["c"] && rig.client.state == .ready && rig.takeEvents().contains("recovered"))
    }
  }

  @Test("An answer that is no event stream is a failure, not a silent one (UNL-93, G3; failing)")
  func aPageIsNoStream() throws {
    let rig = try rig()
    let told = rig.messages(of: .fetchFailed)
    rig.begin()
    rig.transport.streams.last?.open(headers: [HTTPHeader("Content-Type", "text/html")])
    rig.transport.streams.last?.receive("<html>event: unleash-connected\ndata: {}\n\n")
    rig.transport.streams.last?.endStream()
    rig.scheduler.run()
    #expect(told.take().first?.contains("no event stream") == true)
    #expect(rig.client.state == .error)
  }

  @Test("A message larger than the limit of answers ends the connection, and a smaller one does not (UNL-93, G5; starting)")
  func largeMessagesAreRefused() throws {
    for (extra, isTaken) in [(600, true), (1200, false)] {
      let rig = try rig(["network.max_response_bytes": "1024"])
      let told = rig.messages(of: .fetchFailed)
      rig.begin()
      let stream = try #require(rig.transport.streams.last)
      stream.openAsEvents()
      stream.say("unleash-connected", id: 1, Service.batch(Service.hydration(1, "a" + String(repeating: "x", count: extra))))
      rig.scheduler.run()
      #expect(told.take().isEmpty == isTaken && stream.isCancelled == !isTaken, "\(extra)")
    }
  }

  @Test("Comments, other line ends, a mark and single bytes make no difference (UNL-93; ready)")
  func theFormatOfEventsIsRead() throws {
    for newline in ["\n", "\r\n", "\r"] {
      let rig = try rig()
      rig.begin()
      let stream = try #require(rig.transport.streams.last)
      stream.openAsEvents()
      let lines = [
        ": hello", "retry: 1", "id: 3", "event: unleash-connected", "data: {\"events\":[", "data:" + Service.hydration(3, "søk"),
        "data:]}", "",
        ": keep-alive", "", "event: unleash-updated", "data: " + Service.batch(Service.updated(4, "日本")), "", "",
      ]
      for byte in Array(("\u{FEFF}" + lines.joined(separator: newline)).utf8) { stream.receive([byte]) }
      rig.scheduler.run()
      #expect(rig.on("søk", "日本") == ["søk", "日本"])
      stream.endStream(TransportFailure(.timeout, "silence"))
      rig.scheduler.advance(milliseconds: 2000)
      // The second message had no id: the last one stands.
      #expect(rig.transport.streams.last?.request.headers.value(of: "Last-Event-ID") == "3")
    }
  }

  @Test("After stop nothing of the stream arrives, and its start is superseded (UNL-93, D.8; starting)")
  func stopEndsTheStream() throws {
    let rig = try rig()
    let started = rig.begin()
    let stream = try #require(rig.transport.streams.last)
    _ = rig.face.stop()
    rig.scheduler.run()
    #expect(stream.isCancelled && started.value == .superseded)
    rig.scheduler.advance(milliseconds: 120_000)
    #expect(rig.transport.streams.count == 1 && rig.transport.requests.count == 1)
  }

  @Test(
    "After a connection that had lasted, attempts may be far apart: five in a row that are never open end in polling (UNL-93; failing)"
  )
  func fiveInARowEndInPolling() throws {
    let (rig, _) = try streaming()
    rig.scheduler.advance(milliseconds: 600_000)
    // The first of them ends the one that had lasted.
    for _ in 0..<6 {
      #expect(!rig.transport.requests.contains { $0.url == Service.features })
      rig.transport.streams.last?.endStream(TransportFailure(.unreachable, "gone"))
      rig.scheduler.advance(milliseconds: 120_000)
    }
    #expect(rig.transport.streams.count == 6 && rig.transport.requests.contains { $0.url == Service.features })
  }

  @Test("Failures longer ago than a minute do not count towards giving up (UNL-93; failing)")
  func oldFailuresAreForgotten() throws {
    let (rig, _) = try streaming()
    for _ in 0..<8 {
      rig.scheduler.advance(milliseconds: 20_000)
      rig.transport.streams.last?.endStream(TransportFailure(.connectionReset, "reset"))
      rig.scheduler.advance(milliseconds: 60_000)
      rig.transport.streams.last?.openAsEvents()
      rig.scheduler.advance(milliseconds: 60_000)
    }
    #expect(rig.transport.streams.count == 9)
    #expect(!rig.transport.requests.contains { $0.url == Service.features })
  }
}
