internal import HoistBase
internal import HoistCore

/// Brings the configuration of a site, from polls and the real-time stream together. On the scheduler's thread.
final class SiteSource: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let configuration: ConfigurationSource<SiteConfiguration>
  private let stream: ConfigurationStream
  /// Set while the configuration has yet to be asked for.
  private var beginning: (any Cancellable)?

  init(
    host: any ProviderHost, settings: KameleoonSettings, addresses: ServiceAddresses, format: SiteConfiguration
  ) {
    self.host = host
    var options = FetchLoop.Options(headerProvider: host.plugins.headerProvider)
    // The service may send events without limit.
    options.leastDistanceMilliseconds = 1000
    configuration = ConfigurationSource(
      host: host, format: format, storageKey: "configuration",
      pace: RegularPace(interval: settings.refreshMilliseconds, limit: settings.longestRetryMilliseconds),
      options: options)
    stream = ConfigurationStream(host: host, settings: settings, address: addresses.stream)
    stream.source = self
  }

  /// Whether changes are streamed, and not polled, while the stream is open.
  var isStreaming: Bool { stream.isRunning }

  /// A client that is ready knows its own visitor: this begins when the visitor is known, or has not come in time.
  func start() {
    beginning = host.scheduler.schedule(afterMilliseconds: VisitorOptions.lookUpMilliseconds) { [weak self] in
      self?.begin()
    }
  }

  func begin() {
    guard let timer = beginning else { return }
    timer.cancel()
    beginning = nil
    configuration.start()
  }

  func stop() {
    beginning?.cancel()
    beginning = nil
    stream.stop()
    configuration.stop()
  }

  func abandonAfterFork() {
    beginning = nil
    stream.abandonAfterFork()
    configuration.abandonAfterFork()
  }

  func setOnline(_ isOnline: Bool) {
    if !isOnline { stream.stop() }
    configuration.setOnline(isOnline)
  }

  func refresh() { configuration.refresh() }
  var statistics: [(group: String, name: String, value: Int64)] { configuration.statistics }

  /// A real-time event says that there is a newer configuration, or may have been missed.
  /// - Parameter timestamp: of the event; nil where it has none.
  func hear(at timestamp: Int64?) {
    configuration.format.expect(timestamp)
    configuration.fetchAgain()
  }

  func setStreaming(_ isWanted: Bool) {
    if isWanted, configuration.isRunning, configuration.mayStream, host.isOnline { stream.start() } else { stream.stop() }
  }

  /// Polls are left out while the stream is open.
  func streamIsOpen(_ isOpen: Bool) { configuration.hold(isOpen) }
}
