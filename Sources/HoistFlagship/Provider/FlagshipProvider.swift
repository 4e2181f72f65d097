internal import HoistBase
public import HoistCore

/// One Flagship environment's life. It owns one object per concern; see `ClientPart`.
///
/// State belongs to the scheduler's thread; what other threads use is immutable or guards itself.
public final class FlagshipProvider: @unchecked Sendable {
  private(set) var host: (any ProviderHost)?
  let settings: FlagshipSettings
  let status: StatusMachine
  let account: AccountSettingsHolder
  let telemetry: Telemetry
  let bucketing: BucketingSource
  let decisions: DecisionService
  let segments: VisitorSegments
  let storage: HitStorage
  let hits: HitPool
  let activates: ActivateReporter
  let visitors: VisitorRegistry
  private let listener: (any FlagshipListener)?
  /// Started and not stopped; on the scheduler's thread.
  private var isStarted = false
  /// A forked child begins where its parent was.
  private var resumes = false
  /// Everything that takes part in the client's life, in the order of its beginning. What is recorded by one is sent by
  /// those after it.
  private let parts: [any ClientPart]

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try FlagshipSettings(values)
    self.settings = settings
    self.host = host
    listener = host.plugins.vendor[FlagshipLifePlugins.listener] as? any FlagshipListener
    status = StatusMachine(host: host)
    account = AccountSettingsHolder()
    telemetry = Telemetry(host: host, settings: settings, status: status, account: account)
    bucketing = BucketingSource(host: host, settings: settings, status: status, account: account, telemetry: telemetry)
    decisions = DecisionService(host: host, settings: settings, status: status, account: account, telemetry: telemetry)
    segments = VisitorSegments(host: host, settings: settings, account: account)
    storage = HitStorage(host: host, settings: settings)
    activates = ActivateReporter(host: host, settings: settings, status: status, telemetry: telemetry, store: storage.store)
    hits = HitPool(host: host, settings: settings, status: status, storage: storage, telemetry: telemetry, before: activates)
    visitors = VisitorRegistry(
      host: host, settings: settings, status: status, decisions: decisions,
      reports: VisitorReports(hits: hits, activates: activates))
    let accountSource = AccountSettingsSource(host: host, settings: settings, account: account)
    // Kept activates go before hits (5.5).
    parts = [telemetry, accountSource, segments, visitors, decisions, activates, hits]
    visitors.telemetry = telemetry
    visitors.segments = segments
    status.followPanic = { [weak activates, weak hits] isPanic in
      activates?.setPanic(isPanic)
      hits?.setPanic(isPanic)
    }
    status.followSilence = { [weak visitors] in visitors?.shared.setSilent($0) }
    bucketing.serve = { [weak self] in self?.serve($0) }
    if let listener {
      status.listen { listener.sdkStatusChanged($0) }
      bucketing.changed = { host.onDeliveryLane { listener.bucketingChanged() } }
    }
    if !settings.hasUsualEnvironmentID {
      host.log.warning("env_id is not 20 characters of 0-9 and a-v, as the service's are: only servers of one's own have such")
    }
  }
}

extension FlagshipProvider {
  /// On the scheduler's thread.
  private func serve(_ campaigns: ServedCampaigns) {
    guard let host else { return campaigns.snapshot.destroy() }
    let changed = host.withSnapshot { campaigns.snapshot.changedCampaignFlags(since: $0) }
    host.publish(campaigns.snapshot, changed: changed)
  }
}

/// The life cycle, on the scheduler's thread.
extension FlagshipProvider: Provider {
  public var ownsCurrentContext: Bool { true }

  public func start() { if settings.autostart || resumes { begin() } }

  /// A start that was asked for (FS-02); harmless when there was one.
  func begin() {
    resumes = false
    guard !isStarted else { return }
    isStarted = true
    parts.startAll()
    if settings.mode == .bucketing { bucketing.start() } else { status.initialized() }
  }

  public func stop() {
    isStarted = false
    bucketing.stop()
    parts.stopAll()
    status.closed()
  }

  public func setOnline(_ online: Bool) {
    for part in parts { part.setOnline(online) }
    bucketing.setOnline(online)
  }

  public func refresh() { bucketing.refresh() }

  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    visitors.identify(context, completion: completion)
  }

  public func flush(completion: @escaping @Sendable (Status) -> Void) { parts.flushAll(completion) }

  public func forgetCountsAfterFork() {}

  public func abandonAfterFork() {
    resumes = isStarted
    isStarted = false
    bucketing.abandonAfterFork()
    for part in parts { part.abandonAfterFork() }
  }

  public func detach() {
    stop()
    host = nil
  }

  public var statistics: [(group: String, name: String, value: Int64)] { parts.flatMap(\.statistics) + storage.statistics }
}
