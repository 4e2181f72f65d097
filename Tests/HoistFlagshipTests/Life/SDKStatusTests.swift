import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Flagship's SDK status, starts and closes (protocols/flagship.md 5.1, 5.8)")
struct SDKStatusTests {
  @Test("A start in Decision API mode is initialized at once, without a request (FS-06, FS-08, FS-38, FS-41; starting, ready)")
  func decisionModeIsInitializedAtOnce() throws {
    let rig = try FlagshipRig()
    #expect(rig.face.status == .initialized)
    #expect(rig.heard == [.initialized])
    #expect(rig.transport.requests.isEmpty)
    #expect(rig.client.state == .ready)
  }

  @Test("Before the start the SDK is not initialized, and nothing is asked (FS-39; before start)")
  func beforeTheStart() throws {
    let rig = try FlagshipRig.bucketing(["autostart": "false"])
    #expect(rig.face.status == .notInitialized)
    rig.scheduler.advance(milliseconds: 600_000)
    #expect(rig.heard.isEmpty)
    #expect(rig.transport.requests.isEmpty)
    #expect(rig.face.start() == .ok)
    rig.scheduler.run()
    #expect(rig.heard == [.initializing])
    #expect(rig.downloads.count == 1)
  }

  @Test("A start while the client runs changes nothing (FS-02; ready)")
  func startTwice() throws {
    let rig = try FlagshipRig.bucketing { _ in Bucketing.answer() }
    #expect(rig.face.start() == .ok)
    rig.scheduler.run()
    #expect(rig.downloads.count == 1)
    #expect(rig.heard == [.initializing, .initialized])
  }

  @Test("After close the SDK is not initialized, polls no more, and may be started again (FS-43; closed, reopened)")
  func closeAndStart() throws {
    let rig = try FlagshipRig.bucketing(["polling_interval": "1"]) { _ in Bucketing.answer() }
    // In manual dispatch the end is told only to who dispatches before the close is over; on the lane, as Tests/C hears it, always.
    #expect(rig.heard == [.initializing, .initialized])
    let closing = rig.close()
    #expect(closing == .ok)
    #expect(rig.face.status == .notInitialized)
    rig.scheduler.advance(milliseconds: 60_000)
    #expect(rig.downloads.count == 1)
    #expect(rig.face.start() == .ok)
    rig.scheduler.run()
    #expect(rig.face.status == .initialized)
    // What it had before the close is what it asks changes of.
    #expect(rig.downloads.last?.headers.value(of: "If-Modified-Since") == Bucketing.monday)
  }

  @Test(
    "Every observer hears each status once, and of new files, until the client's own call ends it (FS-12, FS-212; starting, ready, panic)"
  )
  func observers() throws {
    let (observer, other) = (HeardNews(), HeardNews())
    let rig = try FlagshipRig(["mode": "bucketing", "polling_interval": "1", "autostart": "false"])
    let tokens = [rig.face.observe(observer), rig.face.observe(other)]
    #expect(rig.face.start() == .ok)
    rig.scheduler.run()
    #expect(rig.client.unobserve(tokens[1]) && !rig.client.unobserve(tokens[1]))
    rig.transport.open.first?.complete(Bucketing.answer())
    rig.scheduler.run()
    rig.transport.setResponder { _ in .status(304) }
    rig.scheduler.advance(milliseconds: 1_000)
    rig.transport.setResponder { _ in Bucketing.answer(Bucketing.panic) }
    rig.scheduler.advance(milliseconds: 1_000)
    rig.scheduler.advance(milliseconds: 1_000)
    _ = rig.client.dispatch(limit: 100)
    #expect(other.heard.isEmpty)
    #expect(observer.heard == ["SDK_INITIALIZING", "SDK_INITIALIZED", "file", "SDK_PANIC", "file", "file"])
  }

  @Test("env_id and api_key are required (FS-02, FS-03, FS-04; no client)", arguments: ["env_id", "api_key"])
  func requiredProperties(name: String) {
    #expect(throws: ConfigurationFailure.self) { try FlagshipRig([name: ""]) }
  }

  @Test("An unusual env_id is warned of and works (FS-04; ready)")
  func unusualEnvironment() throws {
    let rig = try FlagshipRig(["env_id": "my environment"])
    #expect(rig.face.status == .initialized)
    rig.settle { rig.log.lines.contains { $0.message.contains("env_id is not 20 characters") } }
    #expect(rig.log.lines.contains { $0.message.contains("env_id is not 20 characters") })
    #expect(rig.provider.settings.addresses.bucketingFile == "https://cdn.flagship.io/my%20environment/bucketing.json")
    let usual = try FlagshipRig()
    #expect(usual.provider.settings.hasUsualEnvironmentID)
  }

  @Test("A forked child begins where its parent was, with timers and requests of its own (FS-13, FS-41, G9; forked)")
  func fork() throws {
    let rig = try FlagshipRig.bucketing(["autostart": "false", "polling_interval": "1"]) { _ in Bucketing.answer() }
    #expect(rig.face.start() == .ok)
    rig.scheduler.run()
    #expect(rig.downloads.count == 1)
    rig.provider.abandonAfterFork()
    rig.provider.start()
    rig.scheduler.run()
    #expect(rig.face.status == .initialized)
    #expect(rig.downloads.count == 2)
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.downloads.count == 3)
  }

  @Test("Calls of the core are decided from the file with the context of each call (FS-07; ready, starting)")
  func coreEvaluation() throws {
    let rig = try FlagshipRig.bucketing { _ in Bucketing.answer() }
    #expect(rig.string("color", visitor: "anybody") == "blue")
    #expect(rig.string("unknown", visitor: "anybody") == nil)
    let silent = try FlagshipRig.bucketing()
    #expect(silent.string("color", visitor: "anybody") == nil)
  }
}

@Suite("The vendor's log levels")
struct VendorLogLevelTests {
  @Test(
    "A line passes when its level is not above the configured one; debugging comes before information there (FS-11; no client)")
  func levels() {
    let expected: [(String, LogLevels)] = [
      ("none", []), ("exceptions", []), ("error", [LogLevels(.error)]),
      ("warning", [LogLevels(.error), LogLevels(.warning)]),
      ("debug", [LogLevels(.error), LogLevels(.warning), LogLevels(.debug)]),
      ("info", .upTo(.debug)), ("all", .upTo(.debug)),
    ]
    for (name, levels) in expected { #expect(VendorLogLevel(name: name).levels == levels, "\(name)") }
    #expect(VendorLogLevel.allCases.map(\.rawValue) == Array(0...6))
  }

  @Test("Property log_level takes the place of log.level (FS-11; ready)")
  func property() throws {
    let quiet = try FlagshipRig(["log_level": "error", "env_id": "unusual"])
    let loud = try FlagshipRig(["log_level": "warning", "log.level": "none", "env_id": "unusual"])
    loud.settle { !loud.log.lines.isEmpty }
    #expect(loud.log.lines.count == 1)
    #expect(quiet.log.lines.isEmpty)
  }
}

/// What an observer was told.
private final class HeardNews: FlagshipObserver {
  private let kept = LockedValue<[String]>([])
  func sdkStatusChanged(_ status: SDKStatus) { kept.withLock { $0.append(status.vendorName) } }
  func bucketingChanged() { kept.withLock { $0.append("file") } }
  var heard: [String] { kept.withLock { $0 } }
}
