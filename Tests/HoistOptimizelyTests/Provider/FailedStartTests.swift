import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("A start that fails says why, and is followed by the same attempts as any other failure (OPT-22, OPT-43, OPT-49; failing)")
struct FailedStartTests {
  @Test func aRefusedStartLeavesWhatIsServedAtWork() throws {
    let rig = try OptimizelyRig(["polling_interval": "300"]) { _ in SmallProject.answer(revision: "2") }
    _ = rig.start(SmallProject.datafile(revision: "1"), .noBackgroundFetch)
    let refused = rig.start("{}", .noBackgroundFetch)
    #expect(refused.failure?.status == .optimizelyDatafileInvalid)
    #expect(rig.client.state == .stale)
    #expect(rig.revision == "1")
    rig.scheduler.advance(milliseconds: 300_000)
    #expect(rig.revision == "2")
    #expect(rig.client.state == .ready)
    #expect(rig.client.setOnline(false) == .ok)
    rig.scheduler.run()
    #expect(rig.client.state == .stale)
  }

  @Test func withoutABackgroundFetchAStartWithoutADatafileIsTheEndOfAttempts() throws {
    let rig = try OptimizelyRig()
    let result = rig.start("{}", .noBackgroundFetch)
    #expect(result.failure?.status == .optimizelyDatafileInvalid)
    #expect(rig.client.state == .fatal)
    rig.scheduler.advance(milliseconds: 3_600_000)
    #expect(rig.downloads.isEmpty)
    rig.transport.enqueue(SmallProject.answer())
    _ = rig.client.refresh()
    rig.scheduler.run()
    #expect(rig.client.state == .ready)
  }

  @Test(arguments: ["1", "0"])
  func aBrokenDatafileOfThePropertiesIsAWarningAndTheServiceIsAsked(background: String) throws {
    let rig = try OptimizelyRig(
      ["autostart": "true", "datafile": "{}", "background_fetch": background == "1" ? "true" : "false", "datafile.retries": "0"])
    #expect(rig.downloads.count == 1)
    rig.transport.open.first?.complete(.status(503))
    rig.scheduler.run()
    #expect(rig.client.state == .error)
    _ = rig.client.dispatch(limit: 0)
    #expect(rig.log.messages(.warning).contains { $0.contains("the given document is left aside") })
    rig.transport.enqueue(SmallProject.answer())
    rig.scheduler.advance(milliseconds: 4_500)
    #expect(rig.client.state == .ready)
    #expect(rig.isOn("on"))
  }

  @Test("(OPT-22; before start)", arguments: [["datafile": "{}"], ["datafile.file": "/nowhere/at/all.json"]])
  func withoutAKeyABrokenDatafileOfThePropertiesIsRefused(properties: [String: String]) {
    let all = properties.merging(["sdk_key": "", "autostart": "true"]) { $1 }
    #expect(throws: ConfigurationFailure.self) { try OptimizelyRig(all) }
  }

  @Test("(OPT-43; ready)") func aDatafileWithoutAKeyServesAndNothingIsAsked() throws {
    let rig = try OptimizelyRig(["sdk_key": "", "autostart": "true", "datafile": SmallProject.datafile()])
    #expect(rig.isOn("on"))
    #expect(rig.client.state == .stale)
    _ = rig.client.refresh()
    rig.scheduler.advance(milliseconds: 3_600_000)
    #expect(rig.downloads.isEmpty)
    #expect(rig.client.state == .stale)
  }

  @Test func afterAFailedStartAttemptsGoOnAtAGrowingPace() throws {
    let rig = try OptimizelyRig(["autostart": "true"]) { _ in .status(503) }
    rig.scheduler.advance(milliseconds: 1_400)
    #expect(rig.downloads.count == 4)
    #expect(rig.client.state == .error)
    rig.scheduler.advance(milliseconds: 60_000)
    let early = rig.downloads.count - 4
    #expect((2...6).contains(early))
    rig.scheduler.advance(milliseconds: 3_600_000)
    // The longest pause is five minutes.
    #expect((11...30).contains(rig.downloads.count - 4 - early))
    #expect(rig.client.state == .error)
  }

  @Test("(OPT-49; refused)") func aRefreshAfterAFailedStartIsFollowedByRegularAttempts() throws {
    let rig = try OptimizelyRig(["polling_interval": "600", "datafile.retries": "0"])
    rig.transport.enqueue(.status(403), SmallProject.answer(), SmallProject.answer(revision: "2"))
    let result = rig.startFromService()
    #expect(result.failure?.status == .optimizelyDatafileRefused)
    #expect(rig.client.refresh() == .ok)
    rig.scheduler.run()
    #expect(rig.client.state == .ready)
    rig.scheduler.advance(milliseconds: 599_999)
    #expect(rig.downloads.count == 2)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.revision == "2")
  }

  @Test("(OPT-49; offline)") func onlineAgainAfterAFailedStartTheServiceIsAsked() throws {
    let rig = try OptimizelyRig(["datafile.retries": "0"])
    rig.transport.enqueue(.status(503), SmallProject.answer())
    _ = rig.startFromService()
    for isOnline in [false, true] {
      rig.client.onScheduler { $0.provider?.setOnline(isOnline) }
      rig.scheduler.run()
    }
    #expect(rig.client.state == .ready)
  }
}
