import HoistBase
import HoistCore
import Testing

@testable import HoistCurl

/// Long-lived answers.
@Suite struct StreamTests {
  private let transport = CurlTransport(loop: .shared, withProxy: "")

  @Test func bytesAreHandedOnAsTheyCome() throws {
    let recorder = StreamRecorder()
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n")
      guard (try? recorder.wait("opening", until: { $0.opened.count == 1 })) != nil else { return }
      connection.send("5\r\nfirst\r\n")
      guard (try? recorder.wait("first chunk", until: { $0.text == "first" })) != nil else { return }
      connection.send("6\r\nsecond\r\n0\r\n\r\n")
    }
    defer { server.stop() }
    _ = transport.openStream(HTTPRequest(method: "GET", url: server.origin), handler: recorder)
    let end = try recorder.waitForEnd()
    #expect(end.opened.first?.status == 200 && end.opened.first?.headers.value(of: "x-a") == "1")
    #expect(end.text == "firstsecond" && end.chunks == 2)
    #expect(end.ended == [nil] && end.faults.isEmpty)
    #expect(server.requests.first?.header("Accept-Encoding") == nil)
  }

  @Test func aReportCarriesItsBody() throws {
    let server = try LoopbackServer.answering { _ in answer("200 OK", "data: x\n\n") }
    defer { server.stop() }
    let recorder = StreamRecorder()
    let body = Array("{\"kind\":\"user\"}".utf8)
    _ = transport.openStream(HTTPRequest(method: "REPORT", url: server.origin, body: body), handler: recorder)
    #expect(try recorder.waitForEnd().text == "data: x\n\n")
    #expect(server.requests.first?.method == "REPORT" && server.requests.first?.body == body)
  }

  @Test func aStreamMayExceedTheLimitOfAnAnswer() throws {
    let server = try LoopbackServer.answering { _ in answer("200 OK", String(repeating: "x", count: 300_000)) }
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.maximumResponseBytes = 10
    let recorder = StreamRecorder()
    _ = transport.openStream(request, handler: recorder)
    let end = try recorder.waitForEnd()
    #expect(end.bytes.count == 300_000 && end.ended == [nil])
  }

  @Test func anErrorStatusOpensLikeAnyOther() throws {
    let server = try LoopbackServer.answering { _ in answer("401 Unauthorized", "no") }
    defer { server.stop() }
    let recorder = StreamRecorder()
    _ = transport.openStream(HTTPRequest(method: "GET", url: server.origin), handler: recorder)
    let end = try recorder.waitForEnd()
    #expect(end.opened.map(\.status) == [401] && end.text == "no" && end.ended == [nil])
  }

  @Test func aStreamThatBreaksOffFails() throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n")
    }
    defer { server.stop() }
    let recorder = StreamRecorder()
    _ = transport.openStream(HTTPRequest(method: "GET", url: server.origin), handler: recorder)
    let end = try recorder.waitForEnd()
    #expect(end.text == "first" && end.ended.count == 1 && end.ended[0]?.kind == .connectionReset)
  }

  @Test func withoutAnAnswerItEndsUnopened() throws {
    let server = try LoopbackServer { _ in }
    let origin = server.origin
    server.stop()
    let recorder = StreamRecorder()
    _ = transport.openStream(HTTPRequest(method: "GET", url: origin), handler: recorder)
    let end = try recorder.waitForEnd()
    #expect(end.opened.isEmpty && end.ended.count == 1 && end.ended[0] != nil)
  }

  @Test func redirectsAreFollowedBeforeItOpens() throws {
    let server = try LoopbackServer.answering { request in
      request.target == "/" ? answer("307 X", headers: ["Location: /stream"], "not for the handler") : answer("200 OK", "data")
    }
    defer { server.stop() }
    let recorder = StreamRecorder()
    _ = transport.openStream(HTTPRequest(method: "GET", url: server.origin + "/"), handler: recorder)
    let end = try recorder.waitForEnd()
    #expect(end.opened.map(\.status) == [200] && end.text == "data" && end.ended == [nil])
  }

  @Test func cancellingClosesTheConnection() throws {
    let closed = Promise<Void>()
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n\r\n: hello\n")
      connection.waitForClose()
      closed.fulfil()
    }
    defer { server.stop() }
    let recorder = StreamRecorder()
    let stream = transport.openStream(HTTPRequest(method: "GET", url: server.origin), handler: recorder)
    _ = try recorder.wait("first bytes", until: { $0.text == ": hello\n" })
    stream.cancel()
    #expect(try recorder.waitForEnd().ended.map { $0?.kind } == [.cancelled])
    try closed.wait()
  }

  @Test func cancellingWhileReceivingIsTheLastThatIsReceived() throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.send([UInt8](repeating: 0x61, count: 64 << 10)) {}
    }
    defer { server.stop() }
    let handle = Handle()
    let recorder = StreamRecorder { state in
      if state.chunks == 3 { handle.stream?.cancel() }
    }
    // On the loop's thread, so that the handle is there before the first byte.
    NetworkLoop.shared.post {
      handle.stream = transport.openStream(HTTPRequest(method: "GET", url: server.origin), handler: recorder)
    }
    let end = try recorder.waitForEnd()
    #expect(end.chunks == 3 && end.ended.map { $0?.kind } == [.cancelled] && end.faults.isEmpty)
  }

  private final class Handle: @unchecked Sendable {
    var stream: (any Cancellable)?
  }

  @Test func aStreamAndRequestsShareTheThread() throws {
    let release = Promise<Void>()
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        if request.target == "/stream" {
          connection.send("HTTP/1.1 200 OK\r\n\r\n")
          _ = try? release.wait()
          connection.send("done")
          return
        }
        connection.send(answer("200 OK", "x"))
      }
    }
    defer { server.stop() }
    let recorder = StreamRecorder()
    _ = transport.openStream(HTTPRequest(method: "GET", url: server.origin + "/stream"), handler: recorder)
    _ = try recorder.wait("opening", until: { $0.opened.count == 1 })
    for _ in 0..<20 { #expect(try transport.get(server.origin + "/poll").response?.text == "x") }
    release.fulfil()
    #expect(try recorder.waitForEnd().text == "done")
  }

  @Test func messagesComeThroughParserAndTransportTogether() throws {
    final class Reader: StreamHandler, @unchecked Sendable {
      private var parser = ServerSentEventParser()
      private var items: [ServerSentEventItem] = []
      let ended = Promise<[ServerSentEventItem]>()
      func streamOpened(_ head: HTTPResponse) {}
      func streamReceived(_ bytes: UnsafeRawBufferPointer) { items += parser.feed(bytes) }
      func streamEnded(_ failure: TransportFailure?) { ended.fulfil(items) }
    }
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for byte in "event: put\r\ndata: {\"é\":1}\r\n\r\n: ping\n".utf8 {
        connection.send(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8))
      }
      connection.send("0\r\n\r\n")
    }
    defer { server.stop() }
    let reader = Reader()
    _ = transport.openStream(HTTPRequest(method: "GET", url: server.origin), handler: reader)
    let put = ServerSentEvent(type: "put", data: Array("{\"é\":1}".utf8))
    #expect(try reader.ended.wait() == [.event(put), .comment])
  }
}
