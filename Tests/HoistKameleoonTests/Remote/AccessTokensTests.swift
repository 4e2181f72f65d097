import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("Access tokens")
struct AccessTokensTests {
  private let host = TestHost()
  private let tokens: AccessTokens
  private let heard = Locked<[String?]>([])

  init() throws { tokens = try Self.tokens(host, ["client_id": "cid", "client_secret": "csecret"]) }

  private static func tokens(_ host: TestHost, _ properties: [String: String]) throws -> AccessTokens {
    let values = try TestHost.values(
      properties.merging(["site_code": "s"]) { $1 }, table: KameleoonProperties.table)
    return try AccessTokens(
      host: host, settings: KameleoonSettings(values), addresses: ServiceAddresses(values, log: host.log),
      reports: ServiceReports(host: host))
  }

  private func token(_ text: String = "tok-1", _ seconds: Int = 7_200) -> ScriptedTransport.Answer {
    answer(200, #"{"access_token":"\#(text)","expires_in":\#(seconds),"token_type":"Bearer"}"#)
  }

  /// What one more request is given, in the order of all so far.
  @discardableResult
  private func ask(within limit: Int64 = 10_000) -> [String?] {
    tokens.bearer(withinMilliseconds: limit) { [heard] bearer in heard.change { $0.append(bearer) } }
    host.time.run()
    return heard.value
  }

  private var fetches: Int { host.network.requests.count }

  @Test("A token is fetched by the first request that wants one, and used by those after it (KAM-08; ready)")
  func lazily() throws {
    #expect(fetches == 0)
    host.network.enqueue(token())
    #expect(ask() == ["Bearer tok-1"])
    #expect(ask() == ["Bearer tok-1", "Bearer tok-1"])
    let request = try #require(host.network.requests.first)
    #expect(fetches == 1)
    #expect(request.method == "POST")
    #expect(request.url == "https://api.kameleoon.com/oauth/token?sdkName=SWIFT&sdkVersion=4.25.0&siteCode=s")
    #expect(request.headers.value(of: "Content-Type") == "application/x-www-form-urlencoded")
    #expect(request.headers.value(of: "Authorization") == "Basic Y2lkOmNzZWNyZXQ=")
    #expect(request.text == "grant_type=client_credentials")
  }

  @Test("Without both credentials nobody asks, and nobody waits (KAM-08; ready)")
  func noCredentials() throws {
    for some in [[:], ["client_id": "cid"], ["client_secret": "csecret"]] {
      let none = try Self.tokens(host, some)
      none.bearer(withinMilliseconds: 1) { [heard] bearer in heard.change { $0.append(bearer) } }
    }
    #expect(heard.value == [nil, nil, nil])
    #expect(fetches == 0)
  }

  @Test("Requests that come during a fetch share it (KAM-08; ready)")
  func concurrently() throws {
    ask()
    ask()
    #expect(ask().isEmpty)
    #expect(fetches == 1)
    try #require(host.network.open.first).complete(token())
    host.time.run()
    #expect(heard.value == ["Bearer tok-1", "Bearer tok-1", "Bearer tok-1"])
  }

  @Test("A request that cannot wait longer goes without, and the token is there for the next one (KAM-04, KAM-08; failing)")
  func impatiently() throws {
    ask(within: 500)
    host.time.advance(milliseconds: 500)
    #expect(heard.value == [nil])
    try #require(host.network.open.first).complete(token())
    host.time.run()
    #expect(ask() == [nil, "Bearer tok-1"])
    #expect(fetches == 1)
  }

  @Test("A token is used until a minute before its end (KAM-08; ready)")
  func endOfToken() {
    host.network.enqueue(token("short", 600), token("next"))
    ask()
    host.time.advance(milliseconds: 539_999)
    #expect(ask().last == "Bearer short")
    #expect(fetches == 1)
    host.time.advance(milliseconds: 1)
    #expect(ask().last == "Bearer next")
    #expect(fetches == 2)
  }

  @Test("In the last half hour another one is fetched, once, while the old one is used (KAM-08; ready)")
  func refresh() throws {
    host.network.enqueue(token("old"))
    ask()
    host.time.advance(milliseconds: 5_399_999)
    #expect(ask().last == "Bearer old")
    #expect(fetches == 1)
    host.time.advance(milliseconds: 1)
    #expect(ask().last == "Bearer old")
    #expect(ask().last == "Bearer old")
    #expect(fetches == 2)
    try #require(host.network.open.first).complete(token("new"))
    host.time.run()
    #expect(ask().last == "Bearer new")
    #expect(fetches == 2)
  }

  @Test("A refresh that failed leaves the old token in use, and rests for five minutes (KAM-08; failing)")
  func failedRefresh() {
    host.network.enqueue(token("old"), noAnswer)
    ask()
    host.time.advance(milliseconds: 5_400_000)
    #expect(ask().last == "Bearer old")
    #expect(ask().last == "Bearer old")
    #expect(fetches == 2)
    host.time.advance(milliseconds: 300_000)
    host.network.enqueue(token("new"))
    #expect(ask().last == "Bearer old")
    #expect(ask().last == "Bearer new")
  }

  @Test(
    "After a fetch that failed, requests go without for five minutes (KAM-08; failing)",
    arguments: [
      answer(500), answer(401), answer(304), answer(403, "{}"), noAnswer, answer(200, "x"), answer(200, "[]"),
      answer(200, #"{"access_token":"","expires_in":10}"#), answer(200, #"{"access_token":7,"expires_in":10}"#),
      answer(200, #"{"access_token":"a","expires_in":0}"#), answer(200, #"{"access_token":"a","expires_in":-5}"#),
      answer(200, #"{"access_token":"a","expires_in":1.5}"#), answer(200, #"{"access_token":"a","expires_in":"10"}"#),
      answer(200, #"{"access_token":"a\r\nX: y","expires_in":100}"#), answer(200, #"{"access_token":"a"}"#),
    ])
  func silence(failure: ScriptedTransport.Answer) {
    host.network.enqueue(failure)
    #expect(ask() == [nil])
    host.time.advance(milliseconds: 299_999)
    #expect(ask() == [nil, nil])
    #expect(fetches == 1)
    host.time.advance(milliseconds: 1)
    host.network.enqueue(token())
    #expect(ask() == [nil, nil, "Bearer tok-1"])
    #expect(host.lines.lines.filter { $0.message.contains("access token") }.count == 1)
  }

  @Test("Lives too long to count are cut (KAM-08; ready)")
  func longLife() {
    host.network.enqueue(answer(200, #"{"access_token":"a","expires_in":9223372036854775807}"#), token("b"))
    ask()
    #expect(ask().last == "Bearer a")
    host.time.advance(milliseconds: 366 * 86_400_000)
    #expect(ask().last == "Bearer b")
  }

  @Test("A token that lives no longer than a minute serves those who waited for it (KAM-08; ready)")
  func briefLife() {
    host.network.enqueue(token("a", 60), token("b", 1))
    #expect(ask() == ["Bearer a"])
    #expect(ask() == ["Bearer a", "Bearer b"])
  }

  @Test("A token that was refused is fetched anew, an earlier one is forgotten already (KAM-08; refused)")
  func refused() {
    host.network.enqueue(token("a"), token("b"))
    ask()
    tokens.drop("Bearer a")
    #expect(ask().last == "Bearer b")
    tokens.drop("Bearer a")
    #expect(ask().last == "Bearer b")
    #expect(fetches == 2)
  }

  @Test("Who waits goes without when the client stops, and offline nobody asks (KAM-08; closing, offline)")
  func ends() {
    ask()
    tokens.stop()
    #expect(heard.value == [nil])
    #expect(host.network.open.isEmpty)
    host.isOnline = false
    #expect(ask() == [nil, nil])
    host.isOnline = true
    host.network.enqueue(token())
    #expect(ask() == [nil, nil, "Bearer tok-1"])
  }

  @Test("A forked child fetches a token of its own; who waited is the parent's (KAM-08; forked)")
  func fork() {
    ask()
    host.time.simulateFork()
    tokens.abandonAfterFork()
    host.network.enqueue(token("child"))
    #expect(ask() == ["Bearer child"])
  }

  @Test("No secret is in the log (KAM-08; refused, failing)")
  func secrecy() {
    host.network.enqueue(token("tok-secret"), answer(500))
    ask()
    tokens.drop("Bearer tok-secret")
    ask()
    let log = host.lines.lines.map(\.message).joined()
    #expect(!log.contains("tok-secret"))
    #expect(!log.contains("csecret"))
  }
}
