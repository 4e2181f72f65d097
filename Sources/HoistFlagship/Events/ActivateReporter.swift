internal import HoistBase
internal import HoistCore

/// Sends exposures, and tells the host of those that arrived (3.4, 5.4; FS-26 to FS-29).
final class ActivateReporter: ClientPart, @unchecked Sendable {
  static let pipelineName = "activates"

  private let host: any ProviderHost
  private let clock: any Clock
  private let settings: FlagshipSettings
  private let status: StatusMachine
  private let policy: ActivatePolicy
  private let pipeline: EventPipeline
  private let duplicates: DuplicateWindow
  private let isTold: Bool

  /// - Parameter store: where activates are kept until they have arrived.
  init(host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, telemetry: Telemetry, store: Store) {
    self.host = host
    clock = host.clock
    self.settings = settings
    self.status = status
    let observer = host.plugins.vendor[FlagshipPlugins.exposureObserver] as? any ExposureObserver
    isTold = observer != nil
    policy = ActivatePolicy(host: host, settings: settings, telemetry: telemetry, observer: observer)
    duplicates = DuplicateWindow(milliseconds: settings.hits.deduplicationMilliseconds, clock: host.clock)
    var options = settings.hits.pipelineOptions(Self.pipelineName)
    // At once; what fails waits for the next exposure, or the interval.
    options.flushAtRows = 1
    options.maximumInFlight = 4
    pipeline = EventPipeline(
      options: options, policy: policy, sink: host.delivery, store: store, log: host.log, clock: host.clock,
      scheduler: host.scheduler, entropy: host.entropy)
  }

  /// Records an exposure; never waits. Any thread.
  ///
  /// Whoever asks looks again afterwards whether the visitor still consents, and else calls `forget`.
  /// - Returns: `.limit` when there is no room.
  @discardableResult
  func expose(_ exposure: borrowing Exposure, hasConsented: Bool) -> Status {
    if let refusal = refusal(hasConsented: hasConsented) { return refusal }
    if duplicates.isOn, !duplicates.admits(identity(of: exposure)) {
      host.log.debug("an identical exposure is dropped")
      return .ok
    }
    let now = clock.unixMilliseconds
    return exposure.identity.visitorID.withUnsafeBytes { subject in
      RecordedExposure.with(exposure, isTold: isTold) { record, context in
        let outcome = pipeline.record(
          record, tail: context, subject: subject, unixMilliseconds: now, waitsForCommit: false)
        if case .dropped = outcome { return .limit }
        return .ok
      }
    }
  }

  /// 5.4, step 2.
  private func refusal(hasConsented: Bool) -> Status? {
    let refusal: Status
    switch status.current {
    case .notInitialized: refusal = .flagshipNotInitialized
    case .panic: refusal = .flagshipPanic
    case .initializing, .initialized:
      if hasConsented { return nil }
      refusal = .flagshipNoConsent
    }
    host.log.debug("an exposure is not sent: \(refusal.flagshipReason)")
    return refusal
  }

  /// What makes two exposures the same: what the service is told of them.
  private func identity(of exposure: borrowing Exposure) -> [UInt8] {
    RecordedExposure.with(exposure, isTold: false) { record, _ in Array(record) }
  }

  /// Everything of a visitor goes, what is on its way included (5.6). Any thread.
  /// - Parameter deadline: until when the call may wait, so that a hit recorded afterwards is stored after that.
  func forget(subject: [UInt8], waitsForStoreUntil deadline: Int64? = nil) {
    pipeline.purge(subject: String(decoding: subject, as: UTF8.self), waitsForStoreUntil: deadline)
  }

  /// The same under both of its ids.
  func forget(_ identity: VisitorIdentity, waitsForStoreUntil deadline: Int64? = nil) {
    if let anonymous = identity.anonymousID { forget(subject: anonymous) }
    forget(subject: identity.visitorID, waitsForStoreUntil: deadline)
  }

  // MARK: Life, on the scheduler's thread

  /// Hands over what was kept, before hits go (5.5).
  func sendKept() { if policy.hasKept { pipeline.sendAtOnce() } }

  func start() {
    setOnline(host.isOnline)
    pipeline.start()
  }

  func stop() { pipeline.stop() }

  func setOnline(_ isOnline: Bool) { if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) } }

  /// In panic nothing is sent, and what waits goes when it is over (5.5). Any thread.
  func setPanic(_ isPanic: Bool) { if isPanic { pipeline.hold(.notReady) } else { pipeline.lift(.notReady) } }

  func flush(_ completion: @escaping @Sendable (Bool) -> Void) { pipeline.flush(completion: completion) }

  var statistics: [(group: String, name: String, value: Int64)] {
    pipeline.counters.listing(Self.pipelineName) + [(Self.pipelineName, "duplicates", duplicates.droppedCount)]
  }
}
