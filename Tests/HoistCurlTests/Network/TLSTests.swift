import HoistCore
import Testing

@testable import HoistCurl

/// TLS against `openssl s_server`: fail closed, with one clear line (G12, security checklist).
@Suite(.enabled(if: OpenSSL.isInstalled, "needs the openssl command"))
struct TLSTests {
  private let authority: TestAuthority
  private static let page = "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nover TLS"

  init() throws { authority = try TestAuthority.shared.get() }

  private func transport(
    authority file: String? = "ca.pem", changing change: (inout NetworkOptions) -> Void = { _ in }
  ) -> CurlTransport {
    CurlTransport(loop: .shared, withProxy: "") {
      $0.certificateAuthorityFile = file.map { authority.path($0) }
      change(&$0)
    }
  }

  private func server(
    _ certificate: String = "server", answer: String = page, _ arguments: String...
  ) throws -> TLSServer {
    try TLSServer(certificate: certificate, of: authority, answer: answer, arguments: arguments)
  }

  @Test func theConfiguredAuthorityIsTrusted() throws {
    let server = try server()
    defer { server.stop() }
    #expect(try transport().get(server.origin + "/page").response?.text == "over TLS")
  }

  @Test("HTTP/2 is spoken where the server offers it") func anOfferOfHTTP2IsTaken() throws {
    let server = try HTTP2Server(of: authority, body: "over HTTP/2")
    defer { server.stop() }
    let response = try transport().get(server.origin + "/page").response
    #expect(response?.status == 200 && response?.text == "over HTTP/2")
  }

  @Test func theVariableOfOpenSSLNamesAuthoritiesUnlessTheOptionDoes() throws {
    let server = try server()
    defer { server.stop() }
    func get(variable: String, option: String? = nil) throws -> Outcome {
      var options = NetworkOptions()
      (options.proxy, options.certificateAuthorityFile) = ("", option.map { authority.path($0) })
      let named = ["SSL_CERT_FILE": authority.path(variable)]
      return try CurlTransport(options: options, loop: .shared) { named[$0] }.get(server.origin + "/page")
    }
    #expect(try get(variable: "ca.pem").response?.text == "over TLS")
    #expect(try get(variable: "other-ca.pem").failure?.kind == .tls)
    #expect(try get(variable: "other-ca.pem", option: "ca.pem").response?.text == "over TLS")
    #expect(try get(variable: "ca.pem", option: "other-ca.pem").failure?.kind == .tls)
  }

