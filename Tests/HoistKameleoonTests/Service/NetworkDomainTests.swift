import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("A network domain stands in for the service's own hosts (protocols/kameleoon.md 2.1; KAM-B07)")
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
    arguments: ["example", "exa mple.com", "-a.com", "a-.com", "a_b.com", "https://example.com/", "example.com:8080", "..", "é.com"])
  func noDomain(_ text: String) throws {
    let rig = try KameleoonRig(["network_domain": text], configuration: nil)
    #expect(rig.fetches.first?.url == "https://sdk-config.kameleoon.eu/v3/site")
    #expect(rig.logged("network_domain") == 1)
  }
}
