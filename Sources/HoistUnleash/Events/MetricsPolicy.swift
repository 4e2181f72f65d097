internal import HoistBase
internal import HoistCore
internal import HoistJSON

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
  /// Of a pipeline that begins.
  let pace: UnleashPace
  /// Whose requests these are.
  weak var reporter: MetricsReporter?
  /// The last answer has refused the key.
  private(set) var isRefused = false

  init(host: any ProviderHost, settings: UnleashSettings, headerProvider: (any HeaderProvider)?) {
    self.host = host
    self.headerProvider = headerProvider
    self.settings = settings
    headers = RequestHeaders(options: settings)
    body = MetricsBody(options: settings)
    pace = UnleashPace(
      interval: max(1000, settings.metricsSeconds * 1000), limit: settings.longestRetryMilliseconds,
      mayRefreshKey: headerProvider != nil)
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
    if pipeline.options.name == Self.counts { reporter?.seal() }
  }

  /// A closed bucket is a body of its own; events are counted together.
  func batchLength(_ rows: [EventRow]) -> Int {
    guard let first = rows.first, first.pipeline == Self.events else { return 1 }
    return min(rows.count, Self.eventsPerRequest)
  }

  func encode(_ batch: EventBatch) throws(JSONFailure) -> EventEncoding {
    guard let url, let first = batch.rows.first else { return .later }
    let content = first.pipeline == Self.counts ? first.payload : try body.make(events: batch.rows)
    return .request(request(url, content))
  }

  private func request(_ url: URLText, _ content: [UInt8]) -> HTTPRequest {
    var request = HTTPRequest(method: "POST", url: url.text, body: content)
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    request.timeoutMilliseconds = settings.timeoutMilliseconds
    request.maximumResponseBytes = 1 << 20
    return request
  }

  /// A bucket is one count, and so are events that were counted together.
  func forwarded(_ batch: ForwardedBatch) -> ForwardedRequest {
    url.map { .request(request($0, batch.body), .none) } ?? .unsupported
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

  /// The vendor's kinds and pace for what may pass (D.2), 404 among it: it speaks of the address. What is refused is
  /// the core's to take apart.
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    let failures = UnleashFailure(what: "sending metrics failed", pace: pace, clock: host.clock)
    if case .success(let response) = answer { isRefused = response.status == 401 || response.status == 403 }
    switch (EventVerdict.standard(answer), answer) {
    case (.failed, .success(let response)): return .failed(failures.status(response))
    case (.failed, .failure(let transport)): return .failed(failures.transport(transport))
    case (.refused, .success(let response)) where response.status == 404: return .failed(failures.status(response))
    case (let verdict, _): return verdict
    }
  }

  func describe(_ row: EventRow) -> String { TrackedEventText.key(row.payload).map { "event \($0)" } ?? "" }
}
