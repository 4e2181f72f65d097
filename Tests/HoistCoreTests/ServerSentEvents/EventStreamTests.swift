import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@Suite("A stream that is opened, read and opened again") struct EventStreamTests {
  @Test("events of one connection arrive in order; the last id and the wish for a pause are kept")
  func eventsArriveInOrder() throws {
    let reader = Reader()
    reader.stream.open()
    reader.run()
    let connection = try #require(reader.host.network.streams.last)
    connection.open()
    connection.receive("id: 1\ndata: a\n\nretry: 50\ndata: b\n\n")
    reader.run()
    #expect(reader.notes == ["opened", "a", "pause 50", "b"])
    reader.host.time.advance(milliseconds: 700)
    #expect(reader.stream.openMilliseconds == 700)
    connection.endStream()
    reader.run()
    #expect(reader.notes.last == "closed in good order after 700" && reader.stream.openMilliseconds == nil)
    reader.stream.reopen(afterMilliseconds: 30)
    reader.host.time.advance(milliseconds: 29)
    #expect(reader.host.network.streams.count == 1)
    reader.host.time.advance(milliseconds: 1)
    #expect(reader.host.network.streams.last?.request.headers.value(of: "Last") == "1")
    reader.stream.forgetLastEvent()
    #expect(reader.stream.lastEventID.isEmpty)
  }

  @Test("an answer that is not taken ends the connection, and nothing it brings is read")
  func refusedAnswersEndTheConnection() throws {
    let reader = Reader()
    reader.stream.open()
    reader.run()
    let connection = try #require(reader.host.network.streams.last)
    connection.open(status: 403)
    connection.receive("data: a\n\n")
    reader.run()
    #expect(reader.notes == ["refused 403"] && connection.isCancelled)
    reader.host.time.advance(milliseconds: 100_000)
    #expect(reader.host.network.streams.count == 1)
  }

  @Test("Contract 6: a service that refuses and names a time is not asked before, however short a pause the reader wants")
  func askedPausesAreKept() throws {
    let reader = Reader()
    reader.stream.open()
    reader.run()
    try #require(reader.host.network.streams.last).open(status: 429, headers: [HTTPHeader("Retry-After", "20")])
    reader.run()
    reader.stream.close()
    reader.stream.reopen(afterMilliseconds: 1000)
    reader.host.time.advance(milliseconds: 19_999)
    #expect(reader.host.network.streams.count == 1)
    reader.host.time.advance(milliseconds: 1)
    #expect(reader.host.network.streams.count == 2)
    // Of that answer only.
    try #require(reader.host.network.streams.last).open(status: 503)
    reader.run()
    reader.stream.reopen(afterMilliseconds: 1000)
    reader.host.time.advance(milliseconds: 1000)
    #expect(reader.host.network.streams.count == 3)
  }

  @Test("G2: what exceeds the limit ends the connection")
  func tooLargeEndsTheConnection() throws {
    let reader = Reader(maximumEventBytes: 16)
    reader.stream.open()
    reader.run()
    let connection = try #require(reader.host.network.streams.last)
    connection.open()
    connection.receive("data: a\n\ndata: 0123456789abcdef0\n\ndata: b\n\n")
    reader.run()
    #expect(reader.notes == ["opened", "a", "too large after 0"] && connection.isCancelled)
  }

  @Test("who closes or reopens within a call hears no more of that connection")
  func closingWithinACallIsFinal() throws {
    let reader = Reader()
    reader.closesAt = "b"
    reader.stream.open()
    reader.run()
    let connection = try #require(reader.host.network.streams.last)
    connection.open()
    connection.receive("data: a\n\ndata: b\n\ndata: c\n\n")
    connection.endStream()
    reader.run()
    #expect(reader.notes == ["opened", "a", "b"])
  }

  @Test("what arrives is told in turns of a few milliseconds; others have theirs in between, and the end comes last")
  func othersHaveTheirTurns() throws {
    let reader = Reader(maximumEventBytes: 1 << 20)
    let connection = try reader.opened()
    reader.tellingMilliseconds = 1
    let hasOther = Locked(0)
    connection.receive((1...9).map { "data: \($0)\n\n" }.joined())
    connection.endStream()
    reader.onTold = { note in
      if note == "1" { reader.host.time.post { hasOther.value = reader.notes.count } }
    }
    reader.run()
    #expect(hasOther.value == 1 + 2, "two events of 1 ms are a turn")
    #expect(reader.notes == ["opened", "1", "2", "3", "4", "5", "6", "7", "8", "9", "closed in good order after 9"])
  }

  @Test("closing does not wait for what has arrived; it is asked for again")
  func closingDropsWhatWaits() throws {
    let reader = Reader(maximumEventBytes: 1 << 20)
    let connection = try reader.opened()
    reader.tellingMilliseconds = 10
    connection.receive((1...9).map { "id: \($0)\ndata: \($0)\n\n" }.joined())
    reader.onTold = { note in
      if note == "1" { reader.host.time.post { reader.stream.close() } }
    }
    reader.run()
    #expect(reader.notes == ["opened", "1"] && reader.stream.lastEventID == "1")
    reader.stream.open()
    reader.run()
    #expect(reader.host.network.streams.last?.request.headers.value(of: "Last") == "1")
  }

  @Test("G2: more than one event of the largest size needs does not wait, whatever the time")
  func littleWaits() throws {
    let reader = Reader(maximumEventBytes: 2_000 * 257)
    let connection = try reader.opened()
    reader.tellingMilliseconds = 10
    let waiting = Locked(0)
    connection.receive(String(repeating: "data: a\n\n", count: 5_000))
    reader.onTold = { _ in
      if reader.notes.count == 2 { reader.host.time.post { waiting.value = 5_001 - reader.notes.count } }
    }
    reader.run()
    #expect(waiting.value == 2_000 && reader.notes.count == 5_001)
  }

  @Test("what follows an event that is held waits until its release, the end too; others go on") func held() throws {
    let reader = Reader()
    let connection = try reader.opened()
    reader.onTold = { if $0 == "b" { reader.stream.hold() } }
    connection.receive("data: a\n\nid: 2\ndata: b\n\ndata: c\n\n")
    reader.run()
    connection.receive("data: d\n\n")
    connection.endStream()
    reader.host.time.advance(milliseconds: 1000)
    #expect(reader.notes == ["opened", "a", "b"] && reader.stream.lastEventID == "2")
    reader.stream.release()
    reader.run()
    #expect(reader.notes == ["opened", "a", "b", "c", "d", "closed in good order after 1000"])
  }

  @Test("released at once, it holds nothing up") func heldForNoTime() throws {
    let reader = Reader()
    let connection = try reader.opened()
    reader.onTold = { _ in
      reader.stream.hold()
      reader.stream.release()
    }
    connection.receive("data: a\n\ndata: b\n\n")
    reader.run()
    #expect(reader.notes == ["opened", "a", "b"])
  }

  @Test("G2: while one is held no more arrives than the largest event may have: the connection ends")
  func tooMuchHeld() throws {
    let reader = Reader(maximumEventBytes: 1024)
    let connection = try reader.opened()
    reader.onTold = { if $0 == "a" { reader.stream.hold() } }
    connection.receive("data: a\n\n" + String(repeating: "data: b\n\n", count: 3))
    reader.run()
    #expect(reader.notes == ["opened", "a"] && !connection.isCancelled)
    connection.receive("data: c\n\n")
    reader.run()
    #expect(reader.notes == ["opened", "a", "too large after 0"] && connection.isCancelled)
    reader.stream.release()
    reader.run()
    #expect(reader.notes.count == 3)
  }

  @Test("another connection is not held by what the former one brought (reopened)") func heldBefore() throws {
    let reader = Reader()
    let connection = try reader.opened()
    reader.onTold = { if $0 == "a" { reader.stream.hold() } }
    connection.receive("data: a\n\n")
    reader.run()
    try reader.opened().receive("data: b\n\n")
    reader.run()
    #expect(reader.notes == ["opened", "a", "opened", "b"])
  }

  @Test("one connection at a time: what was opened before is called off, also while headers are asked for")
  func oneConnectionAtATime() {
    let reader = Reader()
    reader.stream.open()
    reader.stream.open()
    reader.run()
    #expect(reader.host.network.streams.count == 1)
    reader.stream.open()
    #expect(reader.host.network.streams.first?.isCancelled == true)
    reader.stream.close()
    reader.run()
    #expect(reader.host.network.streams.count == 1 && reader.notes.isEmpty)
  }

  @Test("without an address nothing is opened")
  func withoutAnAddressNothingIsOpened() {
    let reader = Reader()
    reader.streamAddress = nil
    reader.stream.open()
    reader.run()
    #expect(reader.host.network.streams.isEmpty)
  }

  @Test("G9: after a fork the parent's connection is left alone")
  func theParentsConnectionIsLeftAlone() throws {
    let reader = Reader()
    reader.stream.open()
    reader.run()
    let connection = try #require(reader.host.network.streams.last)
    reader.stream.abandonAfterFork()
    reader.stream.close()
    #expect(!connection.isCancelled)
  }
}

