import HoistTestSupport
import Testing

@testable import HoistUnleash

@Suite("A thousand clients that begin together, and lose the service together (D.2, B.9)") struct UnleashHerdTests {
  private static let minute: Int64 = 60_000

  @Test(
    "Polls: at 60 s no second has more than 5 %; the default of 15 s puts 6.7 % into each, and 10 % at the most",
    arguments: [(60, 5, 1), (15, 10, 2)] as [(Int64, Double, Double)])
  func polls(seconds: Int64, second: Double, tenth: Double) {
    let outages = [4 * Self.minute..<4 * Self.minute + 20_000, 8 * Self.minute..<18 * Self.minute]
    let herd = Herd(milliseconds: 24 * Self.minute, outages: outages) {
      HerdPolls($0, UnleashPace(interval: seconds * 1000, limit: 300_000, mayRefreshKey: false))
    }
    let spans = [
      ("deployment and steady state", 1..<outages[0].lowerBound),
      ("outage of 20 s", outages[0].lowerBound..<outages[1].lowerBound),
      ("outage of ten minutes", outages[1].lowerBound..<24 * Self.minute),
    ]
    #expect(herd.crowds(in: spans, second: second, tenth: tenth) == [])
  }

  @Test(
    "Streams of definitions, from the first attempt after an outage on, and the polls that take their place (UNL-93; ready, failing)"
  )
  func streams() throws {
    let outage = 2 * Self.minute..<12 * Self.minute
    let herd = try Herd(
      of: UnleashFactory(),
      [
        "url": "https://flags.test/api", "key": "*:dev.secret", "app_name": "shop", "mode": "backend", "fetch_mode": "streaming",
        "metrics_interval": "0", "refresh_interval": "60",
      ], milliseconds: 16 * Self.minute, outages: [outage])
    #expect(herd.crowds(in: [("outage of ten minutes", outage.lowerBound..<16 * Self.minute)]) == [])
  }
}
