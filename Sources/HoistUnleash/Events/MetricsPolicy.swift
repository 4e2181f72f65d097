internal import HoistBase
internal import HoistCore

/// How records of metrics become requests, and what the answers mean (protocol B.3, D.2, D.4). On the scheduler's thread.
final class MetricsPolicy: EventPolicy, @unchecked Sendable {
  static let counts = "metrics"
  static let events = "events"
  /// Tracked events that are counted together in one request.
  private static let eventsPerRequest = 500

  private let host: any ProviderHost
  private let settings: UnleashSettings
  private let headers: RequestHeaders
  private let headerProvider: (any HeaderProvider)?
  private let body: MetricsBody
  private var pace: RetryPace
  var willFlush: () -> Void = {}
  /// How often a batch that the service refuses is sent.
  private static let maximumAttempts = 5
  /// Batches that were refused, whether they wait or are given up.
  private(set) var refusals: UInt64 = 0

  init(host: any ProviderHost, settings: UnleashSettings, headerProvider: (any HeaderProvider)?) {
    self.host = host
    self.headerProvider = headerProvider
    self.settings = settings
    headers = RequestHeaders(options: settings)
    body = MetricsBody(options: settings)
    pace = RetryPace(intervalMilliseconds: max(1000, settings.metricsSeconds * 1000))
  }

  /// An interval of 0 sends on flush only (G-14 of the protocol page).
  static func intervalMilliseconds(_ settings: UnleashSettings) -> Int64 {
    settings.metricsSeconds > 0 ? settings.metricsSeconds * 1000 : Int64.max / 4_000_000
  }

  private var url: URLText? {
    // The frontend URL may end in a slash; the endpoint is below it either way.
    settings.url?.appendingPath("client/metrics")
  }

  func willFlush(_ pipeline: EventPipeline) {
    if pipeline.options.name == Self.counts { willFlush() }
  }

  /// A closed bucket is a body of its own; events are counted together.
  func batchLength(_ rows: [EventRow]) -> Int {
    guard let first = rows.first, first.pipeline == Self.events else { return 1 }
    return min(rows.count, Self.eventsPerRequest)
  }

  func encode(_ batch: EventBatch) -> EventEncoding {
    guard let url, let first = batch.rows.first else { return .later }
    let content = first.pipeline == Self.counts ? first.payload : body.make(events: batch.rows)
    var request = HTTPRequest(method: "POST", url: url.text, body: content)
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    request.timeoutMilliseconds = settings.timeoutMilliseconds
    request.maximumResponseBytes = 1 << 20
    return .request(request)
  }

  /// Headers at the last moment: a token may be fresh (UNL-22, UNL-47, UNL-48).
  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    let headers = headers
    let purpose: RequestHeaders.Purpose = settings.mode == .frontend ? .frontendMetrics : .backendMetrics
    host.dynamicHeaders(from: headerProvider, for: url?.redacted ?? "") { dynamic in
      var request = request
      request.headers = headers.make(purpose, dynamic: dynamic)
      MetricsSender.adopt(from: request.body ?? [], into: &request.headers)
      completion(request)
    }
  }

  /// Success is 2xx (G-3); everything else is told and tried again at the vendor's pace (D.2).
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    let failure: FetchFailure
    switch answer {
    case .success(let response) where (200...299).contains(response.status):
      _ = pace.succeeded()
      return .done
    case .success(let response) where response.status == 400 || response.status == 413 || response.status == 422:
      return refused(response.status, batch)
    case .success(let response): failure = FetchFailure.status(response, now: host.clock.unixMilliseconds)
    case .failure(let transport): failure = .noResponse(transport)
    }
    tell(failure.message, failure.unleashStatus)
    if case .network(_, let wait?) = failure, wait > pace.intervalMilliseconds { return .retry(afterMilliseconds: wait) }
    switch pace.failed(failure, mayRefreshKey: headerProvider != nil) {
    case .after(let milliseconds): return .pause(milliseconds: milliseconds)
    case .stop: return .pause(milliseconds: pace.intervalMilliseconds * RetryPace.maximumFailures)
    }
  }

  /// They are restored like others (D.4), but the same bytes may be refused for ever.
  private func refused(_ status: Int, _ batch: EventBatch) -> EventVerdict {
    refusals &+= 1
    let isLast = batch.attempt >= Self.maximumAttempts
    let message = "the service refuses these metrics with \(status)" + (isLast ? "; they are dropped" : "")
    tell(message, .unleashNetwork)
    return isLast ? .drop(reason: message) : .pause(milliseconds: pace.intervalMilliseconds)
  }

  private func tell(_ message: String, _ status: Status) {
    for topic in [Topic.sendFailed, .error] {
      host.notify(Notification(topic, status: status, message: "sending metrics failed: \(message)"))
    }
  }

  func delivered(_ batch: EventBatch) { host.notify(Notification(.eventsSent, message: batch.rows.first?.pipeline ?? "")) }
}
