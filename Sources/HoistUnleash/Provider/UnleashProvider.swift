internal import HoistBase
public import HoistCore

/// One Unleash client's life: bootstrap, stored flags, fetching, metrics (protocol D).
///
/// State belongs to the scheduler's thread; what evaluating threads use is immutable or guards itself.
public final class UnleashProvider: @unchecked Sendable {
  var host: (any ProviderHost)?
  private let relay: SourceRelay
  /// The host's own storage of toggles, and how its answers are compiled.
  let hostStorage: (any UnleashStorage)?
  /// Set in frontend mode with such a storage.
  let hostStorageQueue: HostStorageQueue?
  let externalOptions: UnleashOptions
  let options: UnleashSettings
  let source: any FlagSource
  /// Set in frontend mode.
  let frontend: FrontendSource?
  let metrics: MetricsReporter
  /// The same for tracked events.
  let metricsPort: Unmanaged<MetricsReporter>
  /// A refused key may be followed by another one.
  private let keyMayChange: Bool
  let storage: FlagStorage
  private(set) var hasFetched = false
  /// Stored flags that are fresh or confirmed make a client ready too: the next ones are an update (D.1).
  private var hasBeenReady = false
  private(set) var lastFailure: FetchFailure? {
    didSet { failureForReaders.withLock { $0 = lastFailure } }
  }
  let failureForReaders = Shared<FetchFailure?>(nil)
  private(set) var isStarted = false
  /// Counts starts and stops: what an older start has read is no longer its own to go on with.
  private var startCount: UInt64 = 0
  /// Something else has made the source fetch since the start, which still reads the store.
  private var isFetchBegun = false
  /// In a forked child, whether the parent had started; nil otherwise.
  private var resumes: Bool?
  private var hasAnnouncedInitialized = false
  /// Whether the flags that came last differ from those before.
  private var hasChanges = false
  /// Held while what fetches carry and what evaluations see changes.
  let contextChange = Lock()
  /// A change of the context waits for the others of its turn.
  var isFetchPending = false

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try ClientSettings(values, host.plugins, entropy: host.entropy)
    options = settings.fetching
    keyMayChange = settings.fetchHeaders != nil
    self.host = host
    hostStorage = host.plugins.vendor[UnleashPlugins.storage] as? any UnleashStorage
    externalOptions = UnleashOptions(options, host)
    relay = SourceRelay()
    let transport = host.transport
    hostStorageQueue = options.mode == .frontend ? hostStorage.map { HostStorageQueue($0) } : nil
    if options.mode == .frontend {
      let frontend = FrontendSource(
        host: host, options: options, headerProvider: settings.fetchHeaders, transport: transport, delegate: relay)
      (self.frontend, source) = (frontend, frontend)
    } else {
      frontend = nil
      source = BackendSource(host: host, options: options, transport: transport, delegate: relay)
    }
    metrics = MetricsReporter(
      host: host, settings: settings.reporting, headerProvider: settings.reportHeaders, values: values)
    metricsPort = Unmanaged.passUnretained(metrics)
    storage = FlagStorage(store: host.store, options: options)
    if let frontend { storage.contextChanged(frontend.context) }
    relay.provider = self
    adoptInitialContext()
    bootstrap(path: settings.bootstrapPath)
  }

  /// The context of the options is the client's current one until it is changed.
  private func adoptInitialContext() {
    setHostContext(
      frontend?.context.flattened ?? FrontendContext.merged(options.initialContext, properties: options.initialProperties))
  }

  /// Makes evaluations see a context map.
  func setHostContext(_ members: [String: String]) {
    let context = EvaluationContext(
      attributes: members.sorted { $0.key < $1.key }.map {
        Attribute(name: Array($0.key.utf8), value: .string(Array($0.value.utf8)))
      })
    if let reference = context.reference() { host?.setCurrentContext(reference) }
  }

  /// Readable from construction on (UNL-23, UNL-35, UNL-37): a file that cannot be read is logged, no more.
  private func bootstrap(path: String) {
    var document = options.bootstrap
    var origin = "property \"bootstrap\""
    if document == nil, !path.isEmpty {
      origin = "bootstrap file \"\(path)\""
      do {
        document = try FileContent.read(path: path, limitBytes: options.maximumResponseBytes)
      } catch {
        host?.log.error("\(origin) is not used: \(error.message)")
        return
      }
    }
    guard let document else { return }
    adoptBootstrap(document, origin: origin)
  }

  /// An empty list is no bootstrap (D.3).
  /// - Returns: whether the flags are served now.
  @discardableResult
  func adoptBootstrap(_ document: [UInt8], origin: String) -> Bool {
    if frontend != nil, UnleashToggles.isEmptyList(document) { return false }
    if let problem = source.adopt(document, entityTag: "") {
      host?.log.error("\(origin) is not used: \(problem)")
      host?.notify(Notification(.error, status: .parse, message: "\(origin) is not used: \(problem)"))
      return false
    }
    storage.isBootstrapped = true
    host?.setState(.stale, "flags from \(origin)")
    return true
  }
}

