import HoistBase
@testable import HoistCore
import HoistTestSupport
import Synchronization
import Testing

/// Everything at once; the thread sanitizer watches.
@Suite("Many threads share a client") struct ClientStressTests {
  @Test func evaluationsAreRightAndCountedWhileEverythingElseChanges() throws {
    let fixture = try ClientFixture([("log.level", "debug")])
    let flags: [(String, TestAnswer)] = [("on", .bool(true)), ("who", .targetingKey)]
    try fixture.serve(flags, announced: ["on"])
    let isDone = Flag()
    let answered = Atomic<UInt64>(0)
    let drained = Atomic<UInt64>(0)
    let shared = EvaluationContext(targetingKey: "shared")
    let work: [@Sendable () -> UInt64] = [
      {  // switches on the hot path, with a context that another thread changes
        fixture.fast("on", shared).map { value in
          #expect(value)
          return 1
        } ?? 0
      },
      {  // details on the slow path
        let detail = fixture.evaluate("who", shared)
        #expect(detail.value.string == #""shared""#)
        return 1
      },
      {  // views
        let view = FlagView(fixture.client, shared.reference())
        let value = "on".withBytes { view.evaluate($0, .bool) { $0.integer } }
        #expect(value == 1)
        return 1
      },
      {  // new flags
        if let next = TestFlags.snapshot(flags, announced: ["on"]) { fixture.client.publish(next, changed: ["on"]) }
        return 0
      },
      {  // contexts
        try? shared.set("n", .int(1))
        _ = fixture.client.identify(shared.reference(), completion: { _ in })
        _ = shared.remove(Array("n".utf8))
        return 0
      },
      {  // observers
        let (_, token) = fixture.observe(.impression)
        fixture.dispatchAll()
        _ = fixture.client.unobserve(token)
        fixture.client.setState(.stale, "")
        fixture.client.setState(.ready, "")
        fixture.client.log.debug("line")
        _ = fixture.client.statisticsJSON()
        return 0
      },
      {  // the network thread
        fixture.scheduler.advance(milliseconds: 1)
        drained.add(fixture.provider.counts().values.reduce(0, +), ordering: .relaxed)
        return 0
      },
    ]
    let rounds = 300
    let finished = Atomic(0)
    inThreads(work.count) { index in
      var number: UInt64 = 0
      var round = 0
      // Until everybody has done its share, so that each meets all the others.
      while !isDone.isRaised {
        number += work[index]()
        round += 1
        if round == rounds, finished.add(1, ordering: .relaxed).newValue == work.count { isDone.raise() }
      }
      answered.add(number, ordering: .relaxed)
    }
    drained.add(fixture.provider.counts().values.reduce(0, +), ordering: .relaxed)
    #expect(drained.load(ordering: .relaxed) == answered.load(ordering: .relaxed))
    #expect(fixture.close() == .ok)
  }

  @Test func openingAndClosingWhileOthersEvaluateIsSafe() throws {
    for _ in 0..<20 {
      let fixture = try ClientFixture([])
      try fixture.serve()
      let isDone = Flag()
      inThreads(4) { index in
        switch index {
        case 0:
          for _ in 0..<5 {
            _ = fixture.client.close(timeoutMilliseconds: 1_000)
            _ = fixture.client.reopen()
          }
          isDone.raise()
        case 1:
          while !isDone.isRaised { fixture.scheduler.run() }
        case 2:
          while !isDone.isRaised {
            let (_, token) = fixture.observe(.state)
            fixture.client.setState(.ready, "")
            _ = fixture.client.unobserve(token)
          }
        default:
          while !isDone.isRaised {
            _ = fixture.fast("on")
            let detail = fixture.evaluate("on")
            #expect(detail.value.string == "true" || detail.words == "the client is closed")
          }
        }
      }
      #expect(fixture.close() == .ok)
    }
  }
}
