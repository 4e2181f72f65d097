internal import HoistBase
public import HoistCore

/// One environment of LaunchDarkly: one mobile key, one client. It owns one object per concern.
///
/// State belongs to the scheduler's thread; what evaluating threads use is immutable or guards itself.
public final class LaunchDarklyProvider: @unchecked Sendable {
  private(set) var host: (any ProviderHost)?
  let settings: LaunchDarklySettings
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
  private let headers: RequestHeaders
  let connection: ConnectionState
  let synchronizer: Synchronizer
  let online: OnlineSwitch
  let gate: ContextGate
  let identifying: IdentifyQueue
  public let life: PartLife

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try LaunchDarklySettings(values)
    self.settings = settings
    self.host = host
    givenContext = try Self.givenContext(settings)
    preparation = ContextPreparation(keys: GeneratedKeys(host: host), environment: settings.environmentAttributes)
    let environment = String(Hex.encode(SHA256.hash(settings.mobileKey.reveal())).prefix(16))
    flags = ServedFlags(
      host: host,
      cache: FlagCache(store: host.store, environment: environment, maximumContexts: settings.maximumCachedContexts))
    observers = ChangeObservers { [weak host] in host?.onDeliveryLane($0) }
    headers = RequestHeaders(settings: settings, host: host)
    events = EventRecorder(host: host, settings: settings, headers: headers)
    diagnostics = DiagnosticReporter(host: host, settings: settings, headers: headers, capacity: events.capacity)
    hooks = HookRunner(
      LaunchDarklyPlugins.hooks(
        of: host.plugins, for: EnvironmentMetadata(settings, environment: host.environment), log: host.log), log: host.log)
    ports = (Unmanaged.passUnretained(events), Unmanaged.passUnretained(hooks))
    connection = ConnectionState(host: host, observers: observers)
    synchronizer = Synchronizer(host: host, settings: settings, headers: headers, connection: connection)
    online = OnlineSwitch(host: host, settings: settings, connection: synchronizer)
    gate = ContextGate()
    identifying = IdentifyQueue(scheduler: host.scheduler, log: host.log)
    life = PartLife(
      [flags, events] + (diagnostics.map { [$0] } ?? []) + [connection, synchronizer, online, gate, identifying],
      startsByItself: settings.autostart)
    flags.listener = self
    events.outlet.policy.listener = self
    synchronizer.delegate = self
    online.listener = self
    identifying.delegate = self
    expectFirstContext()
  }
}

/// The life cycle, on the scheduler's thread.
extension LaunchDarklyProvider: Provider {
  /// With "autostart" off this waits for `hoist_launchdarkly_start`; a child goes on where its parent was.
  public func start() {
    let wasStarted = life.isStarted
    life.open()
    if !wasStarted, life.isStarted { beginServing { _ in } }
  }

  /// Sets the context itself, together with its flags.
  public var ownsCurrentContext: Bool { true }

  /// All environments change by the first one's queue.
  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    let done: @Sendable (Status) -> Void = { [flags] status in
      // Offline the vendor's own call is done, flags or none.
      if status == .ok, !flags.isServing { return completion(.network) }
      completion(status == .launchDarklyShed ? .superseded : status)
    }
    let queue = lead.identifying
    if queue === identifying { queue.add(IdentifyRequest(context, done: done)) } else { queue.joinNewest(done) }
  }

  public func forgetCountsAfterFork() { events.forgetAfterFork() }

  public func unobserve(_ token: UInt64) -> Bool { observers.remove(token) }

  public func detach() {
    stop()
    observers.removeAll()
    host = nil
  }
}
