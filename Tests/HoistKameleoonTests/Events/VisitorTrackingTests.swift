import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

/// What visitors have sent, with everything in its place.
@Suite("What visitors leave is sent (4.4, 4.5)") struct VisitorTrackingTests {
  static let configuration = """
    {"customData":[{"id":1,"index":3,"name":"uid","isMappingIdentifier":true},{"id":2,"index":1,"localOnly":true}],
    "segments":[{"id":1,"audienceTracking":true,"conditionsData":{"firstLevelOrOperators":[],"firstLevel":[{"orOperators":[],
    "conditions":[{"targetingType":"DEVICE_TYPE","device":"PHONE"}]}]}},{"id":2,"audienceTracking":false},
    {"id":3,"audienceTracking":true}],"featureFlags":[]}
    """

  private func lines(_ rig: KameleoonRig) -> [[String]] {
    rig.transport.requests.filter { $0.url.contains("/visit/events") }.map { request in
      request.lines.map { String($0.dropFirst("nonce=0123456789ABCDEF&eventType=".count)) }
    }
  }

  private func rig(_ properties: [String: String] = [:], cacheManager: (any CacheManager)? = nil, seed: UInt64 = 7) throws
    -> KameleoonRig
  {
    try KameleoonRig(properties, configuration: Self.configuration, cacheManager: cacheManager, seed: seed) { request in
      request.url.contains("/visit/events") ? answer(200) : answer(304)
    }
  }

  @Test("(KAM-41, KAM-58, KAM-B08; ready)") func aConversionTakesAllThatWaitsWithIt() throws {
    let rig = try rig()
    let anna = try rig.visitor("anna")
    _ = anna.add([.device(.phone), .customData(CustomData(index: 1, values: [])), .userAgent(bytes("ua"))])
    #expect(anna.trackConversion(Conversion(goalID: 5, revenue: 2, isNegative: true)) == .ok)
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(
      lines(rig) == [
        [
          "staticData&deviceType=PHONE&visitorCode=anna&userAgent=ua",
          "conversion&goalId=5&revenue=2.0&negative=true&visitorCode=anna",
        ]
      ])
    #expect(anna.trackConversion(Conversion(goalID: 5, revenue: .nan)) == .argument)
  }

  @Test(
    "What finds no room is answered with that; it is known for targeting, and an exposure comes again (KAM-41, KAM-56, G5; offline, full queue)"
  )
  func fullQueue() throws {
    let rig = try KameleoonRig(["events.capacity": "10", "online": "false"], configuration: customDataConfiguration)
    let anna = try rig.visitor("anna")
    for number in 0..<9 as Range<Int64> { #expect(anna.trackConversion(Conversion(goalID: number)) == .ok) }
    // The tenth, and no room for the next one.
    #expect(anna.add([custom(0, "a"), custom(6, "b")]) == .limit)
    #expect(anna.trackConversion(Conversion(goalID: 10)) == .limit)
    #expect(anna.add([.device(.phone)]) == .limit && anna.facts.device == .phone)
    #expect(anna.facts.customData.map(\.index) == [0, 6])
    // What is never sent needs no room.
    #expect(anna.add([.applicationVersion(bytes("1"))]) == .ok && anna.add([.device(.tablet)], isTracked: false) == .limit)
    #expect(anna.setLegalConsent(true) == .ok && anna.flush(isInstant: false) == .ok)
    _ = "exp".withBytes { anna.isFeatureActive($0) }
    #expect(anna.facts.assignments[100]?.variationID == 1 && anna.facts.assignments[100]?.isUnsent == false)
    let counters = rig.provider.tracking.pipeline.counters
    #expect(counters.recorded == 10 && counters.dropped == 5)
  }

  @Test("(KAM-28, KAM-B19; ready)") func whatIsNotTrackedIsNotSent() throws {
    let rig = try rig()
    let anna = try rig.visitor("anna")
    _ = anna.add([.device(.phone)])
    _ = anna.add([.device(.desktop), .conversion(Conversion(goalID: 1))], isTracked: false)
    anna.assign([DecidedAssignment(experimentID: 9, variationID: 1, rule: .experimentation, isTracked: false)])
    #expect(anna.flush(isInstant: true) == .ok)
    rig.scheduler.run()
    #expect(lines(rig) == [["activity&visitorCode=anna"]])
    anna.assign([DecidedAssignment(experimentID: 9, variationID: 1, rule: .experimentation, isTracked: true)])
    _ = anna.flush(isInstant: true)
    rig.scheduler.run()
    #expect(lines(rig)[1] == ["experiment&id=9&variationId=1&visitorCode=anna"])
    #expect(anna.facts.assignments[9]?.isUnsent == false)
  }

  @Test("(KAM-B17; ready)") func visitorsAreReportedActiveOnceWhenTheyAreOpened() throws {
    let rig = try rig(["activity_tracking_interval_millisecond": "0", "visitor_code": "own"])
    let anna = try rig.visitor("anna")
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(Set(lines(rig).flatMap { $0 }) == ["activity&visitorCode=own", "activity&visitorCode=anna"])
    #expect(lines(rig).flatMap { $0 }.count == 2)
    withExtendedLifetime(anna) {}
  }

  @Test(
    "The client's own visitor is reported active once somebody has asked for it (KAM-14, KAM-B17; ready)",
    arguments: ["0", "15000"])
  func aGeneratedVisitorThatNobodyAskedForIsNotReported(_ interval: String) throws {
    let rig = try rig(["activity_tracking_interval_millisecond": interval])
    rig.settle { rig.visitors.own.current != nil }
    let anna = try rig.visitor("anna")
    rig.scheduler.advance(milliseconds: 16_000)
    #expect(Set(lines(rig).flatMap { $0 }) == ["activity&visitorCode=anna"])
    let own = try rig.visitor(nil)
    rig.scheduler.advance(milliseconds: 16_000)
    #expect(lines(rig).flatMap { $0 }.contains("activity&visitorCode=\(text(own.code))"))
    withExtendedLifetime(anna) {}
  }

  @Test func whoWaitsForAnIntervalIsToldThatThereIsNoNetwork() throws {
    let rig = try rig()
    let anna = try rig.visitor("anna")
    let told = LockedValue<[Status]>([])
    #expect(anna.flush(isInstant: false) { status in told.withLock { $0.append(status) } } == .ok)
    #expect(rig.client.setOnline(false) == .ok)
    rig.settle { told.withLock { !$0.isEmpty } }
    #expect(anna.flush(isInstant: false) { status in told.withLock { $0.append(status) } } == .ok)
    rig.settle { told.withLock { $0.count == 2 } }
    #expect(told.withLock { $0 } == [.network, .network])
    #expect(rig.client.setOnline(true) == .ok)
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(lines(rig) == [["activity&visitorCode=anna"]])
  }

  @Test("(KAM-B12; ready)") func audiencesThatMatchAreReported() throws {
    let rig = try rig()
    let anna = try rig.visitor("anna")
    _ = anna.add([.device(.phone)], isTracked: false)
    #expect(anna.evaluateAudiences() == .ok)
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(lines(rig) == [["targetingSegment&id=1&visitorCode=anna", "targetingSegment&id=3&visitorCode=anna"]])
    let bea = try rig.visitor("bea")
    _ = bea.evaluateAudiences()
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(lines(rig)[1] == ["targetingSegment&id=3&visitorCode=bea"])
  }

  @Test("(KAM-07, KAM-67; ready)") func visitorsThatAreLinkedAreTrackedAsOne() throws {
    let rig = try rig()
    let (anon, user) = (try rig.visitor("anon"), try rig.visitor("user"))
    _ = user.add([.geolocation(Geolocation(country: bytes("FR")))])
    _ = anon.add([.device(.phone), .customData(CustomData(index: 3, values: [bytes("user")]))])
    _ = user.add([.uniqueIdentifier(true)])
    _ = user.trackConversion(Conversion(goalID: 1))
    _ = user.flush(isInstant: true)
    rig.scheduler.run()
    let mapping = "customData&index=3&valuesCountMap=%7B%22user%22%3A1%7D&overwrite=true&mappingIdentifier=true"
    // What the user had before the link is sent as well: it was recorded.
    #expect(
      lines(rig) == [
        [
          "staticData&deviceType=PHONE&mappingValue=user", "geolocation&country=FR&mappingValue=user",
          "\(mapping)&mappingValue=user",
          "conversion&goalId=1&revenue=0.0&negative=false&mappingValue=user",
        ]
      ])
    _ = anon.flush(isInstant: true)
    rig.scheduler.run()
    #expect(lines(rig)[1] == ["\(mapping)&visitorCode=anon"])
  }

  @Test("(KAM-B23; failing)") func theHostHearsOfEachAttempt() throws {
    let rig = try rig()
    let heard = Locked<[String]>([])
    rig.face.observe(httpRequest: { attempt in
      if attempt.kind == .tracking { heard.change { $0.append("\(attempt.end) \(attempt.status)") } }
    })
    rig.transport.setResponder { request in request.url.contains("/visit/events") ? answer(500) : answer(304) }
    _ = try rig.visitor("anna").flush(isInstant: true)
    rig.deliver()
    rig.transport.setResponder { _ in answer(403) }
    rig.scheduler.advance(milliseconds: 5_000)
    rig.deliver()
    #expect(heard.value == ["refused 500", "succeeded 403"])
  }

  @Test("(KAM-42, KAM-59; ready, failing, closed)") func aFlushTellsWhatCameOfIt() throws {
    let rig = try rig()
    let anna = try rig.visitor("anna")
    let told = Locked<[Status]>([])
    _ = anna.add([.device(.phone)])
    #expect(anna.flush(isInstant: false) { status in told.change { $0.append(status) } } == .ok)
    rig.deliver()
    #expect(told.value.isEmpty)
    rig.scheduler.advance(milliseconds: 1_000)
    rig.deliver()
    #expect(told.value == [.ok] && lines(rig).count == 1)
    rig.transport.setResponder { _ in noAnswer }
    _ = anna.flush(isInstant: true) { status in told.change { $0.append(status) } }
    rig.scheduler.advance(milliseconds: 5_000)
    rig.deliver()
    #expect(told.value == [.ok, .network])
    _ = anna.flush(isInstant: true) { status in told.change { $0.append(status) } }
    _ = rig.client.close(timeoutMilliseconds: 0)
    #expect(told.value == [.ok, .network, .cancelled])
    #expect(anna.flush(isInstant: true) == .state && anna.trackConversion(Conversion(goalID: 1)) == .state)
  }

  @Test("(KAM-15, KAM-41, KAM-59; starting)") func beforeTheFirstConfigurationNothingIsTracked() throws {
    let rig = try KameleoonRig(configuration: nil)
    let anna = try rig.visitor("anna")
    #expect(anna.trackConversion(Conversion(goalID: 1)) == .kameleoonSDKNotReady)
    #expect(anna.flush(isInstant: true) == .kameleoonSDKNotReady && anna.evaluateAudiences() == .kameleoonSDKNotReady)
  }

  @Test("the core's events are conversions of the context's visitor") func theCoresEvents() throws {
    let rig = try rig(["visitor_code": "me"])
    func track(_ key: String, _ context: ContextReference?, _ value: Double? = nil, _ negative: String? = nil) -> Status {
      let properties = negative.map { [(name: "negative", value: AttributeValue.string(bytes($0)))] } ?? []
      return rig.provider.track(
        TrackedEvent(key: key, context: context, value: value, properties: properties, unixMilliseconds: 0))
    }
    let other = EvaluationContext(targetingKey: bytes("other"), attributes: []).reference()
    #expect(track("12", nil, 1.5, "true") == .ok && track("13", other) == .ok)
    #expect(track("twelve", nil) == .argument && track("-1", nil) == .argument)
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(
      lines(rig) == [
        [
          "conversion&goalId=12&revenue=1.5&negative=true&visitorCode=me",
          "conversion&goalId=13&revenue=0.0&negative=false&visitorCode=other",
        ]
      ])
  }
}
