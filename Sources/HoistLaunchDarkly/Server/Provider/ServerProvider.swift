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
      host: host, settings: common, headers: headers, capacity: events.outlet.capacity, seen: events.seen)
    observers = ChangeObservers { [weak host] in host?.onDeliveryLane($0) }
    connection = ConnectionState(host: host, observers: observers)
    let synchronizer = Synchronizer(host: host, settings: common, headers: headers, connection: connection)
    rules = ServedRules(
      host: host, feed: RulesFeed(settings: common, headers: headers, filter: settings.filter), synchronizer: synchronizer,
      storageKey: settings.storageKey, given: settings.given)
    life = PartLife([events] + (diagnostics.map { [$0] } ?? []) + [connection, synchronizer, rules])
    events.outlet.policy.listener = self
    rules.listener = self
    for doubt in settings.doubts { host.log.warning(doubt) }
    if [LaunchDarklyPlugins.hooks, LaunchDarklyPlugins.plugins].contains(where: { host.plugins.vendor[$0] != nil }) {
      host.log.warning("hooks and plug-ins that know the client are not called in mode server")
    }
    if let context = try LaunchDarklyProvider.givenContext(common)?.reference {
      guard context.frozen.isOfService else {
        throw ConfigurationFailure("context", "property \"context\" is no context: \(Self.contextRule)")
      }
      host.setCurrentContext(context)
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
    host?.setCurrentContext(context)
    // A context that has no event is the current one all the same.
    _ = events.identify(context.frozen, waits: .never)
    completion(.ok)
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
