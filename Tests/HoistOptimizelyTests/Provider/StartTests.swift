import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Starts follow the table of S1 to S3 and A1 to A3 (OPT-02, OPT-22 to OPT-44; starting)")
struct StartTests {
  static let stamp = "Wed, 21 Oct 2026 07:28:00 GMT"

  /// A rig over a store that holds a datafile, and has been asked for it with its stamp.
  private func rig(
    saved revision: String?, _ properties: [String: String] = [:],
    respond: (@Sendable (HTTPRequest) -> ScriptedTransport.Answer?)? = nil
  ) throws -> OptimizelyRig {
    let manager = MemoryCacheManager(clock: SystemClock())
    if let revision {
      let first = try OptimizelyRig(cacheManager: manager) { _ in
        SmallProject.answer(revision: revision, lastModified: Self.stamp)
      }
      let result = first.startFromService()
      first.settle { result.hasEnded }
      // What was saved is written behind.
      #expect(first.client.store.close(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: 20_000)))
    }
    return try OptimizelyRig(properties, cacheManager: manager, respond: respond)
  }

  @Test func beforeTheStartNothingIsKnownAndNothingFails() throws {
    let rig = try OptimizelyRig()  // (OPT-02; before start)
    #expect(!rig.isOn("on"))
    #expect(rig.client.state == .notReady)
    #expect(rig.face.datafile == nil)
    #expect(rig.downloads.isEmpty)
  }

  @Test func aGivenPropertyServesWhenOpenReturns() throws {
    let rig = try OptimizelyRig(["autostart": "true", "datafile": SmallProject.datafile(), "online": "false"])
    #expect(rig.isOn("on"))  // (OPT-43, OPT-54; offline)
    #expect(rig.face.datafileOrigin == .given)
    #expect(rig.client.state == .stale)
    #expect(rig.client.waitReady(timeoutMilliseconds: 0) == .ok)
    #expect(rig.downloads.isEmpty)
  }

  @Test func s1KeepsWhatArrivesForTheNextStart() throws {
    let rig = try rig(saved: nil) { _ in SmallProject.answer(revision: "2") }
    let result = rig.start(SmallProject.datafile())
    rig.settle { rig.downloads.count == 1 && rig.transport.open.isEmpty }
    #expect(result.hasSucceeded)
    #expect(rig.revision == "1")  // (OPT-31; ready)
    let again = rig.start(nil)
    rig.settle { again.hasEnded }
    #expect(rig.revision == "2")
    #expect(rig.face.datafileOrigin == .saved)
  }

  @Test func s1PrefersTheSavedDatafileToTheGivenOne() throws {
    let rig = try rig(saved: "5")
    let result = rig.start(SmallProject.datafile(revision: "9"), .noBackgroundFetch)
    rig.settle { result.hasEnded }
    #expect(rig.revision == "5")  // (OPT-23; starting)
    #expect(rig.face.datafileOrigin == .saved)
    #expect(rig.downloads.isEmpty)
  }

  @Test func aBrokenSavedDatafileIsDeletedAndTheGivenOneServes() throws {
    let rig = try rig(saved: nil)
    rig.provider.datafiles.source.store(Array("{}".utf8))
    let result = rig.start(SmallProject.datafile(revision: "9"), .noBackgroundFetch)
    rig.settle { result.hasEnded }
    #expect(result.hasSucceeded)
    #expect(rig.revision == "9")
    let saved = Found()
    #expect(rig.face.savedDatafile { saved.set($0) } == .ok)
    rig.settle { saved.isSet }
    #expect(saved.bytes == nil)
  }

  @Test func s2AppliesWhatArrivesAtOnce() throws {
    let rig = try rig(saved: nil) { _ in SmallProject.answer(revision: "2") }
    let result = rig.start(SmallProject.datafile(), .updateOnNewDatafile)
    rig.settle { rig.revision == "2" }
    #expect(result.hasSucceeded)
    #expect(rig.revision == "2")  // (OPT-32; ready)
    #expect(rig.face.datafileOrigin == .network)
  }

