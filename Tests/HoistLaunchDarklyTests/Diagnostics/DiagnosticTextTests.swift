import HoistBase
import HoistCore
import HoistJSON
import Testing

@testable import HoistLaunchDarkly

@Suite("What diagnostics say (protocols/launchdarkly.md 4.6)")
struct DiagnosticTextTests {
  private func statistics() -> DiagnosticStatistics {
    var statistics = DiagnosticStatistics(id: "run-1", sinceUnixMilliseconds: 1)
    statistics.droppedEvents = 2
    statistics.eventsInLastBatch = 3
    statistics.add(DiagnosticStatistics.StreamInit(unixMilliseconds: 1, durationMilliseconds: 120, hasFailed: false))
    return statistics
  }

  @Test func thePeriodicEventHasTheCounters() {
    #expect(
      String(decoding: statistics().event(unixMilliseconds: 9, keySuffix: "abcdef"), as: UTF8.self)
        == #"{"kind":"diagnostic","creationDate":9,"id":{"diagnosticId":"run-1","sdkKeySuffix":"abcdef"},"dataSinceDate":1,"#
        + #""droppedEvents":2,"eventsInLastBatch":3,"streamInits":[{"timestamp":1,"durationMillis":120,"failed":false}]}"#)
  }

  /// What a record has of runs that have ended.
  private func read(_ record: String) -> [DiagnosticStatistics] {
    var runs = DiagnosticRuns(Array(record.utf8))
    return runs.takeLeft(at: 0)
  }

  @Test func whatTheStoreHoldsReadsBack() {
    var runs = DiagnosticRuns(nil)
    runs.keep(statistics(), owner: "")
    #expect(read(String(decoding: runs.record, as: UTF8.self)) == [statistics()])
  }

  @Test(
    "What is no record is not believed (G2)",
    arguments: [
      "", "{", "[]", "7", #"{"instanceId":7,"dataSinceDate":1}"#, #"{"instanceId":"a"}"#,
      #"{"instanceId":"a","dataSinceDate":"1"}"#,
    ])
  func broken(record: String) {
    for record in [record, #"{"runs":\#(record)}"#, #"{"runs":[\#(record)]}"#] { #expect(read(record) == []) }
  }

  @Test func wrongMembersOfARecordAreTakenForNothing() throws {
    let record =
      #"{"instanceId":"a","dataSinceDate":5,"droppedEvents":-1,"eventsInLastBatch":"x","streamInits":[7,{},{"timestamp":3}]}"#
    let read = try #require(read(#"{"runs":[\#(record)]}"#).first)
    #expect(read.droppedEvents == 0 && read.eventsInLastBatch == 0)
    #expect(read.streamInits == [DiagnosticStatistics.StreamInit(unixMilliseconds: 3, durationMilliseconds: 0, hasFailed: false)])
  }

  @Test("Of the attempts to open the stream the latest are kept (G5)")
  func limit() {
    var statistics = DiagnosticStatistics(id: "a", sinceUnixMilliseconds: 0)
    for number in 0...DiagnosticStatistics.maximumStreamInits {
      statistics.add(DiagnosticStatistics.StreamInit(unixMilliseconds: Int64(number), durationMilliseconds: 0, hasFailed: true))
    }
    #expect(statistics.streamInits.count == DiagnosticStatistics.maximumStreamInits)
    #expect(statistics.streamInits.first?.unixMilliseconds == 1)
  }

  @Test func aNewPeriodHasTheIdOfTheOldOne() {
    var statistics = statistics()
    statistics.beginAnew(unixMilliseconds: 77)
    #expect(statistics == DiagnosticStatistics(id: "run-1", sinceUnixMilliseconds: 77))
  }

  @Test func theFirstEventSaysWhoSendsIt() throws {
    var origin = DiagnosticOrigin(configuration: [("useReport", .bool(false)), ("mobileKeyCount", .int(2))], keySuffix: "abcdef")
    origin.wrapperName = "w"
    let text = String(decoding: origin.event(id: "run-1", unixMilliseconds: 5), as: UTF8.self)
    #expect(text.hasPrefix(#"{"kind":"diagnostic-init","creationDate":5,"id":{"diagnosticId":"run-1","sdkKeySuffix":"abcdef"},"#))
    #expect(text.contains(#""sdk":{"name":"hoist","version":"\#(HoistVersion.text)","wrapperName":"w"},"#))
    #expect(text.contains(#""configuration":{"useReport":false,"mobileKeyCount":2},"#))
    try JSONDocument(parsing: text).withRoot { root in
      let platform = try #require(root["platform"])
      #expect(platform["systemName"]?.string == "Linux")
      #expect(platform["systemVersion"]?.string?.isEmpty == false && platform["deviceType"]?.string?.isEmpty == false)
      #expect(platform["backgroundEnabled"]?.bool == false && platform["streamingEnabled"]?.bool == true)
    }
  }
}
