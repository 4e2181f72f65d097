import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("Environments live one life", .serialized) struct ClientGroupTests {
  private let user = EvaluationContext(targetingKey: "u").reference()

  @Test func eachEnvironmentHasItsOwnValuesAndAllShareOneStore() throws {
    let fixture = try GroupFixture()
    #expect(fixture.factory.keys == ["first", "b", "c"])
    #expect(fixture.stores.all == ["fake|first"])
    let (b, c) = (try fixture.member("b"), try fixture.member("c"))
    #expect(b.store === fixture.client.store && c.store === fixture.client.store)
    #expect(b.hot != fixture.client.hot && b.hot != c.hot)
    #expect(c.environment(named: "")?.hot == fixture.client.hot)
    #expect(b.environment(named: "c")?.hot == c.hot)
    #expect(fixture.client.environment(named: "nope") == nil)
    #expect([fixture.client.name, b.name] == ["fake", "fake/b"])
  }

  @Test func anEnvironmentThatIsRefusedRefusesTheClient() throws {
    #expect(throws: ConfigurationFailure.self) { _ = try GroupFixture(#"["b","wrong"]"#) }
  }

  @Test("Opening starts all, in order (LD-09; starting)") func openingStartsAllInOrder() throws {
    let fixture = try GroupFixture()
    fixture.client.open()
    fixture.scheduler.run()
    #expect(fixture.takeCalls() == [["start"], ["start"], ["start"]])
    #expect(
      fixture.providers[1].host?.providersOfGroup.map { ObjectIdentifier($0) } == fixture.providers.map { ObjectIdentifier($0) })
  }

  @Test func identifyOnAnyOfThemAsksAllAndAnswersOnceWhenTheLastHasAnswered() throws {
    let fixture = try GroupFixture().opened()
    let answers = Record<Status>()
    fixture.providers[2].setIdentify(nil)
    #expect(try fixture.member("b").identify(user) { answers.append($0) } == .ok)
    fixture.scheduler.run()
    #expect(fixture.takeCalls() == [["identify u"], ["identify u"], ["identify u"]])
    _ = fixture.client.dispatch(limit: 0)
    #expect(answers.all == [])
    fixture.providers[2].answerHeld(.network)
    fixture.providers[2].answerHeld(.ok)
    _ = fixture.client.dispatch(limit: 0)
    #expect(answers.all == [.network])
    for client in [fixture.client, try fixture.member("b"), try fixture.member("c")] {
      #expect(client.currentContext?.frozen.fingerprint == user?.frozen.fingerprint)
    }
  }

  @Test func aProviderThatOwnsTheCurrentContextSetsItItself() throws {
    let fixture = try GroupFixture(ownsCurrentContext: true).opened()
    #expect(fixture.client.identify(user, completion: nil) == .ok)
    fixture.scheduler.run()
    #expect(fixture.whileScheduling { fixture.client.identifyAndWait(user, timeoutMilliseconds: 5_000) } == .ok)
    #expect(fixture.takeCalls()[0] == ["identify u", "identify u"])
    #expect(fixture.client.currentContext == nil)
    #expect(try fixture.member("b").currentContext == nil)
    if let user { fixture.providers[0].host?.setCurrentContext(user) }
    #expect(fixture.client.currentContext != nil)
  }

  @Test("Going offline and flushing act on all (LD-09, LD-12, LD-43; offline)") func goingOfflineAndFlushingActOnAll() throws {
    let fixture = try GroupFixture().opened()
    let b = try fixture.member("b")
    #expect(b.setOnline(false) == .ok)
    fixture.scheduler.run()
    #expect(fixture.takeCalls() == Array(repeating: ["online false"], count: 3))
    #expect(!fixture.client.isOnline && !b.isOnline)
    fixture.providers[1].setFlush(.network)
    #expect(fixture.whileScheduling { fixture.client.flush(timeoutMilliseconds: 5_000) } == .network)
    #expect(fixture.takeCalls() == Array(repeating: ["flush"], count: 3))
  }

  @Test func flagsAndObserversAreEachEnvironmentsOwn() throws {
    let fixture = try GroupFixture().opened()
    let b = try fixture.member("b")
    let heard = Record<String>()
    _ = fixture.client.observe(.flagChanged, key: nil, ClosureObserver { heard.append("first \($0.keys)") })
    _ = b.observe(.flagChanged, key: nil, ClosureObserver { heard.append("b \($0.keys)") })
    b.publish(try #require(TestFlags.switches(["on"])), changed: ["on"])
    b.setState(.ready, "flags")
    // One descriptor and one queue for all of them.
    while fixture.client.dispatch(limit: 0) > 0 {}
    #expect(heard.all == [#"b ["on"]"#])
    #expect("on".withBytes { HotPath.evaluate(b.hot, $0, nil, .bool) { $0.integer != 0 } } == true)
    #expect("on".withBytes { HotPath.evaluate(fixture.client.hot, $0, nil, .bool) { $0.integer != 0 } } == nil)
    #expect(fixture.client.state == .notReady)
  }

  @Test("Closing one closes all, within one limit (LD-09, LD-17; closing)") func closingOneClosesAllWithinOneLimit() throws {
    let fixture = try GroupFixture().opened()
    let c = try fixture.member("c")
    for provider in fixture.providers { provider.setFlush(nil) }
    let began = SystemClock().monotonicNanoseconds
    #expect(fixture.whileScheduling { c.close(timeoutMilliseconds: 800) } == .timeout)
    let spent = (SystemClock().monotonicNanoseconds - began) / 1_000_000
    // Of 800 ms a service has 600: three times in a row that would be 1800.
    #expect(spent >= 590 && spent < 1_700)
    fixture.scheduler.run()
    #expect(fixture.takeCalls() == Array(repeating: ["flush", "stop"], count: 3))
    #expect([fixture.client.state, c.state] == [.closed, .closed])
    #expect(fixture.client.close(timeoutMilliseconds: 10) == .timeout)
    #expect(try fixture.member("b").identify(user, completion: nil) == .state)
  }

  @Test func thoseWhoWaitInAnyEnvironmentAreToldOfTheEnd() throws {
    let fixture = try GroupFixture().opened()
    for provider in fixture.providers { provider.setIdentify(nil) }
    let answers = Record<Status>()
    #expect(try fixture.member("b").identify(user) { answers.append($0) } == .ok)
    fixture.scheduler.run()
    #expect(fixture.whileScheduling { fixture.client.close(timeoutMilliseconds: 5_000) } == .ok)
    #expect(answers.all == [.cancelled])
  }

  @Test("Reopening starts all again (LD-09; reopened)") func reopeningStartsAllAgain() throws {
    let fixture = try GroupFixture().opened()
    #expect(fixture.client.reopen() == .state)
    #expect(fixture.whileScheduling { fixture.client.close(timeoutMilliseconds: 5_000) } == .ok)
    _ = fixture.takeCalls()
    #expect(try fixture.member("b").reopen() == .ok)
    fixture.scheduler.run()
    #expect(fixture.takeCalls() == Array(repeating: ["start"], count: 3))
    #expect([fixture.client.state, try fixture.member("c").state] == [.notReady, .notReady])
    #expect(fixture.client.identify(user, completion: nil) == .ok)
  }

  @Test func disposingOfAnEnvironmentDoesNothingAndOfTheFirstEndsAll() throws {
    let fixture = try GroupFixture().opened()
    try fixture.member("b").dispose()
    fixture.scheduler.run()
    #expect(fixture.takeCalls() == [[], [], []])
    fixture.client.dispose()
    fixture.scheduler.run()
    #expect(fixture.takeCalls() == Array(repeating: ["stop", "detach"], count: 3))
  }

  @Test func environmentsGoWithTheFirst() throws {
    weak var member: Client?
    let scheduler: ManualScheduler
    do {
      let fixture = try GroupFixture().opened()
      scheduler = fixture.scheduler
      member = try fixture.member("b")
      #expect(member != nil)
    }
    #expect(goes(scheduler) { member == nil })
  }

  @Test("A forked child's first call on one starts all of them again (LD-09, G9; forked)", .enabled(if: ForkedChild.isSupported))
  func aChildResumesTheWholeGroup() throws {
    let fixture = try GroupFixture().opened()
    let b = try fixture.member("b")
    b.publish(try #require(TestFlags.switches(["on"])), changed: [])
    b.setState(.ready, "flags")
    func evaluate(_ key: String) -> String {
      key.withBytes { b.evaluate($0, nil, .any, .counted) { _, detail in detail().value.string } }
    }
    let ending = ForkedChild.run {
      guard evaluate("on") == "true" else { return 1 }
      fixture.scheduler.run()
      guard fixture.takeCalls() == Array(repeating: ["abandon", "start"], count: 3) else { return 2 }
      guard fixture.client.identify(user, completion: nil) == .ok else { return 3 }
      fixture.scheduler.run()
      guard fixture.takeCalls() == Array(repeating: ["identify u"], count: 3) else { return 4 }
      return 0
    }
    #expect(ending == .exited(0))
    let closing = ForkedChild.run {
      guard b.close(timeoutMilliseconds: 0) == .ok else { return 1 }
      return fixture.client.state == .closed && b.state == .closed ? 0 : 2
    }
    #expect(closing == .exited(0))
    #expect(fixture.client.state != .closed)
  }
}
