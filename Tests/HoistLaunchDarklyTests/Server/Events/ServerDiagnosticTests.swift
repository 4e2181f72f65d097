import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("What a server tells of itself (protocols/launchdarkly-server.md 7.10)")
struct ServerDiagnosticTests {
  private final class Rig {
    let events = ServerEventRig()
    let reporter: DiagnosticReporter
    var time: ManualScheduler { events.time }
    var texts: [String] { events.texts.filter { $0.contains("diagnosticId") } }

    init(_ answers: ScriptedTransport.Answer...) {
      var origin = DiagnosticOrigin(configuration: [("dataStoreType", .text("memory"))], keySuffix: "abcdef")
      origin.isServer = true
      var options = DiagnosticReporter.Options(
        url: "https://e.test/diagnostic", storeKey: "diagnostics", intervalMilliseconds: 900_000, timeoutMilliseconds: 10_000)
      options.retryMilliseconds = 1_000
      reporter = DiagnosticReporter(
        host: events.host, options: options, origin: origin, headers: PlainHeaders(), capacity: events.outlet.capacity,
        seen: events.events.seen)
      for answer in answers { events.host.network.enqueue(answer) }
      reporter.start()
      reporter.onlineChanged(true)
      events.host.settle { self.events.requests.count > 0 }
    }
  }

  @Test("The first tells of the platform as a server's; the next of the index events that were saved since (LDS-50; ready)")
  func texts() {
    let rig = Rig(answer(202))
    rig.events.host.network.setResponder { _ in answer(202) }
    #expect(
      rig.texts.first?.contains(#""configuration":{"dataStoreType":"memory"},"platform":{"name":"swift","osName":"#) == true)
    #expect(rig.texts.first?.contains("backgroundEnabled") == false)
    for _ in 0..<3 { rig.events.evaluate("f") }
    rig.time.advance(milliseconds: 900_000)
    #expect(
      rig.texts.last?.contains(#""droppedEvents":0,"#) == true && rig.texts.last?.contains(#""deduplicatedUsers":2"#) == true)
    rig.time.advance(milliseconds: 900_000)
    #expect(rig.texts.count == 3 && rig.texts.last?.contains(#""deduplicatedUsers":0"#) == true)
  }

  @Test("What may pass goes once more after a second, and no more (LDS-50; failing)")
  func retry() {
    let rig = Rig(answer(503), answer(503))
    #expect(rig.texts.count == 1)
    rig.time.advance(milliseconds: 999)
    #expect(rig.texts.count == 1)
    rig.time.advance(milliseconds: 1)
    #expect(rig.texts.count == 2 && rig.texts.first == rig.texts.last)
    rig.time.advance(milliseconds: 60_000)
    #expect(rig.texts.count == 2)
  }

  @Test("A status that refuses is not repeated, and events go on (LDS-50; refused)")
  func refused() {
    let rig = Rig(answer(401))
    rig.events.track("a")
    #expect(rig.events.flush() == .accepted || rig.events.payloads.last == ["index", "a"])
    rig.time.advance(milliseconds: 60_000)
    #expect(rig.texts.count == 1)
  }
}
