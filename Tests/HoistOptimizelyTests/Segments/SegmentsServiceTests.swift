import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Fetching audience segments (OPT-11 to OPT-18, OPT-67; ready)") struct SegmentsServiceTests {
  @Test("javascript-sdk#894: disabled, nothing is allocated (OPT-15; before start)") func disabledThereIsNothing() throws {
    let host = TestHost()
    let values = try TestHost.values(["odp.disable": "true"], table: PlatformSettings.properties)
    let settings = PlatformSettings(values)
    let platform = DataPlatform(
      host: host, settings: settings, client: testClient, visitorID: VisitorID(host: host, wish: .none))
    #expect(platform == nil)
    #expect(host.time.pendingPostCount == 0 && host.time.pendingTimerCount == 0)
  }

  @Test("Without an integration nothing can be asked (OPT-18; starting, ready)") func beforeAndWithoutAnIntegrationAFetchFails()
    throws
  {
    let rig = try PlatformRig()
    let refusal = PlatformRig.Fetched.failure(.fetchFailed("apiKey/apiHost not defined"))
    #expect(rig.fetch("u") == refusal)
    try rig.serve(host: nil)
    #expect(rig.fetch("u") == refusal)
    try rig.serve(key: "")
    #expect(rig.fetch("u") == refusal)
    #expect(rig.requests.isEmpty)
  }

  @Test func withoutSegmentsInTheDatafileNobodyIsAsked() throws {
    let rig = try PlatformRig()
    try rig.serve(segments: [])
    #expect(rig.fetch("u") == .success([]))
    #expect(rig.requests.isEmpty)
  }

  @Test("One request asks for all segments of the datafile (OPT-13; ready)") func theRequestIsTheServices() throws {
    let rig = try PlatformRig()
    try rig.serve(host: "https://odp.example/", segments: ["a", "b"])
    rig.host.network.enqueue(qualified("b", "a"))
    #expect(rig.fetch("u") == .success(["b", "a"]))
    let request = try #require(rig.requests.first)
    #expect(request.method == "POST" && request.url == "https://odp.example/v3/graphql")
    #expect(request.headers.value(of: "x-api-key") == "KEY")
    #expect(request.text.hasSuffix(#""variables":{"userId":"u","audiences":["a","b"]}}"#))
    #expect(request.timeoutMilliseconds == 10_000)
  }

  @Test("A timeout of 0 is the transport's (OPT-13; ready)") func aTimeoutOfZeroIsTheNetworks() throws {
    let rig = try PlatformRig(["odp.segment_fetch_timeout_ms": "0", "network.timeout_ms": "1234"])
    try rig.serve()
    _ = rig.fetch("u")
    #expect(rig.requests.first?.timeoutMilliseconds == 1234)
  }

  @Test("Kept for 600 s (OPT-12; ready)") func segmentsAreKeptForAWhile() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.setResponder { _ in qualified("a") }
    #expect(rig.fetch("u") == .success(["a"]))
    rig.host.time.advance(milliseconds: 599_999)
    #expect(rig.fetch("u") == .success(["a"]))
    #expect(rig.requests.count == 1)
    rig.host.time.advance(milliseconds: 1)
    _ = rig.fetch("u")
    #expect(rig.requests.count == 2)
    _ = rig.fetch("other")
    #expect(rig.requests.count == 3)
  }

  @Test("A timeout of 0 keeps them for ever (OPT-12; ready)") func aCacheTimeoutOfZeroNeverExpires() throws {
    let rig = try PlatformRig(["odp.segments_cache_timeout": "0"])
    try rig.serve()
    rig.host.network.setResponder { _ in qualified("a") }
    _ = rig.fetch("u")
    rig.host.time.advance(milliseconds: 100_000_000_000)
    _ = rig.fetch("u")
    #expect(rig.requests.count == 1)
  }

  @Test("The least recently used of more than the size go (OPT-11; ready)", arguments: [(0, 4), (1, 4), (2, 2)])
  func theCacheHasASize(_ size: Int, _ requests: Int) throws {
    let rig = try PlatformRig(["odp.segments_cache_size": "\(size)"])
    try rig.serve()
    rig.host.network.setResponder { _ in qualified("a") }
    for user in ["u", "v", "u", "v"] { _ = rig.fetch(user) }
    #expect(rig.requests.count == requests)
  }

  @Test func ignoringTheCacheNeitherReadsNorWrites() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.setResponder { _ in qualified("a") }
    _ = rig.fetch("u", .ignoreCache)
    _ = rig.fetch("u")
    #expect(rig.requests.count == 2)
    rig.host.network.setResponder { _ in qualified("b") }
    #expect(rig.fetch("u", .ignoreCache) == .success(["b"]))
    #expect(rig.fetch("u") == .success(["a"]))
    #expect(rig.requests.count == 3)
  }

  @Test func resettingForgetsEverybody() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.setResponder { _ in qualified("a") }
    for user in ["u", "v"] { _ = rig.fetch(user) }
    _ = rig.fetch("u", .resetCache)
    _ = rig.fetch("v")
    #expect(rig.requests.count == 4)
    // What the resetting fetch brought is kept again.
    _ = rig.fetch("u")
    #expect(rig.requests.count == 4)
  }

  @Test("(OPT-67; failing)") func failuresAreToldAtOnceAndNotKept() throws {
    let rig = try PlatformRig()
    try rig.serve()
    let invalid = #"{"errors":[{"extensions":{"classification":"X","code":"INVALID_IDENTIFIER_EXCEPTION"}}]}"#
    rig.host.network.enqueue(answer(500), noAnswer, answer(200, "no"), answer(200, invalid), qualified())
    #expect(rig.fetch("u") == .failure(.fetchFailed("500")))
    #expect(rig.fetch("u") == .failure(.fetchFailed("network error")))
    #expect(rig.fetch("u") == .failure(.fetchFailed("decode error")))
    #expect(rig.fetch("u") == .failure(.invalidIdentifier))
    #expect(rig.fetch("u") == .success([]))
    #expect(rig.requests.count == 5)
    #expect(PlatformFailure.invalidIdentifier.status.rawValue == 1120)
    #expect(PlatformFailure.fetchFailed("500").message.hasSuffix(": 500"))
  }

  @Test("(OPT-67; failing)") func anEpisodeOfFailuresIsToldOnce() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.enqueue(answer(500), answer(500), qualified(), answer(503))
    for _ in 0..<4 { _ = rig.fetch("u", .ignoreCache) }
    let warnings = rig.host.lines.messages(.warning)
    #expect(warnings.count == 2)
    #expect(warnings.first?.contains(": 500 ") ?? false)
  }

  @Test func atMostAThousandFetchesAreUnderWay() throws {
    let rig = try PlatformRig()
    try rig.serve()
    for number in 0..<1_000 { #expect(rig.fetch("\(number)") == nil) }
    #expect(rig.fetch("one more") == .failure(.fetchFailed("too many fetches are under way")))
    rig.host.network.open.first?.complete(qualified())
    rig.host.time.run()
    #expect(rig.fetch("one more") == nil)
  }

  @Test("A VUID is another visitor than a user of that name") func aVUIDIsAskedForAsSuch() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.setResponder { _ in qualified("a") }
    _ = rig.fetch("VUID_1")
    #expect(rig.requests.first?.text.contains("customer(vuid: $userId)") ?? false)
  }

  @Test func aChangeOfKeyHostOrSegmentsEmptiesTheCache() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.setResponder { _ in qualified("a") }
    _ = rig.fetch("u")
    try rig.serve()
    _ = rig.fetch("u")
    #expect(rig.requests.count == 1)
    try rig.serve(key: "OTHER")
    _ = rig.fetch("u")
    try rig.serve(host: "https://other", key: "OTHER")
    _ = rig.fetch("u")
    try rig.serve(host: "https://other", key: "OTHER", segments: ["a", "b"])
    _ = rig.fetch("u")
    #expect(
      rig.requests.map(\.url)
        == ["https://odp.example", "https://odp.example", "https://other", "https://other"].map { $0 + "/v3/graphql" })
  }

  @Test func anAnswerToAnEarlierConfigurationIsNotKept() throws {
    let rig = try PlatformRig()
    try rig.serve()
    let found = rig.begin("u")
    try rig.serve(segments: ["b"])
    rig.host.network.open.first?.complete(qualified("a"))
    rig.host.time.run()
    #expect(found.value == .success(["a"]))
    _ = rig.begin("u")
    #expect(rig.requests.count == 2)
  }

  @Test("(OPT-67; offline)") func offlineOnlyWhatIsKeptIsTold() throws {
    let rig = try PlatformRig()
    try rig.serve()
    rig.host.network.enqueue(qualified("a"))
    _ = rig.fetch("u")
    rig.host.isOnline = false
    #expect(rig.fetch("u") == .success(["a"]))
    #expect(rig.fetch("v") == .failure(.fetchFailed("the client is offline")))
  }

  @Test("(OPT-67; closing)") func aStopAnswersWhoeverWaits() throws {
    let rig = try PlatformRig()
    try rig.serve()
    let found = rig.begin("u")
    #expect(found.value == nil)
    rig.platform.stop()
    rig.host.time.run()
    #expect(found.value == .failure(.fetchFailed("network error")))
    #expect(rig.host.network.exchanges.first?.isCancelled ?? false)
    #expect(rig.fetch("u") == .failure(.fetchFailed("the client is closed")))
    rig.platform.start()
    rig.host.network.enqueue(qualified("a"))
    #expect(rig.fetch("u") == .success(["a"]))
  }

  @Test("(OPT-67; forked)") func aForkedChildLeavesTheParentsQuestionsAlone() throws {
    let rig = try PlatformRig()
    try rig.serve()
    let found = rig.begin("u")
    rig.host.time.simulateFork()
    rig.platform.abandonAfterFork()
    rig.platform.start()
    rig.host.time.run()
    #expect(found.value == nil)
    rig.host.network.enqueue(qualified("a"))
    #expect(rig.fetch("u") == .success(["a"]))
  }

  @Test func headersOfTheHostGoAlong() throws {
    let rig = try PlatformRig(headers: OneHeader())
    try rig.serve()
    _ = rig.fetch("u")
    #expect(rig.requests.first?.headers.value(of: "x-trace") == "https://odp.example/v3/graphql")
  }
}

private final class OneHeader: HeaderProvider {
  func headers(for url: String) -> [HTTPHeader]? { [HTTPHeader("x-trace", url)] }
}
