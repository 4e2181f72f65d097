import Glibc
import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistCurl

/// G9: a forked child has a network of its own, and the parent does not notice.
@Suite(.serialized, .enabled(if: ForkedChild.isSupported, "not under the thread sanitizer"))
struct ForkTests {
  private let transport = CurlTransport(loop: .shared, withProxy: "")

  /// In a child: a request of its own, awaited without any help of the parent's threads.
  private static func childFetches(_ url: String, _ transport: CurlTransport) -> Bool {
    let end = Promise<Outcome>()
    _ = transport.send(HTTPRequest(method: "GET", url: url)) { end.fulfil($0) }
    return (try? end.wait())?.response?.text == "x"
  }

  @Test func aChildForkedDuringARequestMakesItsOwn() throws {
    let reached = Promise<Void>()
    let release = Promise<Void>()
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        if request.target == "/slow" {
          reached.fulfil()
          _ = try? release.wait()
        }
        connection.send(answer("200 OK", "x"))
      }
    }
    defer { server.stop() }
    let end = Promise<Outcome>()
    _ = transport.send(HTTPRequest(method: "GET", url: server.origin + "/slow")) { end.fulfil($0) }
    try reached.wait()

    let ending = ForkedChild.run {
      for index in 0..<3 {
        guard Self.childFetches("\(server.origin)/child/\(index)", transport) else { return 1 }
      }
      // The parent's request is nobody's here.
      return end.count == 0 ? 0 : 2
    }
    #expect(ending == .exited(0))
    #expect(end.count == 0)
    release.fulfil()
    #expect(try end.wait().response?.text == "x")
    #expect(server.requests.filter { $0.target.hasPrefix("/child") }.count == 3)
    #expect(server.connectionCount == 2)
  }

  @Test func theParentsIdleConnectionStaysTheParents() throws {
    let server = try LoopbackServer.answering { _ in answer("200 OK", "x") }
    defer { server.stop() }
    #expect(try transport.get(server.origin).response?.text == "x")
    #expect(ForkedChild.run { Self.childFetches(server.origin, transport) ? 0 : 1 } == .exited(0))
    #expect(try transport.get(server.origin).response?.text == "x")
    #expect(server.connectionCount == 2, "one of the parent's, used twice, and one of the child's")
  }

  @Test func workAndTimersOfTheParentAreNotRunInTheChild() throws {
    let loop = NetworkLoop()
    let trace = Trace()
    let timer = loop.schedule(afterMilliseconds: 3_600_000) { trace.add("timer") }
    let generation = loop.generation
    let ending = ForkedChild.run {
      guard loop.generation == generation + 1, !loop.isCurrent else { return 1 }
      let done = Promise<Void>()
      _ = loop.schedule(afterMilliseconds: 1) { done.fulfil() }
      guard (try? done.wait()) != nil else { return 2 }
      timer.cancel()
      return trace.words.isEmpty ? 0 : 3
    }
    #expect(ending == .exited(0))
    #expect(loop.generation == generation)
    timer.cancel()
  }

  @Test func postedWorkOfAnInheritedThreadIsLetGoUnrun() {
    let trace = Trace()
    let inherited = LoopThread(lock: Lock(), clock: SystemClock())
    for _ in 0..<3 { inherited.append { trace.add("ran") } }
    #expect(inherited.waiting == 3)
    inherited.abandon()
    #expect(inherited.waiting == 0 && trace.words.isEmpty)
  }

  @Test func whatTheParentsWorkHeldIsLetGoInTheChild() throws {
    final class Witness: Sendable {
      let gone: Promise<Void>
      init(_ gone: Promise<Void>) { self.gone = gone }
      deinit { gone.fulfil() }
    }
    let server = try LoopbackServer { connection in
      if connection.readRequest() != nil { connection.waitForClose() }
    }
    defer { server.stop() }
    let loop = NetworkLoop()
    let timerGone = Promise<Void>()
    let requestGone = Promise<Void>()
    let transport = CurlTransport(loop: loop, withProxy: "")
    do {
      let (one, two) = (Witness(timerGone), Witness(requestGone))
      _ = loop.schedule(afterMilliseconds: 3_600_000) { _ = one }
      _ = transport.send(HTTPRequest(method: "GET", url: server.origin)) { _ in _ = two }
    }
    let settled = Promise<Void>()
    loop.post { settled.fulfil() }
    try settled.wait()
    let ending = ForkedChild.run {
      let done = Promise<Void>()
      loop.post { done.fulfil() }
      guard (try? done.wait()) != nil else { return 1 }
      return timerGone.count == 1 && requestGone.count == 1 ? 0 : 2
    }
    #expect(ending == .exited(0))
    #expect(timerGone.count == 0 && requestGone.count == 0)
  }

  @Test func cancellingTheParentsExchangeInTheChildChangesNothing() throws {
    let reached = Promise<Void>()
    let release = Promise<Void>()
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        if request.target == "/slow" {
          reached.fulfil()
          _ = try? release.wait()
        }
        connection.send(answer("200 OK", "x"))
      }
    }
    defer { server.stop() }
    let end = Promise<Outcome>()
    let exchange = transport.send(HTTPRequest(method: "GET", url: server.origin + "/slow")) { end.fulfil($0) }
    try reached.wait()
    let ending = ForkedChild.run {
      exchange.cancel()
      let isWorking = Self.childFetches(server.origin, transport)
      exchange.cancel()
      return isWorking && end.count == 0 ? 0 : 1
    }
    #expect(ending == .exited(0))
    release.fulfil()
    #expect(try end.wait().response?.text == "x")
  }

  @Test func aChildOfAChildHasItsOwnToo() throws {
    let server = try LoopbackServer.answering { _ in answer("200 OK", "x") }
    defer { server.stop() }
    #expect(try transport.get(server.origin).response?.text == "x")
    let ending = ForkedChild.run {
      guard Self.childFetches(server.origin, transport) else { return 1 }
      let inner = ForkedChild.run { Self.childFetches(server.origin, transport) ? 0 : 1 }
      return inner == .exited(0) && Self.childFetches(server.origin, transport) ? 0 : 2
    }
    #expect(ending == .exited(0))
    #expect(server.connectionCount == 3)
  }

  @Test func everyChildOfABusyParentHasAWorkingNetwork() throws {
    let server = try LoopbackServer.answering { _ in answer("200 OK", "x") }
    defer { server.stop() }
    // Requests and timers one after the other, so that most forks find the thread at work.
    let traffic = Traffic(transport, server.origin)
    traffic.start(lanes: 4)
    var endings: [ForkedChild.Ending] = []
    for _ in 0..<30 {
      endings.append(ForkedChild.run { Self.childFetches(server.origin, transport) ? 0 : 1 })
    }
    traffic.stop()
    #expect(endings.allSatisfy { $0 == .exited(0) }, "\(endings)")
    #expect(traffic.failures.isEmpty)
    #expect(try transport.get(server.origin).response?.text == "x")
  }

  private final class Traffic: @unchecked Sendable {
    private let transport: CurlTransport
    private let url: String
    private let lock = Lock()
    private var isStopped = false
    private var failed: [TransportFailure] = []

    init(_ transport: CurlTransport, _ url: String) { (self.transport, self.url) = (transport, url) }

    func start(lanes: Int) { for _ in 0..<lanes { next() } }
    func stop() { lock.withLock { isStopped = true } }
    var failures: [TransportFailure] { lock.withLock { failed } }

    private func next() {
      _ = transport.send(HTTPRequest(method: "GET", url: url)) { outcome in
        let goesOn = self.lock.withLock { () -> Bool in
          if let failure = outcome.failure { self.failed.append(failure) }
          return !self.isStopped
        }
        if goesOn { _ = NetworkLoop.shared.schedule(afterMilliseconds: 0) { self.next() } }
      }
    }
  }

  /// G6: of what a network opens, nothing is left to a program that the host starts.
  @Test func everyDescriptorOfTheNetworkClosesOnExec() throws {
    let server = try LoopbackServer.answering { _ in answer("200 OK", "x") }
    defer { server.stop() }
    let ending = ForkedChild.run {
      let before = WakeupDescriptors.openDescriptors() ?? []
      guard Self.childFetches(server.origin, transport) else { return 1 }
      let made = (WakeupDescriptors.openDescriptors() ?? []).subtracting(before)
      guard made.count >= 3 else { return 2 }  // a connection and the wake-up pair
      return made.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 } ? 0 : 3
    }
    #expect(ending == .exited(0))
  }

  @Test func onceTheProcessIsExitingNoStepIsBegun() throws {
    let loop = NetworkLoop()
    let counter = Counter()
    let running = Promise<Void>()
    loop.post { running.fulfil() }
    try running.wait()
    let ending = ForkedChild.run {
      let begun = Promise<Void>()
      @Sendable func renew() {
        counter.increase()
        if counter.value == 100 { begun.fulfil() }
        _ = loop.schedule(afterMilliseconds: 0) { renew() }
      }
      loop.post { renew() }
      guard (try? begun.wait()) != nil else { return 1 }
      CurlLibrary.close()
      let atClosing = counter.value
      for _ in 0..<1_000 { sched_yield() }
      return counter.value == atClosing ? 0 : 2
    }
    #expect(ending == .exited(0))
  }

  private final class Counter: @unchecked Sendable {
    private let lock = Lock()
    private var count = 0
    func increase() { lock.withLock { count += 1 } }
    var value: Int { lock.withLock { count } }
  }
}
