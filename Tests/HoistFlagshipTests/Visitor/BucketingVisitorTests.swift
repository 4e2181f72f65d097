import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Visitors in bucketing mode (FS-07, protocols/flagship.md 4.4, 5.3; ready)") struct BucketingVisitorTests {
  /// Everybody is in the first variation, or in the second.
  private static func file(_ first: Int, panic: Bool = false) -> String {
    #"{"panic":\#(panic),"campaigns":[{"id":"c1","type":"ab","variationGroups":[{"id":"g1","targeting":{"targetingGroups":["#
      + #"{"targetings":[{"operator":"EQUALS","key":"fs_all_users","value":""}]}]},"variations":["#
      + #"{"id":"v1","allocation":\#(first),"modifications":{"type":"JSON","value":{"f":1}}},"#
      + #"{"id":"v2","allocation":\#(100 - first),"modifications":{"type":"JSON","value":{"f":2}}}]}]}]}"#
  }

  private final class World {
    let rig: FlagshipRig
    private let file: Locked<String?>

    init(file text: String?, cacheManager: (any CacheManager)? = nil) throws {
      let file = Locked(text)
      self.file = file
      rig = try FlagshipRig(["mode": "bucketing"], cacheManager: cacheManager) { request in
        guard request.url.contains("bucketing.json") else { return .status(204) }
        return file.value.map { .status(200, $0) } ?? .status(404)
      }
      guard text != nil else { return }
      rig.settle { served != 0 }
    }

    /// The next poll brings another file.
    func serve(_ text: String) {
      let former = served
      file.value = text
      rig.scheduler.advance(milliseconds: 60_000)
      rig.settle { served != former }
    }

    /// Which snapshot is served.
    private var served: UInt64 { rig.client.withSnapshot { $0?.head.pointee.id ?? 0 } }
  }

  private func value(_ visitor: FlagshipVisitor) -> Int64? {
    let flags = visitor.snapshotOfState.flags
    return withExtendedLifetime(flags) { "f".withBytes { flags.find($0)?.int } }
  }

  @Test func flagsAreThereWhenTheCallReturns() throws {
    let world = try World(file: Self.file(100))
    let visitor = try world.rig.visitor("v")
    #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .ok)
    #expect(value(visitor) == 1 && visitor.fetchProgress == (.fetched, .none))
  }

  /// Without a store and a cache of the host's there is nothing to look for, and nowhere to keep anything.
  @Test func whereNothingIsKeptNobodyIsLookedUp() throws {
    let world = try World(file: Self.file(100))
    let visitor = try world.rig.visitor("v")
    #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .ok)
    #expect(world.rig.provider.visitors.caching.counters == VisitorCaching.Counters())
    let kept = try World(file: Self.file(100), cacheManager: MemoryCacheManager())
    _ = try kept.rig.visitor("v")
    #expect(kept.rig.provider.visitors.caching.counters.lookUps == 1)
  }

  @Test("Whoever listens hears that flags are being fetched, also where that takes no time (FS-36; ready)")
  func aListenerHearsOfAFetchThatEndsAtOnce() throws {
    let world = try World(file: Self.file(100))
    let heard = HeardFetches()
    let visitor = try world.rig.visitor("v", listener: heard)
    #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .ok)
    var all: [String] = []
    world.rig.settle {
      all += heard.take()
      return all.count >= 2
    }
    #expect(all == ["FETCHING NONE", "FETCHED NONE"])
  }

  @Test("Without a file a fetch fails (FS-07, FS-50, 10.10; failing)")
  func withoutAFileAFetchFails() throws {
    let world = try World(file: nil)
    let heard = HeardFetches()
    let visitor = try world.rig.visitor("v", listener: heard)
    #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .flagshipNotInitialized)
    #expect(world.rig.take(heard) == ["FETCHING NONE", "FETCH_REQUIRED FETCH_ERROR"])
  }

  @Test("An assignment holds, in this run and the next, until the cache forgets the visitor (FS-100, 4.4; ready, second process)")
  func visitorsKeepTheirVariations() throws {
    let manager = MemoryCacheManager()
    do {
      let world = try World(file: Self.file(100), cacheManager: manager)
      let visitor = try world.rig.visitor("v")
      #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .ok)
      // The clock must not pass the limit of a store that is at work.
      #expect(world.rig.settle { manager.load(key: "visitor:v") != nil })
      world.serve(Self.file(0))
      #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .ok)
      #expect(value(visitor) == 1)
    }
    let world = try World(file: Self.file(0), cacheManager: manager)
    let visitor = try world.rig.visitor("v")
    #expect(visitor.fetchReason == .fetchedFromCache && value(visitor) == 1)
    #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .ok)
    #expect(value(visitor) == 1, "the history counts, not the allocation")
    let other = try world.rig.visitor("w")
    #expect(other.fetchAndWait(timeoutMilliseconds: 0) == .ok)
    #expect(value(other) == 2)
  }

  /// 10.20
  @Test func authenticatingIsRefused() throws {
    let world = try World(file: Self.file(100))
    let visitor = try world.rig.visitor("v")
    #expect(visitor.authenticate(as: Array("known".utf8)) == .unsupported)
    #expect(visitor.unauthenticate() == .unsupported)
    #expect(text(visitor.id) == "v" && visitor.fetchReason == .visitorCreate)
  }

  @Test(
    "A segment hit when the context has changed since the last one, and none without consent (FS-65, FS-206; ready, no consent)")
  func theContextIsReportedWhenItIsAnother() throws {
    let world = try World(file: Self.file(100))
    let visitor = try world.rig.visitor("v")
    func fetchWith(_ key: String, _ value: AttributeValue) -> Int {
      #expect(visitor.updateContext([Attribute(name: Array(key.utf8), value: value)]) == .ok)
      #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .ok)
      return world.rig.sent("SEGMENT")
    }
    #expect(fetchWith("k", .int(1)) == 1)
    #expect(fetchWith("sdk_osName", .string(Array("Linux".utf8))) == 1, "the value is the same")
    #expect(fetchWith("k", .int(2)) == 2)
    #expect(visitor.setConsent(false) == .ok)
    #expect(fetchWith("k", .int(3)) == 2)
  }

  @Test("Panic is on every visitor at once, and announced at its next fetch (FS-45, FS-53; panic)")
  func panicInTheFileIsOnTheVisitorAtOnce() throws {
    let world = try World(file: Self.file(100))
    let heard = HeardFetches()
    let visitor = try world.rig.visitor("v", listener: heard)
    #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .ok)
    _ = world.rig.take(heard)
    world.serve(#"{"panic":true}"#)
    #expect(visitor.fetchProgress == (.panic, .none) && world.rig.take(heard).isEmpty)
    #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .flagshipPanic)
    #expect(visitor.fetchProgress == (.panic, .none) && value(visitor) == nil)
    world.serve(Self.file(100))
    #expect(visitor.fetchAndWait(timeoutMilliseconds: 0) == .ok)
    #expect(value(visitor) == 1)
  }
}
