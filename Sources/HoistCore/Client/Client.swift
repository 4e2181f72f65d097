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
  /// For objects that may outlive it.
  public let link = ClientReference()
  public let name: String
  /// What hosts call its service, e.g. "unleash".
  public let serviceName: CText
  /// Which environment of its group it is; "" for the first, and for a client without others.
  public let environment: String
  public let values: PropertyValues
  public let plugins: Plugins
  public let services: ClientServices
  public let log: Log
  /// What it shares with the other environments of its group.
  let scope: ClientScope
  public var transport: any Transport { scope.transport }
  public var store: Store { scope.store }
  public let compiler: DocumentCompiler

  let holder: SnapshotHolder
  let observers = ObserverRegistry()
  let forwarding = Forwarding()
  var callbacks: CallbackDispatcher { scope.callbacks }
  var pluginLane: Lane { scope.pluginLane }
  var logLane: Lane { scope.logLane }
  let life: ClientLife
  /// Of the context that the host has identified with last, and of what its provider has made of it; 0 for none.
  let identified = LockedValue<(given: UInt64, made: UInt64)>((0, 0))
  /// Flags that were refused to a context of one call.
  let refusedFlags = LockedValue<Set<[UInt8]>>([])
  /// Evaluations that cost more than they may, and the flags that were warned of.
  let costlyFlags = LockedValue<(count: Int64, told: Set<String>)>((0, []))
  /// The host's, then the provider's own; set once in `init`.
  nonisolated(unsafe) private(set) var hooks: [any EvaluationHook]
  let pending: PendingCompletions
  let generation = Atomic<UInt32>(ForkGeneration.current)
  private let resuming = Lock()
  let factory: any ProviderFactory
  /// Set once in `init`; on the scheduler's thread but where `Provider` says otherwise.
  nonisolated(unsafe) public private(set) var provider: (any Provider)?
  /// The provider again, for events and evaluations: nil before the end of `init`.
  var port: Unmanaged<EventPort>? { hot.pointee.port.map { Unmanaged.fromOpaque($0) } }
  /// The provider, when its flags are read from the host's own store.
  nonisolated(unsafe) private(set) var external: (any ExternalFlags)?
  /// The provider, when the host is to be asked about subjects.
  nonisolated(unsafe) private(set) var recalling: (any RecallingProvider)?
  /// The further environments of a group, which the first one holds; set once in `init`.
  nonisolated(unsafe) private(set) var environments: [Client] = []
  /// The first environment of the group; nil for that one itself. Set once in `init`.
  nonisolated(unsafe) private(set) weak var primary: Client?

  /// Builds a client that has not begun, with its further environments if its factory names some; `open` begins.
  public convenience init(
    factory: any ProviderFactory, values: PropertyValues, plugins: Plugins, services: ClientServices
  ) throws(ConfigurationFailure) {
    for name in values.missing { throw ConfigurationFailure(name, "property \"\(name)\" is required") }
    let scope = ClientScope(factory: factory, values: values, plugins: plugins, services: services)
    try FetchSharing.check(values, factory, scope.store)
    try scope.store.checkForwarding(values, isPlugin: plugins.cacheManager != nil)
    try self.init(factory: factory, values: values, plugins: plugins, services: services, scope: scope, environment: "")
    for (name, values) in factory.environments(values) {
      let member = try Client(
        factory: factory, values: values, plugins: plugins, services: services, scope: scope, environment: name)
      member.primary = self
      environments.append(member)
    }
  }

  private init(
    factory: any ProviderFactory, values: PropertyValues, plugins: Plugins, services: ClientServices,
    scope: ClientScope, environment: String
  ) throws(ConfigurationFailure) {
    guard let hot = shim_hot_new(HotPath.clientMagic, nil) else {
      throw ConfigurationFailure("", "out of memory")
    }
    self.hot = hot
    self.factory = factory
    self.values = values
    self.plugins = plugins
    self.services = services
    self.scope = scope
    self.environment = environment
    compiler = DocumentCompiler(clock: services.clock, scheduler: services.scheduler)
    serviceName = CText(factory.name)
    name = environment.isEmpty ? scope.name : "\(scope.name)/\(environment)"
    log = scope.log(named: name)
    pending = PendingCompletions(scheduler: services.scheduler)
    hooks = plugins.hooks
    holder = SnapshotHolder(hot)
    let mode = factory.mode(values)
    life = ClientLife(
      clock: services.clock, isOnline: values.boolean("online"), service: mode.isEmpty ? factory.name : "\(factory.name), \(mode)"
    )
    hot.pointee.object = Unmanaged.passUnretained(self).toOpaque()
    link.begin(self)
    // A provider marks what it wants to record; what observers want changes.
    shim_or_u32(&hot.pointee.wanted, UInt32(Effects([.record, .refusal, .excess]).rawValue))
    if environment.isEmpty { for doubt in values.doubts { log.warning(doubt) } }
    if life.isOnline { services.prepareNetwork() }
    let provider = try factory.make(values, ClientHost(self))
    self.provider = provider
    hooks += provider.evaluationHooks
    if hooks.contains(where: { $0.isCalled }) { shim_or_u32(&hot.pointee.gate, Gate.hooks) }
    hot.pointee.port = Unmanaged.passRetained(EventPort(provider)).toOpaque()
    external = provider as? any ExternalFlags
    if external?.hasExternalFlags == true { shim_or_u32(&hot.pointee.gate, Gate.external) } else { external = nil }
    recalling = provider as? any RecallingProvider
    if recalling?.asksHost == true { shim_or_u32(&hot.pointee.gate, Gate.recall) } else { recalling = nil }
  }

  deinit {
    link.end()
    port?.release()
    holder.destroy()
    if let context = shim_exchange_pointer(&hot.pointee.context, nil) {
      FrozenContext(UnsafeRawPointer(context)).release()
    }
    shim_hot_free(hot)
  }

  /// Runs work on the provider's thread.
  public func onScheduler(_ work: @escaping @Sendable (Client) -> Void) {
    services.scheduler.post { work(self) }
  }

  /// In a forked child, the first call starts the background work again, of the whole group.
  public func resumeAfterFork() {
    guard generation.load(ordering: .acquiring) != ForkGeneration.current else { return }
    for client in companions { client.resumeAloneAfterFork() }
  }

  private func resumeAloneAfterFork() {
    let isFirst = resuming.withLock {
      let current = ForkGeneration.current
      guard generation.load(ordering: .relaxed) != current else { return false }
      // The parent sends these counts; no evaluation counts here before this returns.
      holder.drain { _, _, _, _ in }
      provider?.forgetCountsAfterFork()
      shim_and_u32(&hot.pointee.gate, ~UInt32(SHIM_GATE_FORKED))
      generation.store(current, ordering: .releasing)
      return true
    }
    guard isFirst else { return }
    pending.forgetAll()
    forwarding.forgetAccount()
    life.abandonAfterFork()
    callbacks.forgetInheritance()
    let isClosed = self.isClosed
    onScheduler { client in
      client.forwarding.abandonAfterFork()
      client.provider?.abandonAfterFork()
      if !isClosed { client.provider?.start() }
    }
  }

  public var state: ClientState { life.state }
  /// Whether that is `.closed`; costs nothing to ask.
  public var isClosed: Bool { life.isClosed }
  public var isOnline: Bool { life.isOnline }
  /// Which lines are written, of the whole group: those of this level and before it; nil for none.
  public var logLevel: LogLevel? {
    get { LogLevel.allCases.last { scope.logThreshold.current.contains($0) } }
    set { scope.logThreshold.current = .upTo(newValue) }
  }

  /// - Parameter timeoutMilliseconds: negative waits without limit.
  public func waitReady(timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn { return .state }
    resumeAfterFork()
    return life.waitReady(timeoutMilliseconds: timeoutMilliseconds)
  }

  /// Readers see it at once; the former one is freed when it has no reader any more.
  public func setCurrentContext(_ context: ContextReference) {
    context.frozen.retain()
    let block = UnsafeMutableRawPointer(mutating: context.frozen.base)
    guard let old = shim_exchange_pointer(&hot.pointee.context, block) else { return }
    let former = FrozenContext(UnsafeRawPointer(old))
    Reclaimer.shared.retire { former.release() }
    Reclaimer.shared.collect()
  }

  public func refresh() -> Status {
    guard !isClosed else { return .state }
    resumeAfterFork()
    onScheduler { $0.provider?.refresh() }
    return .ok
  }
}
