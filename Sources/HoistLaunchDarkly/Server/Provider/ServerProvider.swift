internal import HoistBase
internal import HoistCore

/// One environment of LaunchDarkly whose flags are decided here, for any context (protocols/launchdarkly-server.md). It owns
/// one object per concern.
///
/// State belongs to the scheduler's thread; what evaluating threads use is immutable or guards itself.
final class ServerProvider: @unchecked Sendable {
  private(set) var host: (any ProviderHost)?
  let settings: ServerSettings
  let events: ServerEvents
  let diagnostics: DiagnosticReporter?
  /// Of the connection, and of rules.
  let observers: ChangeObservers
  let connection: ConnectionState
  let rules: ServedRules
  /// Nil without a store of them.
  let bigSegments: BigSegmentsManager?
  let hooks: HookRunner
  let life: PartLife
  // For people.
  static let noContext = "there is no current context: give `context`, identify, or name one in the call"
  static let contextRule = "in mode server each kind has a key, and name and anonymous are of their types"

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try ServerSettings(values)
    let common = settings.common
    (self.settings, self.host) = (settings, host)
    let headers = RequestHeaders(settings: common, host: host, role: .server)
    events = ServerEvents(host: host, settings: settings, headers: headers)
    diagnostics = DiagnosticReporter(
      host: host, settings: common, headers: headers, capacity: events.outlet.capacity, seen: events.seen,
      source: host.plugins.rulesStore == nil ? .service : settings.isDaemon ? .store : .serviceAndStore)
    observers = ChangeObservers { [weak host] in host?.onDeliveryLane($0) }
    connection = ConnectionState(host: host, observers: observers)
    let data = host.plugins.vendor[TestRules.slot] as? TestRules
    let hasStore = host.plugins.rulesStore != nil
    if hasStore, host.fetchSharing != nil {
      throw ConfigurationFailure(
        "fetch.shared", "property \"fetch.shared\": processes share rules by the store of rules that is given; leave it \"off\"")
    }
    let sharing = hasStore || data != nil ? nil : SharedFetch.between(host, key: settings.storageKey)
    let synchronizer = Synchronizer(host: host, settings: common, headers: headers, connection: connection, sharing: sharing)
    let observers = observers
    bigSegments = host.plugins.bigSegmentStore.map {
      BigSegmentsManager(host: host, store: $0, options: settings.bigSegments, observers: observers)
    }
    let shared = host.plugins.rulesStore.map {
      SharedRules(host: host, store: $0, cacheMilliseconds: settings.rulesCacheMilliseconds, observers: observers)
    }
    rules = ServedRules(
      host: host, feed: RulesFeed(settings: common, headers: headers, filter: settings.filter), synchronizer: synchronizer,
      storageKey: shared == nil ? settings.storageKey : nil, given: HostRules(settings.given, data: data), shared: shared,
      sharing: sharing, isDaemon: settings.isDaemon, bigSegments: bigSegments)
    hooks = HookRunner(
      LaunchDarklyPlugins.hooks(
        of: host.plugins, for: EnvironmentMetadata(common, environment: host.environment), log: host.log),
      log: host.log, completesContexts: false)
    let own: [(any ClientPart)?] = [events, diagnostics, connection, synchronizer, bigSegments, rules]
    life = PartLife(own.compactMap { $0 })
    events.outlet.policy.listener = self
    rules.listener = self
    for doubt in settings.doubts { host.log.warning(doubt) }
    if settings.isDaemon, shared == nil {
      throw ConfigurationFailure(
        "daemon_mode",
        "property \"daemon_mode\" needs a store of rules: hoist_launchdarkly_config_set_store(), or a plug-in that offers one")
    }
    if let context = try LaunchDarklyProvider.givenContext(common)?.reference {
      guard context.frozen.isOfService else {
        throw ConfigurationFailure("context", "property \"context\" is no context: \(Self.contextRule)")
      }
      setCurrentContext(context)
    }
    try rules.checkGiven()
  }
}

/// The life cycle, on the scheduler's thread.
extension ServerProvider: Provider {
  /// One that is none does not take the place of the current one. That a context was given is an event (7.5), whether it is
  /// the current one or not.
  var ownsCurrentContext: Bool { true }

  /// Flags of any context are there already.
  func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    guard context.frozen.isOfService else {
      host?.log.warning("identify: this is no context: \(Self.contextRule)")
      return completion(.argument)
    }
    setCurrentContext(context)
    // A context that has no event is the current one all the same.
    _ = events.identify(context.frozen, waits: .never)
    completion(.ok)
  }

  private func setCurrentContext(_ context: ContextReference) {
    host?.setCurrentContext(context)
    if !hooks.isEmpty, let read = try? LDContext.read(context) { hooks.contextChanged(read.requestJSON) }
  }

  /// The stages of the hooks (8); they are not called for what is no context.
  func beginIdentify(_ context: ContextReference, timeoutMilliseconds: Int64) -> (@Sendable (Status) -> Void)? {
    guard !hooks.isEmpty, context.frozen.isOfService, let read = try? LDContext.read(context) else { return nil }
    guard let stages = hooks.beginIdentify(read.requestJSON, timeoutMilliseconds: timeoutMilliseconds) else { return nil }
    return { stages.end($0) }
  }

  var evaluationHooks: [any EvaluationHook] { hooks.evaluationHooks }

  func settle(untilNanoseconds deadline: Int64) -> Bool {
    let isKept = rules.shared?.settle(untilNanoseconds: deadline) ?? true
    return (bigSegments?.settle(untilNanoseconds: deadline) ?? true) && isKept
  }

  func forgetCountsAfterFork() { events.forgetAfterFork() }

  func unobserve(_ token: UInt64) -> Bool { observers.remove(token) }

  func detach() {
    stop()
    observers.removeAll()
    host = nil
  }
}

extension ServerProvider: RulesListener {
  func onlineChanged(_ isOnline: Bool) { diagnostics?.onlineChanged(isOnline) }
  func environmentTold(_ id: String) { hooks.environmentTold(id) }
  func storeIsRead() { connection.note(.confirmed) }
  func eventsMayGo(_ mayGo: Bool) { events.outlet.onlineChanged(mayGo) }
  func rulesChanged(_ keys: [String]) { observers.rulesChanged(keys) }

  func triedStream(startedUnixMilliseconds start: Int64, durationMilliseconds: Int64, failed: Bool) {
    diagnostics?.streamInitialized(at: start, afterMilliseconds: durationMilliseconds, hasFailed: failed)
  }
}

extension ServerProvider: DeliveryListener {
  func madePayload(ofEvents count: Int) { diagnostics?.batchMade(count) }

  /// Events end, and flags go on (2.4).
  func deliveryEnded(_ status: Int) {
    diagnostics?.onlineChanged(false)
    connection.noteFailedDelivery(status: status, "")
    host?.report(.stoppedSending("the service refuses events with status \(status): none are sent"))
  }

  func deliveryFailed(_ status: Int?, _ cause: String) { connection.noteFailedDelivery(status: status, cause) }
}
