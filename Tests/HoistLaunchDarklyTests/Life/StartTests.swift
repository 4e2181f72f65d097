import HoistBase
import HoistCore
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

@Suite("Starting a client (5.1, 5.2)", .serialized) struct StartTests {
  private let late = ["autostart": "false"]

  @Test("Offline a start is complete at once, and nothing has timed out (LD-03, LD-77, ruling A4; offline)")
  func anOfflineStartIsCompleteAtOnce() throws {
    let fixture = try LifeFixture(late.merging(["online": "false"]) { $1 }).opened()
    #expect(!fixture.face.common.isInitialized)
    #expect(fixture.face.start(waitMilliseconds: 1_000, completion: fixture.tell("start")) == .ok)
    #expect(fixture.heard() == ["start 0"])
    #expect(fixture.face.common.isInitialized && !fixture.face.common.isOnline)
    fixture.time.advance(milliseconds: 2_000)
    #expect(fixture.heard() == [])
  }

  @Test("Without a mobile key a client is offline and initialized (LD-15; offline)") func withoutAKeyNobodyGoesOnline() throws {
    let fixture = try LifeFixture(["autostart": "false", "mobile_key": ""]).opened()
    _ = fixture.face.start(waitMilliseconds: -1, completion: fixture.tell("start"))
    #expect(fixture.heard() == ["start 0"] && fixture.face.common.isInitialized && !fixture.face.common.isOnline)
  }

  @Test("The wait ends once, and the start goes on (LD-06; starting)") func theWaitEndsOnceAndTheStartGoesOn() throws {
    let fixture = try LifeFixture(late).opened()
    _ = fixture.face.start(waitMilliseconds: 3_000, completion: fixture.tell("start"))
    fixture.time.advance(milliseconds: 2_999)
    #expect(fixture.heard() == [])
    fixture.time.advance(milliseconds: 1)
    #expect(fixture.heard() == ["start 3"])
    #expect(fixture.face.common.isOnline && !fixture.face.common.isInitialized)
  }

  @Test("A second start is told so at once and changes nothing (LD-05, ruling A11; starting, offline)")
  func aSecondStartIsRefused() throws {
    let fixture = try LifeFixture(late.merging(["online": "false"]) { $1 }).opened()
    _ = fixture.face.start(waitMilliseconds: -1, completion: fixture.tell("first"))
    _ = fixture.face.start(waitMilliseconds: 5_000, completion: fixture.tell("second"))
    #expect(fixture.heard() == ["second 1213", "first 0"])
    let other = try LifeFixture(["online": "false"]).opened()
    _ = other.face.start(waitMilliseconds: 5_000, completion: other.tell("opened"))
    #expect(other.heard() == ["opened 1213"])
  }

  @Test("Before the start nothing works (LD-01, ruling A9; before start)") func beforeTheStartNothingWorks() throws {
    let fixture = try LifeFixture(late).opened()
    _ = fixture.face.identify(
      try fixture.context("a"), timeoutMilliseconds: -1, options: [], completion: fixture.tell("identify"))
    _ = fixture.face.setOnline(true, completion: fixture.tell("online"))
    #expect(fixture.heard() == ["identify 2", "online 0"])
    #expect(!fixture.face.common.isOnline && !fixture.face.common.isInitialized)
  }

  @Test("A start that closing cuts short is told of it (LD-06, LD-17; closing)") func closingEndsAStart() throws {
    let fixture = try LifeFixture(late).opened()
    _ = fixture.face.start(waitMilliseconds: 60_000, completion: fixture.tell("start"))
    fixture.time.run()
    fixture.close()
    #expect(fixture.told.value == ["start 12"])
    #expect(fixture.face.start(waitMilliseconds: 0, completion: nil) == .state)
    #expect(
      !fixture.face.common.isInitialized && !fixture.face.common.isOnline && fixture.face.environment(named: "default") == nil)
  }

  @Test("After closing, a new start is possible (LD-03, LD-17, 5.9; reopened)") func aClosedClientStartsAgain() throws {
    let fixture = try LifeFixture(late.merging(["online": "false"]) { $1 }).opened()
    _ = fixture.face.start(waitMilliseconds: -1, completion: fixture.tell("start"))
    #expect(fixture.heard() == ["start 0"])
    fixture.close()
    #expect(fixture.client.reopen() == .ok)
    fixture.time.run()
    #expect(!fixture.face.common.isInitialized)
    _ = fixture.face.start(waitMilliseconds: -1, completion: fixture.tell("again"))
    #expect(fixture.heard() == ["again 0"] && fixture.face.common.isInitialized)
  }

  @Test("Environments start together, with the same context (LD-07 to LD-09; offline)") func environmentsStartTogether() throws {
    let fixture = try LifeFixture([
      "autostart": "false", "online": "false", "secondary_mobile_keys": #"{"test":"mob-2","beta":"mob-3"}"#,
    ]).opened()
    let test = try fixture.environment("test")
    #expect(test.environment(named: "default")?.hot == fixture.client.hot && fixture.face.environment(named: "nope") == nil)
    // On whichever it is called.
    _ = test.start(waitMilliseconds: -1, completion: fixture.tell("start"))
    #expect(fixture.heard() == ["start 0"])
    #expect(try [fixture.face, test, fixture.environment("beta")].allSatisfy { $0.common.isInitialized })
    #expect(test.provider.settings.mobileKey.reveal() == "mob-2")
    _ = test.identify(try fixture.context("u"), timeoutMilliseconds: -1, options: [], completion: fixture.tell("identify"))
    #expect(fixture.heard() == ["identify 0"] && fixture.currentKey == "u")
    #expect(test.client.currentContext?.frozen.fingerprint == fixture.client.currentContext?.frozen.fingerprint)
  }
}
