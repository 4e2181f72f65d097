internal import HoistBase
public import HoistCore

/// One site in one environment. It owns one object per concern; see `KameleoonPart`.
///
/// State belongs to the scheduler's thread; what other threads use is immutable or guards itself.
public final class KameleoonProvider: @unchecked Sendable {
  private(set) var host: (any ProviderHost)?
  let settings: KameleoonSettings
  let addresses: ServiceAddresses
  let reports: ServiceReports
  let readiness: Readiness
  let source: ConfigurationSource
  let tokens: AccessTokens
  let tracking: Tracker
  let visitors: VisitorRegistry
  let remote: RemoteDataService
  /// Everything that takes part in the client's life, in the order of its beginning. What is recorded by one is sent by
  /// those after it.
  private let parts: [any KameleoonPart]
  /// Guarded by `KameleoonSites`: nobody may have the client's handle any more.
  var isForgotten = false
  /// Set while the source has yet to begin.
  private var beginning: (any Cancellable)?

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try KameleoonSettings(values)
    self.settings = settings
    self.host = host
    let addresses = try ServiceAddresses(values, log: host.log)
    self.addresses = addresses
    reports = ServiceReports(host: host)
    readiness = Readiness(host: host, settings: settings)
    source = ConfigurationSource(
      host: host, settings: settings, addresses: addresses, readiness: readiness, reports: reports)
    tokens = AccessTokens(host: host, settings: settings, addresses: addresses, reports: reports)
    tracking = Tracker(host: host, settings: settings, addresses: addresses, tokens: tokens, reports: reports)
    visitors = VisitorRegistry(host: host, settings: settings, tracker: tracking)
    remote = RemoteDataService(host: host, settings: settings, addresses: addresses, tokens: tokens, reports: reports)
    tracking.openVisitor = { [weak visitors] code in visitors?.places.openVisitor(code) }
    tracking.openVisitors = { [weak visitors] in visitors?.places.openVisitors.filter(\.isAskedFor) ?? [] }
    tracking.policy.knownConsent = { [weak visitors] in visitors?.knownConsent(of: $0) }
    tracking.readConsent = { [weak visitors] identity, completion in
      guard let visitors else { return completion(false) }
      visitors.readConsent(of: identity, completion: completion)
    }
    parts = [readiness, tokens, visitors, remote, tracking]
    source.serve = { [weak self] in self?.serve($0) }
    visitors.ownIsThere = { [weak self] in self?.beginSource() }
    for warning in settings.warnings { host.log.warning(warning) }
  }

  /// On the scheduler's thread.
  private func serve(_ configuration: CompiledConfiguration) {
    guard let host else { return configuration.snapshot.destroy() }
    for part in parts { part.configurationChanged(configuration.snapshot) }
    configuration.snapshot.answer(for: visitors)
    let changed = host.withSnapshot { configuration.snapshot.changedFeatures(since: $0) }
    host.publish(configuration.snapshot, changed: changed)
  }
}

/// The life cycle, on the scheduler's thread.
extension KameleoonProvider: Provider {
  public var ownsCurrentContext: Bool { true }

  /// Who is ready knows its own visitor: the source begins when that is there, or has not come in time.
  public func start() {
    guard let host else { return }
    beginning = host.scheduler.schedule(afterMilliseconds: VisitorOptions.lookUpMilliseconds) { [weak self] in self?.beginSource() }
    for part in parts { part.start() }
  }

  private func beginSource() {
    guard let timer = beginning else { return }
    timer.cancel()
    beginning = nil
    source.start()
  }

  public func stop() {
    beginning?.cancel()
    beginning = nil
    source.stop()
    for part in parts.reversed() { part.stop() }
  }

  public func setOnline(_ online: Bool) {
    for part in parts { part.setOnline(online) }
    source.setOnline(online)
  }

  public func refresh() { source.refresh() }

  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    visitors.identify(context, completion: completion)
  }

  public func flush(completion: @escaping @Sendable (Status) -> Void) { (parts as [any ClientPart]).flushAll(completion) }

  public func forgetCountsAfterFork() {}

  public func abandonAfterFork() {
    source.abandonAfterFork()
    for part in parts { part.abandonAfterFork() }
  }

  public func detach() {
    stop()
    host = nil
  }

  public var statistics: [(group: String, name: String, value: Int64)] { parts.flatMap(\.statistics) }
}
