import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Datafiles are downloaded, polled and refreshed (OPT-07, OPT-20, OPT-37 to OPT-41, OPT-100; ready)")
struct DownloadTests {
  @Test func theRequestIsPlain() throws {
    let rig = try OptimizelyRig()
    _ = rig.startFromService()
    let request = try #require(rig.downloads.first)
    #expect(request.url == "https://cdn.optimizely.com/datafiles/sdk-key-of-42.json")
    #expect(request.headers.isEmpty)
    #expect(request.body == nil)
    #expect(request.timeoutMilliseconds == 10_000)
  }

  @Test func aSecuredEnvironmentIsAskedWithItsToken() throws {
    let rig = try OptimizelyRig(["datafile.access_token": "t-1"]) { _ in SmallProject.answer() }
    _ = rig.startFromService()
    let request = try #require(rig.downloads.first)  // (OPT-100; starting)
    #expect(request.url == "https://config.optimizely.com/datafiles/auth/sdk-key-of-42.json")
    #expect(request.headers.value(of: "Authorization") == "Bearer t-1")
  }

  @Test(arguments: ["http://127.0.0.1:9/x/{sdk_key}.json", "http://127.0.0.1:9/x/%@.json"])
  func theAddressMayBeTheHosts(format: String) throws {
    let rig = try OptimizelyRig(["datafile.url": format])
    _ = rig.startFromService()
    #expect(rig.downloads.first?.url == "http://127.0.0.1:9/x/sdk-key-of-42.json")
  }

  @Test("(OPT-20; starting, failing)") func aFailingDownloadIsTriedAgainWhenThereIsNothingElse() throws {
    let rig = try OptimizelyRig()
    rig.transport.enqueue(.status(503), .noAnswer, .status(500), SmallProject.answer())
    let result = rig.startFromService()
    #expect(rig.downloads.count == 1)
    rig.scheduler.advance(milliseconds: 200)
    #expect(rig.downloads.count == 2)
    rig.scheduler.advance(milliseconds: 400)
    #expect(rig.downloads.count == 3)
    #expect(!result.hasEnded)
    rig.scheduler.advance(milliseconds: 800)
    #expect(result.hasSucceeded)
    #expect(rig.downloads.count == 4)
  }

  @Test("(OPT-20; starting, failing)") func aDownloadIsTriedAgainNoSoonerThanTheServiceAsks() throws {
    let rig = try OptimizelyRig()
    rig.transport.enqueue(
      .success(HTTPResponse(status: 503, headers: [HTTPHeader("Retry-After", "30")])), SmallProject.answer())
    let result = rig.startFromService()
    // A start does not wait so long; attempts go on.
    #expect(result.failure?.status == .optimizelyDatafileLoadingFailed)
    rig.scheduler.advance(milliseconds: 29_999)
    #expect(rig.downloads.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.downloads.count == 2 && rig.isOn("on"))
  }

