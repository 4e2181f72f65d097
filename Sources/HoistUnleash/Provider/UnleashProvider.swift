public import HoistBase
public import HoistCore

/// One Unleash client: it owns one object per concern; see `ClientPart`.
///
/// State belongs to the scheduler's thread; what evaluating threads use is immutable or guards itself.
public final class UnleashProvider: @unchecked Sendable {
  private static let lastSendingMilliseconds: Int64 = 5000

  private(set) var host: (any ProviderHost)?
  let options: UnleashSettings
  let source: FlagSource
  /// Set in frontend mode.
  let frontend: FrontendFlags?
  let events: UnleashEvents
  let publisher: FlagPublisher
  /// How toggles of a host's storage are compiled.
  let externalOptions: UnleashOptions
  let metrics: MetricsReporter
  /// The same for tracked events.
  let metricsPort: Unmanaged<MetricsReporter>
  public let life: PartLife
  /// Held while what fetches carry and what evaluations see changes.
  let contextChange = Lock()
  /// Names of attributes of contexts that were warned of.
  let leftOut = LockedValue<Set<String>>([])
  /// A change of the context waits for the others of its turn.
  var isFetchPending = false

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try ClientSettings(values, host.plugins, entropy: host.entropy)
    let options = settings.fetching
    self.options = options
    self.host = host
    externalOptions = UnleashOptions(options, host)
    events = UnleashEvents(host: host)
    let pace = UnleashPace(
      interval: options.refreshSeconds * 1000, limit: options.longestRetryMilliseconds,
      mayRefreshKey: settings.fetchHeaders != nil)
    let failures = UnleashFailure(what: "fetching flags failed", pace: pace, clock: host.clock)
    let frontend = options.mode == .frontend ? FrontendFlags(host: host, options: options) : nil
    self.frontend = frontend
    publisher = FlagPublisher(
      host: host, storage: frontend == nil ? nil : host.plugins.vendor[UnleashPlugins.storage] as? any UnleashStorage)
    source = FlagSource(
      host: host, options: options, service: frontend ?? BackendFlags(host: host, options: options, failures: failures),
      publisher: publisher, events: events, failures: failures, headerProvider: settings.fetchHeaders,
      context: { frontend?.context })
    metrics = MetricsReporter(
      host: host, settings: settings.reporting, headerProvider: settings.reportHeaders, values: values)
    metricsPort = Unmanaged.passUnretained(metrics)
    life = PartLife([metrics, source], startsByItself: options.autostart)
    // The context of the options is the client's current one until it is changed.
    setHostContext(
      frontend?.context.flattened ?? FrontendContext.merged(options.initialContext, properties: options.initialProperties))
    try bootstrap(path: settings.bootstrapPath, host)
  }

  /// Makes evaluations see a context map, whose user is the targeting key.
  func setHostContext(_ members: [String: String]) {
    var members = members
    let user = members.removeValue(forKey: "userId")
    let context = EvaluationContext(
      targetingKey: user.map { Array($0.utf8) },
      attributes: members.sorted { $0.key < $1.key }.map {
        Attribute(name: Array($0.key.utf8), value: .string(Array($0.value.utf8)))
      })
    if let reference = context.reference() { host?.setCurrentContext(reference) }
  }

  /// Readable from construction on (UNL-23, UNL-35, UNL-37). What cannot be read is left aside where flags can be fetched.
  private func bootstrap(path: String, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let property = options.bootstrap == nil ? "bootstrap.file" : "bootstrap"
    let given = GivenDocument(
      bytes: options.bootstrap, path: path, property: property, limitBytes: options.maximumResponseBytes)
    // Toggles that a host hands over become that property, too.
    let origin = options.bootstrap == nil ? "bootstrap file \"\(path)\"" : "the given bootstrap"
    var problem = ""
    do throws(FetchFailure) {
      guard let document = try given.read(host.log) else { return }
      do throws(UnreadableFlags) {
        _ = try source.adoptBootstrap(document, origin: origin)
        return
      } catch {
        problem = "\(origin) cannot be read: \(error.message)"
      }
    } catch {
      problem = error.message
    }
    guard options.isOnline, options.url != nil else { throw ConfigurationFailure(property, problem) }
    host.log.warning("\(problem); flags are fetched without it")
  }
}

/// The life cycle, on the scheduler's thread.
extension UnleashProvider: Provider {
  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    guard let frontend else {
      source.retryRefused { _ in }
      metrics.retryRefused()
      return completion(.ok)
    }
    let (carried, isCurrent) = contextChange.withLock {
      (frontend.context, host?.currentContext?.frozen.fingerprint == context.frozen.fingerprint)
    }
    // Another context has taken the place of this one since: the fetch is that one's.
    if !isCurrent { completion(.superseded) }
    fetchForContext(carried, joins: isCurrent) { _, status in
      if isCurrent { completion(status) }
    }
  }

  /// The context has changed: the former flags serve until its own are there (D.5). Before the start this starts it.
  /// - Parameters:
  ///   - joins: a fetch under way of an equal context's flags will do; the vendor's own calls fetch anew.
  ///   - completion: gets the fetch's outcome, and its status for the core: `.ok` when the context's flags are served.
  func fetchForContext(
    _ context: FrontendContext, joins: Bool = false, completion: @escaping @Sendable (FetchOutcome, Status) -> Void
  ) {
    life.start()
    metrics.retryRefused()
    let source = source
    source.contextChanged(to: context, joins: joins) { outcome in
      switch outcome {
      case .updated: completion(outcome, .ok)
      case .unchanged, .empty: completion(outcome, source.servesCurrentContext ? .ok : .network)
      case .failed, .superseded: completion(outcome, outcome.status.core)
      }
    }
  }

  /// The vendor's start: anew, with flags to begin with or without (UNL-24, UNL-25).
  func restart(bootstrap: [UInt8]?, completion: @escaping FlagSource.Completion) {
    life.stop()
    var isServed = false
    if let bootstrap {
      do throws(UnreadableFlags) {
        isServed = try source.adoptBootstrap(bootstrap, origin: "the bootstrap given at start")
      } catch {
        host?.log.warning("the bootstrap given at start cannot be read: \(error.message); flags are fetched without it")
      }
    }
    source.prepareStart(isDelayed: isServed, completion: completion)
    life.start()
  }

  /// The vendor's stop: what was counted is sent once more, within the limit (UNL-70, D.4).
  func retire() {
    let wasStarted = life.isStarted
    life.stop()
    if wasStarted { metrics.sendOnce(withinMilliseconds: Self.lastSendingMilliseconds) }
  }

  public func forgetCountsAfterFork() { metrics.recorder.forget() }

  public func abandonAfterFork() {
    isFetchPending = false
    life.abandonAfterFork()
  }

  public func detach() {
    stop()
    host = nil
    publisher.release()
  }
}

/// Toggles in a storage of the host's own (row UNL-60; protocol D.3.6), asked at every read.
extension UnleashProvider: ExternalFlags {
  public var hasExternalFlags: Bool { publisher.hasStorage }

  public func external(_ key: ByteView) -> Snapshot? {
    guard let toggle = publisher.stored(key) else { return nil }
    let document = UnleashToggle.document([toggle])
    return try? document.withBytes { bytes in
      Result { try UnleashToggles.compile(bytes, context: nil, externalOptions).snapshot }
    }.get()
  }

  public func finish(external snapshot: Snapshot) {
    metrics.recorder.countExternal(snapshot)
    snapshot.destroy()
  }
}