  @Test("on Debian, Alpine, Fedora and SUSE the system's authorities are found by a libcurl that was built elsewhere")
  func systemsKeepTheirAuthoritiesInDifferentPlaces() {
    func found(_ there: String..., builtIn: String? = "/opt/build/ca.pem") -> String? {
      CertificateAuthorities.system(builtIn: builtIn, isThere: there.contains)
    }
    for place in CertificateAuthorities.places { #expect(found(place) == place) }
    #expect(found("/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt") == "/etc/pki/tls/certs/ca-bundle.crt")
    #expect(found("/etc/ssl/cert.pem", "/opt/build/ca.pem") == nil, "its own is as good")
    #expect(found("/etc/ssl/cert.pem", builtIn: nil) == "/etc/ssl/cert.pem")
    #expect(found() == nil)
  }

  @Test func anUnknownAuthorityIsRefused() throws {
    let server = try server()
    defer { server.stop() }
    for file in [nil, "other-ca.pem"] {
      let failure = try #require(try transport(authority: file).get(server.origin + "/page?secret").failure)
      #expect(failure.kind == .tls)
      #expect(failure.message.hasPrefix("GET \(server.origin)/page: SSL certificate problem"), "\(failure.message)")
    }
    // A connection made by one who trusts the server is not shared with one who does not.
    #expect(try transport().get(server.origin + "/page").response?.text == "over TLS")
    #expect(try transport(authority: nil).get(server.origin + "/page").failure?.kind == .tls)
  }

  @Test func aCertificateForAnotherHostIsRefused() throws {
    let server = try server("elsewhere")
    defer { server.stop() }
    #expect(try transport().get(server.origin + "/page").failure?.kind == .tls)
  }

  @Test func anExpiredCertificateIsRefused() throws {
    let server = try server("expired")
    defer { server.stop() }
    let failure = try #require(try transport().get(server.origin + "/page").failure)
    #expect(failure.kind == .tls && failure.message.contains("expired"), "\(failure.message)")
  }

  @Test func versionsBefore12AreRefused() throws {
    let server = try server("server", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
    defer { server.stop() }
    #expect(try transport().get(server.origin + "/page").failure?.kind == .tls)
  }

  @Test("A proxy is offered no version before 1.2, either, where it is spoken to by TLS") func proxies() throws {
    let offered = Trace()
    let proxy = try LoopbackServer { connection in
      offered.add(
        connection.readRecord().map { Self.versions(in: $0).map { String($0, radix: 16) }.joined(separator: " ") } ?? "")
    }
    defer { proxy.stop() }
    let failure = try transport { $0.proxy = "https://127.0.0.1:\(proxy.port)" }.get("http://host.invalid/page").failure
    #expect(failure?.kind == .tls && offered.words == ["304 303"])
  }

  /// The extension "supported_versions" of a ClientHello (RFC 8446 4.1.2, 4.2.1).
  private static func versions(in record: [UInt8]) -> [Int] {
    func number(_ at: Int, _ count: Int) -> Int { record.dropFirst(at).prefix(count).reduce(0) { $0 << 8 + Int($1) } }
    // After record, handshake, version and random: the session, ciphers and compressions, each with its length.
    var at = 5 + 4 + 2 + 32
    for count in [1, 2, 1] { at += count + number(at, count) }
    at += 2
    while at < record.count, number(at, 2) != 0x2B { at += 4 + number(at + 2, 2) }
    return stride(from: at + 5, to: at + 5 + number(at + 4, 1), by: 2).map { number($0, 2) }
  }

  @Test func version12IsEnough() throws {
    let server = try server("server", "-tls1_2")
    defer { server.stop() }
    #expect(try transport().get(server.origin + "/page").response?.text == "over TLS")
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func aClientCertificateIsShownWhereOneIsConfigured(version: String) throws {
    let server = try server("server", "-Verify", "1", "-verify_return_error", "-CAfile", authority.path("ca.pem"), version)
    defer { server.stop() }
    #expect(try transport().get(server.origin + "/page").failure?.kind == .tls)
    let known = transport {
      $0.clientCertificateFile = authority.path("client.pem")
      $0.clientKeyFile = authority.path("client.key")
    }
    #expect(try known.get(server.origin + "/page").response?.text == "over TLS")
    #expect(try transport().get(server.origin + "/page").failure?.kind == .tls, "not on the other's connection")
  }

  @Test func missingFilesAreNamedAsATLSFailure() throws {
    let server = try server()
    defer { server.stop() }
    #expect(try transport(authority: "missing.pem").get(server.origin + "/page").failure?.kind == .tls)
    let noKey = transport { $0.clientCertificateFile = authority.path("missing.pem") }
    #expect(try noKey.get(server.origin + "/page").failure?.kind == .tls)
  }

  @Test func aRedirectToPlainHTTPIsRefused() throws {
    let plain = try LoopbackServer.answering { _ in answer("200 OK", "plain") }
    defer { plain.stop() }
    let server = try server(answer: "HTTP/1.0 302 Found\r\nLocation: \(plain.origin)/x\r\n\r\n")
    defer { server.stop() }
    let failure = try #require(try transport().get(server.origin + "/page").failure)
    #expect(failure.kind == .other && failure.message.hasSuffix("a redirect from https to http, which is not followed"))
    #expect(plain.connectionCount == 0)
  }

  @Test func aRedirectFromPlainHTTPIsFollowedWithoutCredentials() throws {
    let server = try server()
    defer { server.stop() }
    let destination = server.origin + "/page"
    let plain = try LoopbackServer.answering { _ in answer("302 X", headers: ["Location: \(destination)"]) }
    defer { plain.stop() }
    #expect(try transport().get(plain.origin).response?.text == "over TLS")
  }

  @Test func aHandshakeThatStallsEndsWithTheConnectTime() throws {
    let server = try LoopbackServer { $0.waitForClose() }
    defer { server.stop() }
    var request = HTTPRequest(method: "GET", url: "https://127.0.0.1:\(server.port)/")
    request.connectTimeoutMilliseconds = 100
    #expect(try transport().fetch(request).failure?.kind == .timeout)
  }

  @Test func plainHTTPWhereTLSIsExpectedIsATLSFailure() throws {
    let server = try LoopbackServer { connection in
      connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
    }
    defer { server.stop() }
    #expect(try transport().get("https://127.0.0.1:\(server.port)/").failure?.kind == .tls)
  }

  @Test func aTunnelCarriesTLSAndNoCredentials() throws {
    let server = try server()
    defer { server.stop() }
    let port = server.port
    let proxy = try LoopbackServer { connection in
      if connection.readRequest()?.method == "CONNECT" { connection.tunnel(toPort: port) }
    }
    defer { proxy.stop() }
    var request = HTTPRequest(method: "GET", url: server.origin + "/page")
    request.headers = [HTTPHeader("Authorization", "for the origin only")]
    let response = try #require(try transport { $0.proxy = proxy.origin }.fetch(request).response)
    #expect(response.text == "over TLS")
    #expect(response.headers.map(\.name) == ["Content-Type"], "the proxy's own header is no part of the answer")
    #expect(proxy.requests.map(\.line) == ["CONNECT 127.0.0.1:\(port) HTTP/1.1"])
    #expect(proxy.requests.first?.header("Authorization") == nil)
  }
}
