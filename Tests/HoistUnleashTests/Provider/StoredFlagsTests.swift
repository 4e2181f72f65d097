import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

private func bodyless(_ status: Int) -> HTTPResponse {
  var response = HTTPResponse(status: status)
  response.hasNoBody = true
  return response
}

/// Whose flags and counts a store holds: protocols/unleash.md D.3.5, D.3.7.
struct StoredFlagsTests {
  /// What the store of a client with a poller is known by.
  private func identity(poller given: [String: String]?, _ own: [String: String] = [:]) throws -> String {
    var plugins = Plugins()
    if let given {
      var poller = PropertyValues(table: CoreProperties.table + UnleashProperties.table)
      for (name, value) in given { try poller.set(name, value) }
      plugins.vendor[UnleashPlugins.poller] = UnleashPoller(values: poller, headerProvider: nil)
    }
    let identity = Locked("")
    _ = try TestClient(UnleashFactory(), ["autostart": "false", "dispatch": "manual"], own, plugins: plugins) { request in
      identity.value = request.identity
      return nil
    }
    return identity.value
  }

  @Test(
    "Clients whose pollers bring the key share a store only where they report to the same place (UNL-19, D.3.5; second client)")
  func aStoreBelongsToWhereMetricsGo() throws {
    let one = ["url": "https://flags.test/api/frontend", "key": "one"]
    let two = one.merging(["key": "two"]) { $1 }
    #expect(try identity(poller: one) == identity(poller: one) && identity(poller: one) != identity(poller: two))
    #expect(try identity(poller: one, two) != identity(poller: one, one))
    #expect(try identity(poller: nil, one) != identity(poller: nil, two))
  }

  @Test("Clients share no store where a header is their key and another one's is different (UNL-21, D.3.7; second client)")
  func aStoreBelongsToAHeadersKey() throws {
    func identity(_ key: String) throws -> String {
      try self.identity(
        poller: nil, ["url": "https://flags.test/api/frontend", "custom_headers": "{\"authorization\":\"\(key)\"}"])
    }
    #expect(try identity("one") == identity("one") && identity("one") != identity("two"))
  }

  /// Two runs on one store, the first of which gets flag "a".
  /// - Returns: the second, when it has started.
  private func secondRun(
    _ first: [String: String], _ second: [String: String], providerHeaders: [String: String] = [:]
  ) throws -> ClientRig {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let common = frontend.merging(["storage_ttl": "3600"]) { $1 }
    let rig = try #require(
      ClientRig(common.merging(first) { $1 }, providerHeaders: providerHeaders, cacheManager: cache))
    rig.start(toggles("a"))
    _ = rig.client.store.close(untilNanoseconds: .max)
    let next = try #require(
      ClientRig(common.merging(second) { $1 }, providerHeaders: providerHeaders, cacheManager: cache))
    next.transport.setResponder { _ in toggles("b") }
    next.start()
    return next
  }

  @Test("Flags of another session that the host named are not this one's (UNL-81, D.3.7; starting)")
  func flagsOfAnotherSession() throws {
    func session(_ name: String) -> [String: String] { ["context": "{\"sessionId\":\"\(name)\"}"] }
    #expect(try secondRun(session("s1"), session("s2")).isOn("b"))
    #expect(try secondRun(session("s1"), session("s1")).isOn("a"))
    #expect(try secondRun(session("s1"), [:]).isOn("b"))
  }

  @Test("D.3.7: contexts whose texts only look alike side by side are different ones")
  func contextsThatLookAlike() throws {
    let one = ["properties": #"{"x":"1\nproperties[y]=2"}"#]
    let two = ["properties": #"{"x":"1","y":"2"}"#]
    #expect(try secondRun(one, two).isOn("b"))
  }

  @Test(
    "A key in a header counts as one, and an unknown one of a header provider spares no fetch (UNL-21, UNL-47, D.3.7; starting)")
  func keysInHeaders() throws {
    func header(_ key: String) -> [String: String] { ["key": "", "custom_headers": "{\"authorization\":\"\(key)\"}"] }
    #expect(try secondRun(header("one"), header("two")).isOn("b"))
    #expect(try secondRun(header("one"), header("one")).isOn("a"))
    #expect(try secondRun(["key": ""], ["key": ""], providerHeaders: ["Authorization": "fresh"]).isOn("b"))
  }

  @Test("B.5, G3: an answer without a body confirms nothing for another context", arguments: [200, 204])
  func anEmptyAnswerConfirmsNothing(_ status: Int) throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let properties = frontend.merging(["storage_ttl": "3600", "context": #"{"userId":"one"}"#]) { $1 }
    let first = try #require(ClientRig(properties, cacheManager: cache))
    first.start(toggles("a"))
    first.transport.setResponder { _ in .success(bodyless(status)) }
    let news = first.news(of: .contextChanged)
    let done = Outcome()
    _ = first.face.updateContext(["userId": "two"], properties: [:]) { done.set($0) }
    first.settle { done.value != nil }
    _ = first.takeEvents()
    #expect(done.value == .ok && first.client.state == .stale && first.isOn("a") && news.all.isEmpty)
    _ = first.client.store.close(untilNanoseconds: .max)
    let second = try #require(
      ClientRig(properties.merging(["context": #"{"userId":"two"}"#]) { $1 }, cacheManager: cache))
    second.transport.setResponder { _ in toggles("b") }
    second.start()
    #expect(second.isOn("b") && !second.isOn("a"))
  }

  @Test("B.5, D.1: nor does it make a client ready that serves what an earlier run left")
  func anEmptyAnswerMakesNothingReady() throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let first = try #require(ClientRig(frontend, cacheManager: cache))
    first.start(toggles("a", etag: "\"1\""))
    _ = first.client.store.close(untilNanoseconds: .max)
    let second = try #require(ClientRig(frontend, cacheManager: cache))
    #expect(second.start(.success(bodyless(200))).value == .ok)
    #expect(!second.face.isReady && second.isOn("a"))
  }
}