  @Test("(OPT-20, OPT-39; background, starting, failing)") func whoIsActiveAgainWhileAStartWaitsToAskAgainGetsItsDatafile() throws
  {
    let rig = try OptimizelyRig()
    rig.transport.enqueue(.status(503), SmallProject.answer())
    let result = rig.startFromService()
    for isActive in [false, true] { #expect(rig.face.setActive(isActive) == .ok) }
    rig.scheduler.advance(milliseconds: 200)
    #expect(result.hasSucceeded && rig.isOn("on"))
  }

  @Test("(OPT-20; refused)", arguments: [401, 403, 404])
  func whatIsRefusedIsTriedAgainSlowly(status: Int) throws {
    let rig = try OptimizelyRig { _ in .status(status) }
    let result = rig.startFromService()
    #expect(result.hasEnded)
    rig.scheduler.advance(milliseconds: 299_999)
    #expect(rig.downloads.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.downloads.count == 2)
    #expect(rig.client.state == .error)
    _ = rig.client.dispatch(limit: 0)
    #expect(rig.log.messages(.error).count == 1)
  }

  @Test("(OPT-20; refused)") func whatIsRefusedWhileFlagsAreServedIsStale() throws {
    let rig = try OptimizelyRig(["autostart": "true", "datafile": SmallProject.datafile()]) { _ in .status(403) }
    #expect(rig.client.state == .stale)
    rig.scheduler.advance(milliseconds: 300_000)
    #expect(rig.downloads.count == 2)
    #expect(rig.isOn("on"))
  }

  @Test func anEqualDatafileIsAnUpdateAndNoChange() throws {
    let rig = try OptimizelyRig(["polling_interval": "300"])
    rig.transport.enqueue(SmallProject.answer(), SmallProject.answer(), .status(304), SmallProject.answer(revision: "2"))
    let (changes, updates) = (Locked(0), Locked(0))
    _ = rig.client.observe(.configurationChanged, key: nil, Counting(changes))
    _ = rig.client.observe(.updated, key: nil, Counting(updates))
    let heard = HeardTexts()
    _ = rig.provider.notifications.add(.datafileChange, heard)
    _ = rig.startFromService()
    rig.scheduler.advance(milliseconds: 900_000)
    _ = rig.client.dispatch(limit: 0)
    #expect(rig.revision == "2")
    // The other revision brings no other flag.
    #expect(changes.value == 1)
    #expect(updates.value == 3)
    #expect(heard.texts.count == 1)  // (OPT-41; ready)
  }

  @Test func pollingIsOffUnlessAskedFor() throws {
    let rig = try OptimizelyRig { _ in SmallProject.answer() }
    _ = rig.startFromService()
    rig.scheduler.advance(milliseconds: 3_600_000)
    #expect(rig.downloads.count == 1)  // (OPT-37; ready)
  }

  @Test func theStandardIntervalIsTenMinutes() throws {
    let rig = try OptimizelyRig(["polling_interval": "-1"]) { _ in SmallProject.answer() }
    _ = rig.startFromService()
    rig.scheduler.advance(milliseconds: 599_999)
    #expect(rig.downloads.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.downloads.count == 2)  // (OPT-07; ready)
  }

  @Test func shorterIntervalsAreRaisedToTwoMinutesWithAWarning() throws {
    let rig = try OptimizelyRig(["polling_interval": "60"]) { _ in SmallProject.answer() }
    _ = rig.client.dispatch(limit: 0)
    #expect(rig.log.messages(.warning).contains { $0.contains("polling_interval") })
    _ = rig.startFromService()
    rig.scheduler.advance(milliseconds: 119_999)
    #expect(rig.downloads.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.downloads.count == 2)  // (OPT-38; ready)
  }

  @Test func wholeSecondsOfADownloadBelongToTheInterval() throws {
    let rig = try OptimizelyRig(["polling_interval": "300"])
    rig.transport.enqueue(SmallProject.answer())
    _ = rig.startFromService()
    rig.scheduler.advance(milliseconds: 300_000)
    #expect(rig.downloads.count == 2)
    rig.scheduler.advance(milliseconds: 7_900)
    rig.transport.open.first?.complete(.status(500))
    rig.scheduler.run()
    // 5.3: 300 s less 7 s.
    rig.scheduler.advance(milliseconds: 292_999)
    #expect(rig.downloads.count == 2)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.downloads.count == 3)
  }

  @Test("(OPT-20; failing)") func aPollThatFailsLeavesTheDatafileAndTheNextOneRecovers() throws {
    let rig = try OptimizelyRig(["polling_interval": "300", "datafile.retries": "0"])
    rig.transport.enqueue(SmallProject.answer(), .status(500), SmallProject.answer(revision: "2"))
    _ = rig.startFromService()
    rig.scheduler.advance(milliseconds: 300_000)
    #expect(rig.revision == "1")
    #expect(rig.client.state == .stale)
    rig.scheduler.advance(milliseconds: 300_000)
    #expect(rig.revision == "2")
    #expect(rig.client.state == .ready)
  }

  @Test("(OPT-20; failing)") func anAnswerThatIsNoDatafileReplacesNothing() throws {
    let rig = try OptimizelyRig(["polling_interval": "300", "datafile.retries": "0"])
    rig.transport.enqueue(SmallProject.answer(), .success(HTTPResponse(status: 200, body: Array(#"{"version":"4"}"#.utf8))))
    _ = rig.startFromService()
    rig.scheduler.advance(milliseconds: 300_000)
    #expect(rig.revision == "1")  // G3
    #expect(rig.isOn("on"))
  }

  @Test func inTheBackgroundNothingIsPolled() throws {
    let rig = try OptimizelyRig(["polling_interval": "300"]) { _ in SmallProject.answer() }
    _ = rig.startFromService()
    #expect(rig.face.setActive(false) == .ok)
    rig.scheduler.advance(milliseconds: 3_600_000)
    #expect(rig.downloads.count == 1)  // (OPT-39; background)
    #expect(rig.face.setActive(true) == .ok)
    rig.scheduler.run()
    #expect(rig.downloads.count == 2)
  }

  @Test func observersHearOfAnotherDatafileAfterTheSwitch() throws {
    let rig = try OptimizelyRig(["polling_interval": "300"])
    rig.transport.enqueue(SmallProject.answer(), SmallProject.answer(revision: "2"))
    let heard = HeardTexts()
    #expect(rig.provider.notifications.add(.datafileChange, heard) != 0)
    _ = rig.startFromService()
    #expect(rig.client.dispatch(limit: 0) == 0)
    rig.scheduler.advance(milliseconds: 300_000)
    _ = rig.client.dispatch(limit: 0)
    #expect(heard.texts == [String(decoding: rig.face.datafile ?? [], as: UTF8.self)])  // (OPT-41; ready)
    #expect(rig.revision == "2")
  }

  @Test func aDownloadOfTheHostsIsKeptForTheNextStart() throws {
    let rig = try OptimizelyRig()
    rig.transport.enqueue(SmallProject.answer(), SmallProject.answer(revision: "2"))
    _ = rig.startFromService()
    let result = StartResult()
    #expect(rig.face.download { result.end($0) } == .ok)
    rig.scheduler.run()
    #expect(result.hasSucceeded)
    #expect(rig.revision == "1")
  }

  @Test func aRefreshServesWhatItBrings() throws {
    let rig = try OptimizelyRig()
    rig.transport.enqueue(SmallProject.answer(), SmallProject.answer(revision: "2"))
    _ = rig.startFromService()
    #expect(rig.client.refresh() == .ok)
    rig.scheduler.run()
    #expect(rig.revision == "2")
  }

  @Test func whatIsNoDatafileIsNotSaved() throws {
    let rig = try OptimizelyRig()
    #expect(rig.face.save(datafile: Array("{}".utf8))?.status == .optimizelyDatafileInvalid)
    #expect(rig.face.save(datafile: Array(SmallProject.datafile().utf8)) == nil)
  }

  @Test func withoutAKeyAndADatafileAClientIsRefused() {
    // (OPT-01; before start)
    #expect(throws: ConfigurationFailure.self) { try OptimizelyRig(["sdk_key": "", "autostart": "true"]) }
  }
}

private final class Counting: Observer {
  private let count: Locked<Int>
  init(_ count: Locked<Int>) { self.count = count }
  func notify(_ notification: HoistCore.Notification) { count.change { $0 += 1 } }
}
