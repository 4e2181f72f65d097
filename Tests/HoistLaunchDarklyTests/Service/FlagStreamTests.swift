import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Flags by stream (protocol 2.2, 2.5)") struct FlagStreamTests {
  /// Base64 for URLs of `{"key":"user-1","kind":"user"}`.
  private static let segment = "eyJrZXkiOiJ1c2VyLTEiLCJraW5kIjoidXNlciJ9"

  @Test("The stream is asked for by GET with the context in the path, and nothing else (LD-75, 2.2; starting)")
  func theStreamIsAskedForByGET() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let request = try #require(rig.host.network.streams.last?.request)
    #expect(request.method == "GET" && request.body == nil)
    #expect(request.url == "https://clientstream.launchdarkly.com/meval/\(Self.segment)")
    #expect(request.header("Authorization") == "api_key \(SynchronizerRig.key)")
    #expect(request.header("Accept") == "text/event-stream" && request.header("Cache-Control") == "no-cache")
    #expect(request.header("Last-Event-Id") == nil && request.header("If-None-Match") == nil)
    #expect(request.idleTimeoutMilliseconds == 300_000 && request.connectTimeoutMilliseconds == 10_000)
    #expect(request.timeoutMilliseconds == 0)
  }

  @Test("2.2: REPORT carries the context in its body, reasons are asked for in the query, a base may have a path")
  func reportCarriesTheContext() throws {
    for base in ["https://relay.example/path", "https://relay.example/path/"] {
      let rig = try SynchronizerRig(["use_report": "true", "evaluation_reasons": "true", "stream_url": base])
      rig.begin()
      let request = try #require(rig.host.network.streams.last?.request)
      #expect(request.method == "REPORT" && request.url == "https://relay.example/path/meval?withReasons=true")
      #expect(request.text == #"{"key":"user-1","kind":"user"}"#)
      #expect(request.header("Content-Type") == "application/json")
    }
  }

  @Test("Put, patch and delete arrive in order, and the first settles the start (LD-03, 2.2; starting, ready)")
  func messagesArriveInOrder() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    #expect(rig.information.mode == .establishingStreamingConnection && rig.dataSource.state == .initializing)
    let stream = rig.openedStream()
    #expect(rig.outcomes.value.isEmpty)
    rig.say("event: put\ndata: {}\n\nevent: patch\ndata: {\"key\":\"a\"}\n\n", on: stream)
    rig.say(":\n\nevent: delete\ndata: {\"key\":\"b\"}\n\n", on: stream)
    #expect(rig.told == ["put {}", #"patch {"key":"a"}"#, #"delete {"key":"b"}"#])
    #expect(rig.outcomes.value == [.updated])
    #expect(rig.information.mode == .streaming && rig.dataSource.state == .valid)
    #expect(rig.host.states.value.last == .ready)
  }

  @Test("2.2, G3, contract 1: malformed data is a failure that leaves the flags and the stream, until a message can be read")
  func malformedDataIsAFailure() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let stream = rig.openedStream()
    rig.say("event: put\ndata: {}\n\n", on: stream)
    rig.host.time.advance(milliseconds: 5000)
    rig.say("event: put\ndata: {\n\nevent: patch\ndata: 1\n\n", on: stream)
    #expect(rig.told == ["put {}", "put refused", "patch refused"] && rig.state == .stale)
    #expect(stream?.isEnded == false)
    #expect(rig.information.lastFailedConnectionUnixMilliseconds == rig.now)
    #expect(rig.information.lastFailureReason == .none)
    #expect(rig.dataSource.lastFailure?.kind == .invalidData && rig.dataSource.state == .valid)
    #expect(rig.host.lines.messages(.warning).contains { $0.contains("cannot be read") })
    rig.host.time.advance(milliseconds: 4000)
    rig.say("event: put\ndata: {}\n\n", on: stream)
    #expect(rig.host.network.streams.count == 1 && rig.state == .ready)
  }

  @Test("Contract 1: before there are flags malformed ones are asked for anew, as a stream sends them once")
  func malformedFirstFlagsAreAskedForAnew() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    rig.say("event: put\ndata: {\n\n", on: rig.openedStream())
    #expect(rig.told == ["put refused"] && rig.state == .error)
    rig.host.time.advance(milliseconds: 4000)
    rig.say("event: put\ndata: {}\n\n", on: rig.openedStream())
    #expect(rig.host.network.streams.count == 2 && rig.state == .ready)
  }

  @Test("Contract 1, 10: a stream that ends before its first message is a failure with a line, and a later end is none")
  func anEndBeforeTheFirstMessage() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    rig.openedStream()?.endStream()
    rig.host.time.run()
    #expect(rig.state == .error)
    #expect(rig.host.lines.messages(.warning).contains { $0.contains("before its first message") })
    rig.host.time.advance(milliseconds: 4000)
    let stream = rig.openedStream()
    rig.say("event: put\ndata: {}\n\n", on: stream)
    stream?.endStream()
    rig.host.time.run()
    #expect(rig.state == .ready)
  }

  @Test("2.2: unknown events are ignored and noted")
  func unknownEventsAreIgnored() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let stream = rig.openedStream()
    rig.say("event: PUT\ndata: {}\n\ndata: {}\n\n", on: stream)
    #expect(rig.told.isEmpty && rig.outcomes.value.isEmpty && stream?.isEnded == false)
    #expect(rig.information.lastFailedConnectionUnixMilliseconds == rig.now)
  }

  @Test("2.2: ping polls by the same method, and what it brings is a put", arguments: [false, true])
  func pingPolls(byReport: Bool) throws {
    let rig = try SynchronizerRig(["use_report": "\(byReport)"])
    rig.begin(entityTag: "\"e1\"")
    let stream = rig.openedStream()
    rig.say("event: ping\ndata:\n\n", on: stream)
    let poll = try #require(rig.polls.last)
    #expect(poll.request.method == (byReport ? "REPORT" : "GET"))
    #expect(poll.request.url.hasPrefix("https://clientsdk.launchdarkly.com/msdk/evalx/context"))
    #expect(poll.request.header("If-None-Match") == "\"e1\"")
    poll.complete(answer(200, "{}", [HTTPHeader("ETag", "\"e2\"")]))
    rig.host.time.run()
    #expect(rig.told == ["poll[\"e2\"] {}"] && rig.outcomes.value == [.updated])
    // A tag names what a poll brought: after another message it names nothing.
    rig.say("event: patch\ndata: {}\n\nevent: ping\ndata: \n\n", on: stream)
    rig.host.time.advance(milliseconds: 1000)
    #expect(rig.polls.last?.request.header("If-None-Match") == nil)
  }

  @Test("2.2: a ping while its forerunner's poll is under way polls again")
  func pingsAreNotSwallowed() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let stream = rig.openedStream()
    for _ in 0..<3 { rig.say("event: ping\ndata:\n\n", on: stream) }
    #expect(rig.polls.count == 1)
    rig.polls.last?.complete(answer(200, #"{"old":{}}"#))
    rig.host.time.advance(milliseconds: 999)
    #expect(rig.polls.count == 1)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.polls.count == 2)
    rig.polls.last?.complete(answer(200, #"{"new":{}}"#))
    rig.host.time.run()
    #expect(rig.polls.count == 2 && rig.told == [#"poll[] {"old":{}}"#, #"poll[] {"new":{}}"#])
  }

  @Test("401 ends everything: the client goes offline (LD-75, 2.5; refused)")
  func unauthorizedGoesOffline() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    rig.host.network.streams.last?.open(status: 401)
    rig.host.time.advance(milliseconds: 3_600_000)
    #expect(rig.told == ["unauthorized"] && rig.outcomes.value == [.unauthorized])
    #expect(rig.host.network.exchanges.count == 1 && rig.host.network.open.isEmpty)
    #expect(rig.information.mode == .offline && rig.information.lastFailureReason == .unauthorized)
    #expect(rig.dataSource.state == .shutDown && rig.dataSource.lastFailure?.status == 401)
    #expect(rig.host.states.value.last == .fatal)
  }

  @Test("2.5: other fatal statuses end the stream only; a new beginning tries again", arguments: [402, 403, 404, 405, 410, 499])
  func fatalStatusesEndTheStream(status: Int) throws {
    let rig = try SynchronizerRig()
    rig.begin()
    rig.host.network.streams.last?.open(status: status)
    rig.host.time.advance(milliseconds: 3_600_000)
    #expect(rig.told == ["shut down"] && rig.state == .fatal && rig.outcomes.value == [.shutDown(status)])
    #expect(rig.host.network.exchanges.count == 1)
    rig.begin()
    #expect(rig.host.network.streams.count == 2 && rig.information.mode == .establishingStreamingConnection)
  }

  @Test("On request a refused stream is opened again after 5 minutes (LD-93; refused)", arguments: [401, 403, 404])
  func refusedStreamsAreTriedAgain(status: Int) throws {
    let rig = try SynchronizerRig(["retry_refused": "true"])
    rig.begin()
    for turn in 1...3 {
      rig.host.network.streams.last?.open(status: status)
      rig.host.time.advance(milliseconds: 299_999)
      #expect(rig.host.network.streams.count == turn && rig.outcomes.value.isEmpty)
      rig.host.time.advance(milliseconds: 1)
      #expect(rig.host.network.streams.count == turn + 1)
    }
    rig.say("event: put\ndata: {}\n\n", on: rig.openedStream())
    #expect(rig.outcomes.value == [.updated] && !rig.told.contains("unauthorized"))
  }

  @Test(
    "Everything else is tried again with a growing pause (LD-75, 2.5; failing)",
    arguments: [204, 302, 400, 408, 429, 500, 503, 599])
  func otherStatusesAreTriedAgain(status: Int) throws {
    let rig = try SynchronizerRig()
    rig.begin()
    for longest in [Int64(2000), 4000, 8000, 16_000, 30_000, 30_000] {
      let count = rig.host.network.streams.count
      rig.host.network.streams.last?.open(status: status)
      rig.host.time.run()
      #expect(rig.host.network.streams.last?.isCancelled == true)
      rig.host.time.advance(milliseconds: longest / 2 - 1)
      #expect(rig.host.network.streams.count == count)
      rig.host.time.advance(milliseconds: longest / 2 + 1)
      #expect(rig.host.network.streams.count == count + 1)
    }
    #expect(rig.outcomes.value.isEmpty && rig.host.states.value.last == .error)
    #expect(rig.tries.count == 6 && rig.tries.allSatisfy { $0.hasSuffix("failed") })
  }

  @Test("No answer, a broken and an idle connection are tried again; each try is told (LD-34, 2.5, 4.6; failing)")
  func brokenConnectionsAreTriedAgain() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    rig.host.time.advance(milliseconds: 70)
    rig.host.network.streams.last?.endStream(TransportFailure(.timeout, "too slow"))
    rig.host.time.advance(milliseconds: 2000)
    #expect(rig.host.network.streams.count == 2 && rig.tries == ["70 ms failed"])
    _ = rig.openedStream()
    #expect(rig.tries.last?.hasSuffix("opened") == true && rig.tries.count == 2)
    rig.say("event: put\ndata: {}\n\n", on: rig.host.network.streams.last)
    rig.host.network.streams.last?.endStream(TransportFailure(.timeout, "idle"))
    rig.host.time.run()
    #expect(rig.host.states.value.last == .stale)
    // 5.8, complaint 3: the loss is told.
    #expect(rig.modes == [.establishingStreamingConnection, .streaming, .establishingStreamingConnection])
    // Whoever has waited for the flags finds the mode that goes with them.
    #expect(rig.modesWhenSettled == [.streaming])
    #expect(rig.dataSource.state == .interrupted && rig.dataSource.lastFailure?.kind == .network)
    rig.host.time.advance(milliseconds: 4000)
    #expect(rig.host.network.streams.count == 3)
  }

  @Test(
    "2.5: a close in good order is followed by another connection; one that lasted with any from the shortest one to as long as it lasted"
  )
  func healthyConnectionsResetThePause() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    for open in [Int64(60_000), 60_000, 59_999] {
      let stream = rig.openedStream()
      rig.say("event: put\ndata: {}\n\n", on: stream)
      rig.host.time.advance(milliseconds: open)
      stream?.endStream()
      rig.host.time.run()
      let pause = try #require(rig.host.time.millisecondsUntilNextTimer)
      #expect((open < 60_000 ? 1000...59_999 : 500...60_000).contains(pause))
      rig.host.time.advance(milliseconds: pause)
    }
    #expect(rig.host.network.streams.count == 4)
    #expect(!rig.topics.contains(.fetchFailed) && rig.host.states.value.last == .ready)
    #expect(rig.information.lastFailedConnectionUnixMilliseconds == nil)
  }

  @Test(
    "2.2: `retry` is the next base, in bounds",
    arguments: [(200, 200...400), (100_000, 15_000...30_000), (0, 100...100), (10, 100...100)])
  func retryIsTheNextBase(base: Int, pauses: ClosedRange<Int>) throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let stream = rig.openedStream()
    rig.say("retry: \(base)\nretry: 1a\nretry:\n\n", on: stream)
    stream?.endStream()
    rig.host.time.run()
    let pause = try #require(rig.host.time.millisecondsUntilNextTimer)
    #expect(pauses.contains(Int(pause)))
  }

  @Test("2.2, 2.5: a service that asks for no pause at all is asked more and more rarely all the same")
  func theLeastPauseGrows() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    rig.say("retry: 0\n\n", on: rig.openedStream())
    var pauses: [Int64] = []
    for _ in 0..<16 {
      rig.host.network.streams.last?.open()
      rig.host.network.streams.last?.endStream()
      rig.host.time.run()
      pauses.append(try #require(rig.host.time.millisecondsUntilNextTimer))
      rig.host.time.advance(milliseconds: 30_000)
    }
    #expect(pauses.allSatisfy { (100...30_000).contains($0) })
    #expect(pauses[0] == 100 && pauses[15] >= 15_000)
  }

  @Test("2.2: pings without end are answered by one poll in a second")
  func pingsAreKeptApart() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let stream = rig.openedStream()
    for _ in 0..<50 {
      rig.say("event: ping\ndata:\n\n", on: stream)
      for poll in rig.polls where !poll.isEnded { poll.complete(answer(200, "{}")) }
      rig.host.time.advance(milliseconds: 100)
    }
    #expect(rig.polls.count == 6)
    rig.host.time.advance(milliseconds: 10_000)
    #expect(rig.polls.count == 6)
  }

  @Test("Contract 1, 2.2: a ping's poll that fails is repeated with growing pauses, until it succeeds")
  func aPingsPollIsRepeated() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let stream = rig.openedStream()
    rig.say("event: put\ndata: {}\n\nevent: ping\ndata:\n\n", on: stream)
    var pauses: [Int64] = []
    for _ in 0..<8 {
      rig.polls.last?.complete(answer(503))
      rig.host.time.run()
      #expect(rig.state == .stale)
      pauses.append(try #require(rig.host.time.millisecondsUntilNextTimer))
      rig.host.time.advance(milliseconds: try #require(pauses.last))
    }
    #expect(rig.polls.count == 9 && pauses.allSatisfy { (1500...300_000).contains($0) } && pauses[7] > pauses[0] * 10)
    rig.polls.last?.complete(answer(200, "{}"))
    rig.host.time.advance(milliseconds: 600_000)
    #expect(rig.polls.count == 9 && rig.state == .ready)
  }

  @Test("Contract 7, streaming: a refresh polls at once, also while the stream is down and right after a ping")
  func refreshPollsAtOnce() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    rig.host.network.streams.last?.open(status: 503)
    rig.host.time.run()
    #expect(rig.state == .error)
    for count in 1...3 {
      rig.synchronizer.refresh()
      rig.host.time.run()
      #expect(rig.polls.count == count)
      rig.polls.last?.complete(answer(200, "{}"))
      rig.host.time.run()
      #expect(rig.state == .ready)
    }
  }

  @Test("Contract 2: each message that brings flags is an answer of the service")
  func messagesAreUpdates() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let stream = rig.openedStream()
    rig.say("event: put\ndata: {}\n\nevent: patch\ndata: {}\n\nevent: put\ndata: {\n\n", on: stream)
    #expect(rig.topics == [.ready, .state, .updated, .fetchFailed, .error, .state] && rig.state == .stale)
    rig.host.time.advance(milliseconds: 4000)
    rig.say("event: put\ndata: {}\n\n", on: rig.openedStream())
    #expect(rig.topics.suffix(3) == [.recovered, .updated, .state])
  }

  @Test("2.2: the last event id goes with the next connection, over failures between")
  func theLastEventIDGoesAlong() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let stream = rig.openedStream()
    rig.say("id: e-7\nevent: put\ndata: {}\n\nid: lost\ndata", on: stream)
    stream?.endStream()
    rig.host.time.advance(milliseconds: 2000)
    #expect(rig.host.network.streams.last?.request.header("Last-Event-Id") == "e-7")
    rig.host.network.streams.last?.open(status: 503)
    rig.host.time.advance(milliseconds: 30_000)
    #expect(rig.host.network.streams.count == 3)
    #expect(rig.host.network.streams.last?.request.header("Last-Event-Id") == "e-7")
  }

  @Test("G2, G5: an event beyond the limit ends the connection, not the client")
  func oversizedEventsEndTheConnection() throws {
    let rig = try SynchronizerRig(["network.max_response_bytes": "1024"])
    rig.begin()
    let stream = rig.openedStream()
    rig.say("event: put\ndata: {}\n\n", on: stream)
    rig.say("event: put\ndata: \(String(repeating: " ", count: 2000))", on: stream)
    #expect(stream?.isCancelled == true && rig.told == ["put {}"] && rig.state == .stale)
    rig.host.time.advance(milliseconds: 2000)
    #expect(rig.host.network.streams.count == 2)
  }

  @Test("5.3: what a stream of before has to say counts no more")
  func formerStreamsCountNoMore() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let former = rig.openedStream()
    rig.begin()
    #expect(former?.isCancelled == true && rig.outcomes.value == [.superseded])
    rig.say("event: put\ndata: {}\n\n", on: former)
    #expect(rig.told.isEmpty)
    rig.synchronizer.end()
    rig.host.time.advance(milliseconds: 600_000)
    #expect(rig.outcomes.value == [.superseded, .superseded] && rig.host.network.open.isEmpty)
    #expect(rig.host.network.streams.count == 2 && rig.information.mode == .offline)
  }

  @Test("A forked child leaves the parent's stream alone and opens its own (LD-75, G9; forked)")
  func childrenOpenTheirOwn() throws {
    let rig = try SynchronizerRig()
    rig.begin()
    let stream = rig.openedStream()
    rig.host.time.simulateFork()
    rig.synchronizer.abandonAfterFork()
    #expect(stream?.isCancelled == false)
    rig.begin()
    #expect(rig.host.network.streams.count == 2 && rig.outcomes.value.isEmpty)
  }

  @Test("2.1: a header provider's headers go with every connection and every poll, last of all")
  func headerProvidersAreAsked() throws {
    var plugins = Plugins()
    let provider = CountingHeaders()
    plugins.headerProvider = provider
    let rig = try SynchronizerRig(["additional_headers": #"{"X-A":"given","Accept":"x"}"#], plugins: plugins)
    rig.begin()
    let stream = rig.openedStream()
    #expect(stream?.request.header("X-A") == "1" && stream?.request.header("Accept") == "x")
    rig.say("event: ping\ndata:\n\n", on: stream)
    #expect(rig.polls.last?.request.header("X-A") == "2")
    stream?.endStream()
    rig.host.time.advance(milliseconds: 2000)
    #expect(rig.host.network.streams.last?.request.header("X-A") == "3")
  }
}

private final class CountingHeaders: HeaderProvider {
  private let count = Locked(0)
  func headers(for url: String) -> [HTTPHeader]? {
    count.change { $0 += 1 }
    return [HTTPHeader("X-A", "\(count.value)")]
  }
}
