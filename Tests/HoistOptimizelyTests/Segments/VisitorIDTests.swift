import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("The installation's anonymous visitor (OPT-16, OPT-46, OPT-90; starting)") struct VisitorIDTests {
  private func visitor(_ cache: MemoryCacheManager, _ wish: VisitorID.Wish = .kept) -> (host: TestHost, id: VisitorID) {
    let host = TestHost(manager: cache)
    let id = VisitorID(host: host, wish: wish)
    id.start()
    return (host, id)
  }

  @Test func itIsMadeOnceAndKept() throws {
    let cache = MemoryCacheManager()
    let first = visitor(cache)
    let told = Locked<[String]>([])
    first.id.whenKnown { id in told.change { $0.append(id) } }
    first.host.settle { first.id.current != nil }
    let id = try #require(first.id.current)
    #expect(id.utf8.count == 32 && id.hasPrefix("vuid_"))
    #expect(told.value == [id])
    first.id.whenKnown { id in told.change { $0.append(id) } }
    #expect(told.value == [id, id])
    let second = visitor(cache)
    second.host.settle { second.id.current != nil }
    #expect(second.id.current == id)
    #expect(second.id.text == id)
  }

  @Test("When the host switches it off, the stored one is deleted (OPT-90; starting)") func offItIsDeleted() {
    let cache = MemoryCacheManager()
    cache.save(key: "vuid", value: Array("vuid_0123456789abcdef0123456789a".utf8))
    let (host, id) = visitor(cache, .deleted)
    host.settle { cache.load(key: "vuid") == nil }
    #expect(cache.load(key: "vuid") == nil)
    #expect(id.current == nil && id.text == nil)
    let told = Locked(false)
    id.whenKnown { _ in told.value = true }
    host.time.run()
    #expect(!told.value)
  }

  @Test("A client that says nothing of it leaves it to the one that has it (OPT-90, contract 8; second client)")
  func anotherClientLeavesIt() throws {
    let cache = MemoryCacheManager()
    let first = try UserRig(TwoRules.datafile, ["vuid.enabled": "true"], cacheManager: cache)
    #expect(first.settle { first.face.vuid != nil && cache.load(key: "vuid") != nil })
    let second = try UserRig(TwoRules.datafile, [:], cacheManager: cache)
    let isAsked = Locked(false)
    second.client.store.read("anything") { _ in isAsked.value = true }
    #expect(second.settle { isAsked.value })
    #expect(cache.load(key: "vuid") == first.face.vuid.map { bytes($0) })
  }

  @Test func whatIsNoVisitorIDIsReplaced() {
    for junk in ["", "vuid_short", "vuid_0123456789abcdef0123456789xyz!!", "user-of-thirty-two-bytes-0123456"] {
      let cache = MemoryCacheManager()
      cache.save(key: "vuid", value: Array(junk.utf8))
      let (host, id) = visitor(cache)
      host.settle { id.current != nil }
      #expect(id.current?.utf8.count == 32 && id.current?.hasPrefix("vuid_") ?? false)
      #expect(cache.load(key: "vuid") == id.current.map { Array($0.utf8) })
    }
  }

  @Test func withoutAStoreItIsTheClientsOwn() {
    let host = TestHost()
    let id = VisitorID(host: host, wish: .kept)
    #expect(id.current == nil)
    id.start()
    host.time.run()
    #expect(id.current?.utf8.count == 32)
    let before = id.current
    id.start()
    host.time.run()
    #expect(id.current == before)
  }

  @Test("(OPT-46; forked)") func aForkedChildKeepsItAndAsksWhatTheParentHadNotHeard() {
    let host = TestHost()
    let id = VisitorID(host: host, wish: .kept)
    let told = Locked(0)
    id.whenKnown { _ in told.change { $0 += 1 } }
    id.start()
    host.time.simulateFork()
    id.abandonAfterFork()
    id.start()
    host.time.run()
    #expect(id.current != nil)
    #expect(told.value == 0)
  }
}
