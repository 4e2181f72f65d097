internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// How recorded events become payloads, and what the answers mean (protocols/launchdarkly.md 2.4, 4.4.7). On the
/// scheduler's thread.
final class LaunchDarklyEventPolicy: EventPolicy, @unchecked Sendable {
  private static let retryMilliseconds: Int64 = 1000
  private static let summaryStart: StaticString = #"{"kind":"summary","#

  struct Options: Sendable {
    var url: String
    var timeoutMilliseconds: Int64 = 10_000
    var flushMilliseconds: Int64 = 30_000
    /// A payload that has failed twice is dropped, as the vendor's clients do, and not kept for the next flush.
    var dropsAfterRetry = false
    /// LD-93: a refused key may be accepted later.
    var retriesRefusals = false
    var compresses = false
  }

  private let options: Options
  private let capacity: EventCapacity
  private let serverTime: ServerTime
  private let clock: any Clock

  /// Headers that all requests have; `completion` runs on the scheduler's thread.
  var headers: (_ url: String, _ own: [HTTPHeader], _ completion: @escaping @Sendable ([HTTPHeader]) -> Void) -> Void = {
    $2($1)
  }
  /// Seals what has been counted.
  var aboutToFlush: () -> Void = {}
  /// A payload of so many events has been made.
  var made: (Int) -> Void = { _ in }
  /// The service refuses the mobile key.
  var unauthorized: () -> Void = {}
  /// The service's answer, when it is no success; nil when there was none.
  var failed: (_ status: Int?) -> Void = { _ in }
  var sent: () -> Void = {}

  init(options: Options, capacity: EventCapacity, serverTime: ServerTime, clock: any Clock) {
    self.options = options
    self.capacity = capacity
    self.serverTime = serverTime
    self.clock = clock
  }

  func willFlush(_ pipeline: EventPipeline) { aboutToFlush() }

  /// One payload with everything, summaries last.
  func encode(_ batch: EventBatch) -> EventEncoding {
    // Those from a store may be anything, and one of them would spoil the payload.
    let broken = batch.rows.filter { !Self.isEvent($0.payload) }.map(\.id)
    guard broken.isEmpty else { return .reject(ids: broken, reason: "they are no JSON objects") }
    let summaries = batch.rows.filter { Self.isSummary($0) }
    let ordered = batch.rows.filter { !Self.isSummary($0) } + summaries
    var body: [UInt8] = []
    body.reserveCapacity(batch.rows.reduce(2) { $0 + $1.payload.count + 1 })
    for row in ordered {
      body.append(body.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
      body += row.payload
    }
    body.append(UInt8(ascii: "]"))
    capacity.giveBack(batch.rows.count - summaries.count)
    made(batch.rows.count)
    return .request(request(body, id: batch.id))
  }

  private func request(_ body: [UInt8], id: String) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", url: options.url,
      headers: [
        HTTPHeader("Content-Type", "application/json"), HTTPHeader("Accept", "application/json"),
        HTTPHeader("X-LaunchDarkly-Event-Schema", "4"), HTTPHeader("X-LaunchDarkly-Payload-ID", id),
      ],
      body: body)
    request.connectTimeoutMilliseconds = options.timeoutMilliseconds
    request.timeoutMilliseconds = options.timeoutMilliseconds
    request.maximumResponseBytes = 1 << 20
    request.compressesBody = options.compresses
    return request
  }

  private static func isSummary(_ row: EventRow) -> Bool {
    row.payload.withUnsafeBytes { bytes in summaryStart.withBytes { bytes.hasPrefix($0) } }
  }

  private static func isEvent(_ payload: [UInt8]) -> Bool {
    let kind = try? payload.withUnsafeBytes { bytes in try JSONNode.parse(bytes) { $0.kind } }
    return kind == .object
  }

  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    headers(request.url, request.headers) { headers in
      var request = request
      request.headers = headers
      completion(request)
    }
  }

  /// A failure that may pass: once again after a second, the same bytes under the same id; after that, with the next flush.
  /// The rest is dropped, and 401 takes the client offline, unless refusals are to be tried again.
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    let response = try? answer.get()
    if options.retriesRefusals, let response, Refusal.isMeant(byStatus: response.status) {
      failed(response.status)
      if !options.dropsAfterRetry { return .pause(milliseconds: Refusal.pauseMilliseconds) }
      return .drop(reason: "the service answered \(response.status)")
    }
    switch EventAnswerClass(answer) {
    case .taken:
      if let response { serverTime.learn(from: response, nowUnixMilliseconds: clock.unixMilliseconds) }
      return .done
    case .passing:
      failed(response?.status)
      return again(batch)
    case .unauthorized:
      unauthorized()
      return .drop(reason: "the service refuses the mobile key (401)")
    case .refused:
      failed(response?.status)
      return .drop(reason: "the service answered \(response?.status ?? 0)")
    }
  }

  private func again(_ batch: EventBatch) -> EventVerdict {
    if !batch.attempt.isMultiple(of: 2) { return .retry(afterMilliseconds: Self.retryMilliseconds) }
    if options.dropsAfterRetry { return .drop(reason: "the service could not take them twice") }
    // Not taken apart: the id stays, so that the service knows a payload that it has had after all.
    return .pause(milliseconds: max(Self.retryMilliseconds, options.flushMilliseconds))
  }

  func delivered(_ batch: EventBatch) { sent() }
}
