import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("When what is sent (4.4)") struct TrackerTests {
  @Test("(KAM-05, KAM-41, KAM-58; ready)") func thoseWhoAreQueuedGoInOneRequestAtTheInterval() throws {
    let bench = try TrackerBench()
    let (anna, bea) = (bench.visitor("anna"), bench.visitor("bea"))
    bench.advance(250)
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.record(Tracked.conversion(1), of: bea)
    bench.tracker.queue(anna)
    bench.tracker.queue(bea)
    bench.tracker.queue(bea)
    bench.advance(749)
    #expect(bench.sent.isEmpty)
    bench.advance(1)
    #expect(bench.sent == [["\(Tracked.phoneLine)&visitorCode=anna", "\(Tracked.conversionLine(1))&visitorCode=bea"]])
    let request = try #require(bench.host.network.requests.first)
    #expect(request.method == "POST" && request.headers == [HTTPHeader("Content-Type", "*/*")])
    #expect(request.url == "https://data.kameleoon.io/visit/events?sdkName=SWIFT&sdkVersion=4.25.0&siteCode=site&bodyUa=true")
    #expect(bench.nonces[0].allSatisfy { $0.allSatisfy { $0.isHexDigit && !$0.isLowercase } } && Set(bench.nonces[0]).count == 2)
    bench.advance(10_000)
    #expect(bench.sent.count == 1 && bench.host.time.pendingTimerCount == 1)
  }

  @Test(
    "Out of range is clamped (KAM-05, KAM-B18, A1; ready)",
    arguments: [("50", 100), ("2000", 2_000), ("9000", 5_000)] as [(String, Int64)])
  func theIntervalIsTheNearestThatIsAllowed(_ given: String, _ interval: Int64) throws {
    let bench = try TrackerBench(["tracking_interval_millisecond": given])
    let anna = bench.visitor("anna")
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.queue(anna)
    bench.advance(interval - 1)
    #expect(bench.sent.isEmpty)
    bench.advance(1)
    #expect(bench.sent.count == 1)
    let warns = bench.tracker.settings.warnings == ["tracking_interval_millisecond \(given) becomes \(interval)"]
    #expect(warns == (given != "2000"))
  }

  @Test("(KAM-42, KAM-59; ready)") func anInstantFlushSendsOneVisitorAndLeavesTheQueue() throws {
    let bench = try TrackerBench()
    let (anna, bea) = (bench.visitor("anna"), bench.visitor("bea"))
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.record(Tracked.phone, of: bea)
    bench.tracker.queue(bea)
    #expect(bench.flush(anna) == [.ok])
    #expect(bench.sent == [["\(Tracked.phoneLine)&visitorCode=anna"]])
    bench.advance(1_000)
    #expect(bench.sent.count == 2 && bench.sent[1] == ["\(Tracked.phoneLine)&visitorCode=bea"])
  }

  @Test func aVisitorWithoutAnythingToSendIsActive() throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    anna.userAgent = "ua"
    #expect(bench.flush(anna) == [.ok] && bench.flush(anna) == [.ok])
    #expect(
      bench.sent == [["eventType=activity&visitorCode=anna&userAgent=ua"], ["eventType=activity&visitorCode=anna&userAgent=ua"]])
    anna.hasConsentToTrack = false
    #expect(bench.flush(anna) == [.ok])
    #expect(bench.sent.count == 2)
    // One that did not arrive is not owed to anybody.
    anna.hasConsentToTrack = true
    bench.host.network.setResponder { _ in answer(500) }
    #expect(bench.flush(anna) == [.network])
    bench.advance(5_000)
    bench.host.network.setResponder { _ in answer(200) }
    bench.tracker.record(Tracked.phone, of: anna)
    bench.advance(1_000)
    #expect(bench.sent.last == ["\(Tracked.phoneLine)&visitorCode=anna&userAgent=ua"])
  }

  @Test("(KAM-60; no consent)") func withoutConsentOnlyConversionsAndDeliveriesGo() throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    anna.hasConsentToTrack = false
    anna.userAgent = "ua"
    for datum in [Tracked.phone, Tracked.exposure(1, 1), Tracked.exposure(2, 2, .targetedDelivery), Tracked.conversion(1)] {
      bench.tracker.record(datum, of: anna)
    }
    _ = bench.flush(anna)
    #expect(
      bench.sent == [
        [
          "eventType=experiment&id=2&variationId=2&visitorCode=anna&userAgent=ua",
          "\(Tracked.conversionLine(1))&visitorCode=anna",
        ]
      ])
    anna.hasConsentToTrack = true
    bench.tracker.consentChanged(anna)
    bench.advance(5_000)
    #expect(bench.sent.count == 1)
    _ = bench.flush(anna)
    #expect(
      bench.sent[1] == [
        "\(Tracked.phoneLine)&visitorCode=anna&userAgent=ua", "eventType=experiment&id=1&variationId=1&visitorCode=anna",
      ])
    #expect(anna.exposures.value == ["2 is sent", "1 is sent"])
  }

  @Test("(KAM-67; ready)") func aLinkIsSentWithEveryRequest() throws {
    let bench = try TrackerBench()
    let anon = bench.visitor("anon")
    let user = bench.visitor("user", subject: "anon", isMappingValue: true)
    let mapping = Tracked.custom(3, "user", isMapping: true)
    bench.tracker.record(mapping, of: anon)
    (anon.mappingDatum, user.mappingDatum) = (mapping, mapping)
    _ = bench.flush(anon)
    _ = bench.flush(user)
    bench.tracker.record(Tracked.phone, of: user)
    bench.tracker.queue(user)
    bench.tracker.queue(anon)
    bench.advance(1_000)
    let line = "eventType=customData&index=3&valuesCountMap=%7B%22user%22%3A1%7D&overwrite=true&mappingIdentifier=true"
    #expect(bench.sent[0] == ["\(line)&visitorCode=anon"] && bench.sent[1] == ["\(line)&mappingValue=user"])
    #expect(bench.sent[2] == ["\(Tracked.phoneLine)&mappingValue=user", "\(line)&mappingValue=user", "\(line)&visitorCode=anon"])
    #expect(Set(bench.nonces.joined()).count == 5)
  }

  @Test("(KAM-67; ready)") func aUniqueVisitorLinksItselfBeforeItsLinesAreWritten() throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    let tracker = bench.tracker
    anna.selfLink = { visitor in
      let mapping = Tracked.custom(3, "anna", isMapping: true)
      visitor.mappingDatum = mapping
      tracker.record(mapping, of: visitor)
    }
    _ = bench.flush(anna)
    #expect(bench.sent.count == 1 && bench.sent[0].count == 1 && bench.sent[0][0].contains("mappingIdentifier=true"))
  }

  @Test("(KAM-B19; ready)") func whatIsWithdrawnIsNotSent() throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.record(Tracked.noDevice, of: anna)
    _ = bench.flush(anna)
    #expect(bench.sent == [["eventType=activity&visitorCode=anna"]])
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.record(Tracked.noDevice, of: anna)
    bench.tracker.record(Tracked.desktop, of: anna)
    _ = bench.flush(anna)
    #expect(bench.sent[1] == ["eventType=staticData&deviceType=DESKTOP&visitorCode=anna"])
  }

  @Test func whatIsRecordedDuringARequestGoesWithTheNext() throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.host.network.setResponder(nil)
    bench.tracker.record(Tracked.phone, of: anna)
    #expect(bench.flush(anna) == [])
    bench.tracker.record(Tracked.conversion(1), of: anna)
    #expect(bench.flush(anna) == [])
    #expect(bench.sent == [["\(Tracked.phoneLine)&visitorCode=anna"], ["\(Tracked.conversionLine(1))&visitorCode=anna"]])
  }

  @Test("(KAM-B17; ready)") func activitiesAreSentWhenTheyAreAskedFor() throws {
    let bench = try TrackerBench(["activity_tracking_interval_millisecond": "20"])
    #expect(bench.tracker.settings.warnings == ["activity_tracking_interval_millisecond 20 becomes 15000"])
    let anna = bench.visitor("anna")
    bench.tracker.opened(anna)
    bench.advance(15_000)
    #expect(bench.sent.isEmpty)
    bench.advance(30_000)
    #expect(bench.sent == Array(repeating: ["eventType=activity&visitorCode=anna"], count: 2))
    let once = try TrackerBench(["activity_tracking_interval_millisecond": "0"])
    once.tracker.opened(once.visitor("bea"))
    once.advance(60_000)
    #expect(once.sent == [["eventType=activity&visitorCode=bea"]])
    let none = try TrackerBench()
    none.tracker.opened(none.visitor("cleo"))
    none.advance(60_000)
    #expect(none.sent.isEmpty)
  }

  @Test func nothingIsSentBeforeThereIsAConfigurationAndWhileOffline() throws {
    let bench = try TrackerBench(isReady: false)
    let anna = bench.visitor("anna")
    bench.tracker.record(Tracked.phone, of: anna)
    #expect(bench.flush(anna) == [.network])
    bench.advance(5_000)
    #expect(bench.sent.isEmpty)
    bench.host.isOnline = false
    bench.tracker.setOnline(false)
    bench.becomeReady()
    bench.advance(5_000)
    #expect(bench.sent.isEmpty)
    bench.host.isOnline = true
    bench.tracker.setOnline(true)
    bench.settle()
    bench.advance(1_000)
    #expect(bench.sent == [["\(Tracked.phoneLine)&visitorCode=anna"]])
  }

  @Test("A flush of the client sends what may be sent of everybody (KAM-59; ready, no consent, failing)") func aFlushOfTheClient()
    throws
  {
    let bench = try TrackerBench()
    let (anna, bea) = (bench.visitor("anna"), bench.visitor("bea"))
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.record(Tracked.phone, of: bea)
    bea.hasConsentToTrack = false
    let told = Locked<[Bool]>([])
    bench.tracker.flush { isSent in told.change { $0.append(isSent == .accepted) } }
    bench.settle()
    // What is held back for lack of consent is not late.
    #expect(bench.sent == [["\(Tracked.phoneLine)&visitorCode=anna"]] && told.value == [true])
    bench.host.network.setResponder { _ in noAnswer }
    bench.tracker.record(Tracked.conversion(1), of: bea)
    bench.tracker.flush { isSent in told.change { $0.append(isSent == .accepted) } }
    bench.settle()
    #expect(told.value == [true, false])
  }

  @Test func aForkedChildHasNobodyInItsQueue() throws {
    let bench = try TrackerBench()
    let anna = bench.visitor("anna")
    bench.tracker.record(Tracked.phone, of: anna)
    bench.tracker.queue(anna)
    bench.settle()
    bench.host.time.simulateFork()
    bench.tracker.abandonAfterFork()
    bench.tracker.start()
    bench.becomeReady()
    bench.advance(2_000)
    #expect(bench.sent.isEmpty)
    bench.tracker.record(Tracked.conversion(1), of: anna)
    bench.tracker.queue(anna)
    bench.settle()
    bench.advance(1_000)
    #expect(bench.sent == [["\(Tracked.conversionLine(1))&visitorCode=anna"]])
  }
}
