import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("When diagnostics are sent (protocols/launchdarkly.md 4.6)")
struct DiagnosticReporterTests {
  private final class Rig {
    let host: TestHost
    let reporter: DiagnosticReporter
    private let capacity = EventCapacity(0)

    init(manager: (any CacheManager)? = nil, seed: UInt64 = 7) {
      host = TestHost(manager: manager, seed: seed)
      reporter = DiagnosticReporter(
        host: host,
        options: DiagnosticReporter.Options(
          url: "https://e.test/mobile/events/diagnostic", storeKey: "diagnostics", intervalMilliseconds: 900_000,
          timeoutMilliseconds: 10_000),
        origin: DiagnosticOrigin(configuration: [], keySuffix: "abcdef"), headers: PlainHeaders(), capacity: capacity)
      host.network.setResponder { _ in answer(202) }
    }

    func drop(_ count: Int) { for _ in 0..<count { capacity.refuse() } }

    func start(isActive: Bool = true) {
      reporter.start()
      reporter.onlineChanged(isActive)
      host.settle { self.host.network.requests.count > 0 || !isActive }
    }

    var kinds: [String] { bodies { $0["kind"]?.string ?? "" } }
    var ids: [String] { bodies { $0["id"]?["diagnosticId"]?.string ?? "" } }

    func bodies<Value>(_ read: (JSONValue) -> Value) -> [Value] {
      host.network.requests.compactMap { request in
        (try? JSONDocument(parsing: request.body ?? []))?.withRoot { read($0) }
      }
    }
  }

  @Test func theFirstRunTellsHowItIsSetUpOnceOnline() throws {
    let rig = Rig()
    rig.start(isActive: false)
    #expect(rig.host.network.requests.isEmpty)
    rig.reporter.onlineChanged(true)
    rig.host.time.run()
    #expect(rig.kinds == ["diagnostic-init"])
    let request = try #require(rig.host.network.requests.first)
    #expect(request.method == "POST" && request.url == "https://e.test/mobile/events/diagnostic")
    #expect(request.headers.value(of: "Content-Type") == "application/json")
    #expect(request.headers.value(of: "X-LaunchDarkly-Event-Schema") == nil)
    rig.reporter.onlineChanged(false)
    rig.reporter.onlineChanged(true)
    rig.host.time.run()
    #expect(rig.kinds == ["diagnostic-init"])
  }

  @Test func statisticsFollowAtIntervals() {
    let rig = Rig()
    let start = rig.host.time.unixMilliseconds
    rig.start()
    rig.drop(2)
    rig.reporter.batchMade(3)
    rig.reporter.streamInitialized(at: start, afterMilliseconds: 120, hasFailed: false)
    rig.host.time.advance(milliseconds: 899_999)
    #expect(rig.kinds.count == 1)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.kinds == ["diagnostic-init", "diagnostic"])
    #expect(
      rig.host.network.requests.last?.text.hasSuffix(
        #""dataSinceDate":\#(start),"droppedEvents":2,"eventsInLastBatch":3,"#
          + #""streamInits":[{"timestamp":\#(start),"durationMillis":120,"failed":false}]}"#) == true)
    rig.drop(3)
    rig.host.time.advance(milliseconds: 900_000)
    #expect(
      rig.host.network.requests.last?.text.hasSuffix(
        #""dataSinceDate":\#(start + 900_000),"droppedEvents":3,"eventsInLastBatch":0,"streamInits":[]}"#) == true)
    #expect(Set(rig.ids).count == 1)
  }

  @Test func offlineAndInTheBackgroundTheTimerRestsAndBeginsAnew() {
    let rig = Rig()
    rig.start()
    rig.host.time.advance(milliseconds: 800_000)
    rig.reporter.onlineChanged(false)
    rig.host.time.advance(milliseconds: 2_000_000)
    #expect(rig.kinds == ["diagnostic-init"])
    rig.reporter.onlineChanged(true)
    rig.host.time.advance(milliseconds: 899_999)
    #expect(rig.kinds == ["diagnostic-init"])
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.kinds == ["diagnostic-init", "diagnostic"])
  }

  @Test("4.6, 5.7: they rest in the background, also while the client is online there")
  func theBackgroundIsSilent() {
    let rig = Rig()
    rig.start()
    rig.reporter.setForeground(false)
    rig.reporter.onlineChanged(false)
    rig.reporter.onlineChanged(true)
    rig.host.time.advance(milliseconds: 2_000_000)
    #expect(rig.kinds == ["diagnostic-init"])
    rig.reporter.setForeground(true)
    rig.host.time.advance(milliseconds: 899_999)
    #expect(rig.kinds == ["diagnostic-init"])
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.kinds == ["diagnostic-init", "diagnostic"])
  }

