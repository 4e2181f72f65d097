import HoistBase
import HoistCore
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

@Suite("Online and offline (5.3)") struct OnlineSwitchTests {
  /// A connection that settles when the test says so.
  private final class Connection: FlagConnection, @unchecked Sendable {
    var calls: [String] = []
    var entityTag: String?
    var settled: (@Sendable (SynchronizerOutcome) -> Void)?

    func begin(_ subject: SynchronizedContext, settled: @escaping @Sendable (SynchronizerOutcome) -> Void) {
      calls.append("begin")
      self.settled = settled
    }
    func end() { calls.append("end") }
    func takeCalls() -> [String] {
      defer { calls = [] }
      return calls
    }
  }

  private final class Steps: OnlineListener {
    var steps: [Bool] = []
    func onlineChanged(_ isOnline: Bool) { steps.append(isOnline) }
    func eventsMayGo(_ mayGo: Bool) {}
  }

  private let host = TestHost()
  private let connection = Connection()
  private let told = Locked<[String]>([])

  private func make(_ properties: [String: String] = ["mobile_key": "mob"]) throws -> OnlineSwitch {
    let settings = try LaunchDarklySettings(TestHost.values(properties, table: LaunchDarklyProperties.table))
    let online = OnlineSwitch(host: host, settings: settings, connection: connection)
    online.start()
    _ = online.change(to: try subject("a"))
    _ = connection.takeCalls()
    return online
  }

  private func subject(_ key: String) throws -> SynchronizedContext {
    SynchronizedContext(context: try LDContextBuilder(key: key).build())
  }

  private func set(_ online: OnlineSwitch, _ isOnline: Bool, _ name: String) {
    let told = told
    online.set(isOnline) { status in told.change { $0.append("\(name) \(status.rawValue)") } }
  }

  @Test("Going online is complete with the first flags (LD-12, ruling A1, complaint 13; starting)") func onlineWaitsForFlags()
    throws
  {
    let online = try make()
    set(online, true, "on")
    #expect(connection.takeCalls() == ["begin"] && online.isOnline && !online.isInitialized && told.value == [])
    connection.settled?(.updated)
    #expect(told.value == ["on 0"] && online.isInitialized)
    connection.settled?(.updated)
    #expect(told.value == ["on 0"])
  }

  @Test("Going offline is complete at once, also for those who wait for flags (LD-14; starting, offline)")
  func goingOfflineIsCompleteAtOnceAndAlsoForThoseWhoWaitForFlags() throws {
    let online = try make()
    set(online, true, "on")
    set(online, false, "off")
    #expect(told.value == ["on 0", "off 0"] && !online.isOnline)
    #expect(connection.takeCalls() == ["begin", "end"])
  }

  @Test("A client that was offline once is initialized (LD-11, ruling A6; offline)") func offlineInitializes() throws {
    let online = try make()
    set(online, false, "off")
    set(online, true, "on")
    #expect(online.isOnline && online.isInitialized)
  }

  @Test("Who goes online while the start looks for its context waits for that one's flags (LD-12, 5.3; starting)")
  func theStartGoesOnline() throws {
    let online = try starting()
    set(online, true, "on")
    #expect(told.value == [] && !online.isInitialized && connection.takeCalls() == [])
    #expect(!online.change(to: try subject("a")))
    set(online, true, "start")
    connection.settled?(.updated)
    #expect(told.value == ["on 0", "start 0"] && online.isOnline)
  }

  @Test("Who waits for the start's context is told when it does not come") func thereIsNoContext() throws {
    let ends: [(OnlineSwitch) -> Void] = [
      { set($0, false, "off") }, { $0.findsNoSubject() }, { $0.stop() }, { $0.setForeground(false) },
    ]
    for end in ends {
      let online = try starting()
      set(online, true, "on")
      end(online)
      #expect(!online.isOnline)
    }
    #expect(told.value == ["on 0", "off 0", "on 0", "on 12", "on 0"])
    let online = try starting()
    online.findsNoSubject()
    set(online, true, "later")
    #expect(told.value.last == "later 0")
  }

  /// Started, without a context yet.
  private func starting() throws -> OnlineSwitch {
    let settings = try LaunchDarklySettings(TestHost.values(["mobile_key": "mob"], table: LaunchDarklyProperties.table))
    let online = OnlineSwitch(host: host, settings: settings, connection: connection)
    online.start()
    return online
  }

  @Test("Before the start, without a key, and in the background nobody goes online (LD-15; before start, offline, background)")
  func theForbiddenStaysOffline() throws {
    for (properties, isForeground) in [
      (["mobile_key": ""], true), (["mobile_key": "mob"], false),
    ] {
      let online = try make(properties)
      if !isForeground { online.setForeground(false) }
      _ = connection.takeCalls()
      set(online, true, "on")
      #expect(!online.isOnline && online.isInitialized && !connection.takeCalls().contains("begin"))
    }
    let unstarted = OnlineSwitch(
      host: host, settings: try LaunchDarklySettings(TestHost.values(["mobile_key": "mob"], table: LaunchDarklyProperties.table)),
      connection: connection)
    set(unstarted, true, "unstarted")
    #expect(!unstarted.isOnline && !unstarted.isInitialized)
    #expect(told.value == ["on 0", "on 0", "unstarted 0"])
    let allowed = try make(["mobile_key": "mob", "enable_background_updates": "true"])
    allowed.setForeground(false)
    set(allowed, true, "allowed")
    #expect(allowed.isOnline)
  }

  @Test("Rapid repeats wait, and those replaced are told (LD-13, LD-14; ready)") func repeatsAreHeldBack() throws {
    let online = try make()
    for name in ["a", "b", "c", "d"] { set(online, true, name) }
    connection.settled?(.confirmed)
    #expect(told.value == ["c 11", "a 0", "b 0"])
    host.time.advance(milliseconds: 60_000)
    // Online all the time: there is nothing to begin again.
    #expect(told.value == ["c 11", "a 0", "b 0", "d 0"] && connection.takeCalls() == ["begin"])
  }

  @Test("Going offline drops a try that waits (LD-13; offline)") func goingOfflineDropsATryThatWaits() throws {
    let online = try make()
    for _ in 0..<3 {
      set(online, false, "off")
      set(online, true, "on")
    }
    #expect(!online.isOnline && online.isOnlineOrAboutToBe)
    set(online, false, "last")
    host.time.advance(milliseconds: 60_000)
    #expect(!online.isOnline && told.value.suffix(2) == ["on 11", "last 0"])
  }

  @Test("401 takes the client offline and says so at once (LD-12, ruling A13; refused)") func unauthorizedIsOffline() throws {
    let online = try make()
    set(online, true, "on")
    connection.settled?(.unauthorized)
    #expect(told.value == ["on 1210"] && !online.isOnline && online.isInitialized)
    // A later wish makes another try.
    set(online, true, "again")
    #expect(online.isOnline && connection.takeCalls().last == "begin")
  }

  @Test func aStreamThatIsRefusedForGoodLeavesTheClientOnlineAndIsTriedAgain() throws {
    let online = try make()
    set(online, true, "on")
    connection.settled?(.shutDown(403))
    #expect(told.value == ["on 1211"] && online.isOnline)
    set(online, true, "again")
    #expect(connection.takeCalls() == ["begin", "begin"])
    connection.settled?(.updated)
    online.streamShutDown()
    set(online, true, "third")
    host.time.advance(milliseconds: 2_000)
    #expect(connection.takeCalls() == ["begin"])
  }

  @Test func anotherContextIsConnectedAfresh() throws {
    let online = try make()
    set(online, true, "on")
    let former = connection.settled
    #expect(online.change(to: try subject("b")) == true)
    #expect(!online.isOnline && connection.takeCalls() == ["begin", "end"])
    set(online, true, "b")
    former?(.updated)
    #expect(told.value == [])
    connection.settled?(.updated)
    #expect(told.value == ["on 0", "b 0"])
    set(online, false, "off")
    #expect(online.change(to: try subject("c")) == false)
  }

  @Test("Stopping tells those who wait (LD-12, LD-13; closing)") func stoppingTellsThoseWhoWait() throws {
    let online = try make()
    for name in ["a", "b", "c"] { set(online, true, name) }
    online.stop()
    #expect(told.value.sorted() == ["a 12", "b 12", "c 11"] && !online.isOnline && !online.isInitialized)
    set(online, true, "after")
    #expect(!online.isOnline)
  }

  @Test("Steps to online and back are told to those who work only online") func stepsAreTold() throws {
    let online = try make()
    let listener = Steps()
    online.listener = listener
    set(online, true, "a")
    set(online, true, "b")
    set(online, false, "c")
    set(online, false, "d")
    #expect(listener.steps == [true, false])
  }

  @Test("Contract 7: a refresh tries again what has ended, at once, and nothing else")
  func refreshTriesAgain() throws {
    let online = try make()
    online.refresh()
    #expect(!online.isOnline)
    set(online, true, "on")
    connection.settled?(.unauthorized)
    _ = connection.takeCalls()
    for _ in 0..<3 {
      online.refresh()
      #expect(online.isOnline && connection.takeCalls() == ["begin"])
      connection.settled?(.shutDown(403))
    }
    online.refresh()
    connection.settled?(.updated)
    _ = connection.takeCalls()
    online.refresh()
    #expect(connection.takeCalls() == [])
    online.forceOffline()
    host.isOnline = false
    online.refresh()
    #expect(!online.isOnline && !connection.takeCalls().contains("begin"))
  }

  @Test(
    "A refused key stays refused in the background and back; a wish to go online tries it again (LD-15, 2.3, 2.5; refused, background)"
  )
  func theForegroundDoesNotRepeatARefusedKey() throws {
    let online = try make()
    set(online, true, "on")
    connection.settled?(.unauthorized)
    _ = connection.takeCalls()
    for isForeground in [false, true, false, true] { online.setForeground(isForeground) }
    host.time.advance(milliseconds: 60_000)
    #expect(!online.isOnline && !connection.takeCalls().contains("begin"))
    set(online, true, "again")
    #expect(online.isOnline && connection.takeCalls().contains("begin"))
    for isForeground in [false, true] { online.setForeground(isForeground) }
    #expect(online.isOnline)
  }

  @Test("Section 6, 5.3: an empty key is told once at warning; why nobody goes online each time at info")
  func whyNobodyGoesOnlineIsTold() throws {
    let online = try make(["mobile_key": ""])
    for _ in 0..<3 { set(online, true, "on") }
    #expect(host.lines.messages(.warning).filter { $0.contains("mobile key is empty") }.count == 1)
    #expect(host.lines.messages(.info).filter { $0.contains("mobile key is empty") }.count == 2)
    let hidden = try make()
    hidden.setForeground(false)
    set(hidden, true, "on")
    #expect(host.lines.messages(.info).filter { $0.contains("background") }.count == 1)
  }

  @Test("Coming to the foreground is no try that the throttle counts or holds back (LD-13, 5.4, 5.7; background)")
  func theForegroundIsNotHeldBack() throws {
    let online = try make()
    set(online, true, "on")
    for _ in 0..<5 {
      online.setForeground(false)
      #expect(!online.isOnline)
      online.setForeground(true)
      #expect(online.isOnline)
    }
    set(online, false, "off")
    set(online, true, "second")
    #expect(online.isOnline)
    host.isOnline = false
    online.setForeground(false)
    online.setForeground(true)
    #expect(!online.isOnline)
  }
}
