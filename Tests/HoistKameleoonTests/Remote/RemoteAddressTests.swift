import Testing

@testable import HoistKameleoon

@Suite("URLs of the Data API (KAM-45, KAM-46, KAM-49 to KAM-53)")
struct RemoteAddressTests {
  private let base = "https://data.kameleoon.io"

  private func visitorData(_ filter: RemoteVisitorDataFilter, code: String = "v 1", isUnique: Bool = false) -> String {
    RemoteAddress.visitorData(base, siteCode: "site", visitorCode: Array(code.utf8), isUnique: isUnique, filter: filter)
  }

  @Test("By default the current and the latest visit's custom data are asked for (KAM-47, KAM-50)")
  func defaults() {
    #expect(
      visitorData(RemoteVisitorDataFilter())
        == "\(base)/visit/visitor?siteCode=site&visitorCode=v%201&maxNumberPreviousVisits=1&version=0&staticData=true&currentVisit=true&customData=true")
  }

  @Test("Every part of the filter has its parameter, but those that are read from static data (KAM-51, KAM-52, KAM-B06, KAM-B22)")
  func everything() {
    let all = RemoteVisitorDataFilter(previousVisitAmount: 25, parts: RemoteVisitorDataFilter.Parts(rawValue: .max))
    #expect(
      visitorData(all, isUnique: true)
        == "\(base)/visit/visitor?siteCode=site&mappingValue=v%201&maxNumberPreviousVisits=25&version=0&staticData=true&kcs=true&currentVisit=true&customData=true&conversion=true&geolocation=true&experiment=true&page=true&personalization=true&cbs=true")
    #expect(!visitorData(RemoteVisitorDataFilter(parts: [.device, .browser, .operatingSystem, .visitorCode])).contains("true&"))
  }

  @Test("The number of visits is brought into 1 to 25 (KAM-49)", arguments: [(0, 1), (-7, 1), (1, 1), (25, 25), (26, 25), (Int64.max, 25)] as [(Int64, Int64)])
  func amounts(given: Int64, asked: Int64) {
    #expect(RemoteVisitorDataFilter(previousVisitAmount: given).clamped.previousVisitAmount == asked)
  }

  @Test("Values are encoded as encodeURIComponent does, and empty ones left out (KAM-45)")
  func encoding() {
    func remote(_ key: String) -> String { RemoteAddress.remoteData(base, siteCode: "s", key: Array(key.utf8)) }
    #expect(remote("é/ü b&c") == "\(base)/map/map?siteCode=s&key=%C3%A9%2F%C3%BC%20b%26c")
    #expect(remote("a-_.!~*'()") == "\(base)/map/map?siteCode=s&key=a-_.!~*'()")
    #expect(remote("") == "\(base)/map/map?siteCode=s")
  }
}
