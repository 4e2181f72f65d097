import HoistCore
import Testing

@testable import HoistCurl

/// What goes over the wire, and what a plain answer becomes.
@Suite struct RequestTests {
  private let transport = CurlTransport(loop: .shared, withProxy: "")

  @Test func aRequestCarriesWhatWasAskedForAndNothingElse() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin + "/a%20b?c=d")
    request.headers = [HTTPHeader("X-One", "1"), HTTPHeader("x-one", "2"), HTTPHeader("X-Trimmed", " \t v w\t ")]
    #expect(try transport.fetch(request).response?.status == 200)
    let received = try #require(server.requests.first)
    #expect(received.line == "GET /a%20b?c=d HTTP/1.1")
    #expect(
      received.headers.filter { !$0.hasPrefix("Accept-Encoding: ") } == [
        "Host: 127.0.0.1:\(server.port)", "X-One: 1", "x-one: 2", "X-Trimmed: v w", "User-Agent: hoist",
      ])
    #expect(received.header("Accept-Encoding")?.contains("gzip") == true)
    #expect(received.body.isEmpty)
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "REPORT", "DELETE", "QUERY"])
  func anyMethodMayHaveABody(method: String) throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    let body = Array("{\"kind\":\"user\"}\0\r\n".utf8)
    var request = HTTPRequest(method: method, url: server.origin + "/", body: body)
    request.headers = [HTTPHeader("Content-Type", "application/json")]
    #expect(try transport.fetch(request).response?.status == 200)
    let received = try #require(server.requests.first)
    #expect(received.line == "\(method) / HTTP/1.1")
    #expect(received.header("Content-Length") == "\(body.count)")
    #expect(received.header("Content-Type") == "application/json")
    #expect(received.header("Expect") == nil)
    #expect(received.body == body)
  }

  @Test func aLargeBodyIsSentWithoutAskingFirst() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    let body = [UInt8](repeating: 0x61, count: 3 << 20)
    #expect(try transport.fetch(HTTPRequest(method: "POST", url: server.origin, body: body)).response?.status == 200)
    let received = try #require(server.requests.first)
    #expect(received.body == body)
    #expect(received.header("Expect") == nil && received.header("Content-Type") == nil)
  }

  @Test func aPostWithoutBodyStatesItsLengthAndOthersDoNot() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    for method in ["POST", "PUT", "REPORT", "DELETE", "GET"] {
      #expect(try transport.fetch(HTTPRequest(method: method, url: server.origin)).response?.status == 200)
    }
    #expect(server.requests.map(\.method) == ["POST", "PUT", "REPORT", "DELETE", "GET"])
    #expect(server.requests.map { $0.header("Content-Length") } == ["0", "0", nil, nil, nil])
  }

  @Test func anEmptyHeaderIsSent() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.headers = [HTTPHeader("X-Empty", ""), HTTPHeader("X-Blank", " \t"), HTTPHeader("Accept", "")]
    _ = try transport.fetch(request)
    let headers = try #require(server.requests.first).headers
    for expected in ["X-Empty:", "X-Blank:", "Accept:"] { #expect(headers.contains(expected), "\(headers)") }
  }

  @Test func framingHeadersAreTheTransportsToSay() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    var request = HTTPRequest(method: "POST", url: server.origin, body: Array("four".utf8))
    request.headers = [
      HTTPHeader("content-length", "400"), HTTPHeader("Transfer-Encoding", "chunked"), HTTPHeader("EXPECT", "x"),
    ]
    #expect(try transport.fetch(request).response?.status == 200)
    let received = try #require(server.requests.first)
    #expect(received.headers.filter { $0.lowercased().hasPrefix("content-length") } == ["Content-Length: 4"])
    #expect(received.header("Transfer-Encoding") == nil && received.header("Expect") == nil)
    #expect(received.body == Array("four".utf8))
  }

  @Test func theCallersUserAgentAndAcceptWin() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.headers = [HTTPHeader("user-agent", "Mine/1"), HTTPHeader("accept", "text/plain")]
    _ = try transport.fetch(request)
    let headers = try #require(server.requests.first).headers
    #expect(headers.filter { $0.lowercased().hasPrefix("user-agent") } == ["user-agent: Mine/1"])
    #expect(headers.filter { $0.lowercased().hasPrefix("accept:") } == ["accept: text/plain"])
  }

  /// Security checklist "header injection".
  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "a\u{1}b", "a\u{7F}b"])
  func aHeaderValueWithAControlCharacterIsRefusedByName(value: String) throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.headers = [HTTPHeader("X-Fine", "1"), HTTPHeader("X-Bad", value)]
    let failure = try #require(try transport.fetch(request).failure)
    #expect(failure.kind == .other)
    #expect(failure.message.contains("X-Bad") && !failure.message.contains("Evil"))
    #expect(server.connectionCount == 0)
  }

  @Test func otherPlacesForInjectionAreRefusedToo() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    var badName = HTTPRequest(method: "GET", url: server.origin)
    badName.headers = [HTTPHeader("X-A: 1\r\nX-B", "2")]
    #expect(try transport.fetch(badName).failure?.kind == .other)
    let badMethod = HTTPRequest(method: "GET / HTTP/1.1\r\nX-A: 1\r\n", url: server.origin)
    #expect(try transport.fetch(badMethod).failure?.kind == .other)
    var options = NetworkOptions()
    options.proxy = ""
    options.userAgent = "a\r\nX-A: 1"
    #expect(try CurlTransport(options: options).get(server.origin).failure?.message.contains("User-Agent") == true)
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: [
    "", "x", "/path", "//host/path", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http:///x", "https://",
    "http://127.0.0.1:99999/", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y", "http://127.0.0.1/\0", "http://ä/",
    "gopher://127.0.0.1/", "http://[::1/", "javascript:alert(1)",
  ])
  func whatIsNoAbsoluteHTTPAddressIsRefused(url: String) throws {
    let failure = try #require(try transport.get(url).failure)
    #expect(failure.kind == .invalidURL)
    #expect(failure.message == "GET: the URL is no absolute http or https address in ASCII")
  }

  // MARK: Answers

  @Test(arguments: [200, 204, 205, 300, 304, 400, 401, 403, 404, 405, 410, 418, 429, 500, 503, 599])
  func anyStatusIsAnAnswer(status: Int) throws {
    let server = try LoopbackServer.answering { _ in "HTTP/1.1 \(status) Whatever\r\nContent-Length: 0\r\nETag: \"v1\"\r\n\r\n" }
    defer { server.stop() }
    let response = try #require(try transport.get(server.origin).response)
    #expect(response.status == status)
    #expect(response.headers.value(of: "etag") == "\"v1\"")
    #expect(response.body.isEmpty)
  }

  @Test func headersKeepOrderAndDuplicatesAndCompareWithoutCase() throws {
    let server = try LoopbackServer.answering { _ in
      answer(headers: ["X-A: 1", "x-a: 2", "X-Empty:", "X-Folded: one", "  two", "X-Blanks: \t v \t"], "body")
    }
    defer { server.stop() }
    let response = try #require(try transport.get(server.origin).response)
    #expect(response.headers.filter { $0.name.lowercased() == "x-a" } == [HTTPHeader("X-A", "1"), HTTPHeader("x-a", "2")])
    #expect(response.headers.value(of: "x-EMPTY") == "")
    #expect(response.headers.value(of: "X-Folded") == "one two")
    #expect(response.headers.value(of: "X-Blanks") == "v")
    #expect(response.text == "body")
  }

  @Test func interimAnswersAndTrailersAreNoPartOfTheHeader() throws {
    let server = try LoopbackServer.answering { _ in
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: 1\r\n\r\n"
        + "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n"
    }
    defer { server.stop() }
    let response = try #require(try transport.get(server.origin).response)
    #expect(response.status == 200 && response.text == "abcde")
    #expect(response.headers.map(\.name) == ["Transfer-Encoding", "X"])
  }

  @Test func aHeadRequestHasNoBodyWhateverTheLengthSays() throws {
    let server = try LoopbackServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n" }
    defer { server.stop() }
    let response = try #require(try transport.fetch(HTTPRequest(method: "HEAD", url: server.origin)).response)
    #expect(response.headers.value(of: "Content-Length") == "400" && response.body.isEmpty)
    #expect(server.requests.first?.method == "HEAD")
  }

  @Test("A body goes out as gzip when the request wants it, with the same bytes each time (LD-84; no client)")
  func aBodyCanBeCompressed() throws {
    // Sends back what it got: libcurl unpacks it, if it is what it is said to be.
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(request.body.count)\r\n\r\n"
        connection.send(Array(head.utf8) + request.body)
      }
    }
    defer { server.stop() }
    let text = String(repeating: #"{"kind":"feature","key":"flag"},"#, count: 4000)
    for body in [text, "[]"] {
      var request = HTTPRequest(method: "POST", url: server.origin, body: Array(body.utf8))
      request.compressesBody = true
      for _ in 0..<2 { #expect(try transport.fetch(request).response?.text == body) }
    }
    let received = server.requests
    #expect(received.map { $0.header("Content-Encoding") } == ["gzip", "gzip", "gzip", "gzip"])
    #expect(received.first.map { $0.body.count < text.utf8.count / 20 } == true)
    #expect(received.map(\.body)[0] == received.map(\.body)[1])
  }

  @Test func whereThereIsNoBodyNothingIsCompressed() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    for body in [nil, []] as [[UInt8]?] {
      var request = HTTPRequest(method: "POST", url: server.origin, body: body)
      request.compressesBody = true
      #expect(try transport.fetch(request).response?.status == 200)
    }
    #expect(server.requests.map { $0.header("Content-Encoding") } == [nil, nil])
  }

  @Test func connectionsAreReusedAcrossTransportsAndRequests() throws {
    let server = try LoopbackServer.answering { _ in answer("200 OK", "x") }
    defer { server.stop() }
    for _ in 0..<10 { #expect(try CurlTransport(loop: .shared, withProxy: "").get(server.origin).response?.status == 200) }
    #expect(server.requests.count == 10)
    #expect(server.connectionCount == 1)
  }

  @Test func aConnectionThatDiedWhileIdleIsReplacedUnnoticed() throws {
    let server = try LoopbackServer { connection in
      if connection.readRequest() != nil { connection.send(answer("200 OK", "x")) }
    }
    defer { server.stop() }
    for _ in 0..<3 { #expect(try transport.get(server.origin).response?.text == "x") }
    #expect(server.connectionCount == 3)
  }

  @Test func aHundredRequestsInARowSucceed() throws {
    let server = try LoopbackServer.answering { request in answer("200 OK", request.target) }
    defer { server.stop() }
    for index in 0..<100 { #expect(try transport.get("\(server.origin)/\(index)").response?.text == "/\(index)") }
  }

  @Test func manyRequestsAtOnceEachGetTheirOwnAnswer() throws {
    let server = try LoopbackServer.answering { request in answer("200 OK", request.target) }
    defer { server.stop() }
    let ends = (0..<30).map { index -> Promise<Outcome> in
      let end = Promise<Outcome>()
      _ = transport.send(HTTPRequest(method: "GET", url: "\(server.origin)/\(index)")) { end.fulfil($0) }
      return end
    }
    for (index, end) in ends.enumerated() { #expect(try end.wait().response?.text == "/\(index)") }
  }

  @Test func completionsRunOnTheNetworkThread() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    let isThere = Promise<Bool>()
    _ = transport.send(HTTPRequest(method: "GET", url: server.origin)) { _ in isThere.fulfil(NetworkLoop.shared.isCurrent) }
    #expect(try isThere.wait())
    #expect(!NetworkLoop.shared.isCurrent)
  }
}

extension CurlTransport {
  /// A transport whose way to the network does not depend on the environment of the test run.
  convenience init(loop: NetworkLoop, withProxy proxy: String, changing change: (inout NetworkOptions) -> Void = { _ in }) {
    var options = NetworkOptions()
    options.proxy = proxy
    change(&options)
    self.init(options: options, loop: loop)
  }
}
