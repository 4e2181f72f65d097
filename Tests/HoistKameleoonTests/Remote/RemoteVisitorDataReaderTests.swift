import HoistBase
import Testing

@testable import HoistKameleoon

@Suite("What the service knows of a visitor's visits (KAM-46 to KAM-53, KAM-B06, KAM-B22; no client)")
struct RemoteVisitorDataReaderTests {
  private static let everything = RemoteVisitorDataFilter.Parts(rawValue: 0x1FFF)

  private func read(
    _ text: String, _ parts: RemoteVisitorDataFilter.Parts = everything, isStrictVendor: Bool = false
  ) -> RemoteVisitorData? {
    RemoteVisitorDataReader.read(Array(text.utf8), parts, isStrictVendor: isStrictVendor)?.data
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private func event(_ data: String, _ time: Int = 1) -> String { #"{"time":\#(time),"data":\#(data)}"# }

  @Test("The code is that of the most recent visit that has one, where the filter asks for it (KAM-53; no client)")
  func visitorCode() {
    let answer =
      #"{"currentVisit":{},"previousVisits":[{"visitorCode":7},{"visitorCode":""},{"visitorCode":"a"},{"visitorCode":"b"}]}"#
    #expect(read(answer)?.visitorCode.map(text) == "a")
    #expect(read(#"{"currentVisit":{"visitorCode":"c"},"previousVisits":[{"visitorCode":"b"}]}"#)?.visitorCode.map(text) == "c")
    #expect(read(answer, [.customData])?.visitorCode == nil)
  }

  @Test("Of custom data the newest visit's last event wins, with the values in their order (KAM-47; no client)")
  func customData() {
    let current = [
      event(#"{"index":0,"valuesCountMap":{"old":1}}"#), event(#"{"index":0,"valuesCountMap":{"new":1,"b":2}}"#),
      event(#"{"index":2,"valuesCountMap":{}}"#),
    ].joined(separator: ",")
    let previous = [event(#"{"index":0,"valuesCountMap":{"p":1}}"#), event(#"{"index":7,"valuesCountMap":{"s":1}}"#)].joined(
      separator: ",")
    let data = read(
      #"{"currentVisit":{"customDataEvents":[\#(current)]},"previousVisits":[{"customDataEvents":[\#(previous)]}]}"#)
    #expect(data?.customData.map(\.index) == [2, 0, 7])
    #expect(data?.customData.map { $0.values.map(text) } == [[], ["new", "b"], ["s"]])
  }

  @Test("Each view of a page counts, and the newest gives title and time (KAM-B22; no client)")
  func pages() {
    let current = [
      event(#"{"href":"1","title":"one"}"#, 5), event(#"{"href":"2"}"#, 6), event(#"{"href":"1","title":"uno"}"#, 7),
    ]
    let data = read(
      #"{"currentVisit":{"pageEvents":[\#(current.joined(separator: ","))]},"previousVisits":[{"pageEvents":[\#(event(#"{"href":"2","title":"two"}"#, 3)),{},{"data":{"title":"x"}}]}]}"#
    )
    #expect(
      data?.pages == [
        PageVisit(url: Array("1".utf8), title: Array("uno".utf8), lastTime: 7, count: 2),
        PageVisit(url: Array("2".utf8), title: nil, lastTime: 6, count: 2),
      ])
  }

  @Test("Of experiments and personalizations the newest visit's last event wins (KAM-51, KAM-B22; no client)")
  func assigned() {
    let first = event(#"{"id":100,"variationId":1}"#, 40)
    let second = event(#"{"id":100,"variationId":2}"#, 50)
    let broken = event(#"{"id":5}"#) + "," + event(#"{"variationId":5}"#) + "," + event(#"{"id":"5","variationId":1}"#)
    for (name, isExperiment) in [("experimentEvents", true), ("personalizationEvents", false)] {
      let data = read(
        #"{"currentVisit":{"\#(name)":[\#(first),\#(second),\#(broken)]},"previousVisits":[{"\#(name)":[\#(first),\#(event(#"{"id":3,"variationId":9}"#, 2))]}]}"#
      )
      if isExperiment {
        #expect(
          data?.assignments == [
            Assignment(experimentID: 100, variationID: 2, rule: .unknown, isUnsent: false, time: 50),
            Assignment(experimentID: 3, variationID: 9, rule: .unknown, isUnsent: false, time: 2),
          ])
      } else {
        #expect(
          data?.personalizations == [
            PersonalizationSeen(id: 100, variationID: 2, time: 50), PersonalizationSeen(id: 3, variationID: 9, time: 2),
          ])
      }
    }
  }

  @Test("All conversions come in their order, those without a goal are left out (KAM-51; no client)")
  func conversions() {
    let current = [
      event(#"{"goalId":1,"revenue":2.5,"negative":true}"#, 5), event(#"{"goalId":2,"revenue":"x"}"#, 6),
      event(#"{"revenue":1}"#),
    ]
    let data = read(
      #"{"currentVisit":{"conversionEvents":[\#(current.joined(separator: ","))]},"previousVisits":[{"conversionEvents":[{"data":{"goalId":1}}]}]}"#
    )
    #expect(
      data?.conversions.map(\.conversion) == [
        Conversion(goalID: 1, revenue: 2.5, isNegative: true), Conversion(goalID: 2), Conversion(goalID: 1),
      ])
    #expect(data?.conversions.map(\.time) == [5, 6, 0])
  }

  @Test("The place is the first visit's last one that has a country (KAM-51; no client)")
  func geolocation() {
    let data = read(
      #"{"currentVisit":{"geolocationEvents":[\#(event(#"{"country":"FR"}"#)),\#(event(#"{"city":"x"}"#))]},"previousVisits":[{"geolocationEvents":[\#(event(#"{"country":"ES"}"#)),\#(event(#"{"country":"DE","region":"BE","city":5}"#))]}]}"#
    )
    #expect(data?.geolocation == Geolocation(country: Array("DE".utf8), region: Array("BE".utf8)))
  }

  private static let machines =
    #"{"currentVisit":{"staticDataEvent":{"data":{"deviceType":"PHONE"}}},"previousVisits":[{"staticDataEvent":{"data":{"deviceType":"DESKTOP","browser":"INTERNET_EXPLORER","browserVersion":11,"os":"WINDOWS_PHONE"}}}]}"#

  @Test(
    "Device, browser and operating system come each from the first visit that has it, where they are asked for (KAM-B22; no client)"
  )
  func staticData() {
    let data = read(Self.machines)
    #expect(data?.device == .phone)
    #expect(data?.browser == Browser(kind: .internetExplorer, version: 11))
    #expect(data?.operatingSystem == .windowsPhone)
    let one = read(Self.machines, [.browser])
    #expect(one?.device == nil)
    #expect(one?.browser?.kind == .internetExplorer)
    #expect(one?.operatingSystem == nil)
  }

  /// A15
  @Test("A name that nobody knows leaves out its field alone; the vendor's SDK drops everything (KAM-B22; no client)")
  func unknownNames() {
    let answer =
      #"{"currentVisit":{"visitorCode":"v","staticDataEvent":{"data":{"deviceType":"WATCH","browser":"chrome","os":"MAC"}}}}"#
    let data = read(answer)
    #expect(data?.device == nil)
    #expect(data?.browser == nil)
    #expect(data?.operatingSystem == .mac)
    #expect(data?.visitorCode != nil)
    #expect(read(answer, isStrictVendor: true) == nil)
    #expect(read(Self.machines, isStrictVendor: true) == nil)
    #expect(read(answer, [.operatingSystem], isStrictVendor: true) != nil)
    let noValues = #"{"currentVisit":{"customDataEvents":[{"data":{"index":1}}]}}"#
    #expect(read(noValues)?.customData == [])
    #expect(read(noValues, isStrictVendor: true) == nil)
  }

  @Test("Previous visits are counted as the service says, and at least as many as there are (KAM-49; no client)")
  func visits() {
    func number(_ numbers: [String]) -> Int64? {
      let visits = numbers.map { #"{"staticDataEvent":{"data":{"visitNumber":\#($0)}}}"# }
      return read(#"{"currentVisit":\#(visits[0]),"previousVisits":[\#(visits.dropFirst().joined(separator: ","))]}"#)?.visits?
        .number
    }
    #expect(number(["4", "3"]) == 4)
    #expect(number(["0", "3"]) == 4)
    #expect(number(["0", "0", "7"]) == 9)
    #expect(number(["0", "0", "0"]) == 2)
    #expect(number(["1", "0", "0"]) == 2)
    #expect(number(["0", "9223372036854775807"]) == .max)
    #expect(number(["9"]) == nil)
    let data = read(#"{"previousVisits":[{"timeStarted":50,"timeLastEvent":60},{"timeStarted":20},{},7,null]}"#)
    #expect(
      data?.visits?.previous == [
        VisitHistory.Visit(start: 50, lastEvent: 60), VisitHistory.Visit(start: 20, lastEvent: 20),
        VisitHistory.Visit(start: 0, lastEvent: 0),
      ])
  }

  @Test("Scores stand under decimal numbers; whatever else is passed over (KAM-52, KAM-B06; no client)")
  func scores() {
    let scores = #"{"1":{"2":33.5,"x":1,"3":"4","4":null},"a":{"2":1},"5":7,"99999999999999999999":{"1":1}}"#
    let data = read(#"{"kcs":\#(scores),"cbs":\#(scores)}"#)
    #expect(data?.keyMomentScores == [KeyMomentScore(keyMomentID: 1, goalID: 2, score: 33.5)])
    #expect(data?.banditScores == [BanditScore(experimentID: 1, variationID: 2, score: 33.5)])
    #expect(read("{}")?.banditScores == nil)
    #expect(read(#"{"kcs":[]}"#)?.keyMomentScores == nil)
  }

  @Test(
    "What is of another type is as if it were not there, one by one (KAM-46; no client)",
    arguments: [
      "{}", #"{"currentVisit":null,"previousVisits":null}"#, #"{"currentVisit":[],"previousVisits":{}}"#, #"{"kcs":7,"cbs":"x"}"#,
      #"{"currentVisit":{"customDataEvents":[7,{"data":null},{},{"data":{"index":"1","valuesCountMap":{"a":1}}},{"data":{"index":-1,"valuesCountMap":{"a":1}}},{"data":{"index":1,"valuesCountMap":[]}}]}}"#,
      #"{"currentVisit":{"pageEvents":{"a":1},"conversionEvents":"x","experimentEvents":[[]],"geolocationEvents":[null],"staticDataEvent":[]}}"#,
      #"{"currentVisit":{"visitorCode":{},"staticDataEvent":{"data":7}}}"#,
    ])
  func oddAnswers(answer: String) throws {
    let data = try #require(read(answer))
    #expect(data.data.isEmpty)
    #expect(data.visits == nil)
    #expect(data.visitorCode == nil)
  }

  @Test(
    "What is no JSON object cannot be read (KAM-74; no client)", arguments: ["", "[]", "null", "7", "{", "{\"a\":}", "\u{0}"])
  func unreadable(answer: String) { #expect(read(answer) == nil) }

  @Test("A thousand elements of a kind are kept, the newest, and the others are counted (KAM-46; no client)")
  func manyElements() {
    let events = (0..<1_500).map { event(#"{"index":\#($0),"valuesCountMap":{"a":1}}"#) }.joined(separator: ",")
    let outcome = RemoteVisitorDataReader.read(
      Array(#"{"currentVisit":{"customDataEvents":[\#(events)]}}"#.utf8), Self.everything, isStrictVendor: false)
    #expect(outcome?.data.customData.count == 1_000)
    #expect(outcome?.data.customData.first?.index == 1_499)
    #expect(outcome?.leftOut == 500)
  }
}
