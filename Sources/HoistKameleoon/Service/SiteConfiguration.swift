internal import HoistBase
internal import HoistCore

/// The configuration of a site: stored, given, polled, and fetched as soon as the service says that there is a new one (2.2,
/// 2.4, 4.2; KAM-02, KAM-16, KAM-20, KAM-76, KAM-77). On the scheduler's thread.
final class SiteConfiguration: ConfigurationFormat, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let addresses: ServiceAddresses
  private let readiness: Readiness
  private let reports: ServiceReports
  private weak var provider: KameleoonProvider?

  /// Whether the served configuration wants changes to be streamed; nil without one.
  private(set) var streams: Bool?
  private var dateModified: Int64 = 0
  private var hasFailed = false
  /// The real-time event that the present fetch answers; nil for a poll.
  private var event: RealTimeEvent?
  /// The newest event, until it is asked for.
  private var nextEvent: RealTimeEvent?

  private struct RealTimeEvent {
    /// nil where it has none, or may have been missed.
    var timestamp: Int64?
  }

  init(
    host: any ProviderHost, settings: KameleoonSettings, addresses: ServiceAddresses, readiness: Readiness,
    reports: ServiceReports
  ) {
    self.host = host
    self.settings = settings
    self.addresses = addresses
    self.readiness = readiness
    self.reports = reports
  }

  func connect(_ provider: KameleoonProvider) { self.provider = provider }

  /// An event says that there is a newer configuration, or may have been missed.
  func expect(_ timestamp: Int64?) { nextEvent = RealTimeEvent(timestamp: timestamp ?? nextEvent?.timestamp) }

  var name: String { "the configuration of site \(settings.siteCode)" }
  var given: GivenDocument {
    GivenDocument(
      bytes: settings.defaultDatafile, path: settings.defaultDatafilePath, property: "default_datafile.file",
      limitBytes: settings.maximumResponseBytes)
  }

  func compile(_ document: [UInt8]) throws(FetchFailure) -> CompiledConfiguration {
    do throws(KameleoonConfigurationFailure) {
      return try KameleoonConfiguration.compile(document, ConfigurationOptions(settings, host))
    } catch {
      throw FetchFailure(.network, error.message)
    }
  }

  func discard(_ configuration: CompiledConfiguration) { configuration.snapshot.destroy() }

  /// The newer one; a document without a date is older than any (KAM-B11).
  func prefers(_ given: CompiledConfiguration, over stored: CompiledConfiguration) -> Bool {
    given.dateModified > stored.dateModified
  }

  func serve(_ configuration: CompiledConfiguration, from origin: ConfigurationOrigin) {
    streams = configuration.streams
    dateModified = configuration.dateModified
    if !addresses.follow(dataAPIDomain: configuration.dataAPIDomain) {
      host.log.warning("dataApiDomain of the configuration is no name of a host; data goes where it went before")
    }
    provider?.serve(configuration)
    readiness.becomeReady()
  }

  func begins(isServed: Bool) {
    // Of before a stop.
    (event, nextEvent) = (nil, nil)
    if isServed { readiness.becomeReady() }
  }

  func isOffline() {
    nextEvent = nil
    readiness.failed()
  }

  func request() -> HTTPRequest {
    if let nextEvent { event = nextEvent }
    nextEvent = nil
    var request = HTTPRequest(
      method: "GET", url: addresses.configuration(at: event?.timestamp),
      headers: [
        HTTPHeader("X-Kameleoon-SDK-Type", settings.sdkName), HTTPHeader("X-Kameleoon-SDK-Version", settings.sdkVersion),
      ])
    settings.limit(&request)
    return request
  }

  /// No answer, and an unexpected one, is followed by one more attempt at once (2.11). What the vendor makes of 403
  /// (§7-A9): an empty configuration, unless there is one.
  func meaning(of answer: FetchAnswer) -> AnswerMeaning {
    var meaning = AnswerMeaning.failed
    if case .success(let response) = answer.result {
      switch response.status {
      case 200...299: return .taken
      case 403: return settings.isStrictVendor ? .nothing : .refused
      case 404: meaning = .refused
      case let status: meaning = AnswerMeaning(status: status)
      }
    }
    return meaning != .kept && answer.attempt == 0 ? .again(afterMilliseconds: 0) : meaning
  }

  func answered(_ answer: FetchAnswer) {
    reports.attempt(.datafile, answer.result, begunNanoseconds: answer.begunNanoseconds)
  }

  func ended(_ outcome: FetchOutcome, _ answer: FetchAnswer?) {
    let source: DatafileUpdate.Source = event == nil ? .polling : .streaming
    event = nil
    switch outcome {
    case .updated:
      reports.updated(DatafileUpdate(source: source, dateModified: dateModified))
      succeeded()
    case .unchanged: succeeded()
    case .empty:
      if streams == nil, let empty = try? compile(Array(#"{"featureFlags":[]}"#.utf8)) { serve(empty, from: .service) }
      succeeded()
    case .failed:
      hasFailed = true
      readiness.failed()
      // Nothing is streamed until a fetch is good again (4.2).
      provider?.source.setStreaming(false)
    case .superseded: break
    }
  }

  private func succeeded() {
    hasFailed = false
    readiness.becomeReady()
    provider?.source.setStreaming(streams == true)
  }

  /// One that leads fetches first: that begins the stream.
  func leads(_ isLeading: Bool) { if !isLeading { provider?.source.setStreaming(false) } }

  func report(of outcome: FetchOutcome) -> LifeReport? {
    outcome == .empty ? .answered("the service has no configuration of site \(settings.siteCode)") : nil
  }

  /// Of streaming only polling is left after a failure, at an interval that was not made for that.
  var isUrgent: Bool { streams != false }
}
