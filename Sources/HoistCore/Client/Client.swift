public import CShims
internal import HoistBase
internal import Synchronization

/// A running client of one service. Thread-safe.
///
/// Evaluations read raw memory found through `hot` (see `HotPath`); everything else goes through the
/// provider, which lives on the scheduler's thread. The provider holds the client weakly, through `ClientHost`.
public final class Client: @unchecked Sendable {
  /// What C handles point at; lives as long as the client.
  public let hot: UnsafeMutablePointer<shim_hot>
  public let name: String
  public let values: PropertyValues
  public let plugins: Plugins
  public let services: ClientServices
  public let log: Log
  public let transport: any Transport
  public let store: Store

  let holder: SnapshotHolder
  let observers = ObserverRegistry()
  let courier: Courier
  /// Asks plug-ins whose answers the client waits for: header providers.
  let pluginLane: Lane
  /// Its own, so that a slow observer does not silence the log.
  let logLane: Lane
  let status: ClientStatus
  let hooks: [any EvaluationHook]
  let pending: PendingAnswers
  let generation = Atomic<UInt32>(ForkGeneration.current)
  private let resuming = Lock()
  private let factory: any ProviderFactory
  /// Set once in `init`; on the scheduler's thread but where `Provider` says otherwise.
  nonisolated(unsafe) public private(set) var provider: (any Provider)?
  /// The provider again, for events; set once in `init`, owned.
  nonisolated(unsafe) private(set) var port: Unmanaged<EventPort>?
  /// The provider, when its flags are read from a store of the host's own.
  nonisolated(unsafe) private(set) var external: (any ExternalFlags)?

  /// Builds a client that has not begun; `open` begins.
  public init(
    factory: any ProviderFactory, values: PropertyValues, plugins: Plugins, services: ClientServices
  ) throws(ConfigurationFailure) {
    for name in values.missing { throw ConfigurationFailure(name, "property \"\(name)\" is required") }
    guard let hot = shim_hot_new(HotPath.clientMagic, nil) else {
      throw ConfigurationFailure("", "out of memory")
    }
    self.hot = hot
    self.factory = factory
    self.values = values
    self.plugins = plugins
    self.services = services
    pending = PendingAnswers(scheduler: services.scheduler)
    hooks = plugins.hooks
    name = values.text("name").isEmpty ? factory.name : values.text("name")
    let isManual = values.text("dispatch") == "manual"
    courier = Courier(lane: "hoist-deliver", isManual: isManual, services: services)
    logLane = Lane(options: .init(name: "hoist-log"), clock: services.clock, scheduler: services.scheduler)
    let sink = plugins.logSink ?? services.defaultLogSink
    let (courier, logLane, title) = (courier, logLane, name)
    log = Log(threshold: LogLevel(name: values.text("log.level")), clock: services.clock) { level, message in
      let write: @Sendable () -> Void = { sink.write(level, "hoist[\(title)]: \(message)") }
      if isManual { courier.deliver(write) } else { logLane.perform(write) }
    }
    holder = SnapshotHolder(hot)
    status = ClientStatus(clock: services.clock, isOnline: values.boolean("online"))
    transport = plugins.transport
      ?? services.makeTransport(NetworkOptions(values, userAgent: "hoist/\(HoistVersion.text)"))
    pluginLane = Lane(options: .init(name: "hoist-plugin"), clock: services.clock, scheduler: services.scheduler)
    let manager = plugins.cacheManager
      ?? services.makeCacheManager(
        StoreRequest(
          kind: values.text("store"), folder: values.text("store.path"), vendor: factory.name,
          identity: factory.storeIdentity(values), log: log))
    store = Store(manager: manager, log: log, clock: services.clock, scheduler: services.scheduler)
    hot.pointee.object = Unmanaged.passUnretained(self).toOpaque()
    if !hooks.isEmpty { shim_or_u32(&hot.pointee.gate, Gate.hooks) }
    // A provider marks what it wants to record; what observers want changes.
    shim_or_u32(&hot.pointee.wanted, UInt32(Effects.record.rawValue))
    let provider = try factory.make(values, ClientHost(self))
    self.provider = provider
    port = Unmanaged.passRetained(EventPort(provider))
    external = provider as? any ExternalFlags
    if external?.hasExternalFlags == true { shim_or_u32(&hot.pointee.gate, Gate.external) } else { external = nil }
  }

  deinit {
    port?.release()
    holder.destroy()
    if let context = shim_exchange_pointer(&hot.pointee.context, nil) {
      FrozenContext(UnsafeRawPointer(context)).release()
    }
    shim_hot_free(hot)
  }

  /// Begins to fetch; returns at once.
  public func open() {
    onScheduler { $0.provider?.start() }
  }

  /// Runs work on the provider's thread.
  public func onScheduler(_ work: @escaping @Sendable (Client) -> Void) {
    services.scheduler.post { work(self) }
  }

  /// In a forked child, the first call starts the background work again.
  public func resumeAfterFork() {
    guard generation.load(ordering: .acquiring) != ForkGeneration.current else { return }
    let isFirst = resuming.withLock {
      let current = ForkGeneration.current
      guard generation.load(ordering: .relaxed) != current else { return false }
      // The parent sends these, and nobody counts here before this is over.
      holder.drain { _, _, _, _ in }
      provider?.forgetCountsAfterFork()
      shim_and_u32(&hot.pointee.gate, ~UInt32(SHIM_GATE_FORKED))
      generation.store(current, ordering: .releasing)
      return true
    }
    guard isFirst else { return }
    pending.forgetAll()
    courier.forgetInheritance()
    let isClosed = state == .closed
    onScheduler { client in
      client.provider?.abandonAfterFork()
      if !isClosed { client.provider?.start() }
    }
  }

  public var state: ClientState { status.state }
  public var isOnline: Bool { status.isOnline }

  /// - Parameter timeoutMilliseconds: negative waits without limit.
  public func waitReady(timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn { return .state }
    resumeAfterFork()
    return status.waitReady(timeoutMilliseconds: timeoutMilliseconds)
  }

  /// The client's current context from now on; `completion` runs once if the result is `.ok` (see
  /// `promise`), and never otherwise.
  public func identify(_ context: ContextReference?, completion: (@Sendable (Status) -> Void)?) -> Status {
    guard state != .closed else { return .state }
    resumeAfterFork()
    guard let context = context ?? EvaluationContext().reference() else { return .limit }
    return promise(completion) { tell in
      setCurrentContext(context)
      onScheduler { client in
        guard client.state != .closed, let provider = client.provider else { return tell(.cancelled) }
        provider.identify(context, completion: tell)
      }
      return .ok
    }
  }

  /// Readers see it at once; the one before is freed when nobody reads it any more.
  public func setCurrentContext(_ context: ContextReference) {
    context.frozen.retain()
    let block = UnsafeMutableRawPointer(mutating: context.frozen.base)
    guard let old = shim_exchange_pointer(&hot.pointee.context, block) else { return }
    let former = FrozenContext(UnsafeRawPointer(old))
    Reclaimer.shared.retire { former.release() }
    Reclaimer.shared.collect()
  }

  public func setOnline(_ online: Bool) -> Status {
    guard state != .closed else { return .state }
    resumeAfterFork()
    status.setOnline(online)
    onScheduler { $0.provider?.setOnline(online) }
    return .ok
  }

  public func refresh() -> Status {
    guard state != .closed else { return .state }
    resumeAfterFork()
    onScheduler { $0.provider?.refresh() }
    return .ok
  }
}