/// The life cycle, on the scheduler's thread.
extension UnleashProvider: Provider {
  public func start() {
    defer { resumes = nil }
    if resumes ?? options.autostart { return begin { _ in } }
    storage.load { [weak self] stored in
      guard let self else { return }
      if !self.isStarted { _ = self.adoptStored(stored) }
      self.announceInitialized()
    }
  }

  /// Construction is over, and what was stored is read (UNL-85).
  private func announceInitialized() {
    guard !hasAnnouncedInitialized else { return }
    hasAnnouncedInitialized = true
    host?.notify(Notification(.initialized))
  }

  /// Reads what is stored, then fetches (UNL-24, UNL-25, UNL-81, UNL-82).
  /// - Parameter delayed: the first fetch comes after one interval.
  func begin(delayed: Bool = false, completion: @escaping Poller.Completion) {
    isStarted = true
    isFetchBegun = false
    startCount &+= 1
    let mine = startCount
    metrics.start()
    storage.load { [weak self] stored in
      guard let self, self.isStarted, mine == self.startCount else { return completion(.superseded) }
      let completion: Poller.Completion = { [weak self] outcome in
        guard let self, outcome != .superseded else { return completion(outcome) }
        self.afterHostStorage { completion(outcome) }
      }
      let isFresh = self.adoptStored(stored)
      self.announceInitialized()
      guard self.host?.isOnline == true, self.options.url != nil else {
        self.reportOffline()
        return completion(.unchanged)
      }
      let waits = delayed || isFresh || self.storage.isBootstrapped && self.options.bootstrapDelaysFetch
      if self.isFetchBegun { return self.join(waits: waits, completion) }
      self.source.start(fetchingNow: !waits, completion: completion)
    }
  }

  /// A start whose fetch has been begun by a change of the context, or by going online, leaves that one alone (D.5).
  /// - Parameter waits: for no fetch at all.
  private func join(waits: Bool, _ completion: @escaping Poller.Completion) {
    if waits || !source.join(completion) { completion(waits ? .unchanged : lastFailure.map { .failed($0) } ?? .unchanged) }
  }

  /// - Returns: whether the stored flags are young enough to spare the first fetch.
  private func adoptStored(_ stored: StoredFlags?) -> Bool {
    guard let stored, let host, !hasFetched else { return false }
    if storage.isBootstrapped && options.bootstrapOverrides { return false }
    if let problem = adopt(stored) {
      host.log.warning("stored flags are not used: \(problem)")
      return false
    }
    // The time comes from a file: it may be any number.
    let (age, overflow) = host.clock.unixMilliseconds.subtractingReportingOverflow(stored.savedUnixMilliseconds)
    // Where a header provider brings the key, they may be another key's.
    if !overflow, age >= 0, age < options.storageSeconds * 1000, !options.credential.isEmpty {
      afterHostStorage { [weak self] in self?.becomeReady("flags stored \(age / 1000) s ago") }
      return true
    }
    host.setState(.stale, "flags of an earlier run")
    return false
  }

  private func adopt(_ stored: StoredFlags) -> String? {
    if let frontend { return frontend.adoptStored(stored) }
    return source.adopt(stored.document, entityTag: stored.entityTag)
  }

  private func reportOffline() {
    guard let host else { return }
    let hasFlags = host.withSnapshot { $0 != nil }
    if hasFlags { host.setState(.stale, "offline") } else { host.log.warning("offline without bootstrap or stored flags: fallbacks are served") }
  }

  public func stop() {
    end()
    metrics.stop()
  }

  private func end() {
    isStarted = false
    startCount &+= 1
    source.stop()
  }

  /// `stop` on the host's wish: what was counted is sent before, within the limit (UNL-70, D.4).
  func retire() {
    end()
    metrics.stop(afterSendingForMilliseconds: Self.lastSendingMilliseconds)
  }

  private static let lastSendingMilliseconds: Int64 = 5000

  public func setOnline(_ online: Bool) {
    guard isStarted else { return }
    if online {
      isFetchBegun = true
      source.start(fetchingNow: true) { _ in }
      metrics.start()
    } else {
      source.stop()
      metrics.pause()
      reportOffline()
    }
  }

