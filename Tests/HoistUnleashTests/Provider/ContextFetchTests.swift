import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

/// Which fetch is for which context, in frontend mode: what a request carries is what its answer is for.
struct ContextFetchTests {
  private func identify(_ rig: ClientRig, _ user: String) -> Outcome {
    let done = Outcome()
    _ = rig.client.identify(EvaluationContext(targetingKey: Array(user.utf8)).reference()) { done.set($0) }
    return done
  }

  private func settle(_ rig: ClientRig, _ ends: [Outcome]) {
    rig.settle {
      _ = rig.takeEvents()
      return ends.allSatisfy { $0.value != nil }
    }
  }

  @Test(
    "Contract 3: an equal context awaits the fetch that is under way for it, and asks for nothing; the vendor's call fetches anew (UNL-14; ready)"
  )
  func equalContextsShareAFetch() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a"))
    var ends: [Outcome] = []
    for _ in 0..<3 {
      ends.append(identify(rig, "u"))
      rig.scheduler.run()
    }
    #expect(rig.transport.requests.count == 2)
    rig.transport.open.first?.complete(toggles("b"))
    settle(rig, ends)
    #expect(ends.map(\.value) == [.ok, .ok, .ok] && rig.isOn("b"))
    for _ in 0..<2 {
      _ = rig.face.updateContext(["userId": "v"], properties: [:]) { _ in }
      rig.scheduler.run()
    }
    #expect(rig.transport.requests.count == 4)
  }

  @Test("D.5: of two contexts that are given at once, the first is superseded, and one request carries the second")
  func theFirstOfTwoIsSuperseded() throws {
    let rig = try #require(ClientRig(frontend))
    rig.start(toggles("a"))
    let ends = [identify(rig, "one"), identify(rig, "two")]
    rig.scheduler.run()
    #expect(rig.transport.requests.count == 2 && rig.transport.requests.last?.url.contains("userId=two") == true)
    rig.transport.open.first?.complete(toggles("b"))
    settle(rig, ends)
    #expect(ends.map(\.value) == [.superseded, .ok] && rig.isOn("b"))
  }

  @Test(
    "G3: an answer that comes just when another context is given is stored for the one that it was asked for, and the change goes on (UNL-81; ready)"
  )
  func anAnswerBelongsToWhatItsRequestCarried() throws {
    let cache = MemoryCacheManager(clock: ManualScheduler())
    let rig = try #require(ClientRig(frontend.merging(["context": #"{"userId":"u"}"#]) { $1 }, cacheManager: cache))
    rig.start(toggles("a"))
    let changed = rig.news(of: .contextChanged)
    _ = rig.face.fetch { _ in }
    rig.scheduler.run()
    // The answer is on its way to the scheduler when the host says the next word.
    rig.transport.open.first?.complete(toggles("us"))
    let change = identify(rig, "v")
    rig.settle { rig.transport.requests.count == 3 }
    _ = rig.takeEvents()
    #expect(changed.all.isEmpty && change.value == nil && rig.client.state == .reconciling)
    _ = rig.client.store.close(untilNanoseconds: .max)
    let read = Outcome()
    let next = try #require(ClientRig(frontend.merging(["context": #"{"userId":"v"}"#]) { $1 }, cacheManager: cache))
    next.client.store.load("other") { _ in read.set(.ok) }
    next.settle { read.value != nil }
    #expect(!next.isOn("us"))
  }
}
