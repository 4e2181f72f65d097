import Glibc
import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("What a whole client sends of its evaluations (4.4.1, 4.4.5, 4.4.7, 4.6)")
struct ClientEventTests {
  private func evaluate(_ client: Client, _ key: String, _ fallback: Bool) {
    key.withBytes { key in
      _ =
        HotPath.evaluate(client.hot, key, nil, .bool, EvaluationFallback(fallback)) { $0.kind == .bool }
        ?? client.evaluate(key, nil, .bool, .counted, EvaluationFallback(fallback)) { evaluation, _ in evaluation.kind == .bool }
    }
  }

  @Test func identifyAndASummaryOfCellsAndUnknownFlags() throws {
    let scheduler = ManualScheduler()
    let host = try TestClient(
      LaunchDarklyFactory(), ["mobile_key": "mob-123456", "context": #"{"kind":"org","key":"o","name":"n"}"#],
      scheduler: scheduler, transport: ScriptedTransport(scheduler: scheduler) { $0.method == "POST" ? answer(202) : nil })
    let (client, transport) = (host.client, host.transport)
    host.open()
    let provider = try #require(LaunchDarklyFace(client)?.provider)
    #expect(scheduler.settle { client.currentContext != nil })
    let flags = #"{"f":{"value":true,"variation":1,"version":7,"flagVersion":3}}"#
    #expect(provider.flags.took(.put(Array(flags.utf8), entityTag: nil)) == .applied)
    for _ in 0..<40 { evaluate(client, "f", false) }
    evaluate(client, "nope", true)
    scheduler.advance(milliseconds: 29_000)
    let posts = { transport.requests.filter { $0.method == "POST" && $0.url.hasSuffix("/bulk") } }
    #expect(posts().isEmpty)
    scheduler.advance(milliseconds: 1_000)
    let text = try #require(posts().first?.text)
    #expect(text.hasPrefix(#"[{"kind":"identify","key":"org:o","creationDate":"#))
    #expect(
      text.contains(
        #""f":{"default":false,"contextKinds":["org"],"counters":[{"value":true,"variation":1,"version":3,"count":40}]}"#))
    #expect(
      text.contains(#""nope":{"default":true,"contextKinds":["org"],"counters":[{"value":true,"unknown":true,"count":1}]}"#))
    evaluate(client, "f", true)
    scheduler.advance(milliseconds: 30_000)
    #expect(posts().count == 2)
    #expect(
      posts().last?.text.contains(
        #""f":{"default":true,"contextKinds":["org"],"counters":[{"value":true,"variation":1,"version":3,"count":1}]}"#) == true)
    #expect(transport.requests.contains { $0.url.hasSuffix("/mobile/events/diagnostic") })
    withExtendedLifetime(host) {}
  }

  private func track(_ fixture: LifeFixture, _ key: String) -> Status {
    fixture.client.track(TrackedEvent(key: key, context: nil, value: nil, properties: [], unixMilliseconds: 1))
  }

  /// What each payload has in it.
  private func payloads(_ fixture: LifeFixture) -> [[String]] {
    fixture.provider.flush { _ in }
    fixture.time.run()
    return fixture.network.requests.filter { $0.url.hasSuffix("/bulk") }.map { RecorderRig.kinds($0) }
  }

  @Test("What is tracked before the start has come to its context is that context's (LD-40, 4.4.1; starting)")
  func whatIsTrackedBeforeTheStartFollowsTheIdentifyEvent() throws {
    let fixture = try LifeFixture(["context": #"{"kind":"org","key":"o"}"#])
    fixture.client.open()
    #expect(track(fixture, "early") == .ok)
    fixture.time.run()
    #expect(track(fixture, "late") == .ok)
    #expect(payloads(fixture) == [["identify", "early", "late"]])
  }

  @Test(
    "What is tracked while the client completes its context waits for it (LD-40, 4.4.1; starting)",
    arguments: [
      ["context": #"{"key":"k"}"#, "auto_env_attributes": "true"], [:],
    ]) func theContextIsNotCompleteYet(_ properties: [String: String]) throws
  {
    let fixture = try LifeFixture(properties)
    fixture.client.open()
    #expect(track(fixture, "early") == .ok && track(fixture, "next") == .ok)
    // A flush waits for it, too.
    #expect(payloads(fixture) == [["identify", "early", "next"]])
    #expect(track(fixture, "late") == .ok)
    #expect(payloads(fixture) == [["identify", "early", "next"], ["late"]])
  }

  @Test("As many wait as may be recorded, the identify event among them (LD-42; starting, full queue)")
  func earlyEventsHaveTheirCapacity() throws {
    let fixture = try LifeFixture(["event_capacity": "3"])
    fixture.client.open()
    #expect(["a", "b", "c"].map { track(fixture, $0) } == [.ok, .ok, .limit])
    #expect(payloads(fixture) == [["identify", "a", "b"]])
    #expect(fixture.provider.statistics.first { $0.name == "dropped" }?.value == 1)
  }

  @Test("What waits for the context survives closing and opening (LD-40; reopened)") func earlyEventsWaitForAnotherBeginning()
    throws
  {
    let fixture = try LifeFixture()
    fixture.client.open()
    #expect(track(fixture, "early") == .ok)
    _ = fixture.client.close(timeoutMilliseconds: 0)
    #expect(fixture.client.reopen() == .ok)
    fixture.time.run()
    #expect(payloads(fixture).flatMap { $0 } == ["identify", "early"])
  }

  @Test("On a full disk an event is told as unsaved, and goes all the same (LD-40, LD-41; full disk)") func theDiskIsFull() throws
  {
    let manager = GatedManager()
    let scheduler = ManualScheduler()
    let host = try TestClient(
      LaunchDarklyFactory(), ["mobile_key": "mob-1", "context": #"{"kind":"user","key":"k"}"#, "events.durability": "immediate"],
      scheduler: scheduler, transport: ScriptedTransport(scheduler: scheduler) { $0.method == "POST" ? answer(202) : nil },
      makeCacheManager: { _ in manager })
    host.open()
    #expect(scheduler.settle { host.client.currentContext != nil })
    func track(_ key: String) -> Status {
      let event = TrackedEvent(key: key, context: nil, value: nil, properties: [], unixMilliseconds: 1)
      return scheduler.turning { host.client.track(event) }
    }
    #expect(track("saved") == .ok)
    manager.fill()
    #expect(track("unsaved") == .unsaved)
    scheduler.advance(milliseconds: 30_000)
    #expect(
      scheduler.settle { host.transport.requests.contains { $0.url.hasSuffix("/bulk") && $0.text.contains(#""unsaved""#) } })
  }

  @Test("A client that has not been started takes no event (LD-40; before start)") func thereIsNobodyYet() throws {
    let fixture = try LifeFixture(["context": #"{"key":"k"}"#, "autostart": "false"])
    fixture.client.open()
    #expect(track(fixture, "early") == .state)
  }

  @Test("So may one who is identified, also by the core's call (3.2)") func anIdentifyOfAUserOfOldWithoutAKey() throws {
    let fixture = try LifeFixture().opened()
    let old = try #require(LDContext.read(json: Array(#"{"key":"","name":"n"}"#.utf8)).reference)
    #expect(fixture.client.identify(old, completion: fixture.tell("identify")) == .ok)
    fixture.time.run()
    #expect(
      fixture.currentKey?.isEmpty == true && fixture.provider.online.subject?.context.value(at: AttributeReference("name")) == "n"
    )
  }

  @Test("A user of old may have an empty key (3.2)") func aStartWithAUserOfOldWithoutAKey() throws {
    let fixture = try LifeFixture(["context": #"{"key":"","anonymous":null}"#]).opened()
    #expect(fixture.currentKey?.isEmpty == true)
    #expect(payloads(fixture) == [["identify"]])
  }

  /// Key of the context and value of each feature event, then the contexts of the summaries with the counts of "f".
  private func tied(_ fixture: LifeFixture) throws -> [String] {
    fixture.provider.flush { _ in }
    fixture.time.run()
    let body = try #require(fixture.network.requests.last { $0.url.hasSuffix("/bulk") }?.body)
    return try JSONDocument(parsing: body).withRoot { root in
      (root.array.map { Array($0) } ?? []).compactMap { event -> String? in
        let key = event["context"]?["key"]?.string ?? "-"
        if event["kind"]?.string == "feature" { return "\(key) \(event["value"]?.int64 ?? 0)" }
        guard event["kind"]?.string == "summary" else { return nil }
        let counters = event["features"]?["f"]?["counters"]?.array.map { Array($0) } ?? []
        return "\(key): " + counters.map { "\($0["value"]?.int64 ?? 0) x\($0["count"]?.int64 ?? 0)" }.joined(separator: ", ")
      }
    }
  }

  private func evaluate(_ fixture: LifeFixture) {
    "f".withBytes { key in _ = fixture.client.evaluate(key, nil, .any, .counted) { evaluation, _ in evaluation.kind } }
  }

  @Test("Events are of the context that their flags are for, also while contexts change (LD-24, LD-90, 4.4.2; ready)")
  func eventsAreOfTheContextOfTheirFlags() throws {
    let fixture = try LifeFixture(["context": #"{"kind":"user","key":"ann"}"#, "summaries_per_context": "true"]).opened()
    let flags = #"{"f":{"value":1,"version":1,"trackEvents":true}}"#
    #expect(fixture.provider.flags.took(.put(Array(flags.utf8), entityTag: nil)) == .applied)
    evaluate(fixture)
    let reference = try fixture.context("ben")
    let ben = try LDContext.read(reference)
    let kept = CachedFlags(document: Array(#"{"flags":{"f":{"item":{"value":2,"version":1,"trackEvents":true}}}}"#.utf8))
    _ = fixture.provider.flags.change(
      to: ben, fingerprint: reference.frozen.fingerprint, kept, keepingFormer: false)
    // The flags are the new context's already.
    evaluate(fixture)
    fixture.provider.identified(ben)
    evaluate(fixture)
    #expect(try tied(fixture).sorted() == ["ann 1", "ann: 1 x1", "ben 2", "ben 2", "ben: 2 x2"])
  }

  @Test("An unknown flag is missing among the flags of their context (LD-24, LD-90; starting)")
  func unknownFlagsAreOfTheContextOfTheFlags() throws {
    let fixture = try LifeFixture(["context": #"{"kind":"user","key":"ann"}"#, "summaries_per_context": "true"]).opened()
    let reference = try fixture.context("ben")
    let ben = try LDContext.read(reference)
    _ = fixture.provider.flags.change(to: ben, fingerprint: reference.frozen.fingerprint, nil, keepingFormer: false)
    evaluate(fixture)
    fixture.provider.identified(ben)
    #expect(try tied(fixture) == ["ben: 0 x1"])
  }

  @Test("Flags that stay are the new context's as soon as they are served to it (LD-24, LD-86; ready)")
  func flagsThatStayAreOfTheNewContext() throws {
    let fixture = try LifeFixture(["context": #"{"kind":"user","key":"ann"}"#]).opened()
    let flags = #"{"f":{"value":1,"version":1,"trackEvents":true}}"#
    #expect(fixture.provider.flags.took(.put(Array(flags.utf8), entityTag: nil)) == .applied)
    let reference = try fixture.context("ben")
    let ben = try LDContext.read(reference)
    _ = fixture.provider.flags.change(to: ben, fingerprint: reference.frozen.fingerprint, nil, keepingFormer: true)
    evaluate(fixture)
    fixture.provider.identified(ben)
    let patch = #"{"key":"f","value":3,"version":2,"trackEvents":true}"#
    #expect(fixture.provider.flags.took(.patch(Array(patch.utf8))) == .applied)
    evaluate(fixture)
    #expect(try tied(fixture).prefix(2) == ["ben 1", "ben 3"])
  }
}