  public func refresh() {
    guard host?.isOnline == true else { return }
    source.fetchNow { _ in }
  }

  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    guard frontend != nil else {
      host?.notify(Notification(.contextChanged))
      source.contextChanged { _ in }
      return completion(.ok)
    }
    fetchForContext { completion($0.status) }
  }

  /// The context has changed: the former flags serve until its own are there (D.5).
  func fetchForContext(completion: @escaping Poller.Completion) {
    guard let frontend, let host else { return completion(.superseded) }
    storage.contextChanged(frontend.context)
    if options.dropsBootstrapOnUpdate, !hasFetched, storage.isBootstrapped { dropBootstrap() }
    guard host.isOnline, options.url != nil else { return serveStored(completion) }
    if host.withSnapshot({ $0 != nil }) { host.setState(.reconciling, "fetching the flags of a new context") }
    // Before the start this is one (D.5).
    if !isStarted { metrics.start() }
    isStarted = true
    isFetchBegun = true
    source.contextChanged { [weak self] outcome in
      // After a 304 the flags are the same, and now this context's.
      switch outcome {
      case .updated, .unchanged: self?.host?.notify(Notification(.contextChanged))
      case .empty: self?.reportUnconfirmed()
      case .failed, .superseded: break
      }
      completion(outcome)
    }
  }

  private func reportUnconfirmed() {
    guard let host, host.withSnapshot({ $0 != nil }) else { return }
    host.setState(.stale, "the service has not answered with the flags of the new context")
  }

  /// Offline, an earlier run may have left the flags of this very context.
  private func serveStored(_ completion: @escaping Poller.Completion) {
    storage.load { [weak self] stored in
      guard let self else { return completion(.superseded) }
      if let stored, self.adopt(stored) == nil {
        self.host?.setState(.stale, "flags of an earlier run, for this context")
        self.host?.notify(Notification(.contextChanged))
      }
      completion(.unchanged)
    }
  }

  public func flush(completion: @escaping @Sendable (Status) -> Void) { metrics.flush(completion: completion) }

  public func forgetCountsAfterFork() { metrics.recorder.forget() }

  public func abandonAfterFork() {
    resumes = isStarted
    isFetchPending = false
    source.abandonAfterFork()
    metrics.abandonAfterFork()
    hostStorageQueue?.release()
  }

  public func detach() {
    stop()
    host = nil
    hostStorageQueue?.release()
  }
}

/// What fetches bring, in the vendor's order: flags, then the event, then the completion (D.1).
extension UnleashProvider {
  func flagsArrived(_ snapshot: Snapshot, changed: [String], isAnswer: Bool) {
    hasChanges = !changed.isEmpty
    fillHostStorage(snapshot)
    // What the client begins with is readable at once.
    guard isAnswer, hostStorageQueue != nil else { return serve(snapshot, changed) }
    afterHostStorage { [weak self] in
      if let self { self.serve(snapshot, changed) } else { snapshot.destroy() }
    }
  }

  private func serve(_ snapshot: Snapshot, _ changed: [String]) {
    if let host { host.publish(snapshot, changed: changed) } else { snapshot.destroy() }
  }

  func fetchEnded(_ outcome: FetchOutcome, document: [UInt8]?, entityTag: String) {
    guard let host else { return }
    switch outcome {
    case .updated:
      recover()
      if let document { storage.save(document, entityTag: entityTag, at: host.clock.unixMilliseconds) }
      let isUpdate = hasBeenReady
      hasFetched = true
      storage.isBootstrapped = false
      becomeReady("flags fetched")
      if isUpdate, hasChanges || options.notifiesUnchanged { host.notify(Notification(.updated)) }
    case .unchanged:
      recover()
      guard hasFetched || !entityTag.isEmpty else { return }
      if frontend != nil { storage.confirm(at: host.clock.unixMilliseconds) }
      becomeReady("flags are up to date")
    case .failed(let failure):
      report(failure)
    case .empty:
      recover()
    case .superseded:
      break
    }
  }

  private func becomeReady(_ reason: String) {
    hasBeenReady = true
    host?.setState(.ready, reason)
  }

  private func recover() {
    guard lastFailure != nil else { return }
    lastFailure = nil
    host?.notify(Notification(.recovered))
  }

  private func report(_ failure: FetchFailure) {
    guard let host else { return }
    let isNew = lastFailure != failure
    lastFailure = failure
    if isNew { host.log.warning("fetching flags failed: \(failure.message)") }
    // Whoever hears of the failure finds the client in the state it led to.
    let hasFlags = host.withSnapshot { $0 != nil }
    switch failure {
    case .network(401, _), .network(403, _), .url:
      host.setState(hasFlags ? .stale : keyMayChange ? .error : .fatal, failure.message)
    default:
      host.setState(hasFlags ? .stale : .error, failure.message)
    }
    for topic in [Topic.fetchFailed, .error] {
      host.notify(Notification(topic, status: failure.unleashStatus, message: "fetching flags failed: \(failure.message)"))
    }
  }
}

/// Lets sources know their provider without holding it.
final class SourceRelay: FlagSourceDelegate, @unchecked Sendable {
  weak var provider: UnleashProvider?
  func flagsArrived(_ snapshot: Snapshot, changed: [String], isAnswer: Bool) {
    provider?.flagsArrived(snapshot, changed: changed, isAnswer: isAnswer)
  }
  func afterHostStorage(_ work: @escaping @Sendable () -> Void) {
    if let provider { provider.afterHostStorage(work) } else { work() }
  }
  func fetchEnded(_ outcome: FetchOutcome, document: [UInt8]?, entityTag: String) {
    provider?.fetchEnded(outcome, document: document, entityTag: entityTag)
  }
}
