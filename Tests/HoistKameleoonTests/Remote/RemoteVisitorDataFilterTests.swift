import Testing

@testable import HoistKameleoon

@Suite("What is asked of visits (KAM-46, KAM-49 to KAM-53; no client)")
struct RemoteVisitorDataFilterTests {
  private func query(_ filter: RemoteVisitorDataFilter, isUnique: Bool = false) -> String {
    filter.query(visitorCode: Array("v 1".utf8), isUnique: isUnique)
  }

  @Test("By default the current and the latest visit's custom data are asked for (KAM-47, KAM-50; no client)")
  func defaults() {
    #expect(
      query(RemoteVisitorDataFilter())
        == "&visitorCode=v%201&maxNumberPreviousVisits=1&version=0&staticData=true&currentVisit=true&customData=true")
  }

  @Test(
    "Every part of the filter has its parameter, but those that are read from static data (KAM-51, KAM-52, KAM-B06, KAM-B22; no client)"
  )
  func everything() {
    let all = RemoteVisitorDataFilter(previousVisitAmount: 25, parts: RemoteVisitorDataFilter.Parts(rawValue: .max))
    #expect(
      query(all, isUnique: true)
        == "&mappingValue=v%201&maxNumberPreviousVisits=25&version=0&staticData=true&kcs=true&currentVisit=true&customData=true&conversion=true&geolocation=true&experiment=true&page=true&personalization=true&cbs=true"
    )
    #expect(!query(RemoteVisitorDataFilter(parts: [.device, .browser, .operatingSystem, .visitorCode])).contains("true&"))
  }

  @Test(
    "The number of visits is brought into 1 to 25 (KAM-49; no client)",
    arguments: [(0, 1), (-7, 1), (1, 1), (25, 25), (26, 25), (Int64.max, 25)] as [(Int64, Int64)])
  func amounts(given: Int64, asked: Int64) {
    #expect(RemoteVisitorDataFilter(previousVisitAmount: given).clamped.previousVisitAmount == asked)
  }
}
