import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Hits outlive the process") struct HitRestartTests {
  @Test(
    "What was recorded goes out at the next start, at once and in one batch (FS-44, FS-101; failing, second process)",
    arguments: [
      "continuous_caching", "periodic_caching", "no_batching",
    ]) func restart(strategy: String) throws
  {
    let manager = MemoryCacheManager()
    let properties = ["hits.strategy": strategy, "events.durability": "immediate"]
    let first = try HitRig(properties, cacheManager: manager, status: 500)
    first.sendOnThread(.screen("a"))
    first.sendOnThread(.screen("b"))
    first.hits.consent(true, of: first.visitor)
    first.run()
    first.leave()
    let second = try HitRig(properties, cacheManager: manager)
    let expected = strategy == "no_batching" ? 3 : 1
    #expect(second.rig.settle { second.requests("/").count == expected })
    second.run(20_000)
    #expect(second.requests("/").count == expected)
    if expected == 1 { #expect(second.locations == ["a,b,-"]) }
    #expect(second.counter("hits", "adopted") == 3)
  }

  @Test("Strategies decide how soon a hit is kept (FS-19, FS-20, FS-201; no client)") func strategies() throws {
    func durability(_ strategy: String) throws -> EventPipeline.Durability {
      HitSettings(try TestHost.values(["hits.strategy": strategy], table: HitSettings.table)).durability
    }
    #expect(try durability("continuous_caching") == .immediate)
    #expect(try durability("periodic_caching") == .periodic)
    #expect(try durability("no_batching") == .periodic)
  }
}

/// A dispatcher that takes everything.
final class TakingSink: EventSink {
  let taken = Locked<[String]>([])

  func deliver(_ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void) -> (any Cancellable)? {
    taken.change { $0.append("\(delivery.pipeline) \(delivery.request.url) \(delivery.eventIDs.count)") }
    completion(.taken)
    return nil
  }
}
