internal import HoistBase
public import HoistCore

/// One Flagship environment. It owns one object per concern; see `ClientPart`.
///
/// State belongs to the scheduler's thread; what other threads use is immutable or guards itself.
public final class FlagshipProvider: @unchecked Sendable {
  private(set) var host: (any ProviderHost)?
  let settings: FlagshipSettings
  let status: StatusMachine
  let account: AccountSettingsHolder
  let telemetry: Telemetry
  /// nil where the service decides.
  let bucketing: ConfigurationSource<BucketingFormat>?
  let decisions: DecisionService
  let segments: VisitorSegments
  let storage: HitStorage
  let hits: HitPool
  let activates: ActivateReporter
  let visitors: FlagshipVisitorRegistry
  public let life: PartLife

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try FlagshipSettings(values)
    self.settings = settings
    self.host = host
    status = StatusMachine(host: host)
    account = AccountSettingsHolder()
    telemetry = Telemetry(host: host, settings: settings, status: status, account: account)
    let automatic = AutomaticContext(clientName: settings.clientName, machine: .current())
    let format = BucketingFormat(
      host: host, settings: settings, status: status, account: account, telemetry: telemetry, automatic: automatic)
    bucketing =
      settings.mode != .bucketing
      ? nil
      : ConfigurationSource(
        host: host, format: format, storageKey: "bucketing",
        pace: RegularPace(interval: settings.pollingSeconds * 1000, limit: settings.longestRetryMilliseconds))
    decisions = DecisionService(host: host, settings: settings, status: status, account: account, telemetry: telemetry)
    segments = VisitorSegments(host: host, settings: settings, account: account)
    storage = HitStorage(host: host, settings: settings)
    // Where visitors are kept in a cache of the host's, they are the host's to follow.
    let followsStored = host.plugins.vendor[FlagshipPlugins.visitorCache] == nil
    let refusals = SubjectRefusals(store: followsStored ? host.store : nil) { CachedVisitor.isRefusal($0) }
    activates = ActivateReporter(
      host: host, settings: settings, status: status, telemetry: telemetry, refusals: refusals, store: storage.store)
    hits = HitPool(
      host: host, settings: settings, status: status, storage: storage, telemetry: telemetry, refusals: refusals,
      before: activates)
    visitors = FlagshipVisitorRegistry(
      host: host, settings: settings, status: status, decisions: decisions,
      reports: VisitorReports(hits: hits, activates: activates), refusals: refusals, automatic: automatic)
    let accountSource = AccountSettingsSource(host: host, settings: settings, account: account)
    let current = CurrentVisitor(host: host, settings: settings, status: status, visitors: visitors)
    visitors.following = current
    // Kept activates go before hits (5.5). What is recorded by one part is sent by those after it.
    life = PartLife(
      [status, telemetry, accountSource, segments, visitors, decisions, activates, hits] + (bucketing.map { [$0] } ?? []) + [
        current
      ],
      startsByItself: settings.autostart)
    // Pipelines store each for itself: the hit that tells of a refusal must not overtake what goes of the activates.
    refusals.govern([activates.pipeline, hits.pipeline]) { [weak visitors] in
      (visitors?.open.all ?? []).map(\.id)
    } heard: { [weak visitors] in
      visitors?.adoptRefusals(of: $0)
    }
    visitors.telemetry = telemetry
    visitors.segments = segments
    status.connect(visitors)
    format.connect(self)
    if !settings.hasUsualEnvironmentID {
      host.log.warning("env_id is not 20 characters of 0-9 and a-v, as the service's are: only servers of one's own have such")
    }
  }
}

extension FlagshipProvider {
  /// On the scheduler's thread.
  func serve(_ campaigns: ServedCampaigns) {
    guard let host else { return campaigns.snapshot.destroy() }
    let changed = host.withSnapshot { campaigns.snapshot.changedCampaignFlags(since: $0) }
    host.publish(campaigns.snapshot, changed: changed)
  }

  /// Another bucketing file has come from the service.
  func tellOfNewFile() {
    guard let host else { return }
    status.observers.tell(through: host.onDeliveryLane) { observer in { observer.bucketingChanged() } }
  }
}

/// The life cycle, on the scheduler's thread.
extension FlagshipProvider: Provider {
  public var ownsCurrentContext: Bool { true }

  public func opens() { if settings.autostart { begins() } }

  /// What a start promises when it returns (5.1): in decision_api mode there is nothing to wait for.
  func begins() { status.begins(settings.mode == .decisionAPI ? .initialized : .initializing) }

  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    let decidesHere = settings.mode == .bucketing
    visitors.identify(context) { status in
      switch status {
      // It is the current one; the file decides for it when it comes.
      case .flagshipNotInitialized where decidesHere: completion(.ok)
      case .flagshipFetchFailed: completion(.network)
      default: completion(status)
      }
    }
  }

  public func unobserve(_ token: UInt64) -> Bool { status.observers.remove(token) }

  public func detach() {
    stop()
    status.observers.takeAll()
    host = nil
  }

  public var statistics: [(group: String, name: String, value: Int64)] { life.statistics + storage.statistics }
}
