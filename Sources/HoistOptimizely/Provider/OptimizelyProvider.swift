internal import HoistBase
public import HoistCore

/// One Optimizely client's life. It owns one object per concern; see `OptimizelyPart`.
///
/// State belongs to the scheduler's thread; what evaluating threads use is immutable or guards itself.
public final class OptimizelyProvider: @unchecked Sendable {
  private(set) var host: (any ProviderHost)?
  let settings: OptimizelySettings
  let notifications: NotificationCenter
  let events: EventReporter
  /// The same for tracked events: no reference is counted on the way.
  let eventsPort: Unmanaged<EventReporter>
  let profiles: ProfileStore
  let forcedVariations = ForcedVariations()
  /// What deciding for users needs of all these.
  let visitors: VisitorServices
  let vuid: VisitorID
  /// nil when it is disabled.
  let platform: DataPlatform?
  let predictions: PredictionService
  let datafiles: DatafileSource
  /// Everything that takes part in the client's life, in the order of its beginning.
  private let parts: [any OptimizelyPart]
  /// What is served; nil before there is a datafile. For readers on any thread.
  let served = Shared<ServedDatafile?>(nil)

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try OptimizelySettings(values)
    self.settings = settings
    self.host = host
    notifications = NotificationCenter(host: host)
    events = EventReporter(host: host, settings: settings, notifications: notifications)
    eventsPort = Unmanaged.passUnretained(events)
    profiles = ProfileStore(host: host, settings: settings)
    vuid = VisitorID(host: host, isEnabled: settings.hasVisitorID)
    platform = DataPlatform(host: host, settings: settings.platform, client: settings.events.client, visitorID: vuid)
    predictions = PredictionService(host: host, settings: settings.predictions)
    datafiles = DatafileSource(host: host, settings: settings)
    visitors = VisitorServices(
      host: host, settings: settings, notifications: notifications, profiles: profiles,
      forcedVariations: forcedVariations, events: events, predictions: predictions)
    parts = [notifications, vuid, profiles, forcedVariations, predictions, events] + (platform.map { [$0] } ?? [])
    let served = served
    datafiles.served = { served.withLock { $0 } }
    datafiles.serve = { [weak self] in self?.serve($0, from: $1) }
    datafiles.whenProfilesAreRead = { [profiles] in profiles.whenRead($0) }
    datafiles.serveGiven()
  }

  /// Serves a datafile from now on (5.4). On the scheduler's thread, or while the client is made.
  private func serve(_ datafile: CompiledDatafile, from origin: DatafileOrigin) {
    guard let host else { return datafile.snapshot.destroy() }
    for part in parts { part.datafileChanged(datafile.snapshot) }
    let current = ServedDatafile(bytes: datafile.bytes, revision: datafile.revision, origin: origin)
    let isUpdate = served.withLock { served in
      defer { served = current }
      return served != nil
    }
    let changed = host.withSnapshot { OptimizelyFlags.changedFlags(from: $0, to: datafile.snapshot) }
    host.log.info("revision \(datafile.shownRevision) is served (\(origin.rawValue))")
    host.publish(datafile.snapshot, changed: changed)
    guard isUpdate else { return }
    host.notify(Notification(.updated))
    // The document itself is the vendor's payload (OPT-41).
    notifications.post(.datafileChange) { current.bytes }
  }
}

/// The life cycle, on the scheduler's thread.
extension OptimizelyProvider: Provider {
  public func start() {
    for part in parts { part.start() }
    datafiles.begin()
  }

  public func stop() {
    datafiles.stop()
    for part in parts.reversed() { part.stop() }
  }

  public func setOnline(_ online: Bool) {
    for part in parts { part.setOnline(online) }
    datafiles.setOnline(online)
  }

  public func refresh() { datafiles.refresh() }

  /// The context is the caller's alone: nothing is fetched for it.
  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    host?.notify(Notification(.contextChanged))
    completion(.ok)
  }

  /// Profiles go to the store while events go to the service: neither waits for the other.
  public func flush(completion: @escaping @Sendable (Status) -> Void) {
    let sent = Shared(Status.ok)
    let last = Countdown(2) { completion(sent.withLock { $0 }) }
    profiles.flush { _ in last.count() }
    let others: [any ClientPart] = parts.filter { $0 !== profiles }
    others.flushAll { status in
      sent.withLock { $0 = status }
      last.count()
    }
  }

  public func forgetCountsAfterFork() {}

  public func abandonAfterFork() {
    datafiles.abandonAfterFork()
    for part in parts { part.abandonAfterFork() }
  }

  public func detach() {
    stop()
    host = nil
  }

  public var statistics: [(group: String, name: String, value: Int64)] { parts.flatMap(\.statistics) }
}
