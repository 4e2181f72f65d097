import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("A thousand clients that begin together, and lose the service together (2.4, 4.2)") struct KameleoonHerdTests {
  private static let minute: Int64 = 60_000
  private let outages = [180 * minute..<180 * minute + 20_000, 240 * minute..<250 * minute]

  @Test(
    "Polls and streams: no second has more than 5 % of the clients (KAM-02, KAM-20; ready, failing)", arguments: [false, true])
  func spread(streams: Bool) throws {
    let herd = try Herd(
      of: KameleoonFactory(), ["site_code": "site"], milliseconds: 300 * Self.minute, outages: outages,
      reply: SiteAnswers.answer(SiteAnswers.configuration(streams: streams)))
    let spans = [
      ("deployment and steady state", Self.minute..<outages[0].lowerBound),
      ("outage of 20 s", outages[0].lowerBound..<outages[1].lowerBound),
      ("outage of ten minutes", outages[1].lowerBound..<300 * Self.minute),
    ]
    #expect(herd.crowds(in: streams ? Array(spans.dropFirst()) : spans) == [])
  }
}
