internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// How events of the data platform travel, and what its answers mean (protocols/optimizely.md 3.6, 5.7). On the
/// scheduler's thread.
final class PlatformEventPolicy: EventPolicy, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: PlatformSettings
  /// Where requests go now.
  var address: PlatformAddress?

  init(host: any ProviderHost, settings: PlatformSettings) {
    self.host = host
    self.settings = settings
  }

  var batchLimits: BatchLimits { BatchLimits(rows: 10) }

  func encode(_ batch: EventBatch) throws(JSONFailure) -> EventEncoding {
    guard let address else { return .later }
    // What is stored may have been damaged: one bad row would have its whole request refused.
    var torn: [String] = []
    for row in batch.rows where try JSONNode.judge(row.payload, { $0.object != nil }) == false { torn.append(row.id) }
    if !torn.isEmpty { return .reject(ids: torn, reason: "a stored event cannot be read") }
    var body = JSONWriter()
    body.array { body in for row in batch.rows { body.raw(row.payload) } }
    return .request(request(address, body.bytes))
  }

  private func request(_ address: PlatformAddress, _ body: [UInt8]) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", url: address.host + "/v3/events",
      headers: [HTTPHeader("content-type", "application/json"), HTTPHeader("x-api-key", address.apiKey)], body: body)
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    request.timeoutMilliseconds = settings.eventTimeoutMilliseconds
    request.maximumResponseBytes = 1 << 20
    return request
  }

  func forwarded(_ batch: ForwardedBatch) -> ForwardedRequest {
    address.map { .request(request($0, batch.body), .elements) } ?? .later("no datafile has named the data platform yet")
  }

  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    host.dynamicHeaders(for: request.url) { headers in
      var request = request
      for header in headers { request.headers.set(header.name, header.value) }
      completion(request)
    }
  }

  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict { .standard(answer) }
}
