import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

/// The core's `track` records where an event stands, its tags and the context; the lines are written when they are taken in.
@Suite("Conversions of the core are written out behind the callers' backs (OPT-63; ready)") struct QueuedConversionTests {
  private func rig(_ properties: [String: String] = [:]) throws -> OptimizelyRig {
    let rig = try OptimizelyRig(properties) { _ in .status(204) }
    #expect(rig.start(SmallProject.datafile(revision: "1"), .noBackgroundFetch).hasSucceeded)
    return rig
  }

  private struct Tag {
    var name: String
    var text: String?
    var number = 0.0
  }

  /// Lends the event where a host would have it.
  private func withEvent<Result>(_ key: String, value: Double?, _ tags: [Tag], _ body: (EventView) -> Result) -> Result {
    let texts = tags.map { (bytes($0.name), $0.text.map { bytes($0) }) }
    let properties = zip(tags, texts).map { tag, texts in
      EventView.Property(
        name: ByteView(start: UnsafeRawPointer(copy(texts.0)), count: texts.0.count),
        texts.1.map { .text(ByteView(start: UnsafeRawPointer(copy($0)), count: $0.count)) } ?? .number(tag.number))
    }
    defer {
      for property in properties {
        property.name.baseAddress?.deallocate()
        if case .text(let text) = property.value { text.baseAddress?.deallocate() }
      }
    }
    return bytes(key).withBytes { key in
      properties.withUnsafeBufferPointer {
        body(EventView(key: key, value: value, properties: $0, unixMilliseconds: 1_700_000_000_123))
      }
    }
  }

  private func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8> {
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
    copy.initialize(from: bytes, count: bytes.count)
    return copy
  }

  private func track(
    _ rig: OptimizelyRig, _ key: String = "buy", value: Double? = nil, _ tags: [Tag] = [], user: EvaluationContext? = visitor()
  ) -> Status {
    withEvent(key, value: value, tags) { rig.client.track($0, of: user?.subject) }
  }

  private func flush(_ rig: OptimizelyRig) -> [PostedEvents] {
    rig.client.onScheduler { $0.provider?.flush { _ in } }
    rig.scheduler.run()
    return rig.posts.map { PostedEvents($0) }
  }

  @Test("Nobody's events are not recorded; \"\" is a user id") func ofNobody() throws {
    let rig = try rig()
    #expect(track(rig, user: nil) == .optimizelyUserIDInvalid)
    #expect(track(rig, user: EvaluationContext(targetingKey: nil, attributes: [])) == .optimizelyUserIDInvalid)
    #expect(track(rig, user: visitor("")) == .ok)
    #expect(flush(rig).map(\.visitors) == [[""]])
  }

  private func body(_ rig: OptimizelyRig) -> String { rig.posts.map { String(decoding: $0.body ?? [], as: UTF8.self) }.joined() }

  @Test func theyReadAsThoseThatAreWrittenAtOnce() throws {
    let tags = [
      Tag(name: "currency", text: "E\"U\u{1}R ü"), Tag(name: "revenue", number: 4200), Tag(name: "value", number: 7),
      Tag(name: "rate", number: 0.125), Tag(name: "", text: ""),
    ]
    for value in [nil, 19.9, 20] as [Double?] {
      let user = visitor("ü\"1", ["country": .string(bytes("d\u{1}e")), "unknown": .int(1)])
      let bodies = try [false, true].map { isAtOnce -> String in
        let rig = try rig()
        // The first is taken in by a turn, what follows waits.
        #expect(track(rig, user: user) == .ok)
        rig.scheduler.run()
        let status = withEvent("buy", value: value, tags) { event in
          isAtOnce ? rig.client.track(TrackedEvent(event, context: user.reference())) : rig.client.track(event, of: user.subject)
        }
        #expect(status == .ok)
        let ids = flush(rig).flatMap(\.ids)
        #expect(ids.count == 2)
        return ids.reduce(body(rig)) { $0.replacing($1, with: "ID") }
      }
      #expect(bodies[0] == bodies[1])
      #expect(bodies[0].contains(#""timestamp":1700000000123"#) && bodies[0].contains(#""revenue":4200"#))
    }
  }

  @Test func theyTellTheDatafileTheyWereMadeFrom() throws {
    let rig = try rig()
    #expect(track(rig, user: visitor("first")) == .ok)
    rig.scheduler.run()
    #expect(track(rig, user: visitor("second")) == .ok)
    #expect(rig.start(SmallProject.datafile(revision: "2"), .noBackgroundFetch).hasSucceeded)
    #expect(track(rig, user: visitor("third")) == .ok)
    let posted = flush(rig)
    #expect(posted.map(\.revision) == ["1", "2"])
    #expect(posted.map(\.visitors) == [["first", "second"], ["third"]])
    #expect(posted.flatMap(\.keys).allSatisfy { $0 == "buy" })
  }

  @Test func unknownEventsAndClientsWithoutADatafileAreTold() throws {
    let rig = try rig()
    #expect(track(rig, "nobody") == .optimizelyEventKeyInvalid)
    let unready = try OptimizelyRig() { _ in .status(204) }
    #expect(track(unready) == .optimizelySDKNotReady)
    #expect(flush(rig).isEmpty)
  }

  @Test func withoutAContextTheClientsOwnCounts() throws {
    let rig = try rig()
    rig.client.setCurrentContext(try #require(visitor("own").reference()))
    #expect(track(rig, user: nil) == .ok)
    #expect(flush(rig).flatMap(\.visitors) == ["own"])
  }

  @Test(arguments: ["immediate", "memory"])
  func aLargeContextAndAnUrgentEventAreWrittenAtOnce(_ durability: String) throws {
    let rig = try rig(["events.durability": durability])
    let country = String(repeating: "x", count: QueuedImpression.maximumContextBytes)
    #expect(track(rig, value: 1, user: visitor("u2", ["country": .string(bytes(country))])) == .ok)
    #expect(flush(rig).flatMap(\.visitors) == ["u2"])
    #expect(body(rig).contains(country))
  }

  @Test("(OPT-63; no client)") func whatIsNoConversionIsNotTakenForOne() {
    let event = UserEvent(projectID: [1], revision: [2], region: .us, head: [UInt8](repeating: 3, count: 200), visitor: [4])
    RecordedEvent.withRow(of: event, url: []) { #expect(QueuedConversion($0) == nil) }
    [UInt8](repeating: 0xFF, count: 200).withBytes { #expect(QueuedConversion($0) == nil) }
    #expect("".withBytes { QueuedConversion($0) } == nil)
  }

  /// G9
  @Test("(OPT-63; forked)") func aForkedChildSendsNoneOfItsParents() throws {
    let rig = try rig()
    #expect(track(rig, user: visitor("parents")) == .ok)
    rig.scheduler.simulateFork()
    rig.client.onScheduler { client in
      client.provider?.abandonAfterFork()
      client.provider?.start()
    }
    #expect(track(rig, user: visitor("childs")) == .ok)
    #expect(flush(rig).flatMap(\.visitors) == ["childs"])
  }
}
