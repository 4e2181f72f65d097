import Glibc
import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("With manual dispatch the host says when it is told") struct CallbackDispatcherTests {
  func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  @Test func theDescriptorIsReadableWhileSomethingWaits() throws {
    let fixture = try ClientFixture()
    let descriptor = fixture.client.dispatchDescriptor
    #expect(descriptor >= 0 && !isReadable(descriptor))
    let (heard, _) = fixture.observe(.error)
    for number in 0..<3 { fixture.client.notify(Notification(.error, message: "\(number)")) }
    #expect(isReadable(descriptor))
    #expect(fixture.client.dispatch(limit: 2) == 2)
    #expect(heard.all == ["error  0", "error  1"] && isReadable(descriptor))
    #expect(fixture.client.dispatch(limit: 0) == 1)
    #expect(heard.all.count == 3 && !isReadable(descriptor))
    #expect(fixture.client.dispatch(limit: 0) == 0)
  }

  @Test("The descriptor does not survive an exec (G6)") func closeOnExec() throws {
    let fixture = try ClientFixture()
    #expect(fcntl(fixture.client.dispatchDescriptor, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func whatACallBringsAboutWaitsForTheNextDispatch() throws {
    let fixture = try ClientFixture()
    let client = fixture.client
    let (heard, _) = fixture.observe(.error) { [weak client] _ in client?.notify(Notification(.error, message: "more")) }
    client.notify(Notification(.error, message: "first"))
    #expect(client.dispatch(limit: 0) == 1)
    #expect(client.dispatch(limit: 0) == 1)
    #expect(heard.all.count == 2)
  }

  @Test func oneThreadDispatchesAtATime() throws {
    let fixture = try ClientFixture()
    let client = fixture.client
    let nested = Record<Int>()
    let door = Door()
    _ = fixture.observe(.error) { [weak client] notification in
      if notification.message == "nested" { nested.append(client?.dispatch(limit: 0) ?? -1) }
      if notification.message == "slow" { door.pass() }
    }
    client.notify(Notification(.error, message: "nested"))
    client.notify(Notification(.error, message: "slow"))
    client.notify(Notification(.error, message: "last"))
    let slow = startThread { _ = client.dispatch(limit: 0) }
    #expect(door.waitForArrivals(1))
    #expect(nested.all == [0])
    #expect(client.dispatch(limit: 0) == 0)
    door.open()
    slow.join()
  }

  @Test func logLinesComeThroughDispatchToo() throws {
    let fixture = try ClientFixture([("dispatch", "manual"), ("name", "shop")])
    fixture.client.log.warning("careful")
    #expect(fixture.log.lines == [])
    #expect(fixture.client.dispatch(limit: 0) == 1)
    #expect(fixture.log.messages(.warning) == ["hoist[shop]: careful"])
  }

  @Test("A host that never dispatches costs a bounded queue (G5)") func aFullQueueDropsAndCounts() throws {
    let fixture = try ClientFixture()
    let (heard, _) = fixture.observe(.error)
    for number in 0..<10_005 { fixture.client.notify(Notification(.error, message: "\(number)")) }
    let statistics = String(decoding: fixture.client.statisticsJSON(), as: UTF8.self)
    #expect(statistics.contains(#""dropped":5,"waiting":10000"#))
    #expect(fixture.client.dispatch(limit: 0) == 10_000)
    #expect(heard.all.first == "error  0" && heard.all.last == "error  9999")
  }

  @Test func afterCloseNothingIsToldButAnswersThatAreOwed() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setIdentify(nil)
    let (heard, _) = fixture.observe(.error)
    let answers = Record<Status>()
    #expect(fixture.client.identify(nil) { answers.append($0) } == .ok)
    fixture.scheduler.run()
    fixture.client.notify(Notification(.error))
    #expect(fixture.close() == .ok)
    fixture.client.notify(Notification(.error))
    fixture.dispatchAll()
    #expect(heard.all == [] && answers.all == [.cancelled])
    #expect(!isReadable(fixture.client.dispatchDescriptor))
  }

  @Test func aCallThatClosesTheClientIsTheLast() throws {
    let fixture = try ClientFixture([("dispatch", "manual"), ("store", "none")])
    try fixture.serve()
    let client = fixture.client
    let (heard, _) = fixture.observe(.error) { [weak client] _ in _ = client?.close(timeoutMilliseconds: 0) }
    for _ in 0..<3 { client.notify(Notification(.error)) }
    #expect(client.dispatch(limit: 0) == 1)
    #expect(heard.all.count == 1 && client.state == .closed)
  }

  /// G9: parent and child each have an event of their own behind the number the host polls.
  @Test(.enabled(if: ForkedChild.isSupported)) func aChildNeitherRunsTheParentsCallsNorWakesIt() throws {
    let fixture = try ClientFixture()
    let (heard, _) = fixture.observe(.error)
    fixture.client.notify(Notification(.error, message: "parent"))
    let descriptor = fixture.client.dispatchDescriptor
    let ending = ForkedChild.run {
      fixture.client.notify(Notification(.error, message: "child"))
      guard isReadable(descriptor) else { return 1 }
      guard fixture.client.dispatch(limit: 0) == 1 else { return 2 }
      guard heard.all == ["error  child"] else { return 3 }
      return isReadable(descriptor) ? 4 : fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0 ? 5 : 0
    }
    #expect(ending == .exited(0))
    #expect(isReadable(descriptor))
    #expect(fixture.client.dispatch(limit: 0) == 1)
    #expect(heard.all == ["error  parent"])
  }
}
