import HoistCore
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

@Suite("Going online again, and what answers tell beside flags (4.5, 4.6, 5.3, 5.7, 5.10)", .serialized)
struct ReturnTests {
  private func polls(_ fixture: LifeFixture) -> [ScriptedExchange] {
    fixture.network.exchanges.filter { $0.request.url.contains("/msdk/") }
  }

  @Test("Whoever goes online again asks what has changed since the newest poll (LD-85, 5.10; offline)")
  func theNewestTagIsAskedWith() throws {
    let fixture = try LifeFixture(["streaming_mode": "polling"]).opened()
    polls(fixture).last?.complete(answer(200, "{}", [HTTPHeader("ETag", "\"first\"")]))
    fixture.time.run()
    for (known, next) in [("\"first\"", "\"second\""), ("\"second\"", ""), ("", "\"third\"")] {
      fixture.time.advance(milliseconds: 60_000)
      _ = fixture.face.setOnline(false, completion: nil)
      _ = fixture.face.setOnline(true, completion: nil)
      fixture.time.run()
      let poll = try #require(polls(fixture).last)
      #expect(!poll.isEnded && poll.request.header("If-None-Match") ?? "" == known)
      poll.complete(answer(200, "{}", next.isEmpty ? [] : [HTTPHeader("ETag", next)]))
      fixture.time.run()
    }
  }

  @Test("Another context does not ask with the tag of the one before it (LD-85, 2.3; ready)")
  func anotherContextHasNoTag() throws {
    let fixture = try LifeFixture(["streaming_mode": "polling"]).opened()
    polls(fixture).last?.complete(answer(200, "{}", [HTTPHeader("ETag", "\"first\"")]))
    fixture.time.advance(milliseconds: 60_000)
    _ = fixture.face.identify(try fixture.context("b"), timeoutMilliseconds: -1, options: [], completion: nil)
    fixture.time.run()
    _ = fixture.face.setOnline(false, completion: nil)
    _ = fixture.face.setOnline(true, completion: nil)
    fixture.time.advance(milliseconds: 60_000)
    let poll = try #require(polls(fixture).last)
    #expect(!poll.isEnded && poll.request.header("If-None-Match") == nil)
  }

  @Test("4.6, 5.7: in the background no diagnostics are sent, on the return the interval begins anew")
  func diagnosticsRestInTheBackground() throws {
    let fixture = try LifeFixture(["enable_background_updates": "true"]).opened()
    func sent() -> Int {
      let all = fixture.network.exchanges.filter { $0.request.url.hasSuffix("/mobile/events/diagnostic") }
      for exchange in all where !exchange.isEnded { exchange.complete(answer(202)) }
      fixture.time.run()
      return all.count
    }
    #expect(sent() == 1)
    #expect(fixture.face.setInBackground(true) == .ok)
    fixture.time.advance(milliseconds: 2_000_000)
    #expect(sent() == 1 && fixture.face.common.isOnline)
    #expect(fixture.face.setInBackground(false) == .ok)
    fixture.time.advance(milliseconds: 890_000)
    #expect(sent() == 1)
    fixture.time.advance(milliseconds: 20_000)
    #expect(sent() == 2)
  }

  @Test("A key that is refused for events is told of as for flags (LD-41, LD-92, 2.4; refused)")
  func aRefusalOfEventsIsTold() throws {
    let fixture = try LifeFixture(["streaming_mode": "polling"]).opened()
    polls(fixture).last?.complete(answer(200, "{}"))
    fixture.time.run()
    fixture.provider.flush { _ in }
    fixture.time.run()
    let events = try #require(fixture.network.exchanges.last { $0.request.url.hasSuffix("/bulk") })
    events.complete(answer(401))
    fixture.time.run()
    _ = fixture.heard()
    #expect(!fixture.face.common.isOnline)
    let failure = fixture.provider.connection.dataSource.lastFailure
    #expect(failure?.kind == .response && failure?.status == 401)
    #expect(fixture.log.messages(.error).contains { $0.contains("401") })
  }
}
