import CShims
import Glibc
import HoistBase
@testable import HoistCore
import HoistTestSupport
import Synchronization
import Testing

@Suite("A forked child works (G9)", .serialized, .enabled(if: ForkedChild.isSupported)) struct ClientForkTests {
  @Test func aChildEvaluatesFromTheLastSnapshotAndStartsAnew() throws {
    let fixture = try ClientFixture()
    try fixture.serve([("on", .bool(true)), ("who", .targetingKey)])
    fixture.fast("on")
    fixture.evaluate("nope")
    _ = fixture.client.identify(EvaluationContext(targetingKey: "u").reference(), completion: nil)
    let ending = ForkedChild.run {
      // The first evaluation takes the slow path, which starts the rest again; then the hot path is open.
      guard fixture.fast("on") == nil else { return 1 }
      guard fixture.evaluate("on").value.string == "true", fixture.fast("on") == true else { return 2 }
      guard fixture.evaluate("who").value.string == #""u""# else { return 3 }
      guard fixture.client.state == .ready else { return 4 }
      fixture.scheduler.simulateFork()
      fixture.client.resumeAfterFork()
      fixture.scheduler.run()
      return 0
    }
    #expect(ending == .exited(0))
    #expect(fixture.provider.counts() == ["on/0": 1])
    fixture.scheduler.run()
    #expect(fixture.provider.calls == ["identify u"])
  }

  @Test func theProviderAbandonsAndStartsOnce() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let ending = ForkedChild.run {
      fixture.evaluate("on")
      fixture.evaluate("on")
      _ = fixture.client.refresh()
      fixture.scheduler.run()
      return fixture.provider.calls == ["abandon", "start", "refresh"] ? 0 : 1
    }
    #expect(ending == .exited(0))
  }

  @Test func countsOfTheParentStayTheParentsAlsoThoseOfReplacedFlags() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let view = FlagView(fixture.client, nil)
    for _ in 0..<5 { fixture.fast("on") }
    fixture.client.publish(try #require(TestFlags.switches(["on"])), changed: [])
    for _ in 0..<3 { fixture.fast("on") }
    let ending = ForkedChild.run {
      for _ in 0..<2 { fixture.evaluate("on") }
      guard fixture.fast("on") == true else { return 1 }
      guard "on".withBytes({ view.evaluate($0, .bool) { _ in true } }) == true else { return 2 }
      return fixture.provider.counts() == ["on/0": 4] ? 0 : 3
    }
    #expect(ending == .exited(0))
    #expect(fixture.provider.counts() == ["on/0": 8])
  }

  @Test func aViewIsAFirstUseToo() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let view = FlagView(fixture.client, nil)
    for _ in 0..<5 { fixture.fast("on") }
    let ending = ForkedChild.run {
      guard "on".withBytes({ view.evaluate($0, .bool) { _ in true } }) == true else { return 1 }
      guard fixture.fast("on") == true else { return 2 }
      return fixture.provider.counts() == ["on/0": 2] ? 0 : 3
    }
    #expect(ending == .exited(0))
  }

  @Test func answersThatTheParentWaitsForAreTheParents() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setIdentify(nil)
    let answers = Record<Status>()
    _ = fixture.client.identify(nil) { answers.append($0) }
    fixture.scheduler.run()
    let ending = ForkedChild.run {
      fixture.client.resumeAfterFork()
      fixture.provider.answerHeld(.ok)
      fixture.dispatchAll()
      return answers.all.isEmpty ? 0 : 1
    }
    #expect(ending == .exited(0))
    fixture.provider.answerHeld(.ok)
    fixture.dispatchAll()
    #expect(answers.all == [.ok])
  }

  @Test func closeInAChildThatDidNotUseTheClientWaitsForNobody() throws {
    let fixture = try ClientFixture([])
    try fixture.serve()
    fixture.provider.setFlush(nil)
    let door = Door()
    _ = fixture.observe(.error) { _ in door.pass() }
    fixture.client.notify(Notification(.error))
    #expect(door.waitForArrivals(1))
    let ending = ForkedChild.run {
      guard fixture.client.close(timeoutMilliseconds: 60_000) == .ok else { return 1 }
      guard fixture.client.close(timeoutMilliseconds: 60_000) == .ok else { return 2 }
      guard fixture.provider.calls.isEmpty, fixture.client.state == .closed else { return 3 }
      // It can be opened again there, once.
      guard fixture.client.reopen() == .ok else { return 4 }
      fixture.scheduler.run()
      return fixture.provider.calls == ["abandon", "start"] ? 0 : 5
    }
    #expect(ending == .exited(0))
    door.open()
    #expect(fixture.client.state == .ready)
  }

  @Test func closeInAChildWhileTheParentClosesDoesNotWaitForTheParent() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setFlush(nil)
    let closing = startThread { _ = fixture.client.close(timeoutMilliseconds: 60_000) }
    #expect(fixture.scheduler.run { fixture.provider.heldCount == 1 })
    let ending = ForkedChild.run { fixture.client.close(timeoutMilliseconds: 60_000) == .ok ? 0 : 1 }
    #expect(ending == .exited(0))
    fixture.provider.answerHeld(.ok)
    closing.join()
  }

  @Test func aChildOfAChildWorksToo() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let ending = ForkedChild.run {
      fixture.evaluate("on")
      let inner = ForkedChild.run {
        guard fixture.evaluate("on").value.string == "true", fixture.fast("on") == true else { return 1 }
        return fixture.provider.counts() == ["on/0": 2] ? 0 : 2
      }
      guard inner == .exited(0) else { return 1 }
      return fixture.provider.counts() == ["on/0": 1] ? 0 : 2
    }
    #expect(ending == .exited(0))
  }

  @Test func readersOfTheParentHoldNothingBackInTheChild() throws {
    let fixture = try HolderFixture()
    fixture.holder.publish(fixture.snapshot("a"))
    let door = Door()
    let reader = startThread {
      let slot = shim_enter()
      door.pass()
      shim_leave(slot)
    }
    #expect(door.waitForArrivals(1))
    let ending = ForkedChild.run {
      fixture.holder.publish(fixture.snapshot("b"))
      fixture.drain()
      return fixture.living == 1 && fixture.holder.waiting == 0 ? 0 : 1
    }
    #expect(ending == .exited(0))
    door.open()
    reader.join()
  }

  /// Children of a process whose threads evaluate, publish, change contexts and observe all the while.
  @Test func twoHundredChildrenOfABusyParentAllWork() throws {
    let fixture = try ClientFixture()
    try fixture.serve([("on", .bool(true)), ("who", .targetingKey)])
    let isDone = Flag()
    let counted = Atomic<UInt64>(0)
    let drained = Atomic<UInt64>(0)
    let load = (0..<4).map { index in
      startThread {
        var number: UInt64 = 0
        while !isDone.isRaised {
          switch index {
          case 0, 1:
            if fixture.fast("on") == true { number += 1 }
          case 2:
            let context = EvaluationContext(targetingKey: "user-\(number)")
            if fixture.evaluate("who", context).errorCode == .none { number += 1 }
            _ = fixture.client.identify(context.reference(), completion: nil)
          default:
            if let next = TestFlags.snapshot([("on", .bool(true)), ("who", .targetingKey)]) {
              fixture.client.publish(next, changed: ["on"])
            }
            let (_, token) = fixture.observe(.configurationChanged)
            fixture.dispatchAll()
            _ = fixture.client.unobserve(token)
            fixture.client.log.error("line")
            fixture.scheduler.run()
            drained.add(fixture.provider.counts().values.reduce(0, +), ordering: .relaxed)
          }
        }
        counted.add(number, ordering: .relaxed)
      }
    }
    var endings: [ForkedChild.Ending] = []
    for _ in 0..<200 {
      endings.append(
        ForkedChild.run {
          guard fixture.evaluate("on").value.string == "true", fixture.fast("on") == true else { return 1 }
          guard fixture.provider.counts() == ["on/0": 2] else { return 2 }
          let (heard, token) = fixture.observe(.flagChanged, key: "on")
          guard let next = TestFlags.switches(["on"], false) else { return 3 }
          fixture.client.publish(next, changed: ["on"])
          fixture.dispatchAll()
          guard heard.all.count == 1, fixture.client.unobserve(token) else { return 4 }
          guard fixture.fast("on") == false else { return 5 }
          _ = fixture.client.identify(EvaluationContext(targetingKey: "child").reference(), completion: nil)
          fixture.client.log.error("line")
          fixture.scheduler.simulateFork()
          // Nobody turns the scheduler here: close must give up in time.
          return fixture.client.close(timeoutMilliseconds: 1) == .timeout ? 0 : 6
        })
    }
    isDone.raise()
    for thread in load { thread.join() }
    #expect(endings.filter { $0 != .exited(0) } == [])
    // The parent is undisturbed: everything it counted is there, once.
    drained.add(fixture.provider.counts().values.reduce(0, +), ordering: .relaxed)
    #expect(drained.load(ordering: .relaxed) == counted.load(ordering: .relaxed))
    #expect(fixture.fast("on") == true)
  }
}
