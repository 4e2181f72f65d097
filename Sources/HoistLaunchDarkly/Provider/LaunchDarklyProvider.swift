internal import HoistBase
public import HoistCore

/// One environment of LaunchDarkly: one mobile key, one client. It owns one object per concern.
///
/// State belongs to the scheduler's thread; what evaluating threads use is immutable or guards itself.
public final class LaunchDarklyProvider: @unchecked Sendable {
  private(set) var host: (any ProviderHost)?
  let settings: LaunchDarklySettings
  let generatedKeys: GeneratedKeys
  let preparation: ContextPreparation
  /// To start with; nil for an anonymous user.
  let givenContext: LDContext?
  let flags: ServedFlags
  let observers: ChangeObservers
  let events: EventRecorder
  let diagnostics: DiagnosticReporter?
  let hooks: HookRunner
  /// Both again for tracked events: no reference is counted on the way.
  let ports: (events: Unmanaged<EventRecorder>, hooks: Unmanaged<HookRunner>)
  /// Of all requests, events too.
  let headers: RequestHeaders
  let connection: ConnectionState
  let health: ServiceHealth
  let synchronizer: Synchronizer
  let online: OnlineSwitch
  let identifying: IdentifyQueue
  /// Where the client's life is; the scheduler's thread's.
  var life = ClientLife()
  /// Everything that takes part in the client's life, in the order of its beginning.
  let parts: [any LaunchDarklyPart]

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try LaunchDarklySettings(values)
    self.settings = settings
    self.host = host
    generatedKeys = GeneratedKeys(host: host)
    givenContext = try Self.givenContext(settings)
    preparation = ContextPreparation(keys: generatedKeys, environment: settings.environmentAttributes)
    let environment = String(Hex.encode(SHA256.hash(settings.mobileKey.reveal())).prefix(16))
    flags = ServedFlags(
      host: host,
      cache: FlagCache(store: host.store, environment: environment, maximumContexts: settings.maximumCachedContexts))
    observers = ChangeObservers { [weak host] in host?.onDeliveryLane($0) }
    events = EventRecorder(host: host, settings: settings)
    diagnostics = DiagnosticReporter(host: host, settings: settings, events: events)
    hooks = HookRunner(
      LaunchDarklyPlugins.hooks(
        of: host.plugins, for: EnvironmentMetadata(settings, environment: host.environment), log: host.log), log: host.log)
    ports = (Unmanaged.passUnretained(events), Unmanaged.passUnretained(hooks))
    connection = ConnectionState(host: host)
    health = ServiceHealth(host: host)
    headers = RequestHeaders(settings: settings, host: host)
    synchronizer = Synchronizer(host: host, settings: settings, headers: headers, connection: connection)
    online = OnlineSwitch(host: host, settings: settings, connection: synchronizer)
    identifying = IdentifyQueue(scheduler: host.scheduler, log: host.log)
    parts = [generatedKeys, flags, observers, events] + (diagnostics.map { [$0] } ?? [])
      + [connection, synchronizer, online, identifying]
    synchronizer.delegate = self
    identifying.delegate = self
    online.changed = { [weak self] isOnline in self?.parts.forEach { $0.onlineChanged(isOnline) } }
    events.connect(to: host)
    expectFirstContext()
    flags.changing = { [events] in _ = events.keep() }
    flags.describe = { [events] in events.describe($0) }
    flags.updated = { [observers] in observers.updated($0) }
    joinService()
  }
}

/// The life cycle, on the scheduler's thread.
extension LaunchDarklyProvider: Provider {
  /// With "autostart" off this waits for `hoist_launchdarkly_start`; a child goes on where its parent was.
  public func start() {
    guard settings.autostart || life.isResuming else { return }
    begin { _ in }
  }

  public func stop() {
    life.end()
    for part in parts.reversed() { part.stop() }
  }

  public func setOnline(_ isOnline: Bool) {
    if !isOnline { health.isOffline() }
    online.set(isOnline) { _ in }
  }

  public func refresh() { synchronizer.refresh() }

  /// Sets the context itself, together with its flags.
  public var ownsCurrentContext: Bool { true }

  /// All environments change by the first one's queue.
  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    guard lead === self else { return completion(.ok) }
    identifying.add(IdentifyRequest(context) { completion($0 == .launchDarklyShed ? .superseded : $0) })
  }

  public func flush(completion: @escaping @Sendable (Status) -> Void) { (parts as [any ClientPart]).flushAll(completion) }

  public func forgetCountsAfterFork() { events.forgetAfterFork() }

  public func abandonAfterFork() {
    life.abandonAfterFork()
    for part in parts { part.abandonAfterFork() }
  }

  public func detach() {
    stop()
    host = nil
  }

  public var statistics: [(group: String, name: String, value: Int64)] { parts.flatMap(\.statistics) }
}
