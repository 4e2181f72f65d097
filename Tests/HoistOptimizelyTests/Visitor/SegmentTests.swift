import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Users and their segments (OPT-67; ready)") struct SegmentTests {
  private static let audience =
    #"{"id":"7","name":"s","conditions":["or",{"type":"third_party_dimension","name":"odp.audiences","match":"qualified","value":"gold"}]}"#
  private static let datafile = Project.datafile(
    flags: flag("club", ["e"]), experiments: rule("e", #""audienceConditions":["or","7"]"#), typed: audience,
    more: #""integrations":[{"key":"odp","host":"https://odp.example","publicKey":"KEY"}]"#)

  /// How a fetch has ended by now.
  private func fetch(_ user: OptimizelyUser, _ rig: UserRig, _ options: SegmentFetchOptions = []) throws -> Locked<Status?> {
    let ended = Locked<Status?>(nil)
    try user.fetchSegments(options) { ended.value = $0 }
    settle(rig)
    return ended
  }

  private func settle(_ rig: UserRig) {
    rig.scheduler.run()
    rig.hear()
  }

  @Test func whatIsFetchedDecides() throws {
    let rig = try UserRig(Self.datafile)
    let user = try rig.user()
    #expect(user.decide("club").variation == nil)
    rig.transport.enqueue(qualified("gold"))
    let ended = try fetch(user, rig)
    #expect(ended.value == .ok)
    #expect(user.isQualified(for: bytes("gold")) && !user.isQualified(for: bytes("GOLD")))
    #expect(user.segmentsText.map { String(decoding: $0, as: UTF8.self) } == #"["gold"]"#)
    #expect(user.decide("club").variation == "on-e")
    // Another user of that id gets what is kept.
    let other = try rig.user()
    _ = try fetch(other, rig)
    #expect(other.decide("club").variation == "on-e")
    #expect(rig.transport.requests.count == 1)
  }

  @Test("(OPT-67; failing)") func whileItIsUnderWayAndAfterAFailureThereAreNone() throws {
    let rig = try UserRig(Self.datafile)
    let user = try rig.user()
    user.setSegments([bytes("gold")])
    #expect(user.decide("club").variation == "on-e")
    let ended = try fetch(user, rig)
    #expect(ended.value == nil && user.segments == nil)
    #expect(user.decide("club").variation == nil)
    rig.transport.open.first?.complete(answer(500))
    settle(rig)
    #expect(ended.value == PlatformFailure.fetchFailed("").status)
    #expect(user.segments == nil)
  }

  @Test func theFetchThatBeganLastCounts() throws {
    let rig = try UserRig(Self.datafile)
    let user = try rig.user()
    let first = try fetch(user, rig, .ignoreCache)
    let second = try fetch(user, rig, .ignoreCache)
    rig.transport.open.last?.complete(qualified("new"))
    settle(rig)
    rig.transport.open.first?.complete(qualified("old"))
    settle(rig)
    #expect(first.value == .ok && second.value == .ok)
    #expect(user.segments == [bytes("new")])
  }

  @Test func aCopyKeepsWhatItsOriginalFetchesLater() throws {
    let rig = try UserRig(Self.datafile)
    let user = try rig.user()
    user.setSegments([bytes("gold")])
    let copy = user.copy()
    rig.transport.enqueue(qualified())
    _ = try fetch(user, rig)
    #expect(copy.segments == [bytes("gold")] && user.segments == [])
  }

  @Test("swift-sdk#508: a user may outlive its client (OPT-67; handle outlives client)") func withoutAClientNothingIsFetched()
    throws
  {
    let rig = try UserRig(Self.datafile)
    let user = try rig.user()
    rig.free()
    #expect(throws: PlatformFailure.clientGone) { try user.fetchSegments([], completion: nil) }
  }

  @Test("odpNotEnabled (OPT-17; ready)") func disabledThereIsNothingToFetch() throws {
    let rig = try UserRig(Self.datafile, ["odp.disable": "true"])
    let user = try rig.user()
    #expect(throws: PlatformFailure.notEnabled) { try user.fetchSegments([], completion: nil) }
    #expect(throws: PlatformFailure.notEnabled) {
      try rig.face.sendPlatformEvent(type: nil, action: "a", identifiers: nil, data: nil)
    }
    #expect(rig.provider.platform == nil)
  }

  @Test("Identified when made, not when copied or decided for (OPT-97; ready)") func usersAreIdentifiedOnce() throws {
    let rig = try UserRig(Self.datafile, ["vuid.enabled": "true"])
    rig.transport.open.first?.complete(answer(200))
    rig.transport.setResponder { _ in answer(200) }
    let user = try rig.user("carla")
    _ = user.copy()
    _ = user.decide("club")
    let anonymous = try #require(rig.face.user(nil, attributes: nil))
    rig.scheduler.run()
    #expect(anonymous.id == rig.face.vuid.map { bytes($0) })
    let sent = rig.transport.requests.filter { $0.url.hasSuffix("/v3/events") }.map(\.text)
    #expect(sent.joined().components(between: #""action":""#, and: "\"").sorted() == ["client_initialized", "identified"])
    #expect(sent.joined().contains(#""fs_user_id":"carla""#))
  }

  @Test("Without a VUID an anonymous user is refused (OPT-90; ready)") func nobodyIsAnonymousByDefault() throws {
    let rig = try UserRig(Self.datafile)
    #expect(rig.face.vuid == nil)
    #expect(rig.face.user(nil, attributes: nil) == nil)
  }
}
