import HoistBase
import HoistCore
@testable import HoistLaunchDarkly
import HoistTestSupport
import Testing

@Suite("Flags of a few contexts outlive the run (LD-76, LD-85; no client)") struct FlagCacheTests {
  let manager = MemoryCacheManager()

  final class Run {
    let host: TestHost
    let cache: FlagCache
    private let manager: any CacheManager

    init(_ manager: any CacheManager, maximum: Int = 5, environment: String = "e") {
      self.manager = manager
      host = TestHost(manager: manager)
      cache = FlagCache(store: host.store, environment: environment, maximumContexts: maximum)
    }

    func load(_ key: String, _ fingerprint: String = "1") -> String {
      let told = Locked<String?>(nil)
      cache.load(FlagCacheKey(hashedKey: key, fingerprint: fingerprint)) { flags in
        told.value =
          flags.map {
            "\(String(decoding: $0.document, as: UTF8.self)) \($0.entityTag) \($0.updatedUnixMilliseconds.map { "\($0)" } ?? "-")"
          } ?? "nothing"
      }
      host.settle { told.value != nil }
      return told.value ?? "no answer"
    }

    func save(_ key: String, _ document: String, tag: String? = nil, at: Int64 = 1999, fingerprint: String = "1") {
      cache.save(FlagCacheKey(hashedKey: key, fingerprint: fingerprint), Array(document.utf8), entityTag: tag, at: at)
      _ = load(key)
    }

    /// Waits until the entries of "a" are written.
    func end() {
      host.settle { ["contexts", "flags-a"].allSatisfy { (try? manager.load(key: "launchdarkly.e.\($0)")) != nil } }
    }
  }

  @Test("Flags are served to the next run (LD-76, LD-85; second process)") func flagsAreServedToTheNextRun() {
    let run = Run(manager)
    #expect(run.load("a") == "nothing")
    run.save("a", "flags", tag: "\"x\"", at: 12_345)
    #expect(run.load("a") == "flags \"x\" 12000")
    run.end()
    #expect(Run(manager).load("a") == "flags \"x\" 12000")
    #expect(Run(manager, environment: "other").load("a") == "nothing")
  }

  @Test func ofAnotherFingerprintOnlyTheFlags() {
    let run = Run(manager)
    run.save("a", "flags", tag: "x")
    #expect(run.load("a", "2") == "flags  -")
  }

  @Test func withoutAnEntityTagThereIsNoTime() {
    let run = Run(manager)
    run.save("a", "flags")
    #expect(run.load("a") == "flags  -")
    run.save("a", "flags", tag: "x")
    run.save("a", "newer", at: 5000)
    #expect(run.load("a") == "newer x 5000")
    run.save("a", "newest", tag: "")
    #expect(run.load("a") == "newest  -")
  }

  @Test func theOldestGo() {
    let run = Run(manager, maximum: 2)
    run.save("a", "1", at: 1000)
    run.save("b", "2", at: 3000)
    run.save("c", "3", at: 2000)
    #expect(run.load("a") == "nothing" && run.load("b") == "2  -" && run.load("c") == "3  -")
    run.cache.confirm(FlagCacheKey(hashedKey: "c", fingerprint: "1"), at: 4000)
    run.save("d", "4", at: 5000)
    #expect(run.load("b") == "nothing" && run.load("c") == "3  -" && run.load("d") == "4  -")
  }

  @Test func noneOrAnyNumberAreKept() {
    let none = Run(manager, maximum: 0)
    none.save("a", "1")
    #expect(none.load("a") == "nothing")
    let all = Run(manager, maximum: -1)
    for index in 0..<20 { all.save("\(index)", "\(index)") }
    #expect((0..<20).allSatisfy { all.load("\($0)") == "\($0)  -" })
  }

  @Test func entriesOfAnotherVersionAreRemoved() {
    let run = Run(manager)
    run.save("a", "1", tag: "x")
    run.end()
    manager.save(key: "launchdarkly.e.contexts", value: Array(#"{"version":8,"contexts":{"a":1}}"#.utf8))
    let next = Run(manager)
    #expect(next.load("a") == "nothing")
    next.host.settle { manager.load(key: "launchdarkly.e.flags-a") == nil }
    #expect(manager.load(key: "launchdarkly.e.flags-a") == nil)
  }

  @Test func aBrokenIndexIsNone() {
    manager.save(key: "launchdarkly.e.contexts", value: Array("{".utf8))
    let run = Run(manager)
    #expect(run.load("a") == "nothing")
    run.save("a", "1")
    #expect(run.load("a") == "1  -")
  }

  @Test("Clients that share a store keep each other's contexts, and the number of all is limited (LD-76, 5.10; second client)")
  func othersContextsStay() {
    let (first, second) = (Run(manager, maximum: 3), Run(manager, maximum: 3))
    #expect(first.load("x") == "nothing" && second.load("x") == "nothing")
    func written(_ run: Run, _ key: String, at time: Int64) {
      run.save(key, key, at: time)
      run.host.settle {
        manager.load(key: "launchdarkly.e.contexts").map { String(decoding: $0, as: UTF8.self) }?.contains("\"\(key)\":\(time)")
          == true
      }
    }
    written(first, "a", at: 1000)
    written(second, "b", at: 2000)
    written(first, "c", at: 3000)
    #expect(["a", "b", "c"].map { Run(manager).load($0) } == ["a  -", "b  -", "c  -"])
    #expect(first.load("b") == "b  -")
    written(second, "d", at: 4000)
    #expect(["a", "b", "c", "d"].map { Run(manager).load($0) } == ["nothing", "b  -", "c  -", "d  -"])
  }

  @Test("What is saved at the very end is kept, whether the store could be read again or not (LD-76; closing)")
  func theEndWaitsForNothing() {
    let run = Run(manager)
    #expect(run.load("a") == "nothing")
    run.cache.save(FlagCacheKey(hashedKey: "a", fingerprint: "1"), Array("flags".utf8), entityTag: nil, at: 1000)
    #expect(run.host.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000))
    #expect(Run(manager).load("a") == "flags  -")
  }

  @Test(
    "Whatever write is the last that fits, an entity tag and a time never stand with other flags than theirs (LD-85; full disk)",
    arguments: 0...3)
  func tagsBelongToTheirFlags(writes: Int) {
    let gate = GatedManager(manager)
    let run = Run(gate)
    run.save("a", "former", tag: "f", at: 1000)
    run.end()
    gate.fill(after: writes)
    run.cache.save(FlagCacheKey(hashedKey: "a", fingerprint: "1"), Array("newer".utf8), entityTag: "n", at: 2000)
    _ = run.host.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000)
    #expect(["former f 1000", "former f -", "newer n 2000"].contains(Run(manager).load("a")))
  }

  @Test(
    "Whatever write is the last, the next run removes the entries that stand for no context (LD-76; full disk, second process)",
    arguments: 0...4)
  func nothingIsLeftForEver(writes: Int) {
    let gate = GatedManager(manager)
    let run = Run(gate, maximum: 1)
    run.save("a", "1", at: 1000)
    run.end()
    gate.fill(after: writes)
    run.cache.save(FlagCacheKey(hashedKey: "b", fingerprint: "1"), Array("2".utf8), entityTag: "n", at: 2000)
    _ = run.host.store.close(untilNanoseconds: SystemClock().monotonicNanoseconds + 10_000_000_000)
    let next = Run(manager, maximum: 1)
    _ = next.load("c")
    func index() -> ContextIndex { ContextIndex(manager.load(key: "launchdarkly.e.contexts")) }
    next.host.settle { index().removed.isEmpty }
    let entries = ["a", "b"].filter { manager.load(key: "launchdarkly.e.flags-\($0)") != nil }
    #expect(index().removed.isEmpty && Set(entries).isSubset(of: index().contexts.keys))
    #expect(entries.count == 1 || next.load("b") == "nothing")
  }

  @Test("A forked child reads for itself what its parent was reading (LD-76, G9; forked)")
  func aChildReadsForItself() {
    let run = Run(manager)
    run.cache.save(FlagCacheKey(hashedKey: "a", fingerprint: "1"), Array("flags".utf8), entityTag: nil, at: 1000)
    run.host.time.simulateFork()
    run.cache.abandonAfterFork()
    run.save("b", "own")
    #expect(run.load("b") == "own  -")
  }
}
