internal import HoistBase
internal import HoistCore

/// Brings the configuration: stored, given, polled, and as soon as the service says that there is a new one (2.2, 2.4, 4.2;
/// KAM-02, KAM-16, KAM-20, KAM-76, KAM-77). On the scheduler's thread.
final class ConfigurationSource: @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let addresses: ServiceAddresses
  private let readiness: Readiness
  private let reports: ServiceReports
  private let storage: DocumentStorage
  private let stream: ConfigurationStream
  private lazy var poller = DocumentPoller(host: host, attempts: 2) { [weak self] in
    self?.request() ?? HTTPRequest(method: "GET", url: "")
  } ended: { [weak self] in
    self?.finish($0)
  }

  /// Takes what is served from now on.
  var serve: (CompiledConfiguration) -> Void = { $0.snapshot.destroy() }

  /// Whether what is served wants changes to be streamed; nil while nothing is.
  private var streams: Bool?
  private var isRunning = false
  /// A fetch has failed since the last one that did not: then only the next good one may stream again.
  private var hasFailed = false
  /// Of the event that the present fetch answers; nil for a poll.
  private var timestamp: Int64?
  /// Of an event that came while a fetch was under way.
  private var nextTimestamp: Int64?
  /// Moves on with each start and stop: what belongs to an earlier one is over.
  private var generation: UInt64 = 0
  private var failures = FetchFailures()
  /// Between a failure and the next attempt, while that is sooner than the next poll.
  private var backoff = Backoff(baseMilliseconds: 3000, capMilliseconds: 60_000, jitter: 0.5)

  init(
    host: any ProviderHost, settings: KameleoonSettings, addresses: ServiceAddresses, readiness: Readiness, reports: ServiceReports
  ) {
    self.host = host
    self.settings = settings
    self.addresses = addresses
    self.readiness = readiness
    self.reports = reports
    storage = DocumentStorage(store: host.store, key: "configuration")
    stream = ConfigurationStream(host: host, settings: settings, address: addresses.stream)
    stream.updated = { [weak self] in self?.fetch(at: $0) }
    poller.attempted = { [weak self] in self?.reports.attempt(.datafile, $0, begunNanoseconds: $1) }
    poller.isPassing = Self.isPassing
  }

  // MARK: Life

  /// Whether changes are streamed, and not polled, while the stream stands.
  var isStreaming: Bool { stream.isRunning }

  func start() {
    guard !isRunning else { return }
    isRunning = true
    generation &+= 1
    guard streams == nil else {
      readiness.becomeReady()
      return fetch(at: nil)
    }
    let mine = generation
    storage.load { [weak self] stored in
      guard let self, isRunning, mine == generation else { return }
      serveFirst(stored)
      fetch(at: nil)
    }
  }

  func stop() {
    stream.stop()
    poller.stop()
    end()
  }

  func abandonAfterFork() {
    stream.abandonAfterFork()
    poller.abandonAfterFork()
    end()
  }

  private func end() {
    isRunning = false
    generation &+= 1
    nextTimestamp = nil
    hasFailed = false
    backoff.reset()
  }

  func setOnline(_ isOnline: Bool) {
    if isOnline { return refresh() }
    stream.stop()
    poller.stop()
    nextTimestamp = nil
    if isRunning { readiness.failed("offline") }
  }

  /// Fetches now.
  func refresh() { if isRunning { fetch(at: nil) } }

  // MARK: What is there before the first fetch

  /// The stored configuration, or the host's when that is newer, or when it has no date and nothing is stored (KAM-B11).
  private func serveFirst(_ document: StoredDocument?) {
    let stored = document.flatMap { compiled($0.bytes, "the stored configuration") }
    let given = givenBytes().flatMap { compiled($0, "the default data file") }
    guard let first = stored ?? given else { return }
    guard let stored, let given else { return take(first, lastModified: stored == nil ? nil : document?.lastModified, nil) }
    let (served, other) = given.dateModified > stored.dateModified ? (given, stored) : (stored, given)
    other.snapshot.destroy()
    // The date of another document would make the service answer "unchanged".
    take(served, lastModified: given.dateModified > stored.dateModified ? nil : document?.lastModified, nil)
  }

  private func givenBytes() -> [UInt8]? {
    if let bytes = settings.defaultDatafile { return bytes }
    guard !settings.defaultDatafilePath.isEmpty else { return nil }
    do throws(FileContent.Failure) {
      return try FileContent.read(path: settings.defaultDatafilePath, limitBytes: settings.maximumResponseBytes)
    } catch {
      host.log.error("default_datafile.file: \(error.message)")
      return nil
    }
  }

  private func compiled(_ bytes: [UInt8], _ origin: String) -> CompiledConfiguration? {
    do throws(KameleoonConfigurationFailure) {
      return try KameleoonConfiguration.compile(bytes, ConfigurationOptions(settings, host))
    } catch {
      host.log.error("\(origin) is left aside: \(error.message)")
      return nil
    }
  }

  /// - Parameter source: nil for what was there before.
  private func take(_ configuration: CompiledConfiguration, lastModified: String?, _ source: DatafileUpdate.Source?) {
    poller.lastModified = lastModified
    streams = configuration.streams
    if !addresses.follow(dataAPIDomain: configuration.dataAPIDomain) {
      host.log.warning("dataApiDomain of the configuration is no name of a host; data goes where it went before")
    }
    let dateModified = configuration.dateModified
    serve(configuration)
    readiness.becomeReady()
    if let source { reports.updated(DatafileUpdate(source: source, dateModified: dateModified)) }
  }

  // MARK: Fetches

  func fetch(at timestamp: Int64?) {
    guard host.isOnline else { return readiness.failed("offline") }
    if poller.isFetching {
      // What is under way may have been answered before the event.
      if let timestamp { nextTimestamp = timestamp }
      return
    }
    self.timestamp = timestamp
    poller.fetch()
  }

  private func request() -> HTTPRequest {
    var request = HTTPRequest(
      method: "GET", url: addresses.configuration(at: timestamp),
      headers: [
        HTTPHeader("X-Kameleoon-SDK-Type", settings.sdkName), HTTPHeader("X-Kameleoon-SDK-Version", settings.sdkVersion),
      ])
    settings.limit(&request)
    return request
  }

  /// After these another attempt follows at once: what is no answer, and an answer that nobody expects (2.11).
  private static func isPassing(_ answer: DocumentPoller.Answer) -> Bool {
    guard case .success(let response) = answer else { return true }
    return !(200...299 ~= response.status || [304, 403].contains(response.status))
  }

  private func finish(_ answer: DocumentPoller.Answer) {
    let caused = timestamp
    switch answer {
    case .failure(let failure): failed("no answer: \(failure.message)")
    case .success(let response):
      switch response.status {
      case 200...299: received(response, caused)
      case 304 where streams != nil: succeeded()
      case 403 where settings.isStrictVendor: refused()
      default: failed("the service answered \(response.status)")
      }
    }
    guard let next = nextTimestamp else { return waitForNext() }
    nextTimestamp = nil
    fetch(at: next)
  }

  private func received(_ response: HTTPResponse, _ caused: Int64?) {
    let configuration: CompiledConfiguration
    do throws(KameleoonConfigurationFailure) {
      configuration = try KameleoonConfiguration.compile(response.body, ConfigurationOptions(settings, host))
    } catch {
      return failed(error.message)
    }
    storage.save(StoredDocument(bytes: response.body, lastModified: response.lastModified))
    take(configuration, lastModified: response.lastModified, caused == nil ? .polling : .streaming)
    succeeded()
  }

  /// What the vendor makes of 403 (§7-A9): an empty configuration, unless there is one.
  private func refused() {
    if streams == nil, let empty = compiled(Array("{}".utf8), "an empty configuration") { take(empty, lastModified: nil, nil) }
    succeeded()
  }

  private func succeeded() {
    hasFailed = false
    failures.clear()
    backoff.reset()
    readiness.becomeReady()
    guard isRunning else { return }
    if streams == true { stream.start() } else { stream.stop() }
  }

  /// What is served stays; nothing is streamed until a fetch is good again (4.2).
  private func failed(_ what: String) {
    hasFailed = true
    stream.stop()
    let message = "the configuration of site \(settings.siteCode): \(what)"
    readiness.failed(message)
    failures.tell(.network, message, host)
  }

  /// A failure is followed by the next attempt soon when nothing is served, or when only polling is left of streaming.
  private func waitForNext() {
    guard isRunning else { return }
    var pause = settings.refreshMilliseconds
    if hasFailed, streams != false { pause = min(pause, backoff.nextMilliseconds(host.entropy)) }
    poller.fetch(afterMilliseconds: pause) { [weak self] in self?.poll() }
  }

  private func poll() {
    guard stream.isOpen else { return fetch(at: nil) }
    waitForNext()
  }
}