  @Test func theNextRunFirstTellsWhatThisOneHadLeft() throws {
    let store = MemoryCacheManager()
    let first = Rig(manager: store)
    first.start()
    first.drop(4)
    first.reporter.batchMade(6)
    first.reporter.stop()
    let deadline = SystemClock().monotonicNanoseconds + 10_000_000_000
    #expect(first.host.store.close(untilNanoseconds: deadline))
    let second = Rig(manager: store, seed: 8)
    second.start()
    second.host.settle { second.kinds.count == 2 }
    #expect(second.kinds == ["diagnostic", "diagnostic-init"])
    #expect(second.host.network.requests.first?.text.contains(#""droppedEvents":4,"eventsInLastBatch":6"#) == true)
    #expect(second.ids.first == first.ids.first)
    #expect(second.ids.last != first.ids.first)
  }

  @Test("2.4: one retry at once for what may pass", arguments: 0..<4)
  func retry(of index: Int) {
    let failures: [ScriptedTransport.Answer] = [noAnswer, answer(500), answer(429), answer(400)]
    let rig = Rig()
    rig.host.network.enqueue(failures[index], failures[index])
    rig.start()
    rig.host.settle { rig.kinds.count == 2 }
    #expect(rig.kinds == ["diagnostic-init", "diagnostic-init"])
    rig.host.time.advance(milliseconds: 899_000)
    #expect(rig.kinds.count == 2)
  }

  @Test("2.4: what is refused is not tried again, and 401 changes nothing", arguments: [401, 403, 404, 413])
  func refused(status: Int) {
    let rig = Rig()
    rig.host.network.enqueue(answer(status))
    rig.start()
    rig.host.time.advance(milliseconds: 900_000)
    #expect(rig.kinds == ["diagnostic-init", "diagnostic"])
  }

  @Test("G9: a forked child is a run of its own")
  func fork() {
    let rig = Rig()
    rig.start()
    rig.host.time.simulateFork()
    rig.reporter.abandonAfterFork()
    rig.reporter.start()
    rig.host.settle { rig.kinds.count == 2 }
    #expect(rig.kinds == ["diagnostic-init", "diagnostic-init"])
    #expect(Set(rig.ids).count == 2)
  }

  @Test("Offline nothing is sent, nor tried again; going online goes on (LD-10, 4.6; offline)", arguments: [202, 503])
  func offlineNothingIsSent(status: Int) throws {
    let store = MemoryCacheManager()
    let first = Rig(manager: store)
    first.start()
    first.reporter.stop()
    #expect(first.host.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
    let rig = Rig(manager: store, seed: 8)
    rig.host.network.setResponder { _ in nil }
    rig.start()
    let exchange = try #require(rig.host.network.exchanges.first)
    rig.reporter.onlineChanged(false)
    exchange.complete(answer(status))
    rig.host.time.advance(milliseconds: 2_000_000)
    #expect(rig.kinds == ["diagnostic"])
    rig.host.network.setResponder { _ in answer(202) }
    rig.reporter.onlineChanged(true)
    rig.host.time.run()
    #expect(rig.kinds == (status == 202 ? ["diagnostic", "diagnostic-init"] : ["diagnostic", "diagnostic", "diagnostic-init"]))
  }

  @Test("4.6, G9: a forked child's run before it has not ended: it tells nothing of it")
  func aChildInheritsNothing() {
    let store = MemoryCacheManager()
    let rig = Rig(manager: store)
    rig.start()
    rig.reporter.batchMade(3)
    rig.host.settle { store.load(key: "diagnostics") != nil }
    rig.host.time.simulateFork()
    rig.reporter.abandonAfterFork()
    rig.reporter.start()
    rig.reporter.onlineChanged(false)
    rig.reporter.onlineChanged(true)
    rig.host.settle { rig.kinds.count >= 2 }
    rig.host.time.run()
    #expect(rig.kinds == ["diagnostic-init", "diagnostic-init"] && Set(rig.ids).count == 2)
  }
}
