import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

/// Decisions record where an impression's parts stand; the lines are written when they are taken in.
@Suite("Impressions are written out behind the callers' backs (OPT-63; ready)") struct QueuedImpressionTests {
  private func rig(_ properties: [String: String] = [:]) throws -> OptimizelyRig {
    let rig = try OptimizelyRig(properties) { _ in .status(204) }
    #expect(rig.start(SmallProject.datafile(revision: "1"), .noBackgroundFetch).hasSucceeded)
    // From now on a timer runs, and what is recorded stays as it is until then.
    _ = rig.isOn("on", user: "first")
    rig.scheduler.run()
    return rig
  }

  private func user(_ rig: OptimizelyRig, _ id: String, country: String) throws -> OptimizelyUser {
    let attributes = visitor("", ["country": .string(bytes(country)), "unknown": .int(1), "$opt_x": .bool(true)])
    return try #require(rig.face.user(bytes(id), attributes: attributes))
  }

  private func flush(_ rig: OptimizelyRig) -> [PostedEvents] {
    rig.client.onScheduler { $0.provider?.flush { _ in } }
    rig.scheduler.run()
    return rig.posts.map { PostedEvents($0) }
  }

  private func body(_ rig: OptimizelyRig) -> String { rig.posts.map { String(decoding: $0.body ?? [], as: UTF8.self) }.joined() }

  @Test func theyTellTheDatafileTheyWereMadeFrom() throws {
    let rig = try rig()
    _ = rig.isOn("on", user: "second")
    // A whole other block of memory; nothing is taken in between.
    #expect(rig.start(SmallProject.datafile(revision: "2"), .noBackgroundFetch).hasSucceeded)
    _ = rig.isOn("on", user: "third")
    let posted = flush(rig)
    #expect(posted.map(\.revision) == ["1", "2"])
    #expect(posted.map(\.visitors) == [["first", "second"], ["third"]])
    #expect(Set(rig.postedIDs).count == 3)
    #expect(posted.flatMap(\.keys).allSatisfy { $0 == "campaign_activated" })
  }

  @Test func theyReadAsThoseThatObserversAreTold() throws {
    // An observer makes the event to be written at once.
    let bodies = try [false, true].map { isHeard -> String in
      let rig = try rig()
      if isHeard { _ = rig.face.observe(.activate, HeardTexts()) }
      let user = try user(rig, "ü\"1", country: "d\u{1}e")
      _ = user.decide("on")
      let ids = flush(rig).flatMap(\.ids)
      #expect(ids.count == 2)
      return ids.reduce(body(rig)) { $0.replacing($1, with: "ID") }
    }
    #expect(bodies[0] == bodies[1])
    #expect(bodies[0].contains(#""attributes":[{"entity_id":"501","key":"country""#))
    #expect(!bodies[0].contains("unknown"))
  }

  @Test func theUserMayChangeAndGoBeforeTheyAreWritten() throws {
    let rig = try rig()
    do {
      let user = try user(rig, "u2", country: "de")
      _ = user.decide("on")
      try user.set(bytes("country"), .string(bytes("fr")))
      _ = user.decide("on")
    }
    _ = flush(rig)
    let countries = body(rig).split(separator: #""value":""#).dropFirst().map { $0.prefix(2) }
    #expect(countries == ["de", "fr"])
  }

  @Test func aLargeContextCountsByWhatIsSentOfIt() throws {
    let rig = try rig()
    let user = try user(rig, "u2", country: String(repeating: "x", count: QueuedImpression.maximumContextBytes))
    _ = user.decide("on")
    #expect(flush(rig).flatMap(\.visitors) == ["first", "u2"])
    #expect(body(rig).utf8.count > QueuedImpression.maximumContextBytes)
  }

  @Test func anOldSnapshotsImpressionsAreWrittenAtOnce() throws {
    let rig = try rig()
    let project = try Project(flags: flag("f", ["1"]), experiments: rule("1"))
    let hold = try #require(visitor("u9").reference())
    var call = DecideCall(
      snapshot: project.snapshot, context: hold.frozen, subject: nil, options: [], origin: rig.provider.visitors.origin,
      wanted: [])
    _ = "f".withBytes { call.decide($0) }
    #expect(call.effects.events.count == 1)
  }

  @Test("(OPT-63; no client)") func whatIsNoImpressionIsNotTakenForOne() {
    let event = UserEvent(projectID: [1], revision: [2], region: .us, head: [UInt8](repeating: 3, count: 200), visitor: [4])
    RecordedEvent.withRow(of: event, url: []) { #expect(QueuedImpression($0) == nil) }
    [UInt8](repeating: 0xFF, count: 200).withBytes { #expect(QueuedImpression($0) == nil) }
    #expect("".withBytes { QueuedImpression($0) } == nil)
  }

  /// G9
  @Test("(OPT-63; forked)") func aForkedChildSendsNoneOfItsParents() throws {
    let rig = try rig()
    _ = rig.isOn("on", user: "parents")
    rig.scheduler.simulateFork()
    rig.client.onScheduler { client in
      client.provider?.abandonAfterFork()
      client.provider?.start()
    }
    _ = rig.isOn("on", user: "childs")
    #expect(flush(rig).flatMap(\.visitors) == ["childs"])
  }
}
