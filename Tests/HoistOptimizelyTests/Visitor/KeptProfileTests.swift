import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("What is kept of users outlives short runs and neighbours (OPT-05, 4.6; ready)") struct KeptProfileTests {
  /// A client whose datafile gives everybody a variation, 1 or 2.
  private func rig(_ variation: Int, _ manager: any CacheManager) throws -> UserRig {
    let properties = ProfileTests.kept.merging(["events.durability": "memory"]) { $1 }
    return try UserRig(ProfileTests.datafile(variation), properties, cacheManager: manager)
  }

  private static func key(of user: String) -> String {
    ProfileCache.key(Int(truncatingIfNeeded: Hash64.hash(user) &>> 32) & (ProfileCache.shardCount - 1))
  }

  /// Somebody whose profile is kept in the box of "u1".
  private static let neighbour = (0..<10_000).lazy.map { "n\($0)" }.first { key(of: $0) == key(of: "u1") } ?? ""

  private func isKept(_ user: String, _ manager: MemoryCacheManager) -> Bool {
    let box = manager.load(key: Self.key(of: user)) ?? []
    return String(decoding: box, as: UTF8.self).contains("\"\(user)\"")
  }

  private func close(_ rig: UserRig) {
    rig.provider.stop()
    rig.scheduler.run()
    _ = rig.client.store.close(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: 20_000))
  }

  /// Keeps a user in variation 1.
  private func keep(_ user: String, _ manager: MemoryCacheManager) throws {
    let rig = try rig(1, manager)
    #expect(rig.settle { rig.client.wasInitialized })
    #expect(try rig.user(user).decide("a").variation == "one")
    rig.scheduler.advance(milliseconds: ProfileCache.writeDelayMilliseconds)
    #expect(rig.settle { isKept(user, manager) })
    close(rig)
  }

  @Test("(OPT-05; closing, slow plug-in)") func aRunThatEndsBeforeItHasReadTheStoreErasesNobody() throws {
    let manager = GatedManager()
    try keep("u1", manager.inner)
    manager.shut("profiles")
    let short = try rig(1, manager)
    _ = try short.user(Self.neighbour).decide("a")
    short.provider.stop()
    manager.open()
    close(short)
    #expect(isKept("u1", manager.inner))
  }

  @Test("(OPT-05; closing, second client)") func aCloseKeepsWhatASiblingHasWritten() throws {
    let manager = MemoryCacheManager(clock: SystemClock())
    let rigs = try (0..<2).map { _ in try rig(1, manager) }
    for rig in rigs {
      rig.transport.setResponder { _ in .status(204) }
      #expect(rig.settle { rig.client.wasInitialized })
    }
    _ = try rigs[1].user("u1").decide("a")
    rigs[1].scheduler.advance(milliseconds: ProfileCache.writeDelayMilliseconds)
    #expect(rigs[1].settle { isKept("u1", manager) })
    _ = try rigs[0].user(Self.neighbour).decide("a")
    #expect(rigs[0].scheduler.turning { rigs[0].client.close(timeoutMilliseconds: 20_000) } == .ok)
    #expect(isKept(Self.neighbour, manager))
    #expect(isKept("u1", manager))
  }

  @Test("(OPT-05; slow plug-in)") func aStoreThatIsSlowKeepsNoEventsWaiting() throws {
    let manager = GatedManager()
    let rig = try rig(1, manager)
    #expect(rig.settle { rig.client.wasInitialized })
    rig.transport.setResponder { _ in .status(204) }
    _ = try rig.user("u1").decide("a")
    manager.shut("profiles")
    let sent = Locked<Status?>(nil)
    rig.client.onScheduler { $0.provider?.flush { sent.value = $0.status } }
    #expect(rig.settle { !rig.transport.requests.isEmpty })
    #expect(sent.value == nil)
    manager.open()
    #expect(rig.settle { sent.value == .ok })
    close(rig)
    #expect(isKept("u1", manager.inner))
  }

  @Test(
    "Until the store is read what is given serves, which the state says, and contradicts nothing that is kept (OPT-43, OPT-54; starting, slow plug-in)"
  )
  func untilTheStoreIsRead() throws {
    let manager = GatedManager()
    try keep("u1", manager.inner)
    manager.shut("profiles")
    let rig = try rig(2, manager)
    // What is given serves at once (OPT-54; starting, slow plug-in); what is kept of users holds from the end of the look into the store on.
    #expect(try rig.user("u1").decide("a").variation == "two")
    #expect(rig.client.state == .stale && rig.client.waitReady(timeoutMilliseconds: 0) == .ok)
    #expect(!rig.client.wasInitialized)
    manager.open()
    #expect(rig.settle { rig.client.wasInitialized })
    #expect(rig.client.state == .stale)
    #expect(try rig.user("u1").decide("a").variation == "one")
    rig.scheduler.advance(milliseconds: ProfileCache.writeDelayMilliseconds)
    close(rig)
    let next = try self.rig(2, manager.inner)
    #expect(next.settle { next.client.wasInitialized })
    #expect(try next.user("u1").decide("a").variation == "one")
  }

  @Test("What is assigned before the store is read is remembered of whom nothing is kept. State: starting, the store is slow")
  func earlyAssignments() throws {
    let manager = GatedManager()
    try keep("u1", manager.inner)
    manager.shut("profiles")
    let rig = try rig(2, manager)
    for user in ["u1", Self.neighbour] { #expect(try rig.user(user).decide("a").variation == "two") }
    manager.open()
    #expect(rig.settle { rig.client.wasInitialized })
    rig.scheduler.advance(milliseconds: ProfileCache.writeDelayMilliseconds)
    #expect(rig.settle { isKept(Self.neighbour, manager.inner) })
    close(rig)
    let next = try self.rig(1, manager.inner)
    #expect(next.settle { next.client.wasInitialized })
    #expect(try next.user("u1").decide("a").variation == "one")
    #expect(try next.user(Self.neighbour).decide("a").variation == "two")
  }

  @Test("A client that is opened again is ready as soon as it can be read (contract 1)") func openedAgain() throws {
    let manager = GatedManager()
    let rig = try rig(1, manager)
    #expect(rig.settle { rig.client.wasInitialized })
    #expect(rig.scheduler.turning { rig.client.close(timeoutMilliseconds: 20_000) } == .ok)
    manager.shut("profiles")
    #expect(rig.client.reopen() == .ok)
    rig.scheduler.run()
    #expect(try rig.user("u1").decide("a").variation == "one")
    #expect(rig.client.state == .stale && rig.client.waitReady(timeoutMilliseconds: 0) == .ok)
    manager.open()
    close(rig)
  }

  @Test func whereNothingIsKeptAClientIsReadyAtOnce() throws {
    let rig = try UserRig(ProfileTests.datafile(1), ProfileTests.kept)
    #expect(rig.client.state == .stale)
    #expect(rig.client.wasInitialized)
    #expect(try rig.user("u1").decide("a").variation == "one")
    #expect(rig.provider.profiles.statistics.first?.value == 1)
  }
}
