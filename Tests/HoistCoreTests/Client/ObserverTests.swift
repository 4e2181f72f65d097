import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("Observers are told, in order, while they want to be") struct ObserverTests {
  @Test func theStateHasChangedBeforeAnybodyIsTold() throws {
    let fixture = try ClientFixture()
    let states = Record<ClientState>()
    let client = fixture.client
    let (heard, _) = fixture.observe(.state) { [weak client] _ in client.map { states.append($0.state) } }
    client.setState(.ready, "first")
    fixture.dispatchAll()
    client.setState(.ready, "again")  // no change
    client.setState(.stale, "second")
    fixture.dispatchAll()
    #expect(heard.all == ["state  first", "state  second"])
    #expect(states.all == [.ready, .stale])
  }

  @Test func readyIsToldOnceWhenItHappens() throws {
    let fixture = try ClientFixture()
    let (heard, _) = fixture.observe(.ready)
    fixture.client.setState(.error, "no")
    fixture.client.setState(.ready, "yes")
    fixture.client.setState(.stale, "away")
    fixture.client.setState(.ready, "back")
    fixture.dispatchAll()
    #expect(heard.all == ["ready  yes"])
  }

  @Test func aLateObserverOfReadyIsToldAtOnce() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let (heard, _) = fixture.observe(.ready)
    let (others, _) = fixture.observe(.configurationChanged)
    fixture.dispatchAll()
    #expect(heard.all == ["ready  "] && others.all == [])
  }

  /// From both sides of the moment, an observer hears of it once.
  @Test func anObserverThatComesWhileTheClientBecomesReadyIsToldExactlyOnce() throws {
    for _ in 0..<300 {
      let fixture = try ClientFixture()
      let heard = Record<String>()
      inThreads(2) { index in
        if index == 0 {
          fixture.client.setState(.ready, "")
        } else {
          _ = fixture.client.observe(.ready, key: nil, ClosureObserver { _ in heard.append("ready") })
        }
      }
      fixture.dispatchAll()
      #expect(heard.all == ["ready"])
    }
  }

  @Test func newFlagsAreAnnouncedWithTheirKeys() throws {
    let fixture = try ClientFixture()
    let (configuration, _) = fixture.observe(.configurationChanged)
    let (each, _) = fixture.observe(.flagChanged)
    let (one, _) = fixture.observe(.flagChanged, key: "b")
    fixture.client.publish(try #require(TestFlags.switches(["a", "b"])), changed: ["a", "b"])
    fixture.client.publish(try #require(TestFlags.switches(["a", "b"])), changed: [])
    fixture.dispatchAll()
    #expect(configuration.all == ["configurationChanged a,b 2 flags changed"])
    #expect(each.all == ["flagChanged a ", "flagChanged b "])
    #expect(one.all == ["flagChanged b "])
  }

  @Test func aKeyMattersToFlagsAndImpressionsOnly() throws {
    let fixture = try ClientFixture()
    let (heard, _) = fixture.observe(.error, key: "a")
    fixture.client.notify(Notification(.error, message: "oops"))
    fixture.dispatchAll()
    #expect(heard.all == ["error  oops"])
  }

  @Test func anObserverMayEndItselfAndOthersInItsCall() throws {
    let fixture = try ClientFixture()
    let tokens = Record<UInt64>()
    let client = fixture.client
    let (first, firstToken) = fixture.observe(.error) { [weak client] _ in
      for token in tokens.all { _ = client?.unobserve(token) }
    }
    let (second, secondToken) = fixture.observe(.error)
    tokens.append(firstToken)
    tokens.append(secondToken)
    for number in 0..<3 { client.notify(Notification(.error, message: "\(number)")) }
    fixture.dispatchAll()
    #expect(first.all == ["error  0"])
    #expect(second.all == [])
    #expect(!client.unobserve(firstToken))
  }

  @Test func anObserverMayAddAnotherWhichHearsTheNextNews() throws {
    let fixture = try ClientFixture()
    let late = Record<String>()
    let client = fixture.client
    let (_, token) = fixture.observe(.error) { [weak client] _ in
      _ = client?.observe(.error, key: nil, ClosureObserver { late.append($0.message) })
    }
    client.notify(Notification(.error, message: "1"))
    client.notify(Notification(.error, message: "2"))
    fixture.dispatchAll()
    #expect(client.unobserve(token))
    #expect(late.all == [])
    client.notify(Notification(.error, message: "3"))
    fixture.dispatchAll()
    #expect(late.all == ["3", "3"])
  }

  @Test func anObserverMayAskWhatItIsToldAbout() throws {
    let fixture = try ClientFixture()
    let seen = Record<String>()
    let client = fixture.client
    _ = client.observe(
      .configurationChanged, key: nil,
      ClosureObserver { [weak client] _ in
        seen.append("on".withBytes { client?.evaluate($0, nil, .any, .counted) { _, detail in detail().value.string } ?? "" })
      })
    client.publish(try #require(TestFlags.switches(["on"])), changed: ["on"])
    fixture.dispatchAll()
    #expect(seen.all == ["true"])
  }

  @Test func withoutManualDispatchALaneTells() throws {
    let fixture = try ClientFixture([])
    #expect(fixture.client.dispatchDescriptor == -1)
    let isOwn = Record<Bool>()
    let (heard, _) = fixture.observe(.error) { _ in isOwn.append(Thread.isOwn) }
    for number in 0..<20 { fixture.client.notify(Notification(.error, message: "\(number)")) }
    #expect(fixture.client.dispatch(limit: 0) == 0)
    #expect(eventually { heard.all.count == 20 })
    #expect(heard.all == (0..<20).map { "error  \($0)" })
    #expect(isOwn.all.allSatisfy { $0 })
  }

  @Test("On a thread of the library's own, calls that wait are refused") func waitingCallsAreRefusedInACallback() throws {
    let fixture = try ClientFixture([])
    let answers = Record<Status>()
    let client = fixture.client
    _ = client.observe(
      .error, key: nil,
      ClosureObserver { [weak client] _ in
        guard let client else { return }
        answers.append(client.close(timeoutMilliseconds: 1_000))
        answers.append(client.flush(timeoutMilliseconds: 1_000))
        answers.append(client.waitReady(timeoutMilliseconds: 1_000))
        answers.append(client.identifyAndWait(nil, timeoutMilliseconds: 1_000))
      })
    client.notify(Notification(.error))
    #expect(eventually { answers.all.count == 4 })
    #expect(answers.all.allSatisfy { $0 == .state })
    #expect(client.state == .notReady)
  }
}
