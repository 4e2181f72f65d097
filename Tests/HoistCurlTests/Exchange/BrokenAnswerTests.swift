import CCurl
import HoistCore
import Testing

@testable import HoistCurl

/// Answers that are too large, cut off or no HTTP at all (G2, reliability 4.1).
@Suite struct BrokenAnswerTests {
  private let transport = CurlTransport(loop: .shared, withProxy: "")

  private func once(_ bytes: [UInt8], thenReset: Bool = false) throws -> LoopbackServer {
    try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(bytes)
      if thenReset { connection.reset() }
    }
  }

  private func once(_ text: String, thenReset: Bool = false) throws -> LoopbackServer {
    try once(Array(text.utf8), thenReset: thenReset)
  }

  // MARK: Size

  @Test func aBodyUpToTheLimitPassesAndOneByteMoreFails() throws {
    for head in ["Content-Length: 1000\r\n", ""] {
      let server = try once("HTTP/1.1 200 OK\r\n\(head)\r\n" + String(repeating: "x", count: 1000))
      defer { server.stop() }
      var request = HTTPRequest(method: "GET", url: server.origin + "/p?q=secret")
      request.maximumResponseBytes = 1000
      #expect(try transport.fetch(request).response?.body.count == 1000)
      request.maximumResponseBytes = 999
      let failure = try #require(try transport.fetch(request).failure)
      #expect(failure == TransportFailure(.tooLarge, "GET \(server.origin)/p: the answer is larger than 999 bytes"))
    }
  }

  @Test func anEndlessBodyEndsAtTheLimit() throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.send([UInt8](repeating: 0x61, count: 64 << 10)) {}
    }
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.maximumResponseBytes = 1 << 20
    #expect(try transport.fetch(request).failure?.kind == .tooLarge)
  }

  @Test func aCompressedBodyIsDecoded() throws {
    let server = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        let body = Gzip.stored(Array("plain text".utf8))
        connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.send(body)
      }
    }
    defer { server.stop() }
    #expect(try transport.get(server.origin).response?.text == "plain text")
  }

  @Test func aCompressedRunIsDecodedToItsLength() throws {
    // Shows that the bombs below really are what they claim; only the trailer's absence is an error.
    let server = try once(Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8) + Gzip.run(repeats: 1000))
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.maximumResponseBytes = 258_001
    #expect(try transport.fetch(request).failure?.kind != .tooLarge)
    request.maximumResponseBytes = 250_000
    #expect(try transport.fetch(request).failure?.kind == .tooLarge)
  }

  @Test func aCompressionBombIsCountedAfterDecoding() throws {
    // 130 kB on the wire, 20 MB unpacked.
    let bomb = Gzip.run(repeats: 80_000)
    #expect(bomb.count < 140_000)
    let server = try once(
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n".utf8) + bomb)
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.maximumResponseBytes = 1 << 20
    #expect(try transport.fetch(request).failure?.kind == .tooLarge)
  }

  @Test func aBodyThatIsNotCompressedAsClaimedFails() throws {
    let server = try once("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain")
    defer { server.stop() }
    #expect(try transport.get(server.origin).failure?.kind == .other)
  }

  @Test(arguments: [true, false])
  func aFloodOfHeadersEndsAtTheLimit(asOneLine: Bool) throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n" + (asOneLine ? "X: " : ""))
      let piece = asOneLine ? "yyyyyyyyyyyyyyyy" : "X-Flood: yyyyyyyyyyyyyyyy\r\n"
      while connection.send(String(repeating: piece, count: 512)) {}
    }
    defer { server.stop() }
    let failure = try #require(try transport.get(server.origin).failure)
    if asOneLine {
      // libcurl's own limit of one line.
      #expect(failure.kind != .timeout)
    } else {
      #expect(failure == TransportFailure(.tooLarge, "GET \(server.origin)/: the header is larger than 131072 bytes"))
    }
  }

  @Test func aHeaderUpToTheLimitPassesAndOneByteMoreFails() throws {
    let text = answer(headers: ["X-Long: " + String(repeating: "y", count: 500)])
    let server = try once(text)
    defer { server.stop() }
    let roomy = CurlTransport(loop: .shared, withProxy: "") { $0.maximumHeaderBytes = text.utf8.count }
    #expect(try roomy.get(server.origin).response?.status == 200)
    let narrow = CurlTransport(loop: .shared, withProxy: "") { $0.maximumHeaderBytes = text.utf8.count - 1 }
    #expect(try narrow.get(server.origin).failure?.kind == .tooLarge)
  }

  // MARK: Cut off

  @Test func aBodyShorterThanItsLengthIsAFailure() throws {
    let server = try once("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"flags\":")
    defer { server.stop() }
    #expect(try transport.get(server.origin).failure?.kind == .connectionReset)
  }

  @Test func aBodyLongerThanItsLengthIsCutThere() throws {
    let server = try once("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}{\"flags\":1}")
    defer { server.stop() }
    #expect(try transport.get(server.origin).response?.text == "{}")
  }

  @Test(arguments: ["5\r\nabcde\r\n", "5\r\nab", "zz\r\nabcde\r\n0\r\n\r\n", "5\r\nabcdeX\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\n"])
  func brokenChunksAreAFailure(body: String) throws {
    let server = try once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
    defer { server.stop() }
    let failure = try #require(try transport.get(server.origin).failure)
    #expect(failure.kind == .connectionReset || failure.kind == .other)
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
  func aResetIsAFailure(before: String) throws {
    let server = try once(before, thenReset: true)
    defer { server.stop() }
    #expect(try transport.get(server.origin).failure?.kind == .connectionReset)
  }

  @Test func aCloseWithoutAnswerIsAFailure() throws {
    let server = try once("")
    defer { server.stop() }
    #expect(try transport.get(server.origin).failure?.kind == .connectionReset)
  }

  @Test(arguments: ["hello\r\n\r\n", "<html></html>", "HTTP/1.1 abc\r\n\r\n", "SSH-2.0-x\r\n"])
  func whatIsNoHTTPIsAFailure(text: String) throws {
    let server = try once(text)
    defer { server.stop() }
    let failure = try #require(try transport.get(server.origin).failure)
    #expect(failure.kind == .other || failure.kind == .connectionReset)
    #expect(failure.message.hasPrefix("GET \(server.origin)/: "))
  }

  @Test func nobodyListeningIsUnreachable() throws {
    let server = try LoopbackServer { _ in }
    let origin = server.origin
    server.stop()
    let failure = try #require(try transport.get(origin + "/path?token=secret").failure)
    #expect(failure.kind == .unreachable)
    #expect(failure.message.hasPrefix("GET \(origin)/path: ") && !failure.message.contains("secret"))
  }

  @Test func anUnknownHostIsUnreachable() throws {
    #expect(try transport.get("http://host.invalid/").failure?.kind == .unreachable)
  }

  // MARK: Words

  @Test func libcurlsWordsAreNotRepeatedWhenTheyQuoteAnAddress() {
    NetworkLoop.prepare()
    let quoting = TransferFailure.of(CURLE_COULDNT_RESOLVE_PROXY, detail: "Unsupported proxy 'user:secret@host'")
    #expect(quoting == TransportFailure(.unreachable, "Couldn't resolve proxy name"))
    let lines = TransferFailure.of(CURLE_OK, detail: "one\r\ntwo\u{1B}[31m" + String(repeating: "x", count: 999))
    #expect(lines.message.hasPrefix("one  two [31m") && lines.message.utf8.count == 256)
  }
}
