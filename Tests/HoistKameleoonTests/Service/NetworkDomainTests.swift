import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("A network domain stands in for the service's own hosts (KAM-B07, protocols/kameleoon.md 2.1; starting)")
struct NetworkDomainTests {
  @Test func everyHostIsOneOfTheDomain() throws {
    let rig = try KameleoonRig(["network_domain": "HTTPS://.Example.com.", "site_code": "x"], configuration: nil)
    let addresses = rig.provider.addresses
    #expect(addresses.configuration(at: 5) == "https://sdk-config.example.com/v3/x?ts=5")
    #expect(addresses.stream == "https://events.example.com:8110/sse?siteCode=x")
    #expect(addresses.token == "https://api.example.com/oauth/token?sdkName=SWIFT&sdkVersion=4.25.0&siteCode=x")
    #expect(addresses.remoteData(key: "a/b") == "https://data.example.com/map/map?siteCode=x&key=a%2Fb")
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration(domain: "eu-data.kameleoon.io")))
    #expect(addresses.visitorData == "https://eu-data.example.com/visit/visitor?siteCode=x")
  }

  @Test(
    "What is no domain is told of, and the service's own hosts stay",
    arguments: [
      "example", "exa mple.com", "-a.com", "a-.com", "a_b.com", "https://example.com/", "example.com:8080", "..", "é.com",
    ])
  func noDomain(_ text: String) throws {
    let rig = try KameleoonRig(["network_domain": text], configuration: nil)
    #expect(rig.fetches.first?.url == "https://sdk-config.kameleoon.eu/v3/site")
    #expect(rig.logged("network_domain") == 1)
  }

  /// A client with credentials asks for data; the addresses that were asked, and with what.
  private func asked(_ properties: [String: String]) throws -> [String] {
    let credentials = ["client_id": "cid", "client_secret": "csecret"]
    let rig = try KameleoonRig(properties.merging(credentials) { $1 }) { request in
      request.url.contains("/oauth/token") ? answer(200, #"{"access_token":"tok","expires_in":7200}"#) : answer(200, "{}")
    }
    #expect(try rig.visitor("anna").ask(.data(key: bytes("k")), completion: nil) == .ok)
    for _ in 0..<10 { rig.scheduler.run() }
    return rig.transport.requests.filter { !$0.url.contains("/v3/") }.map { request in
      let host = request.url.split(separator: "/").dropFirst().first ?? ""
      return "\(host) \(request.headers.value(of: "Authorization") ?? "-")"
    }
  }

  @Test("Ready, what is no domain: the secret goes to no host that nobody has named (KAM-08; ready)") func theSecretStays() throws
  {
    let basic = "Basic Y2lkOmNzZWNyZXQ="
    #expect(try asked([:]) == ["api.kameleoon.com \(basic)", "data.kameleoon.io Bearer tok"])
    #expect(try asked(["network_domain": "example.com"]) == ["api.example.com \(basic)", "data.example.com Bearer tok"])
    #expect(try asked(["network_domain": "exa mple.com"]) == ["data.kameleoon.io -"])
    let named = ["network_domain": "exa mple.com", "token.url": "https://t.example.com"]
    #expect(try asked(named) == ["t.example.com \(basic)", "data.kameleoon.io Bearer tok"])
  }

  @Test(
    "Starting, one of the two credentials is missing: that is told, without a word of the other (KAM-08; starting)",
    arguments: [
      (["client_id": "cid"], "client_id without client_secret"), (["client_secret": "hush"], "client_secret without client_id"),
      ([:], nil), (["client_id": "cid", "client_secret": "hush"], nil),
    ] as [([String: String], String?)])
  func halfOfTheCredentials(_ properties: [String: String], _ told: String?) throws {
    let rig = try KameleoonRig(properties)
    rig.deliver()
    let lines = rig.log.messages(.warning).filter { $0.contains("client_") }
    #expect(lines.count == (told == nil ? 0 : 1) && lines.allSatisfy { $0.contains(told ?? "") })
    #expect(rig.logged("cid") == 0 && rig.logged("hush") == 0)
  }
}
