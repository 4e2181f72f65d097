import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("The bucketing file is downloaded, kept and polled (protocols/flagship.md 3.3, 5.1, 5.2)")
struct BucketingTests {
  @Test("Without a stored file the SDK is initializing until the first one is there (FS-40, FS-41; starting)")
  func firstDownload() throws {
    let rig = try FlagshipRig.bucketing()
    #expect(rig.face.status == .initializing)
    #expect(rig.client.state == .notReady)
    rig.transport.open.first?.complete(Bucketing.answer())
    #expect(rig.heard == [.initializing, .initialized])
    #expect(rig.client.state == .ready)
    let request = try #require(rig.downloads.first)
    #expect(request.method == "GET")
    #expect(request.url == "https://cdn.flagship.io/\(FlagshipRig.environment)/bucketing.json")
    #expect(request.headers.value(of: "If-Modified-Since") == nil)
    #expect(request.headers.value(of: "x-api-key") == nil)
  }

  @Test("The next download begins one interval after the end of the one before, and asks for changes only (FS-13; ready)")
  func polling() throws {
    let rig = try FlagshipRig.bucketing()
    rig.scheduler.advance(milliseconds: 5_000)
    rig.transport.open.first?.complete(Bucketing.answer())
    rig.scheduler.run()
    rig.scheduler.advance(milliseconds: 59_999)
    #expect(rig.downloads.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.downloads.count == 2)
    #expect(rig.downloads.last?.headers.value(of: "If-Modified-Since") == Bucketing.monday)
    rig.transport.open.first?.complete(.status(304))
    rig.scheduler.run()
    #expect(rig.face.status == .initialized)
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.downloads.count == 3)
  }

  @Test("An interval of 0 downloads exactly once (FS-13; ready)")
  func intervalZero() throws {
    let rig = try FlagshipRig.bucketing(["polling_interval": "0"]) { _ in Bucketing.answer() }
    rig.scheduler.advance(milliseconds: 86_400_000)
    #expect(rig.downloads.count == 1)
    #expect(rig.face.status == .initialized)
  }

  @Test("Failures never end the polling, also when nothing is stored (FS-13; failing)", arguments: [500, 404, 304])
  func failuresDoNotEndPolling(status: Int) throws {
    let rig = try FlagshipRig.bucketing(["polling_interval": "1"]) { _ in .status(status) }
    #expect(rig.face.status == .initializing)
    #expect(rig.client.state == .error)
    rig.scheduler.advance(milliseconds: 1_000)
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.downloads.count == 3)
    rig.transport.setResponder { _ in Bucketing.answer() }
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.heard == [.initializing, .initialized])
  }

  @Test(
    "A bad answer never replaces a file (G3)",
    arguments: ["", "[]", "{}", "{\"campaigns\":3}", "<html>", "{\"campaigns\":[", "null"])
  func badAnswers(body: String) throws {
    let rig = try FlagshipRig.bucketing(["polling_interval": "1"]) { _ in Bucketing.answer() }
    rig.transport.setResponder { _ in .status(200, body, lastModified: Bucketing.tuesday) }
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.provider.bucketing?.format.isPanic != nil)
    #expect(rig.face.status == .initialized)
    #expect(rig.client.state == .stale)
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.downloads.count == 3)
    #expect(rig.downloads.last?.headers.value(of: "If-Modified-Since") == Bucketing.monday)
  }

  @Test("Panic comes and goes with the file, and is told (FS-42; panic)")
  func panic() throws {
    let rig = try FlagshipRig.bucketing(["polling_interval": "1"]) { _ in Bucketing.answer() }
    rig.transport.setResponder { _ in Bucketing.answer(Bucketing.panic, lastModified: Bucketing.tuesday) }
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.face.status == .panic)
    #expect(rig.client.state == .error)
    rig.transport.setResponder { _ in .status(304) }
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.face.status == .panic)
    rig.transport.setResponder { _ in Bucketing.answer() }
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.heard == [.initializing, .initialized, .panic, .initialized])
  }

  @Test("A stored file serves at once, and its date goes with it (FS-07, FS-40; starting)")
  func storedFile() throws {
    let cache = MemoryCacheManager()
    let scheduler = ManualScheduler()
    let first = try FlagshipRig.bucketing(cacheManager: cache, scheduler: scheduler) { _ in Bucketing.answer() }
    first.settle { first.face.status == .initialized }
    let closing = first.close()
    #expect(closing == .ok)

    let second = try FlagshipRig.bucketing(cacheManager: cache, scheduler: scheduler)
    second.settle { second.face.status == .initialized }
    #expect(second.heard == [.initialized])
    #expect(second.provider.bucketing?.format.isPanic != nil)
    second.settle { second.downloads.count == 1 }
    #expect(second.downloads.first?.headers.value(of: "If-Modified-Since") == Bucketing.monday)
  }

  @Test("Offline nobody confirms a file that says panic, and it is believed (FS-42, FS-212, 5.1; offline, panic)")
  func panicOffline() throws {
    let rig = try FlagshipRig(["mode": "bucketing", "online": "false", "bucketing": Bucketing.panic])
    rig.settle { rig.face.status == .panic }
    #expect(rig.face.status == .panic)
    #expect(rig.client.state == .error)
    #expect(rig.transport.requests.isEmpty)
  }

  @Test("A stored file that says panic is believed once the service has confirmed it (FS-42, 5.1; starting, panic)")
  func storedPanic() throws {
    let cache = MemoryCacheManager()
    let scheduler = ManualScheduler()
    let first = try FlagshipRig.bucketing(cacheManager: cache, scheduler: scheduler) { _ in Bucketing.answer(Bucketing.panic) }
    first.settle { first.face.status == .panic }
    _ = first.close()
    let second = try FlagshipRig.bucketing(cacheManager: cache, scheduler: scheduler)
    second.settle { second.downloads.count == 1 }
    #expect(second.face.status == .initialized)
    second.transport.open.first?.complete(.status(304))
    #expect(second.heard == [.initialized, .panic])
  }

  @Test(
    "A stored file that says panic is believed when the first poll fails as well (FS-42, 5.1; failing, panic)",
    arguments: [nil, 500, 200])
  func storedPanicUnconfirmed(status: Int?) throws {
    let cache = MemoryCacheManager()
    let scheduler = ManualScheduler()
    let first = try FlagshipRig.bucketing(cacheManager: cache, scheduler: scheduler) { _ in Bucketing.answer(Bucketing.panic) }
    first.settle { first.face.status == .panic }
    _ = first.close()
    let second = try FlagshipRig.bucketing(["polling_interval": "1"], cacheManager: cache, scheduler: scheduler)
    second.settle { second.downloads.count == 1 }
    let visitor = try second.visitor("v")
    second.transport.open.first { $0.request.url.hasSuffix(".json") }?.complete(
      status.map { .status($0, "no file") } ?? .noAnswer)
    #expect(second.heard == [.initialized, .panic])
    #expect(second.client.state == .error)
    #expect(visitor.send(.screen("a")) == .flagshipPanic)
    second.transport.setResponder { _ in Bucketing.answer() }
    second.scheduler.advance(milliseconds: 1_000)
    #expect(second.heard == [.initialized, .panic, .initialized])
  }

  @Test("Who goes offline before the first poll has ended believes it, too (FS-42, 5.1; offline, panic)")
  func givenPanicThenOffline() throws {
    let rig = try FlagshipRig.bucketing(["bucketing": Bucketing.panic])
    #expect(rig.face.status == .initialized)
    _ = rig.client.setOnline(false)
    #expect(rig.heard == [.initialized, .panic])
  }

  @Test("A file given by the host serves while none is stored, and the service's takes its place (FS-212; starting, ready)")
  func givenFile() throws {
    let rig = try FlagshipRig.bucketing(["bucketing": Bucketing.file(color: "given")])
    #expect(rig.heard == [.initialized])
    #expect(rig.downloads.first?.headers.value(of: "If-Modified-Since") == nil)
    #expect(rig.client.state == .stale)
    rig.transport.open.first?.complete(Bucketing.answer())
    rig.scheduler.run()
    #expect(rig.client.state == .ready)
  }

  @Test("A given file that is none leaves the SDK initializing (FS-212; starting)")
  func brokenGivenFile() throws {
    let rig = try FlagshipRig.bucketing(["bucketing": "{}"])
    #expect(rig.heard == [.initializing])
    let missing = try FlagshipRig.bucketing(["bucketing.file": "/does/not/exist"])
    #expect(missing.heard == [.initializing])
  }

  @Test("Observers hear which flags a new file may decide differently")
  func changedFlags() throws {
    let rig = try FlagshipRig.bucketing(["polling_interval": "1"]) { _ in Bucketing.answer() }
    let changes = HeardChanges()
    _ = rig.client.observe(.configurationChanged, key: nil, changes)
    rig.transport.setResponder { _ in Bucketing.answer(lastModified: Bucketing.tuesday) }
    rig.scheduler.advance(milliseconds: 1_000)
    rig.settle { rig.downloads.count == 2 }
    rig.transport.setResponder { _ in Bucketing.answer(Bucketing.file(color: "green")) }
    rig.scheduler.advance(milliseconds: 1_000)
    rig.settle { !changes.all.isEmpty }
    #expect(changes.all == [["color"]])
  }

  @Test("A refresh downloads now, once, and the interval begins anew (FS-212; ready)")
  func refresh() throws {
    let rig = try FlagshipRig.bucketing { _ in Bucketing.answer() }
    rig.scheduler.advance(milliseconds: 30_000)
    #expect(rig.client.refresh() == .ok)
    rig.scheduler.run()
    #expect(rig.downloads.count == 2)
    rig.scheduler.advance(milliseconds: 59_999)
    #expect(rig.downloads.count == 2)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.downloads.count == 3)
  }

  @Test("Offline nothing is asked; online again it is at once (FS-13; offline)")
  func offline() throws {
    let rig = try FlagshipRig.bucketing(["online": "false"]) { _ in Bucketing.answer() }
    rig.scheduler.advance(milliseconds: 600_000)
    #expect(rig.downloads.isEmpty)
    #expect(rig.face.status == .initializing)
    _ = rig.client.setOnline(true)
    rig.scheduler.run()
    #expect(rig.face.status == .initialized)
    _ = rig.client.setOnline(false)
    rig.scheduler.advance(milliseconds: 600_000)
    #expect(rig.downloads.count == 1)
    #expect(rig.client.state == .stale)
  }

  @Test("The decision timeout does not concern the file: it has the time of other requests (FS-09; starting)")
  func timeouts() throws {
    let rig = try FlagshipRig.bucketing(["timeout_ms": "100"])
    #expect(rig.downloads.first?.timeoutMilliseconds == 60_000)
    #expect(rig.downloads.first?.connectTimeoutMilliseconds == 10_000)
  }

  @Test("Account settings come with the file (FS-213; ready)")
  func accountSettings() throws {
    let account =
      #","accountSettings":{"enabledXPC":true,"enabled1V1T":false,"troubleshooting":{"startDate":"2024-01-01T00:00:00.000Z","endDate":"2024-01-02T00:00:00.000Z","timezone":"UTC","traffic":50}}"#
    let rig = try FlagshipRig.bucketing { _ in Bucketing.answer(Bucketing.file(more: account)) }
    let settings = rig.provider.account.current
    #expect(settings.hasExperienceContinuity)
    #expect(!settings.hasOneVisitorOneTest)
    #expect(settings.troubleshooting?.traffic == 50)
    #expect(settings.troubleshooting?.startMilliseconds == 1_704_067_200_000)
    #expect(settings.troubleshooting?.endMilliseconds == 1_704_153_600_000)
  }
}