  @Test func theSameRevisionIsNoUpdate() throws {
    let rig = try rig(saved: nil) { _ in SmallProject.answer(revision: "1", more: #""environmentKey":"other""#) }
    _ = rig.start(SmallProject.datafile(revision: "1"), .updateOnNewDatafile)
    rig.settle { rig.downloads.count == 1 && rig.transport.open.isEmpty }
    #expect(rig.face.datafileOrigin == .given)
  }

  @Test func anEarlierRevisionIsAnUpdateToo() throws {
    let rig = try rig(saved: nil) { _ in SmallProject.answer(revision: "8") }
    _ = rig.start(SmallProject.datafile(revision: "9"), .updateOnNewDatafile)
    rig.settle { rig.revision == "8" }
    #expect(rig.revision == "8")
  }

  @Test func s3AppliesBackgroundAndPolledDatafiles() throws {
    let rig = try rig(saved: nil, ["polling_interval": "300"])
    rig.transport.enqueue(SmallProject.answer(revision: "2"), SmallProject.answer(revision: "3"))
    _ = rig.start(SmallProject.datafile())
    rig.settle { rig.revision == "2" }
    #expect(rig.revision == "2")  // (OPT-33; ready)
    rig.scheduler.advance(milliseconds: 300_000)
    rig.settle { rig.revision == "3" }
    #expect(rig.revision == "3")  // (OPT-40; ready)
  }

  @Test func withoutAnyDatafileTheStartSaysWhyAndTheServiceIsAsked() throws {
    let rig = try rig(saved: nil) { _ in .status(503) }
    let broken = rig.start(#"{"version":"4"}"#)
    rig.settle { broken.hasEnded }
    #expect(broken.failure?.status == .optimizelyDatafileInvalid)  // (OPT-22, OPT-49; failing)
    let old = rig.start(SmallProject.datafile().replacingVersion())
    rig.settle { old.hasEnded }
    #expect(old.failure?.status == .optimizelyDatafileVersionInvalid)
    let none = rig.start(nil)
    rig.settle { none.hasEnded && rig.transport.open.isEmpty }
    #expect(none.failure?.status == .optimizelyDatafileLoadingFailed)
    #expect(!rig.isOn("on"))
    rig.scheduler.advance(milliseconds: 1_400)
    #expect(rig.client.state == .error)
    let asked = rig.downloads.count
    rig.scheduler.advance(milliseconds: 3_600_000)
    #expect(rig.downloads.count > asked)
  }

  @Test func a1ServesTheDownloadedDatafileAndKeepsIt() throws {
    let rig = try rig(saved: "1") { _ in SmallProject.answer(revision: "2") }
    let result = rig.startFromService()
    rig.settle { result.hasEnded }
    #expect(result.hasSucceeded)  // (OPT-25, OPT-27; starting)
    #expect(rig.revision == "2")
    #expect(rig.face.datafileOrigin == .network)
    let saved = Found()
    _ = rig.face.savedDatafile { saved.set($0) }
    rig.settle { saved.isSet }
    #expect(saved.bytes == rig.face.datafile)  // (OPT-50; ready)
  }

  @Test func a1ServesTheSavedDatafileWhenNothingHasChanged() throws {
    let rig = try rig(saved: "1") { _ in .status(304) }
    let result = rig.startFromService()
    rig.settle { result.hasEnded }
    #expect(result.hasSucceeded)  // (OPT-26; starting)
    #expect(rig.revision == "1")
    #expect(rig.face.datafileOrigin == .saved)
    #expect(rig.client.state == .ready)
    #expect(rig.downloads.first?.headers.value(of: "If-Modified-Since") == Self.stamp)
  }

  @Test("(OPT-26; failing)", arguments: [404, 500])
  func a1ServesTheSavedDatafileWhenTheServiceFails(status: Int) throws {
    let rig = try rig(saved: "1") { _ in .status(status) }
    let result = rig.startFromService()
    rig.settle { result.hasEnded }
    #expect(result.hasSucceeded)
    #expect(rig.revision == "1")
    #expect(rig.client.state == .stale)
    #expect(rig.downloads.count == 1)
  }

  @Test("(OPT-26; failing)") func a1WithoutAnAnswerServesTheSavedDatafile() throws {
    let rig = try rig(saved: "1") { _ in .noAnswer }
    let result = rig.startFromService()
    rig.settle { result.hasEnded }
    #expect(result.hasSucceeded)
    #expect(rig.revision == "1")
  }

  @Test func a1FallsBackOnTheGivenDatafile() throws {
    let rig = try OptimizelyRig(["datafile": SmallProject.datafile(revision: "7"), "datafile.retries": "0"]) { _ in .status(503) }
    let result = rig.startFromService()
    #expect(result.hasSucceeded)  // (OPT-44; failing)
    #expect(rig.revision == "7")
    #expect(rig.client.state == .stale)
  }

  @Test(arguments: [
    (ScriptedTransport.Answer.status(403), Status.optimizelyDatafileRefused),
    (.status(404), .optimizelyDatafileRefused),
    (.status(418), .optimizelyDatafileLoadingFailed),
    (.success(HTTPResponse(status: 200, body: Array("<html>".utf8))), .optimizelyDatafileLoadingFailed),
    (.noAnswer, .optimizelyDatafileDownloadFailed),
  ])
  func a1WithNothingToServeFails(answer: ScriptedTransport.Answer, status: Status) throws {
    let rig = try OptimizelyRig(["datafile.retries": "0"]) { _ in answer }
    let result = rig.startFromService()
    #expect(result.failure?.status == status)  // (OPT-49; refused, failing)
    #expect(result.count == 1)
    #expect(rig.client.state == .error)
    // Which address, and nothing of the key (OPT-49; refused, failing).
    let message = result.failure?.message ?? ""
    #expect(message.contains("https://cdn.optimizely.com/datafiles/***.json"))
    #expect(!message.contains(OptimizelyRig.key.suffix(4)))
  }

  @Test func aStartEndsWhenItsTimeIsOver() throws {
    let rig = try rig(saved: "1")
    let result = rig.startFromService(timeoutMilliseconds: 500)
    rig.settle { rig.transport.open.count == 1 }
    #expect(!result.hasEnded)
    rig.scheduler.advance(milliseconds: 500)
    #expect(result.hasSucceeded)  // (OPT-28; starting)
    #expect(rig.revision == "1")
    // What arrives later is for the next start.
    rig.transport.open.first?.complete(SmallProject.answer(revision: "2"))
    rig.scheduler.run()
    #expect(rig.revision == "1")
    #expect(result.count == 1)
  }

  @Test func aLateDatafileServesWhereThereIsNone() throws {
    let rig = try OptimizelyRig()
    let result = rig.startFromService(timeoutMilliseconds: 500)
    rig.scheduler.advance(milliseconds: 500)
    #expect(result.failure?.status == .timeout)
    rig.transport.open.first?.complete(SmallProject.answer(revision: "2"))
    rig.scheduler.run()
    #expect(rig.revision == "2")
    #expect(rig.client.state == .ready)
  }

  @Test func aSecondStartRefreshes() throws {
    let rig = try OptimizelyRig()
    rig.transport.enqueue(SmallProject.answer(revision: "1"), SmallProject.answer(revision: "2"))
    _ = rig.startFromService()
    #expect(rig.revision == "1")
    let second = rig.startFromService()
    #expect(second.hasSucceeded)  // (OPT-42; ready)
    #expect(rig.revision == "2")
  }

  @Test func anotherStartTakesThePlaceOfOneUnderWay() throws {
    let rig = try OptimizelyRig()
    let first = rig.startFromService()
    let second = rig.start(SmallProject.datafile(), .noBackgroundFetch)
    #expect(first.failure?.status == .superseded)
    #expect(second.hasSucceeded)
    rig.transport.open.first?.complete(SmallProject.answer(revision: "2"))
    rig.scheduler.run()
    #expect(first.count == 1)
    #expect(rig.revision == "1")
  }

  @Test func aCloseEndsAStart() throws {
    let rig = try OptimizelyRig()
    let result = rig.startFromService()
    rig.client.onScheduler { $0.provider?.stop() }
    rig.scheduler.run()
    #expect(result.failure?.status == .cancelled)  // (OPT-45; closing)
    #expect(rig.transport.exchanges.map(\.isCancelled) == [true])
    #expect(rig.scheduler.pendingTimerCount == 0)
  }

  @Test("(OPT-26; offline)") func offlineTheSavedDatafileServes() throws {
    let rig = try rig(saved: "1", ["online": "false"])
    let result = rig.startFromService()
    rig.settle { result.hasEnded }
    #expect(result.hasSucceeded)
    #expect(rig.downloads.isEmpty)
  }

  @Test("(OPT-28; offline)") func goingOfflineEndsAStart() throws {
    let rig = try OptimizelyRig()
    let result = rig.startFromService()
    rig.client.onScheduler { $0.provider?.setOnline(false) }
    rig.scheduler.run()
    #expect(result.failure?.status == .optimizelyDatafileDownloadFailed)
    #expect(result.count == 1)
  }

  @Test("(OPT-26; offline)") func goingOfflineEndsAStartWithWhatIsSaved() throws {
    let rig = try rig(saved: "1", ["log.level": "debug"])
    let result = rig.startFromService()
    #expect(rig.settle { rig.transport.open.count == 1 })
    rig.client.onScheduler { $0.provider?.setOnline(false) }
    rig.settle { result.hasEnded }
    _ = rig.client.dispatch(limit: 0)
    #expect(result.hasSucceeded)
    #expect(rig.revision == "1")
    #expect(rig.client.state == .stale)
    #expect(rig.log.messages(.warning).isEmpty)
  }

  @Test("(OPT-43; offline)") func withoutABackgroundFetchNothingIsFetchedWhenOnlineAgain() throws {
    let rig = try OptimizelyRig(["autostart": "true", "datafile": SmallProject.datafile(), "background_fetch": "false"]) { _ in
      SmallProject.answer(revision: "2")
    }
    for isOnline in [false, true] {
      rig.client.onScheduler { $0.provider?.setOnline(isOnline) }
      rig.scheduler.run()
    }
    #expect(rig.downloads.isEmpty)
    #expect(rig.client.state == .stale)
  }

  @Test func messagesOfConnectionsKeepTheKeyToThemselves() throws {
    let rig = try OptimizelyRig(["datafile.retries": "0"]) { request in
      .failure(TransportFailure(.unreachable, "GET \(request.url): connection refused"))
    }
    let message = rig.startFromService().failure?.message ?? ""
    #expect(message.contains("connection refused"))
    #expect(!message.contains(OptimizelyRig.key))  // G7
  }

  @Test("(OPT-26; offline)") func beingOfflineOnPurposeIsNoWarning() throws {
    let rig = try rig(saved: "1", ["online": "false", "log.level": "debug"])
    let result = rig.startFromService()
    rig.settle { result.hasEnded }
    _ = rig.client.dispatch(limit: 0)
    #expect(rig.log.messages(.warning).isEmpty)
    #expect(rig.client.state == .stale)
  }

  @Test("(OPT-49; offline)") func beingOfflineWithoutADatafileIsAWarning() throws {
    let rig = try OptimizelyRig(["online": "false"])
    let result = rig.startFromService()
    rig.settle { result.hasEnded }
    _ = rig.client.dispatch(limit: 0)
    #expect(result.failure?.status == .optimizelyDatafileDownloadFailed)
    #expect(rig.client.state == .notReady)
    #expect(rig.log.messages(.warning).contains { $0.contains("offline, and the datafile") })
  }

  @Test func clientsOfOneKeyAreIndependent() throws {
    let one = try OptimizelyRig()  // (OPT-19; second client)
    let other = try OptimizelyRig()
    _ = one.start(SmallProject.datafile(revision: "1"), .noBackgroundFetch)
    _ = other.start(SmallProject.datafile(revision: "2"), .noBackgroundFetch)
    #expect(one.revision == "1")
    #expect(other.revision == "2")
    one.client.onScheduler { $0.provider?.stop() }
    one.scheduler.run()
    #expect(other.isOn("on"))
  }

  @Test("(OPT-40; forked)") func aForkedChildGoesOnWhereItsParentWas() throws {
    let rig = try OptimizelyRig(["polling_interval": "300"]) { _ in SmallProject.answer(revision: "2") }
    _ = rig.start(SmallProject.datafile(), .noBackgroundFetch)
    rig.scheduler.simulateFork()
    rig.client.onScheduler { client in
      client.provider?.abandonAfterFork()
      client.provider?.start()
    }
    rig.scheduler.run()
    #expect(rig.isOn("on"))  // G9
    rig.scheduler.advance(milliseconds: 300_000)
    #expect(rig.revision == "2")
  }
}

extension String {
  /// A datafile of another version.
  fileprivate func replacingVersion() -> String { #"{"version":"5""# + dropFirst(#"{"version":"4""#.count) }
}

/// What a look into the store found.
final class Found: @unchecked Sendable {
  private let lock = Lock()
  private var found: [UInt8]??
  func set(_ bytes: [UInt8]?) { lock.withLock { found = .some(bytes) } }
  var isSet: Bool { lock.withLock { found != nil } }
  var bytes: [UInt8]? { lock.withLock { found ?? nil } }
}
