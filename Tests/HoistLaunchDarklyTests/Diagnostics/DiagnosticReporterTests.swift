import Glibc
import HoistBase
import HoistJSON
import HoistTestSupport
import Testing

@testable import HoistCore
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

  /// The counters of the runs that the store has, by the batches they tell of.
  private func batches(_ store: MemoryCacheManager) -> [Int] {
    guard let record = store.load(key: "diagnostics"), let document = try? JSONDocument(parsing: record) else { return [] }
    return document.withRoot { root in
      (root["runs"]?.array.map { Array($0) } ?? []).map { Int($0["eventsInLastBatch"]?.int64 ?? -1) }
    }
  }

  @Test("4.6: a period that is still running is its own client's to tell; each keeps its own, and of what was left one tells")
  func aNeighbourTellsNothingOfAnother() {
    let store = MemoryCacheManager()
    var first: Rig? = Rig(manager: store)
    first?.start()
    first?.reporter.batchMade(3)
    first?.host.settle { batches(store) == [3] }
    let second = Rig(manager: store, seed: 8)
    second.start()
    second.reporter.batchMade(5)
    second.host.settle { Set(batches(store)) == [3, 5] }
    #expect(second.kinds == ["diagnostic-init"] && Set(batches(store)) == [3, 5])
    // Freed without a stop, as by a process that is killed. The store's lane may keep it for a moment longer.
    let owner = first?.host.store.ownerID ?? ""
    first = nil
    second.host.settle { OwnerIdentity(text: owner)?.liveness == .dead }
    let (third, fourth) = (Rig(manager: store, seed: 9), Rig(manager: store, seed: 10))
    third.reporter.start()
    fourth.reporter.start()
    third.start()
    fourth.start()
    third.host.settle {
      fourth.host.time.run()
      return third.kinds.count + fourth.kinds.count == 3
    }
    #expect((third.kinds + fourth.kinds).sorted() == ["diagnostic", "diagnostic-init", "diagnostic-init"])
    #expect(!batches(store).contains(3) && batches(store).contains(5))
  }

  @Test("4.6, G9: another process's period is told once that has ended", .enabled(if: ForkedChild.isSupported))
  func anotherProcess() throws {
    let store = MemoryCacheManager()
    let child = ForkedChild.start {
      while true { pause() }
    }
    var runs = DiagnosticRuns(nil)
    var statistics = DiagnosticStatistics(id: "other", sinceUnixMilliseconds: SystemClock().unixMilliseconds)
    statistics.eventsInLastBatch = 3
    var owner = OwnerIdentity.make(nonce: 1)
    (owner.process, owner.started) = (child, ForkedChild.started(child))
    runs.keep(statistics, owner: owner.text)
    store.save(key: "diagnostics", value: runs.record)
    let meanwhile = Rig(manager: store, seed: 8)
    meanwhile.start()
    meanwhile.host.settle { batches(store).count == 2 }
    #expect(meanwhile.kinds == ["diagnostic-init"])
    kill(child, SIGKILL)
    #expect(ForkedChild.wait(child) == .killed(signal: SIGKILL))
    let later = Rig(manager: store, seed: 9)
    later.start()
    later.host.settle { later.kinds.count == 2 }
    #expect(later.kinds == ["diagnostic", "diagnostic-init"] && later.ids.first == "other")
  }

  @Test(
    "Contract 9: of a process of which nothing can be known, what was not renewed for a day was left",
    arguments: [(-25, 2), (-1, 1), (25, 2)])
  func anotherMachine(hours: Int64, told: Int) {
    let store = MemoryCacheManager()
    let rig = Rig(manager: store)
    var runs = DiagnosticRuns(nil)
    let since = rig.host.time.unixMilliseconds + hours * 3_600_000
    runs.keep(DiagnosticStatistics(id: "other", sinceUnixMilliseconds: since), owner: "elsewhere.1.2.3.0.a")
    store.save(key: "diagnostics", value: runs.record)
    rig.start()
    rig.host.settle { batches(store).count == 3 - told && rig.kinds.count == told }
    #expect(rig.kinds.count == told)
  }
}
