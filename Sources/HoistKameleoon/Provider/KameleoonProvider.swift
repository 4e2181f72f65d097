internal import HoistBase
public import HoistCore

/// One site in one environment. It owns one object per concern; see `ClientPart`.
///
/// State belongs to the scheduler's thread; what other threads use is immutable or guards itself.
public final class KameleoonProvider: @unchecked Sendable {
  private(set) var host: (any ProviderHost)?
  let settings: KameleoonSettings
  let addresses: ServiceAddresses
  let reports: ServiceReports
  let readiness: Readiness
  let source: SiteSource
  let tokens: AccessTokens
  let tracking: Tracker
  let visitors: KameleoonVisitorRegistry
  let remote: RemoteDataService
  public let life: PartLife

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try KameleoonSettings(values)
    self.settings = settings
    self.host = host
    let addresses = try ServiceAddresses(values, log: host.log)
    self.addresses = addresses
    reports = ServiceReports(host: host)
    readiness = Readiness(host: host, settings: settings)
    let configuration = SiteConfiguration(
      host: host, settings: settings, addresses: addresses, readiness: readiness, reports: reports)
    source = SiteSource(host: host, settings: settings, addresses: addresses, format: configuration)
    tokens = AccessTokens(host: host, settings: settings, addresses: addresses, reports: reports)
    tracking = Tracker(host: host, settings: settings, addresses: addresses, tokens: tokens, reports: reports)
    visitors = KameleoonVisitorRegistry(host: host, settings: settings, tracker: tracking)
    remote = RemoteDataService(host: host, settings: settings, addresses: addresses, tokens: tokens, reports: reports)
    // The source first: the visitors may find their own at once. What is recorded by one part is sent by those after it.
    life = PartLife([source, readiness, tokens, visitors, remote, tracking])
    configuration.connect(self)
    visitors.source = source
    for warning in settings.warnings { host.log.warning(warning) }
  }

  /// On the scheduler's thread.
  func serve(_ configuration: CompiledConfiguration) {
    guard let host else { return configuration.snapshot.destroy() }
    life.configurationChanged(configuration.snapshot)
    configuration.snapshot.answer(for: visitors)
    let changed = host.withSnapshot { configuration.snapshot.changedFeatures(since: $0) }
    host.publish(configuration.snapshot, changed: changed)
  }
}

/// The life cycle, on the scheduler's thread.
extension KameleoonProvider: Provider {
  public var ownsCurrentContext: Bool { true }

  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    visitors.identify(context, completion: completion)
  }

  public func unobserve(_ token: UInt64) -> Bool { reports.observers.remove(token) }

  public func detach() {
    stop()
    reports.observers.takeAll()
    host = nil
  }
}
