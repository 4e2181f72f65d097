import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("What others keep in the store is served too")
struct SharedStoreTests {
  /// A service that has one revision at a time, and says so of its date.
  private final class Service: Sendable {
    private let current = Locked(1)
    func publish(_ revision: Int) { current.change { $0 = revision } }

    func answer(_ request: HTTPRequest) -> ScriptedTransport.Answer {
      let revision = current.value
      let stamp = "Wed, 21 Oct 2026 07:28:0\(revision) GMT"
      if request.headers.value(of: "If-Modified-Since") == stamp { return .status(304) }
      return SmallProject.answer(revision: "\(revision)", lastModified: stamp)
    }
  }

  private func rig(
    _ service: Service, _ manager: any CacheManager, _ properties: [String: String] = [:]
  ) throws -> OptimizelyRig {
    try OptimizelyRig(properties, cacheManager: manager) { service.answer($0) }
  }

  private func isSaved(_ revision: Int, _ rig: OptimizelyRig, _ manager: MemoryCacheManager) -> Bool {
    let saved = rig.provider.settings.storageKey.flatMap { manager.load(key: $0) } ?? []
    return String(decoding: saved, as: UTF8.self).contains(#""revision":"\#(revision)""#)
  }

  @Test func aStartWhileAPollLooksIntoTheStoreDownloads() throws {
    let (service, manager) = (Service(), GatedManager())
    let rig = try rig(service, manager)
    let first = rig.startFromService()
    // What is not written yet would be found without a look.
    #expect(rig.settle { first.hasEnded && rig.client.store.statistics.contains { $0.name == "written" && $0.value == 1 } })
    service.publish(2)
    manager.shut("datafile")
    rig.client.onScheduler { $0.provider?.refresh() }
    rig.scheduler.run()
    let second = rig.startFromService()
    manager.open()
    #expect(rig.settle { second.hasEnded })  // (OPT-42; slow plug-in)
    #expect(rig.revision == "2")
    service.publish(3)
    rig.client.onScheduler { $0.provider?.refresh() }
    #expect(rig.settle { rig.revision == "3" })
  }

  @Test func aPollServesWhatAnotherClientHasSaved() throws {
    let (service, manager) = (Service(), MemoryCacheManager(clock: SystemClock()))
    let rigs = try (0..<2).map { _ in try rig(service, manager, ["polling_interval": "300"]) }
    for rig in rigs {
      let result = rig.startFromService()
      #expect(rig.settle { result.hasSucceeded && isSaved(1, rig, manager) })
    }
    service.publish(2)
    rigs[0].scheduler.advance(milliseconds: 300_000)
    #expect(rigs[0].settle { rigs[0].revision == "2" && isSaved(2, rigs[0], manager) })
    rigs[1].scheduler.advance(milliseconds: 300_000)
    #expect(rigs[1].settle { rigs[1].revision == "2" })  // (OPT-40; second client)
    #expect(rigs[1].face.datafileOrigin == .network)
    #expect(rigs[1].client.state == .ready)
  }

  @Test func aStartServesWhatAnotherClientSavesMeanwhile() throws {
    let (service, other) = (Service(), MemoryCacheManager(clock: SystemClock()))
    let first = try rig(service, other)
    let begun = first.startFromService()
    #expect(first.settle { begun.hasSucceeded && isSaved(1, first, other) })
    let manager = GatedManager()
    manager.afterEachLoad { key in
      if key.hasPrefix("datafile"), let saved = other.load(key: key) { manager.inner.save(key: key, value: saved) }
    }
    let second = try rig(service, manager)
    let result = second.startFromService()
    #expect(second.settle { result.hasEnded })
    #expect(result.hasSucceeded)  // (OPT-25; starting, second client)
    #expect(second.revision == "1")
    #expect(second.client.state == .ready)
  }

  @Test func aRefreshServesWhatABackgroundFetchHasKept() throws {
    let (service, manager) = (Service(), MemoryCacheManager(clock: SystemClock()))
    service.publish(2)
    let rig = try rig(service, manager)
    _ = rig.start(SmallProject.datafile(revision: "1"))
    #expect(rig.settle { isSaved(2, rig, manager) })
    #expect(rig.revision == "1")  // (OPT-31; ready)
    rig.client.onScheduler { $0.provider?.refresh() }
    #expect(rig.settle { rig.revision == "2" })
  }

  @Test func aBackgroundFetchThatSaysUnchangedServesNothing() throws {
    let (service, manager) = (Service(), MemoryCacheManager(clock: SystemClock()))
    service.publish(2)
    let rig = try rig(service, manager)
    _ = rig.start(SmallProject.datafile(revision: "1"))
    #expect(rig.settle { isSaved(2, rig, manager) })
    let done = Found()
    _ = rig.face.download { _ in done.set(nil) }
    #expect(rig.settle { done.isSet })
    #expect(rig.revision == "1")  // (OPT-31; ready)
  }
}
