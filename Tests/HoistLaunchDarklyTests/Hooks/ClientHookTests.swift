import HoistBase
import HoistCore
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

@Suite("Hooks of a client hear of its identifies and its environment (LD-81, 4.5; offline)", .serialized) struct ClientHookTests {
  private let seen = Locked<[String]>([])

  private func fixture(_ properties: [String: String] = ["online": "false"]) throws -> LifeFixture {
    try LifeFixture(properties, hooks: [NotingHook("1", seen), NotingHook("2", seen)]).opened()
  }

  private func told() -> [String] {
    defer { seen.value = [] }
    return seen.value
  }

  /// What the hooks hear of one identify.
  private func before(_ key: String, _ timeout: Int64) -> [String] {
    ["1", "2"].map { #"\#($0) beforeIdentify {"key":"\#(key)","kind":"user"} \#(timeout)"# }
  }
  private func after(_ key: String, _ status: Int32) -> [String] {
    ["2", "1"].map { #"\#($0) afterIdentify {"key":"\#(key)","kind":"user"} \#(status) data \#($0 == "1" ? 11 : 22)"# }
  }

  @Test("Before in the call, after when its end is delivered; with and without a completion")
  func identify() throws {
    let fixture = try fixture()
    for (key, completion) in [("a", fixture.tell("a")), ("b", nil)] {
      let status = fixture.face.identify(
        try fixture.context(key), timeoutMilliseconds: 5_000, options: [], completion: completion)
      #expect(status == .ok && told() == before(key, 5_000))
      fixture.time.run()
      #expect(told() == [])
      _ = fixture.heard()
      #expect(told() == after(key, 0))
    }
  }

  @Test("So with the identify of the core, which has no limit")
  func identifyOfTheCore() throws {
    let fixture = try fixture()
    #expect(fixture.client.identify(try fixture.context("a"), completion: fixture.tell("a")) == .ok)
    #expect(told() == before("a", -1))
    // Offline, and nothing is stored.
    #expect(fixture.heard() == ["a 8"] && told() == after("a", 8))
  }

  @Test("Whoever waits hears of the end too, once")
  func identifyAndWait() throws {
    let fixture = try fixture()
    let context = try fixture.context("a")
    #expect(fixture.face.identifyAndWait(context, timeoutMilliseconds: 1, options: []) == .timeout)
    #expect(fixture.client.identifyAndWait(context, timeoutMilliseconds: 1) == .timeout)
    _ = fixture.heard()
    #expect(told() == before("a", 1) + before("a", 1) + after("a", 3) + after("a", 3))
  }

  @Test(
    "A client that closes ends what has begun; afterwards, and for what is no context, nothing begins (LD-81; offline, closing, closed)"
  )
  func closing() throws {
    let fixture = try fixture()
    let invalid = EvaluationContext(targetingKey: "k")
    try invalid.set(Array("kind".utf8), .string(Array("kind".utf8)))
    _ = fixture.client.identify(invalid.reference(), completion: nil)
    #expect(told() == [])
    _ = fixture.client.identify(try fixture.context("a"), completion: nil)
    fixture.close()
    #expect(told() == before("a", -1) + after("a", 12))
    #expect(fixture.client.identify(try fixture.context("b"), completion: nil) == .state)
    #expect(fixture.face.identifyAndWait(try fixture.context("b"), timeoutMilliseconds: 1, options: []) == .state)
    #expect(told() == [])
  }

  @Test("The environment's id is told as streams and polls name it (LD-81; starting)", arguments: ["streaming", "polling"])
  func environment(_ mode: String) throws {
    let fixture = try fixture(["streaming_mode": mode])
    func id() -> String? {
      "f".withBytes { key in fixture.client.evaluate(key, nil, .bool, .counted, EvaluationFallback(false)) { _, _ in } }
      return told().first?.split(separator: " ").last.map { String($0) }
    }
    #expect(id() == "-")
    let header = HTTPHeader("X-LD-EnvID", "env-7")
    if mode == "streaming" {
      fixture.network.streams.last?.open(headers: [header])
    } else {
      fixture.network.exchanges.last { $0.request.url.contains("/msdk/") }?.complete(answer(200, "{}", [header]))
    }
    fixture.time.run()
    #expect(id() == "env-7")
  }

  @Test("A value of the caller's own type is one evaluation, by its own name (LD-60, 4.5; offline)", arguments: [false, true])
  func decoding(isDetailed: Bool) throws {
    let fixture = try fixture()
    #expect(fixture.provider.took(.put(Array(#"{"f":{"value":{"a":1}}}"#.utf8), entityTag: nil)) == .applied)
    _ = told()
    _ = "f".withBytes { fixture.face.common.decode($0, fallback: EvaluationFallback(), isDetailed: isDetailed) { _ in true } }
    let heard = told()
    #expect(heard.count == 4 && heard.allSatisfy { $0.contains(isDetailed ? " variationDetail" : " variation") })
    #expect(heard.allSatisfy { !$0.contains("jsonVariation") })
  }
}
