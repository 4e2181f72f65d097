internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// How events of the data platform travel, and what its answers mean (protocols/optimizely.md 3.6, 5.7). On the
/// scheduler's thread.
final class PlatformEventPolicy: EventPolicy, @unchecked Sendable {
  private static let attempts = 3
  private static let firstPauseMilliseconds: Int64 = 200
  private static let shortestRestMilliseconds: Int64 = 1_000
  private static let longestRestMilliseconds: Int64 = 60_000
  private static let longestWishMilliseconds: Int64 = 3_600_000

  private let host: any ProviderHost
  private let settings: PlatformSettings
  /// Where requests go now.
  var address: PlatformAddress?
  /// The next time all attempts are used up.
  private var restMilliseconds = shortestRestMilliseconds

  init(host: any ProviderHost, settings: PlatformSettings) {
    self.host = host
    self.settings = settings
  }

  var batchLimits: BatchLimits { BatchLimits(rows: 10) }

  func encode(_ batch: EventBatch) -> EventEncoding {
    guard let address else { return .later }
    // What is stored may have been damaged: one bad row would have its whole request refused.
    let torn = batch.rows.filter { row in (try? JSONDocument(parsing: row.payload))?.withRoot { $0.object == nil } ?? true }
    if !torn.isEmpty { return .reject(ids: torn.map(\.id), reason: "a stored event cannot be read") }
    var body = JSONWriter()
    body.array { body in for row in batch.rows { body.raw(row.payload) } }
    var request = HTTPRequest(
      method: "POST", url: address.host + "/v3/events",
      headers: [HTTPHeader("content-type", "application/json"), HTTPHeader("x-api-key", address.apiKey)], body: body.bytes)
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    request.timeoutMilliseconds = settings.eventTimeoutMilliseconds
    request.maximumResponseBytes = 1 << 20
    return .request(request)
  }

  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    host.dynamicHeaders(for: request.url) { headers in
      var request = request
      for header in headers { request.headers.set(header.name, header.value) }
      completion(request)
    }
  }

  /// Three attempts, with pauses of 200 and 400 ms; then what was not delivered stays for a later flush. A pause or a
  /// rest is never shorter than the service wishes.
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    let response = try? answer.get()
    switch PlatformEvent.outcome(ofStatus: response?.status) {
    case .delivered:
      restMilliseconds = Self.shortestRestMilliseconds
      return .done
    case .refused:
      return .drop(reason: "the data platform answered \(response?.status ?? 0)")
    case .retry:
      let wish = response?.headers.value(of: "Retry-After").flatMap {
        RetryAfter.milliseconds(
          $0, nowUnixMilliseconds: host.clock.unixMilliseconds, capMilliseconds: Self.longestWishMilliseconds)
      }
      guard batch.attempt < Self.attempts else { return .rest(afterMilliseconds: max(nextRest(), wish ?? 0)) }
      let pause = Self.firstPauseMilliseconds &<< Int64(max(0, batch.attempt - 1))
      if let wish, wish > pause { return .retry(afterMilliseconds: wish) }
      return .pause(milliseconds: pause)
    }
  }

  private func nextRest() -> Int64 {
    defer { restMilliseconds = min(restMilliseconds &* 2, Self.longestRestMilliseconds) }
    return restMilliseconds
  }
}
