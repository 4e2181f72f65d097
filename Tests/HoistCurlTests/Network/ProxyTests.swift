import HoistCore
import Testing

@testable import HoistCurl

/// The way through a proxy.
@Suite struct ProxyTests {
  private func transport(
    proxy: String?, environment: [String: String] = [:]
  ) -> CurlTransport {
    var options = NetworkOptions()
    options.proxy = proxy
    return CurlTransport(options: options, loop: .shared) { environment[$0] }
  }

  @Test func aProxyOptionTakesRequestsForEveryHost() throws {
    let proxy = try LoopbackServer.answering { _ in answer("200 OK", "from the proxy") }
    defer { proxy.stop() }
    let transport = transport(proxy: proxy.origin, environment: ["no_proxy": "*", "http_proxy": "http://127.0.0.1:1"])
    #expect(try transport.get("http://host.invalid/x?y").response?.text == "from the proxy")
    #expect(proxy.requests.first?.line == "GET http://host.invalid/x?y HTTP/1.1")
    #expect(proxy.requests.first?.header("Proxy-Authorization") == nil)
  }

  @Test func credentialsOfTheProxyGoToTheProxy() throws {
    let proxy = try LoopbackServer.answering { _ in answer("407 Proxy Authentication Required") }
    defer { proxy.stop() }
    let transport = transport(proxy: "http://user:secret@127.0.0.1:\(proxy.port)")
    #expect(try transport.get("http://host.invalid/").response?.status == 407)
    #expect(proxy.requests.first?.header("Proxy-Authorization") == "Basic dXNlcjpzZWNyZXQ=")
  }

  @Test func theEmptyOptionGoesStraight() throws {
    let server = try LoopbackServer.answering { _ in answer("200 OK", "straight") }
    defer { server.stop() }
    let environment = ["http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"]
    #expect(try transport(proxy: "", environment: environment).get(server.origin).response?.text == "straight")
  }

  @Test func withoutOptionTheEnvironmentDecides() throws {
    let proxy = try LoopbackServer.answering { _ in answer("200 OK", "from the proxy") }
    defer { proxy.stop() }
    let server = try LoopbackServer.answering { _ in answer("200 OK", "straight") }
    defer { server.stop() }
    let environment = ["http_proxy": proxy.origin]
    #expect(try transport(proxy: nil, environment: environment).get(server.origin).response?.text == "from the proxy")
    let excepted = ["http_proxy": proxy.origin, "no_proxy": "localhost,127.0.0.1"]
    #expect(try transport(proxy: nil, environment: excepted).get(server.origin).response?.text == "straight")
    #expect(try transport(proxy: nil).get(server.origin).response?.text == "straight")
  }

  @Test func aProxyThatRefusesATunnelIsUnreachable() throws {
    let proxy = try LoopbackServer.answering { _ in answer("403 Forbidden") }
    defer { proxy.stop() }
    let transport = transport(proxy: "http://user:secret@127.0.0.1:\(proxy.port)")
    var request = HTTPRequest(method: "GET", url: "https://host.invalid/path")
    request.headers = [HTTPHeader("Authorization", "for the origin only")]
    let failure = try #require(try transport.fetch(request).failure)
    #expect(failure == TransportFailure(.unreachable, "GET https://host.invalid/path: the proxy refuses with status 403"))
    let received = try #require(proxy.requests.first)
    #expect(received.line == "CONNECT host.invalid:443 HTTP/1.1")
    #expect(received.header("Authorization") == nil)
    #expect(received.header("Proxy-Authorization") == "Basic dXNlcjpzZWNyZXQ=")
  }

  @Test(arguments: [
    "http://user:secret@127.0.0.1:1", "ftp://user:secret@127.0.0.1:1", "http://user:secret@host.invalid",
    "http://user:secret@[::",
  ])
  func noMessageHoldsTheProxysPassword(proxy: String) throws {
    let failure = try #require(try transport(proxy: proxy).get("http://host.invalid/").failure)
    #expect(!failure.message.contains("secret"), "\(failure.message)")
    #expect(failure.message.hasPrefix("GET http://host.invalid/: "))
  }
}

/// Which variable counts, as libcurl has it.
@Suite struct ProxySettingsTests {
  private func settings(_ environment: [String: String], option: String? = nil) -> [String] {
    let settings = ProxySettings(option: option) { environment[$0] }
    return [settings.plain, settings.secure, settings.exceptions]
  }

  @Test func everySchemeHasItsVariableAndOneServesAll() {
    #expect(settings([:]) == ["", "", ""])
    #expect(settings(["http_proxy": "a", "https_proxy": "b", "no_proxy": "c"]) == ["a", "b", "c"])
    #expect(settings(["HTTPS_PROXY": "b", "NO_PROXY": "c", "ALL_PROXY": "d"]) == ["d", "b", "c"])
    #expect(settings(["all_proxy": "d", "ALL_PROXY": "e"]) == ["d", "d", ""])
    #expect(settings(["https_proxy": "", "HTTPS_PROXY": "b"]) == ["", "b", ""], "an empty variable is none")
  }

  @Test func httpProxyInCapitalsIsNotTrusted() {
    #expect(settings(["HTTP_PROXY": "evil"]) == ["", "", ""])
  }

  @Test func anOptionLeavesTheEnvironmentOut() {
    let environment = ["http_proxy": "a", "https_proxy": "b", "no_proxy": "c"]
    #expect(settings(environment, option: "x") == ["x", "x", ""])
    #expect(settings(environment, option: "") == ["", "", ""])
  }
}
