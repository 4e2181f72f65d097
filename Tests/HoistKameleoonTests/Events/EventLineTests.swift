import HoistBase
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("How data are written in lines (2.6)") struct EventLineTests {
  @Test(
    "(KAM-61, KAM-62, KAM-63, KAM-64, KAM-B08, KAM-B21; no client)",
    arguments: [
      (.device(.tablet), "staticData&deviceType=TABLET"),
      (.browser(Browser(kind: .safari, version: 17)), "staticData&browserIndex=3&browserVersion=17.0"),
      (.browser(Browser(kind: .firefox, version: 0)), "staticData&browserIndex=2"),
      (.operatingSystem(.windowsPhone), "staticData&os=WINDOWS_PHONE&osIndex=5"),
      (.operatingSystem(.windows), "staticData&os=WINDOWS&osIndex=0"),
      (
        .geolocation(Geolocation(country: text("F R"), city: text("é"), latitude: 0, longitude: -0.5)),
        "geolocation&country=F%20R&city=%C3%A9&latitude=0.0&longitude=-0.5"
      ),
      (.geolocation(Geolocation(country: text("X"), latitude: .nan, longitude: .infinity)), "geolocation&country=X"),
      (.visits(number: 4, sincePrevious: 12), "staticData&visitNumber=4&timeSincePreviousVisit=12"),
      (
        .customData(CustomData(index: 0, values: [text("b"), text("a"), text("b")], overwrites: false), isMapping: false),
        "customData&index=0&valuesCountMap=%7B%22b%22%3A1%2C%22a%22%3A1%7D&overwrite=false"
      ),
      (
        .customData(CustomData(index: 3, values: []), isMapping: true),
        "customData&index=3&valuesCountMap=%7B%7D&overwrite=true&mappingIdentifier=true"
      ),
      (
        .pageView(PageView(url: text("https://a/?b=c d"), referrers: [3, -1])),
        "page&href=https%3A%2F%2Fa%2F%3Fb%3Dc%20d&referrersIndices=%5B3%2C-1%5D"
      ),
      (.pageView(PageView(url: text("u"), title: text("!'()*~"))), "page&href=u&title=!'()*~"),
      (
        .assignment(Assignment(experimentID: 9_007_199_254_740_992, variationID: 2, rule: .unknown, isUnsent: true, time: 0)),
        "experiment&id=9007199254740992&variationId=2"
      ),
      (.segment(7), "targetingSegment&id=7"),
      (.conversion(Conversion(goalID: 5, revenue: 1_234_567.891)), "conversion&goalId=5&revenue=1234567.891&negative=false"),
      (
        .conversion(
          Conversion(
            goalID: 1, revenue: -5.5, isNegative: true,
            metadata: [CustomData(index: 5, values: [text("m"), text("n")]), CustomData(index: 5, values: [text("x")])])),
        "conversion&goalId=1&revenue=-5.5&negative=true&metadata=%7B%225%22%3A%5B%22m%22%2C%22n%22%5D%7D"
      ),
      (.conversion(Conversion(goalID: 1, revenue: .nan)), "conversion&goalId=1&revenue=0.0&negative=false"),
      (.activity, "activity"),
    ] as [(TrackedDatum.Content, String)])
  func eachKindIsWrittenAsTheServiceReadsIt(_ content: TrackedDatum.Content, _ line: String) {
    let datum = TrackedDatum(kind: .device, key: nil, place: 0, content: content)
    #expect(String(decoding: datum.line, as: UTF8.self) == "eventType=\(line)")
  }

  @Test("(KAM-60; no client)") func conversionsAndDeliveriesNeedNoConsent() {
    let free: [TrackedDatum.Content] = [
      .conversion(Conversion(goalID: 1)),
      .assignment(Assignment(experimentID: 1, variationID: 1, rule: .targetedDelivery, isUnsent: true, time: 0)),
    ]
    let held: [TrackedDatum.Content] = [
      .device(.phone), .activity, .segment(1), .customData(CustomData(index: 1, values: []), isMapping: true),
      .assignment(Assignment(experimentID: 1, variationID: 1, rule: .experimentation, isUnsent: true, time: 0)),
      .assignment(Assignment(experimentID: 1, variationID: 1, rule: .unknown, isUnsent: true, time: 0)),
    ]
    func needs(_ content: TrackedDatum.Content) -> Bool {
      TrackedDatum(kind: .device, key: nil, place: 0, content: content).needsConsent
    }
    #expect(!free.contains(where: needs) && held.allSatisfy(needs))
  }

}

private func text(_ text: String) -> [UInt8] { Array(text.utf8) }