private final class Reader: EventStreamDelegate, @unchecked Sendable {
  let host = TestHost()
  let stream: EventStream
  var notes: [String] = []
  var streamAddress: String? = "https://x.example/"
  var closesAt = ""
  /// How long the reader takes for an event.
  var tellingMilliseconds: Int64 = 0
  var onTold: (String) -> Void = { _ in }

  init(maximumEventBytes: Int = 1024) {
    stream = EventStream(host: host, transport: host.network, maximumEventBytes: maximumEventBytes)
    stream.delegate = self
  }

  func run() { host.time.run() }

  func opened() throws -> ScriptedExchange {
    stream.open()
    run()
    let connection = try #require(host.network.streams.last)
    connection.open()
    run()
    return connection
  }

  func streamRequest(lastEventID: String, dynamic: [HTTPHeader]) -> HTTPRequest? {
    HTTPRequest(method: "GET", url: "https://x.example/", headers: [HTTPHeader("Last", lastEventID)])
  }

  func streamAccepts(_ head: HTTPResponse) -> Bool { head.status == 200 }
  func streamOpened() { notes.append("opened") }

  func streamReceived(_ event: ServerSentEvent) {
    let text = String(decoding: event.data, as: UTF8.self)
    notes.append(text)
    host.time.pass(milliseconds: tellingMilliseconds)
    onTold(text)
    if text == closesAt { stream.close() }
  }

  func streamAsksForPause(milliseconds: Int64) { notes.append("pause \(milliseconds)") }

  func streamEnded(_ end: EventStreamEnd, openMilliseconds: Int64?) {
    let after = openMilliseconds.map { " after \($0)" } ?? ""
    switch end {
    case .refused(let head): notes.append("refused \(head.status)\(after)")
    case .tooLarge: notes.append("too large\(after)")
    case .closed(let failure): notes.append((failure == nil ? "closed in good order" : "broken") + after)
    }
  }
}
