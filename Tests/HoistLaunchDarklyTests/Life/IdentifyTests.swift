import HoistBase
import HoistCore
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

@Suite("Identify on a client (5.5)", .serialized) struct IdentifyTests {
  private func identify(_ fixture: LifeFixture, _ key: String, _ options: IdentifyOptions = [], timeout: Int64 = -1) throws {
    let status = fixture.face.identify(
      try fixture.context(key), timeoutMilliseconds: timeout, options: options, completion: fixture.tell(key))
    #expect(status == .ok)
  }

  @Test("Offline an identify is complete at once (LD-21; offline)") func offlineItIsCompleteAtOnce() throws {
    let fixture = try LifeFixture(["online": "false"]).opened()
    try identify(fixture, "a")
    // Until it is done, the former context is the current one.
    #expect(fixture.currentKey == nil)
    #expect(fixture.heard() == ["a 0"] && fixture.currentKey == "a" && !fixture.face.common.isOnline)
  }

  @Test("Of those that wait the newest stays, and the call of the core says so in its own words (LD-20 to LD-22; starting)")
  func whatWaitsIsShed() throws {
    let fixture = try LifeFixture().opened()
    try identify(fixture, "a")
    try identify(fixture, "b")
    _ = fixture.client.identify(try fixture.context("c"), completion: fixture.tell("c"))
    try identify(fixture, "d", .unsheddable)
    try identify(fixture, "e")
    #expect(fixture.heard() == ["b 1212", "c 11"] && fixture.currentKey == "a")
  }

  @Test("The wait for flags is bounded by the timeout (LD-23, complaint 1; starting)") func theTimeoutIsTold() throws {
    let fixture = try LifeFixture().opened()
    try identify(fixture, "a", timeout: 5_000)
    fixture.time.advance(milliseconds: 5_000)
    #expect(fixture.heard() == ["a 3"] && fixture.currentKey == "a")
  }

  @Test("The current context again is done without the network (LD-21, 5.5; starting)") func theSameContextIsDoneAtOnce() throws {
    let fixture = try LifeFixture(["online": "false"]).opened()
    try identify(fixture, "a")
    #expect(fixture.heard() == ["a 0"])
    _ = fixture.face.setOnline(true, completion: nil)
    fixture.time.run()
    try identify(fixture, "a")
    #expect(fixture.heard() == ["a 0"] && fixture.face.common.isOnline)
  }

  @Test("Going offline meanwhile completes it (LD-14, LD-21; offline)") func goingOfflineCompletesIt() throws {
    let fixture = try LifeFixture().opened()
    try identify(fixture, "a")
    #expect(fixture.heard() == [])
    _ = fixture.face.setOnline(false, completion: fixture.tell("offline"))
    #expect(fixture.heard() == ["a 0", "offline 0"])
  }

  @Test("A closing client says so to all who wait (LD-20 to LD-22, 5.9, ruling A7; closing)") func closingTellsAll() throws {
    let fixture = try LifeFixture().opened()
    try identify(fixture, "a")
    try identify(fixture, "b")
    fixture.time.run()
    fixture.close()
    #expect(fixture.told.value.sorted() == ["a 12", "b 12"])
    #expect(fixture.face.identify(nil, timeoutMilliseconds: 0, options: [], completion: nil) == .state)
    #expect(IdentifyResult(.cancelled) == .error && IdentifyResult(.ok) == .complete)
    #expect(IdentifyResult(.launchDarklyShed) == .shed && IdentifyResult(.timeout) == .timeout)
  }

  @Test(
    "A start that still reads the store does not take the place of a context that came after it (LD-02, LD-21, 5.1, 5.5; starting)"
  )
  func anIdentifyWaitsForTheStart() throws {
    let fixture = try LifeFixture(["store": "memory", "online": "false"])
    fixture.client.open()
    try identify(fixture, "a")
    let clock = SystemClock()
    let deadline = clock.monotonicNanoseconds + 10_000_000_000
    var heard: [String] = []
    while heard.isEmpty, clock.monotonicNanoseconds < deadline { heard = fixture.heard() }
    #expect(heard == ["a 0"] && fixture.currentKey == "a")
    // The start's own context was recorded before it, and nothing after.
    #expect(fixture.provider.online.subject?.context.fullyQualifiedKey == "a")
    fixture.time.run()
    #expect(fixture.currentKey == "a")
  }

  @Test func unknownOptionsAreRefused() throws {
    let fixture = try LifeFixture().opened()
    for options: UInt32 in [6, 8, 1 << 31] {
      #expect(fixture.face.identify(nil, timeoutMilliseconds: 0, options: .init(rawValue: options), completion: nil) == .argument)
    }
  }

  @Test("A forked child goes on with the parent's context, and not with its wishes (LD-21, LD-24, G9; forked)")
  func aChildGoesOn() throws {
    let fixture = try LifeFixture().opened()
    try identify(fixture, "a")
    try identify(fixture, "b")
    fixture.time.run()
    #expect(fixture.currentKey == "a")
    fixture.time.simulateFork()
    fixture.provider.forgetCountsAfterFork()
    fixture.provider.abandonAfterFork()
    #expect(!fixture.face.common.isOnline)
    fixture.provider.start()
    #expect(fixture.face.common.isOnline && fixture.currentKey == "a" && fixture.provider.identifying.inFlight == nil)
    #expect(fixture.heard() == [])
  }
}
