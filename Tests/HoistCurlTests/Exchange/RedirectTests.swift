import HoistCore
import Testing

@testable import HoistCurl

/// Redirects: bounded, never from https to http, credentials stay with their origin (G12).
@Suite struct RedirectTests {
  private let transport = CurlTransport(loop: .shared, withProxy: "")

  private static let credentials = [
    HTTPHeader("Authorization", "secret-1"), HTTPHeader("X-Api-Key", "secret-2"), HTTPHeader("Cookie", "secret-3"),
    HTTPHeader("Proxy-Authorization", "secret-4"), HTTPHeader("Unleash-InstanceId", "secret-5"),
    HTTPHeader("Accept", "application/json"), HTTPHeader("If-None-Match", "\"v1\""),
  ]

  @Test(arguments: [301, 302, 303, 307, 308])
  func aRedirectWithinTheOriginKeepsEveryHeader(status: Int) throws {
    let server = try LoopbackServer.answering { request in
      request.target == "/a?x=1"
        ? answer("\(status) Elsewhere", headers: ["Location: b/c?y=2#f"], "ignored") : answer("200 OK", "there")
    }
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin + "/a?x=1")
    request.headers = Self.credentials
    let response = try #require(try transport.fetch(request).response)
    #expect(response.status == 200 && response.text == "there")
    #expect(server.requests.map(\.target) == ["/a?x=1", "/b/c?y=2"])
    #expect(server.requests[0].headers == server.requests[1].headers)
    #expect(server.requests[1].headers.contains("Authorization: secret-1"))
    #expect(server.connectionCount == 1)
  }

  @Test(arguments: [301, 307])
  func aRedirectToAnotherOriginLosesWhateverCouldBeACredential(status: Int) throws {
    let other = try LoopbackServer.answering { _ in answer("200 OK", "there") }
    defer { other.stop() }
    let destination = "\(other.origin)/x"
    let server = try LoopbackServer.answering { _ in answer("\(status) Elsewhere", headers: ["location: \(destination)"]) }
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.headers = Self.credentials
    #expect(try transport.fetch(request).response?.text == "there")
    let received = try #require(other.requests.first)
    #expect(!received.headers.contains { $0.contains("secret") }, "\(received.headers)")
    #expect(received.header("Accept") == "application/json" && received.header("If-None-Match") == "\"v1\"")
    #expect(received.header("User-Agent") == "hoist")
  }

  @Test func credentialsInTheURLStayBehindToo() throws {
    let other = try LoopbackServer.answering { _ in answer("200 OK", "there") }
    defer { other.stop() }
    let destination = "\(other.origin)/x"
    let server = try LoopbackServer.answering { _ in answer("302 Elsewhere", headers: ["Location: \(destination)"]) }
    defer { server.stop() }
    #expect(try transport.get("http://user:secret@127.0.0.1:\(server.port)/").response?.text == "there")
    #expect(server.requests.first?.header("Authorization") == "Basic dXNlcjpzZWNyZXQ=")
    #expect(other.requests.first?.header("Authorization") == nil)
  }

  @Test func comingBackToTheFirstOriginDoesNotBringCredentialsBack() throws {
    let there = Trace()
    let server = try LoopbackServer.answering { request in
      request.target == "/" ? answer("302 Elsewhere", headers: ["Location: \(there.words[0])"]) : answer("200 OK", "back")
    }
    defer { server.stop() }
    let home = server.origin
    let other = try LoopbackServer.answering { _ in answer("302 Elsewhere", headers: ["Location: \(home)/back"]) }
    defer { other.stop() }
    there.add(other.origin)
    var request = HTTPRequest(method: "GET", url: server.origin)
    request.headers = Self.credentials
    #expect(try transport.fetch(request).response?.text == "back")
    #expect(server.requests.last?.target == "/back" && server.requests.last?.header("Authorization") == nil)
  }

  @Test(arguments: [
    (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
    (301, "REPORT", "REPORT"), (302, "PUT", "PUT"), (303, "REPORT", "GET"), (303, "HEAD", "HEAD"), (308, "REPORT", "REPORT"),
  ])
  func theMethodAfterARedirectIsThatOfTheStandard(status: Int, before: String, after: String) throws {
    let server = try LoopbackServer.answering { request in
      request.target == "/" ? answer("\(status) Elsewhere", headers: ["Location: /next"]) : "HTTP/1.1 204 Fine\r\n\r\n"
    }
    defer { server.stop() }
    var request = HTTPRequest(method: before, url: server.origin + "/")
    if before != "HEAD" {
      request.body = Array("payload".utf8)
      request.headers = [HTTPHeader("Content-Type", "text/plain")]
    }
    #expect(try transport.fetch(request).response?.status == 204)
    let last = try #require(server.requests.last)
    #expect(last.target == "/next" && last.method == after)
    let isKept = before == after && before != "HEAD"
    #expect(last.body == (isKept ? Array("payload".utf8) : []))
    #expect(last.header("Content-Type") == (isKept ? "text/plain" : nil))
  }

  @Test(
    "A body stays with its origin (G12): the redirect is not followed, so that nothing is lost",
    arguments: [
      (301, "PUT", ""), (307, "POST", ""), (308, "REPORT", ""), (301, "POST", "GET"), (303, "REPORT", "GET"), (307, "GET", "GET"),
    ])
  func aBodyGoesToNoOtherOrigin(status: Int, method: String, followedBy: String) throws {
    let other = try LoopbackServer.answering { _ in answer("200 OK", "there") }
    defer { other.stop() }
    let destination = "\(other.origin)/x"
    let server = try LoopbackServer.answering { _ in answer("\(status) Elsewhere", headers: ["Location: \(destination)"]) }
    defer { server.stop() }
    var request = HTTPRequest(method: method, url: server.origin + "/")
    if method != "GET" { request.body = Array("payload".utf8) }
    let result = try transport.fetch(request)
    if followedBy.isEmpty {
      #expect(result.failure?.kind == .other && result.failure?.message.contains("a redirect to another origin") == true)
      #expect(other.connectionCount == 0)
    } else {
      #expect(result.response?.text == "there" && other.requests.map(\.method) == [followedBy] && other.requests[0].body == [])
    }
  }

  @Test func theLimitIsReachedExactly() throws {
    let server = try LoopbackServer.answering { request in
      let step = Int(request.target.dropFirst()) ?? 0
      return step < 3 ? answer("302 Elsewhere", headers: ["Location: /\(step + 1)"]) : answer("200 OK", "there")
    }
    defer { server.stop() }
    let enough = CurlTransport(loop: .shared, withProxy: "") { $0.maximumRedirects = 3 }
    #expect(try enough.get(server.origin + "/0").response?.text == "there")
    let few = CurlTransport(loop: .shared, withProxy: "") { $0.maximumRedirects = 2 }
    let failure = try #require(try few.get(server.origin + "/0").failure)
    #expect(failure == TransportFailure(.other, "GET \(server.origin)/2: more than 2 redirects"))
  }

  @Test func aCircleEndsAtTheLimit() throws {
    let server = try LoopbackServer.answering { _ in answer("307 Elsewhere", headers: ["Location: /"]) }
    defer { server.stop() }
    #expect(try transport.get(server.origin).failure?.kind == .other)
    #expect(server.requests.count == 6)
  }

  @Test func withoutRedirectsAllowedTheAnswerIsHandedOn() throws {
    let server = try LoopbackServer.answering { _ in answer("302 Elsewhere", headers: ["Location: /x"], "body") }
    defer { server.stop() }
    let none = CurlTransport(loop: .shared, withProxy: "") { $0.maximumRedirects = 0 }
    let response = try #require(try none.get(server.origin).response)
    #expect(response.status == 302 && response.text == "body" && response.headers.value(of: "Location") == "/x")
  }

  @Test(arguments: [300, 304, 305, 306])
  func otherStatusesAreNotFollowed(status: Int) throws {
    let server = try LoopbackServer.answering { _ in answer("\(status) X", headers: ["Location: /x"]) }
    defer { server.stop() }
    #expect(try transport.get(server.origin).response?.status == status)
  }

  @Test func aRedirectWithoutLocationIsAnAnswer() throws {
    let server = try LoopbackServer.answering { _ in answer("302 Nowhere", "body") }
    defer { server.stop() }
    #expect(try transport.get(server.origin).response?.text == "body")
  }

  @Test(arguments: ["ftp://127.0.0.1/x", "file:///etc/passwd", "http://127.0.0.1:99999/", "gopher://127.0.0.1/"])
  func onlyHTTPAddressesAreFollowed(location: String) throws {
    let server = try LoopbackServer.answering { _ in answer("302 X", headers: ["Location: \(location)"]) }
    defer { server.stop() }
    #expect(try transport.get(server.origin).failure?.kind == .invalidURL)
  }

  @Test func aBlankInALocationIsEncoded() throws {
    let server = try LoopbackServer.answering { request in
      request.target == "/" ? answer("302 X", headers: ["Location: /a b\u{E9}"]) : answer("200 OK", "there")
    }
    defer { server.stop() }
    #expect(try transport.get(server.origin + "/").response?.text == "there")
    #expect(server.requests.last?.target.lowercased() == "/a%20b%c3%a9")
  }

  @Test func theBodyOfARedirectNeedNotBeWhole() throws {
    let server = try LoopbackServer { connection in
      guard let request = connection.readRequest() else { return }
      if request.target == "/" {
        connection.send("HTTP/1.1 302 X\r\nLocation: /next\r\nContent-Length: 100\r\n\r\nshort")
      } else {
        connection.send(answer("200 OK", "there"))
      }
    }
    defer { server.stop() }
    #expect(try transport.get(server.origin + "/").response?.text == "there")
  }

  @Test func anEndlessBodyOfARedirectIsNotWaitedFor() throws {
    let server = try LoopbackServer { connection in
      guard let request = connection.readRequest() else { return }
      guard request.target == "/" else {
        connection.send(answer("200 OK", "there"))
        return
      }
      connection.send("HTTP/1.1 302 X\r\nLocation: /next\r\n\r\n")
      while connection.send([UInt8](repeating: 0x61, count: 64 << 10)) {}
    }
    defer { server.stop() }
    #expect(try transport.get(server.origin + "/").response?.text == "there")
  }

  // MARK: Without a server

  @Test func fromHTTPSOnlyHTTPSIsFollowed() throws {
    // The refusal itself is tested over TLS in `TLSTests`; here, how addresses are told apart.
    NetworkLoop.prepare()
    let secure = try #require(RequestURL("https://Example.COM/a"))
    #expect(secure.resolving("http://example.com/a")?.origin.isSecure == false)
    #expect(secure.resolving("//example.com:443/b")?.origin == secure.origin)
    #expect(secure.resolving("HTTPS://EXAMPLE.com/b")?.origin == secure.origin)
    #expect(secure.resolving("https://example.com:444/")?.origin != secure.origin)
    #expect(secure.resolving("https://example.com.evil.test/")?.origin != secure.origin)
    #expect(secure.resolving("https://example.com@evil.test/")?.origin.host == "evil.test")
  }

  /// G7: what stands in messages.
  @Test func messagesShowOriginAndPathOnly() throws {
    NetworkLoop.prepare()
    let url = try #require(
      RequestURL("https://user:secret@Example.com:8443/meval/eyJraW5kIjoidXNlciIsImtleSI6ImEifQ==/x?key=secret#secret"))
    #expect(url.redacted == "https://example.com:8443/meval/***/x")
    #expect(RequestURL("http://[::1]/")?.redacted == "http://[::1]/")
    #expect(RequestURL("http://a")?.redacted == "http://a/")
  }
}
