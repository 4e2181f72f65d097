import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Who is in an experiment stays in it (OPT-05, 4.6; ready)") struct ProfileTests {
  static let kept = ["user_profiles": "true"]

  /// Everybody is in variation 1 first, in variation 2 later.
  static func datafile(_ variation: Int) -> String {
    let rows = #""trafficAllocation":[{"entityId":"3\#(variation)","endOfRange":10000}]"#
    let experiment =
      #"{"id":"20","key":"test","status":"Running","layerId":"9","audienceIds":[],"forcedVariations":{},"#
      + #""variations":[{"id":"31","key":"one","featureEnabled":true},{"id":"32","key":"two","featureEnabled":true}],\#(rows)}"#
    return Project.datafile(flags: flag("a", ["20"]), experiments: experiment)
  }

  final class Service: UserProfileService, @unchecked Sendable {
    private let lock = Lock()
    private var answer: ProfileAnswer
    private var calls: [String] = []
    let savesWell: Bool
    init(_ answer: ProfileAnswer, savesWell: Bool = true) {
      self.answer = answer
      self.savesWell = savesWell
    }
    func lookUp(_ userID: [UInt8]) -> ProfileAnswer {
      lock.withLock {
        calls.append("look up \(String(decoding: userID, as: UTF8.self))")
        return answer
      }
    }
    func save(_ userID: [UInt8], _ profile: [UInt8]) -> Bool {
      lock.withLock { calls.append("save \(String(decoding: profile, as: UTF8.self))") }
      return savesWell
    }
    var all: [String] { lock.withLock { calls } }
  }

  @Test("A service is asked once before a call and saves once after it") func oneLookUpOneSave() throws {
    let service = Service(.none)
    let rig = try UserRig(
      Project.datafile(flags: flag("a", ["1"]) + "," + flag("b", ["2"]), experiments: rule("1") + "," + rule("2")), Self.kept,
      profiles: service)
    let user = try rig.user()
    _ = user.decideAll([])
    #expect(
      service.all == [
        "look up u1", #"save {"user_id":"u1","experiment_bucket_map":{"1":{"variation_id":"11"},"2":{"variation_id":"21"}}}"#,
      ])
    _ = user.decideAll(.ignoreUserProfileService)
    #expect(service.all.count == 2)
    _ = user.decide("nobody")
    #expect(service.all.last == "look up u1" && service.all.count == 3)
  }

  @Test("What a service knows wins, and what Hoist does not understand is kept") func storedVariationWins() throws {
    let service = Service(
      .profile(
        bytes(
          #"{"user_id":"u1","theirs":[1],"experiment_bucket_map":{"20":{"variation_id":"32","at":5},"77":{"variation_id":"1"}}}"#)
      ))
    let rig = try UserRig(Self.datafile(1), Self.kept, profiles: service)
    #expect(try rig.user().decide("a").variation == "two")
    #expect(service.all == ["look up u1"])
    let other = Service(.profile(bytes(#"{"theirs":[1],"experiment_bucket_map":{"77":{"variation_id":"1"}}}"#)))
    let second = try UserRig(Self.datafile(1), Self.kept, profiles: other)
    _ = try second.user().decide("a")
    #expect(
      other.all.last
        == #"save {"user_id":"u1","theirs":[1],"experiment_bucket_map":{"77":{"variation_id":"1"},"20":{"variation_id":"31"}}}"#)
  }

  @Test(
    "A service that fails is told in the log and ignored (G11)",
    arguments: [
      ProfileAnswer.failed, .profile(bytes("{")), .profile(bytes("[]")),
    ]) func failingServices(_ answer: ProfileAnswer) throws
  {
    let service = Service(answer, savesWell: false)
    let rig = try UserRig(Self.datafile(1), Self.kept, profiles: service)
    #expect(try rig.user().decide("a").variation == "one")
    #expect(
      rig.settle {
        rig.client.dispatch(limit: 0) >= 0 && rig.log.messages(.warning).contains { $0.contains("user profile service") }
      })
  }

  @Test("What could not be looked up is not replaced: it may be there (OPT-05, contract 7; failing)")
  func failedLookUpsAreNotSavedOver() throws {
    let service = Service(.failed)
    let rig = try UserRig(Self.datafile(1), Self.kept, profiles: service)
    let user = try rig.user()
    #expect(user.decide("a").variation == "one")
    _ = user.decideAll([])
    #expect(service.all == ["look up u1", "look up u1"])
  }

  @Test("Without a service profiles are kept in memory and for the next run") func keptForTheNextRun() throws {
    let manager = MemoryCacheManager()
    let first = try UserRig(Self.datafile(1), Self.kept, cacheManager: manager)
    #expect(first.settle { first.client.wasInitialized })
    #expect(try first.user().decide("a").variation == "one")
    first.scheduler.advance(milliseconds: ProfileCache.writeDelayMilliseconds)
    #expect(first.settle { (0..<ProfileCache.shardCount).contains { manager.load(key: ProfileCache.key($0)) != nil } })
    first.free()

    let second = try UserRig(Self.datafile(2), Self.kept, cacheManager: manager)
    let user = try second.user()
    #expect(second.settle { second.provider.profiles.statistics.first?.value == 1 })
    #expect(user.decide("a").variation == "one")
    #expect(user.decide("a", .ignoreUserProfileService).variation == "two")
  }

  @Test("A client that closes writes what is not written yet (OPT-05; closing)") func writtenAtTheEnd() throws {
    let manager = MemoryCacheManager()
    let rig = try UserRig(Self.datafile(1), Self.kept, cacheManager: manager)
    #expect(rig.settle { rig.client.wasInitialized })
    _ = try rig.user().decide("a")
    rig.provider.stop()
    #expect(rig.settle { (0..<ProfileCache.shardCount).contains { manager.load(key: ProfileCache.key($0)) != nil } })
  }

  @Test("Profiles can be switched off") func switchedOff() throws {
    let service = Service(.profile(bytes(#"{"experiment_bucket_map":{"20":{"variation_id":"32"}}}"#)))
    let rig = try UserRig(Self.datafile(1), ["user_profiles": "false"], profiles: service)
    #expect(try rig.user().decide("a").variation == "one" && service.all.isEmpty)
  }

  @Test("A shard keeps so many profiles and forgets whoever was seen least recently (G5) (OPT-05; no client)") func bounded() {
    let shard = ProfileShard(capacity: 2)
    func add(_ user: String) {
      _ = shard.add([.init(experimentID: [1], variationID: [2])], to: bytes(user), hash: Hash64.hash(user))
    }
    func has(_ user: String) -> Bool { user.withBytes { shard.profile(of: $0, hash: Hash64.hash($0)) } != nil }
    add("a")
    add("b")
    #expect(has("a"))
    add("c")
    #expect(has("a") && !has("b") && has("c") && shard.counters.forgotten == 1)
  }

  private static func assignments(_ shard: ProfileShard, of user: String) -> [String: String] {
    let profile = user.withBytes { shard.profile(of: $0, hash: Hash64.hash(user)) }
    return (profile?.assignments ?? []).reduce(into: [:]) {
      $0[String(decoding: $1.experimentID, as: UTF8.self)] = String(decoding: $1.variationID, as: UTF8.self)
    }
  }

  private static func assign(_ experiment: String, _ variation: String, _ user: String, _ shard: ProfileShard) {
    let new = SubjectContent.Assignment(experimentID: bytes(experiment), variationID: bytes(variation))
    _ = shard.add([new], to: bytes(user), hash: Hash64.hash(user))
  }

  @Test("What another process has decided since stays, and what was decided here is added to it (contract 8) (OPT-05; no client)")
  func merging() throws {
    let shard = ProfileShard(capacity: 8)
    shard.read(bytes(#"[{"user_id":"u","experiment_bucket_map":{"1":{"variation_id":"a"},"2":{"variation_id":"b"}}},7]"#))
    Self.assign("2", "mine", "u", shard)
    Self.assign("3", "mine", "u", shard)
    Self.assign("1", "mine", "w", shard)
    let theirs =
      #"[{"user_id":"v","experiment_bucket_map":{}},{"user_id":"u","experiment_bucket_map":"#
      + #"{"1":{"variation_id":"z"},"2":{"variation_id":"z"},"4":{"variation_id":"z"}}}]"#
    // Somebody was faster: only the last merge counts.
    _ = shard.merge(into: nil, under: "")
    let merged = try #require(shard.merge(into: bytes(theirs), under: ""))
    // Meanwhile.
    Self.assign("3", "newer", "u", shard)
    shard.wasKept()
    let expected = ["1": "z", "2": "z", "3": "newer", "4": "z"]
    #expect(Self.assignments(shard, of: "u") == expected && shard.counters.held == 3)
    let other = ProfileShard(capacity: 8)
    other.read(merged)
    #expect(Self.assignments(other, of: "u") == expected.merging(["3": "mine"]) { $1 })
    #expect(Self.assignments(other, of: "w") == ["1": "mine"] && other.counters.held == 3)
    let next = try #require(shard.merge(into: merged, under: ""))
    shard.wasKept()
    other.read(next)
    #expect(Self.assignments(other, of: "u") == expected)
    #expect(shard.merge(into: bytes("theirs"), under: "") == bytes("theirs"))
  }

  @Test(
    "The decision that was stored first stays, for both; one that was known takes its successor (contract 8) (OPT-05; second client)"
  )
  func theFirstDecisionStays() throws {
    let (first, second) = (ProfileShard(capacity: 8), ProfileShard(capacity: 8))
    Self.assign("1", "first", "u", first)
    Self.assign("1", "second", "u", second)
    Self.assign("2", "second", "u", second)
    let kept = try #require(first.merge(into: nil, under: ""))
    first.wasKept()
    let both = try #require(second.merge(into: kept, under: ""))
    second.wasKept()
    #expect(Self.assignments(second, of: "u") == ["1": "first", "2": "second"])
    first.read(both)
    #expect(Self.assignments(first, of: "u") == ["1": "first", "2": "second"])
    // Its variation is gone from the datafile.
    Self.assign("1", "other", "u", first)
    let last = try #require(first.merge(into: both, under: ""))
    second.read(last)
    #expect(Self.assignments(second, of: "u") == ["1": "other", "2": "second"])
  }

  @Test("What cannot be read is replaced (OPT-05; no client)") func damaged() throws {
    let shard = ProfileShard(capacity: 8)
    shard.read(bytes("damaged"))
    Self.assign("1", "a", "u", shard)
    let merged = try #require(shard.merge(into: bytes("damaged"), under: ""))
    #expect(String(decoding: merged, as: UTF8.self) == #"[{"user_id":"u","experiment_bucket_map":{"1":{"variation_id":"a"}}}]"#)
  }

  @Test("Where there is no room, whoever was not used here goes first (G5) (OPT-05; no client)") func storedBounds() throws {
    let shard = ProfileShard(capacity: 2)
    shard.read(bytes(#"[{"user_id":"old","experiment_bucket_map":{}},{"user_id":"used","experiment_bucket_map":{}}]"#))
    _ = Self.assignments(shard, of: "old")
    Self.assign("1", "a", "new", shard)
    let merged = try #require(shard.merge(into: bytes(#"[{"user_id":"used"},{"user_id":"old"},{"user_id":"other"}]"#), under: ""))
    #expect(
      String(decoding: merged, as: UTF8.self)
        == #"[{"user_id":"old"},{"user_id":"new","experiment_bucket_map":{"1":{"variation_id":"a"}}}]"#)
  }
}
