import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("A thousand clients that begin together, and lose the service together (2.3)") struct LaunchDarklyHerdTests {
  private static let minute: Int64 = 60_000

  @Test("Polls at a fixed rate: no second has more than 5 % of the clients, and the rate stays (ready, failing)")
  func polls() {
    let outages = [30 * Self.minute..<30 * Self.minute + 20_000, 50 * Self.minute..<60 * Self.minute]
    let herd = Herd(milliseconds: 80 * Self.minute, outages: outages) {
      HerdPolls($0, PollPace(intervalMilliseconds: 300_000), .fixedRate)
    }
    #expect(
      herd.crowds(in: [
        ("deployment and steady state", 1..<outages[0].lowerBound),
        ("outage of 20 s", outages[0].lowerBound..<outages[1].lowerBound),
        ("outage of ten minutes", outages[1].lowerBound..<80 * Self.minute),
      ]) == [])
  }
}
