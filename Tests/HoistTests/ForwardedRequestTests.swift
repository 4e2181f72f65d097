@testable import Hoist
@testable import HoistCore
import HoistTestSupport
import Testing

/// What of a record is the service's own: where it goes, with which headers, and how it comes apart.
@Suite("Where forwarded batches go, service by service") struct ForwardedRequestTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var service: String
    var pipeline: String
    var path: String
    var body: String
    /// As it goes, and a half of it; nil where it has none.
    var url: String
    var half: String?
    /// Of headers, by name.
    var headers: [String: String]
    var properties: [String: String]
    var testDescription: String { "\(service), \(pipeline) to \(url)" }
  }

  private static let unleash = ["url": "https://flags.test/api", "key": "default:production.secret", "app_name": "shop"]
  private static let flagship = ["env_id": "env", "api_key": "key"]
  private static let european = #"{"account_id":"1","region":"EU","visitors":[{"visitor_id":"a"},{"visitor_id":"b"}]}"#

  static let cases = [
    Case(
      service: "unleash", pipeline: "metrics", path: "/api/client/metrics", body: #"{"appName":"shop-2","bucket":{}}"#,
      url: "https://flags.test/api/client/metrics", headers: ["unleash-appname": "shop-2", "Content-Type": "application/json"],
      properties: unleash),
    Case(
      service: "optimizely", pipeline: "events", path: "/v1/events",
      body: #"{"account_id":"1","region":"US","visitors":[{"visitor_id":"a"},{"visitor_id":"b"}]}"#,
      url: "https://logx.optimizely.com/v1/events", half: #"{"account_id":"1","region":"US","visitors":[{"visitor_id":"a"}]}"#,
      headers: ["Content-Type": "application/json"], properties: ["sdk_key": "k"]),
    Case(
      service: "optimizely", pipeline: "events", path: "/v1/events", body: european,
      url: "https://eu.logx.optimizely.com/v1/events", half: #"{"account_id":"1","region":"EU","visitors":[{"visitor_id":"a"}]}"#,
      headers: ["Content-Type": "application/json"], properties: ["sdk_key": "k"]),
    Case(
      service: "launchdarkly", pipeline: "events:b31e9eb0", path: "/mobile/events/bulk",
      body: #"[{"kind":"custom"},{"kind":"summary"}]"#,
      url: "https://events.test/mobile/events/bulk", half: #"[{"kind":"custom"}]"#,
      headers: ["Authorization": "api_key mob-1", "X-LaunchDarkly-Event-Schema": "4"],
      properties: ["mobile_key": "mob-1", "events_url": "https://events.test"]),
    Case(
      service: "flagship", pipeline: "hits", path: "/", body: #"{"t":"BATCH","cid":"env","h":[{"t":"EVENT"},{"t":"PAGEVIEW"}]}"#,
      url: "https://events.flagship.io/", half: #"{"t":"BATCH","cid":"env","h":[{"t":"EVENT"}]}"#,
      headers: ["Content-Type": "application/json"], properties: flagship),
    Case(
      service: "flagship", pipeline: "activates", path: "/v2/activate", body: #"{"cid":"env","batch":[{"vid":"a"},{"vid":"b"}]}"#,
      url: "https://decision.flagship.io/v2/activate", half: #"{"cid":"env","batch":[{"vid":"a"}]}"#,
      headers: ["Content-Type": "application/json"], properties: flagship),
    Case(
      service: "kameleoon", pipeline: "tracking", path: "/visit/events", body: "nonce=1&a\nnonce=2&b",
      url: "https://data.kameleoon.io/visit/events", half: "nonce=1&a", headers: ["Content-Type": "*/*"],
      properties: ["site_code": "site"]),
  ]

  @Test("A batch goes to its service's address, with that service's headers, and is divided as its form allows", arguments: cases)
  func goes(_ given: Case) throws {
    let factory = try #require(Providers.factory(named: given.service))
    let host = try TestClient(factory, ["store": "none", "dispatch": "manual"], given.properties)
    let client = host.client
    let results = Locked<[Status]>([])
    let batch = ForwardedBatch(
      service: given.service, keyDigest: client.keyDigest, pipeline: given.pipeline, method: "POST", path: given.path, id: "1",
      body: Array(given.body.utf8))
    var mine: [HTTPRequest] { host.transport.requests.filter { $0.url.hasPrefix(given.url) && $0.method == "POST" } }
    #expect(client.forward(batch) { result in results.change { $0.append(result.status) } } == .ok)
    #expect(host.settle { !mine.isEmpty || !results.value.isEmpty })
    let first = try #require(mine.first, "\(results.value)")
    #expect(first.text == given.body)
    for (name, value) in given.headers { #expect(first.headers.value(of: name) == value) }
    host.transport.setResponder { _ in answer(200) }
    host.transport.open.last { $0.request.url == first.url }?.complete(answer(given.half == nil ? 200 : 413))
    #expect(host.settle { !results.value.isEmpty })
    #expect(results.value == [.ok])
    if let half = given.half { #expect(mine.count == 3 && mine.dropFirst().first?.text == half) }
  }
}
