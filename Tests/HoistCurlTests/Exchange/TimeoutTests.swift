import HoistCore
import HoistTestSupport
import Testing

@testable import HoistCurl

/// When an exchange is given up, on a clock of the test's own.
@Suite struct ExchangeDeadlinesTests {
  private let scheduler = ManualScheduler()
  private let expired = Trace()

  private func deadlines(
    total: Int64 = 0, header: Int64 = 0, idle: Int64 = 0, isStream: Bool = false
  ) -> ExchangeDeadlines {
    var request = HTTPRequest(method: "GET", url: "http://a/")
    request.timeoutMilliseconds = total
    request.headerTimeoutMilliseconds = header
    request.idleTimeoutMilliseconds = idle
    return ExchangeDeadlines(of: request, isStream: isStream, scheduler: scheduler, clock: scheduler) {
      [expired] in expired.add($0)
    }
  }

  @Test func theTotalTimeRunsFromTheStartWhateverHappens() {
    let deadlines = deadlines(total: 100, header: 90)
    scheduler.advance(milliseconds: 80)
    deadlines.noteActivity()
    deadlines.headerCompleted()
    scheduler.advance(milliseconds: 19)
    #expect(expired.words.isEmpty)
    scheduler.advance(milliseconds: 1)
    #expect(expired.words == ["no complete answer within 100 ms"])
  }

  @Test func aStreamHasNoTotalTime() {
    let deadlines = deadlines(total: 100, isStream: true)
    scheduler.advance(milliseconds: 1_000_000)
    #expect(expired.words.isEmpty && scheduler.pendingTimerCount == 0)
    deadlines.cancel()
  }

  @Test func theHeaderHasItsOwnTime() {
    let deadlines = deadlines(header: 100, idle: 10, isStream: true)
    scheduler.advance(milliseconds: 99)
    deadlines.noteActivity()
    #expect(expired.words.isEmpty, "idleness begins with the header")
    scheduler.advance(milliseconds: 1)
    #expect(expired.words == ["no answer within 100 ms"])
  }

  @Test func idlenessIsSilenceSinceTheLastByte() {
    let deadlines = deadlines(header: 50, idle: 100, isStream: true)
    deadlines.noteActivity()
    deadlines.headerCompleted()
    for _ in 0..<50 {
      scheduler.advance(milliseconds: 99)
      deadlines.noteActivity()
    }
    #expect(expired.words.isEmpty)
    #expect(scheduler.pendingTimerCount == 1)
    scheduler.advance(milliseconds: 99)
    #expect(expired.words.isEmpty)
    scheduler.advance(milliseconds: 1)
    #expect(expired.words == ["silent for 100 ms"])
  }

  @Test func nothingExpiresOnceCancelledAndZeroMeansNoLimit() {
    let limited = deadlines(total: 10, header: 10, idle: 10)
    limited.noteActivity()
    limited.headerCompleted()
    limited.cancel()
    let unlimited = deadlines()
    unlimited.headerCompleted()
    scheduler.advance(milliseconds: 1_000_000)
    #expect(expired.words.isEmpty)
    unlimited.cancel()
  }
}

/// The same over sockets: short limits, and servers that never do what is waited for.
@Suite struct TimeoutTests {
  private let transport = CurlTransport(loop: .shared, withProxy: "")

  /// Sends what it is given and then nothing, until the client closes.
  private func stalling(after text: String, _ closed: Promise<Void> = Promise()) throws -> LoopbackServer {
    try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(text)
      connection.waitForClose()
      closed.fulfil()
    }
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nX-Slow", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nslow"])
  func theTotalTimeEndsARequestAndItsConnection(before: String) throws {
    let closed = Promise<Void>()
    let server = try stalling(after: before, closed)
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin + "/x?secret")
    request.timeoutMilliseconds = 100
    let failure = try #require(try transport.fetch(request).failure)
    #expect(failure == TransportFailure(.timeout, "GET \(server.origin)/x: no complete answer within 100 ms"))
    try closed.wait()
  }

  @Test func theTotalTimeCoversRedirects() throws {
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        guard request.target == "/" else { return connection.waitForClose() }
        connection.send(answer("302 X", headers: ["Location: /next"]))
      }
    }
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin + "/")
    request.timeoutMilliseconds = 100
    #expect(try transport.fetch(request).failure?.kind == .timeout)
    #expect(server.requests.map(\.target) == ["/", "/next"])
  }

  @Test func silenceEndsAnAnswerThatHasBegun() throws {
    let server = try stalling(after: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nslow")
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.idleTimeoutMilliseconds = 100
    #expect(try transport.fetch(request).failure?.message.hasSuffix("silent for 100 ms") == true)
  }

  @Test func theHeaderTimeEndsAStreamThatNeverOpens() throws {
    let closed = Promise<Void>()
    let server = try stalling(after: "HTTP/1.1 200 OK\r\nX-Slow: ", closed)
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.headerTimeoutMilliseconds = 100
    let recorder = StreamRecorder()
    _ = transport.openStream(request, handler: recorder)
    let end = try recorder.waitForEnd()
    #expect(end.opened.isEmpty && end.ended.first??.kind == .timeout)
    try closed.wait()
  }

  @Test func silenceEndsAStream() throws {
    let server = try stalling(after: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n")
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.headerTimeoutMilliseconds = 20_000
    request.idleTimeoutMilliseconds = 100
    let recorder = StreamRecorder()
    _ = transport.openStream(request, handler: recorder)
    let end = try recorder.waitForEnd()
    #expect(end.opened.count == 1 && end.text == ": hello\n")
    #expect(end.ended.first == TransportFailure(.timeout, "GET \(server.origin)/: silent for 100 ms"))
  }

  @Test func connectingHasItsOwnTime() throws {
    let host = try UnansweringHost()
    defer { host.close() }
    var request = HTTPRequest(method: "GET", url: host.origin)
    request.connectTimeoutMilliseconds = 100
    #expect(try transport.fetch(request).failure?.kind == .timeout)
  }
}
