import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

private let boot = #"{"toggles":[{"name":"boot","enabled":true}]}"#

/// Changes of the context that come while a start still reads the store: protocols/unleash.md D.3, D.5. The calls are
/// posted together, so the store always answers after the last of them.
struct FrontendStartTests {
  @Test("D.5: a start that has read the store joins the fetch of a context given meanwhile, and does not call it off")
  func aStartJoinsTheFetchOfANewContext() throws {
    let rig = try #require(ClientRig(frontend, cacheManager: MemoryCacheManager(clock: ManualScheduler())))
    rig.transport.setResponder { _ in toggles("a") }
    let (started, changed) = (Outcome(), Outcome())
    _ = rig.face.start(bootstrap: nil) { started.set($0) }
    _ = rig.face.updateContext(["userId": "u"], properties: [:]) { changed.set($0) }
    rig.settle { started.value != nil && changed.value != nil }
    #expect(started.value == .ok && changed.value == .ok && rig.isOn("a"))
    #expect(rig.transport.requests.count == 1 && rig.transport.requests.allSatisfy { $0.url.contains("userId=u") })
  }

  @Test("D.5: the same for a context of identify's")
  func aStartJoinsTheFetchOfIdentify() throws {
    let rig = try #require(ClientRig(frontend, cacheManager: MemoryCacheManager(clock: ManualScheduler())))
    let (started, changed) = (Outcome(), Outcome())
    _ = rig.face.start(bootstrap: nil) { started.set($0) }
    _ = rig.client.identify(EvaluationContext(targetingKey: "u").reference()) { changed.set($0) }
    rig.answerAfterTheStore(toggles("a"))
    rig.settle {
      _ = rig.takeEvents()
      return started.value != nil && changed.value != nil
    }
    #expect(started.value == .ok && changed.value == .ok && rig.transport.requests.count == 1)
  }

  @Test("D.3.4, D.5: a context given right after a bootstrapped start is fetched at once, also without an interval")
  func aBootstrappedStartDoesNotPutOffANewContext() throws {
    let rig = try #require(ClientRig(frontend, cacheManager: MemoryCacheManager(clock: ManualScheduler())))
    let (started, changed) = (Outcome(), Outcome())
    _ = rig.face.start(bootstrap: Array(boot.utf8)) { started.set($0) }
    _ = rig.face.updateContext(["userId": "u"], properties: [:]) { changed.set($0) }
    rig.answerAfterTheStore(toggles("a"))
    #expect(started.value == .ok, "D.3.2: at once")
    rig.settle { started.value != nil && changed.value != nil }
    #expect(changed.value == .ok && rig.isOn("a") && rig.face.isReady)
  }

  @Test("Where bootstrap puts off the first fetch, a context of which a field was set is fetched at once (UNL-87, D.5; starting)")
  func aDelayedStartDoesNotPutOffAField() throws {
    let properties = frontend.merging(["bootstrap": boot, "bootstrap.delays_fetch": "true"]) { $1 }
    let rig = try #require(ClientRig(properties, cacheManager: MemoryCacheManager(clock: ManualScheduler())))
    let started = Outcome()
    _ = rig.face.start(bootstrap: nil) { started.set($0) }
    _ = rig.face.setContextField("userId", "u")
    rig.answerAfterTheStore(toggles("a"))
    #expect(rig.isOn("a") && rig.transport.requests.count == 1)
  }

  @Test("D.8: a start that another one follows is superseded, and fetches nothing of its own")
  func aStartGivesWayToTheNextOne() throws {
    let rig = try #require(ClientRig(frontend, cacheManager: MemoryCacheManager(clock: ManualScheduler())))
    rig.transport.setResponder { _ in toggles("a") }
    let (first, second) = (Outcome(), Outcome())
    _ = rig.face.start(bootstrap: nil) { first.set($0) }
    _ = rig.face.start(bootstrap: nil) { second.set($0) }
    rig.settle { first.value != nil && second.value != nil }
    #expect(first.value == .superseded && second.value == .ok && rig.transport.requests.count == 1)
  }

  @Test("Of a context that identify gives and one that is given right after it, the later one is carried (UNL-41, D.5; ready)")
  func theLaterContextIsCarried() throws {
    let rig = try #require(ClientRig(frontend))
    rig.transport.setResponder { _ in toggles("a") }
    rig.start()
    let changed = Outcome()
    _ = rig.client.identify(EvaluationContext(targetingKey: "one").reference(), completion: nil)
    _ = rig.face.updateContext(["userId": "two"], properties: ["tier": "gold"]) { changed.set($0) }
    rig.scheduler.run()
    let sent = try #require(rig.transport.requests.last?.url)
    #expect(changed.value == .ok && sent.contains("userId=two") && sent.contains("tier%5D=gold"))
    #expect(rig.face.flattenedContext["userId"] == "two")
  }
}

extension ClientRig {
  /// Answers what is asked when everything that the store was asked before has come back.
  fileprivate func answerAfterTheStore(_ answer: ScriptedTransport.Answer) {
    scheduler.run()
    let isRead = Outcome()
    client.store.load("other") { _ in isRead.set(.ok) }
    settle { isRead.value != nil }
    for exchange in transport.open { exchange.complete(answer) }
    scheduler.run()
  }
}
