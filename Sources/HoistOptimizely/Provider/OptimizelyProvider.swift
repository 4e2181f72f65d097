internal import HoistBase
public import HoistCore

/// One Optimizely client's life. It owns one object per concern; see `ClientPart`.
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
  let datafiles: DatafileStarts
  public let life: PartLife
  /// What is served; nil before there is a datafile. For readers on any thread.
  let served = LockedValue<ServedDatafile?>(nil)

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try OptimizelySettings(values)
    self.settings = settings
    self.host = host
    notifications = NotificationCenter(host: host)
    events = EventReporter(host: host, settings: settings, notifications: notifications)
    eventsPort = Unmanaged.passUnretained(events)
    profiles = ProfileStore(host: host, settings: settings)
    vuid = VisitorID(host: host, wish: settings.visitorID)
    platform = DataPlatform(host: host, settings: settings.platform, client: settings.events.client, visitorID: vuid)
    predictions = PredictionService(host: host, settings: settings.predictions)
    let records = UserRecords(profiles: profiles, forcedVariations: forcedVariations, defaultOptions: settings.decideOptions)
    let format = DatafileFormat(host: host, settings: settings, records: records)
    datafiles = DatafileStarts(host: host, settings: settings, format: format, profiles: profiles)
    visitors = VisitorServices(
      host: host, settings: settings, notifications: notifications, profiles: profiles,
      forcedVariations: forcedVariations, events: events, predictions: predictions)
    // The datafile last: what hangs on one is there before it.
    let others: [any ClientPart] = [vuid, profiles, predictions, events]
    life = PartLife(others + (platform.map { [$0] } ?? []) + [datafiles])
    format.provider = self
    try datafiles.serveGiven()
  }

  /// Serves a datafile from now on (5.4). On the scheduler's thread, or while the client is made.
  func serve(_ datafile: CompiledDatafile, from origin: DatafileOrigin) {
    guard let host else { return datafile.snapshot.destroy() }
    life.configurationChanged(datafile.snapshot)
    let current = ServedDatafile(bytes: datafile.bytes, revision: datafile.revision, origin: origin)
    let isUpdate = served.withLock { served in
      defer { served = current }
      return served != nil
    }
    let changed = host.withSnapshot { OptimizelyFlags.changedFlags(from: $0, to: datafile.snapshot) }
    host.log.info("revision \(datafile.shownRevision) is served (\(origin.rawValue))")
    host.publish(datafile.snapshot, changed: changed)
    guard isUpdate else { return }
    // The document itself is the vendor's payload (OPT-41).
    notifications.post(.datafileChange) { current.bytes }
  }
}

/// The life cycle, on the scheduler's thread.
extension OptimizelyProvider: Provider {
  /// The context is the caller's alone: nothing is fetched for it.
  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    completion(.ok)
  }

  /// Profiles go to the store while events go to the service: neither waits for the other.
  public func flush(completion: @escaping @Sendable (FlushResult) -> Void) {
    let sent = LockedValue(FlushResult.accepted)
    let last = Countdown(2) { completion(sent.withLock { $0 }) }
    profiles.flush { _ in last.count() }
    let others = life.parts.filter { $0 !== profiles }
    others.flushAll { result in
      sent.withLock { $0 = result }
      last.count()
    }
  }

  public func unobserve(_ token: UInt64) -> Bool { notifications.remove(token) }

  public func detach() {
    stop()
    notifications.removeAll()
    host = nil
  }
}
