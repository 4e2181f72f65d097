internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Whom deliveries concern. On the scheduler's thread.
protocol DeliveryListener: AnyObject {
  /// A payload has been made.
  func madePayload(ofEvents count: Int)
  /// The service refuses events for good, with this status.
  func deliveryEnded(_ status: Int)
  /// - Parameter status: the service's answer, when it is no success; nil when there was none, for this cause.
  func deliveryFailed(_ status: Int?, _ cause: String)
}

/// How recorded events become payloads, and what the answers mean (protocols/launchdarkly.md 2.4, 4.4.7). On the
/// scheduler's thread.
final class LaunchDarklyEventPolicy: EventPolicy, @unchecked Sendable {
  private static let summaryStart: StaticString = #"{"kind":"summary","#

  struct Options: Sendable {
    var url: String
    var timeoutMilliseconds: Int64 = 10_000
    var flushMilliseconds: Int64 = 30_000
    /// LD-93: a refused key may be accepted later.
    var retriesRefusals = false
    /// Answers mean what they mean to a server (server 2.4).
    var isServer = false
    var compresses = false
    /// LD-90: a payload has as many summaries as contexts; else one.
    var summarizesPerContext = false
  }

  private let options: Options
  private let headers: any HeaderSource
  private let capacity: EventCapacity
  private let serverTime: ServerTime
  /// Parts of payloads that were refused, which have not been encoded yet.
  private var divided: Set<String> = []
  /// The same as long as they are here.
  private var parts: Set<String> = []
  private let clock: any Clock

  weak var outlet: EventOutlet?
  weak var listener: (any DeliveryListener)?

  init(options: Options, headers: any HeaderSource, capacity: EventCapacity, serverTime: ServerTime, clock: any Clock) {
    self.options = options
    self.headers = headers
    self.capacity = capacity
    self.serverTime = serverTime
    self.clock = clock
  }

  func willFlush(_ pipeline: EventPipeline) { outlet?.seal() }

  /// Several processes that were killed have left a summary each: a payload has one.
  func batchLength(_ rows: [EventRow]) -> Int {
    guard !options.summarizesPerContext else { return rows.count }
    return rows.indices.filter { Self.isSummary(rows[$0]) }.dropFirst().first ?? rows.count
  }

  /// One payload with everything, summaries last.
  func encode(_ batch: EventBatch) throws(JSONFailure) -> EventEncoding {
    // Those from a store may be anything, and one of them would spoil the payload.
    var broken: [String] = []
    for row in batch.rows where try JSONNode.judge(row.payload, { $0.kind == .object }) == false { broken.append(row.id) }
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
    if divided.remove(batch.id) == nil {
      capacity.giveBack(batch.rows.count - summaries.count)
      listener?.madePayload(ofEvents: batch.rows.count)
    }
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

  func forwarded(_ batch: ForwardedBatch) -> ForwardedRequest {
    .request(request(batch.body, id: batch.payloadID), .elements)
  }

  private static func isSummary(_ row: EventRow) -> Bool {
    row.payload.withUnsafeBytes { bytes in summaryStart.withBytes { bytes.hasPrefix($0) } }
  }

  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    headers.prepare(request.headers, for: request.url) { headers in
      var request = request
      request.headers = headers
      completion(request)
    }
  }

  /// What ends events or is not to be tried again is a matter of the side; the rest is the core's to judge.
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    let verdict = EventVerdict.standard(answer)
    let response = try? answer.get()
    if verdict == .done {
      if let response { serverTime.learn(from: response, nowUnixMilliseconds: clock.unixMilliseconds) }
      return .done
    }
    let status = response?.status ?? 0
    let isOfTheKey = Refusal.isMeant(byStatus: status) && options.retriesRefusals
    if !isOfTheKey, options.isServer ? EventAnswerClass.endsServerEvents(status) : (status == 401) {
      if options.isServer { outlet?.end() }
      listener?.deliveryEnded(status)
      return .drop(reason: "the service refuses the \(options.isServer ? "SDK" : "mobile") key (\(status))")
    }
    let cause = if case .failure(let failure) = answer { failure.message } else { "" }
    listener?.deliveryFailed(response?.status, cause)
    if !isOfTheKey, status == 403 || status == 404 { return .drop(reason: "the service answered \(status)") }
    // Once more as it is, and in parts then.
    let isFirst = options.isServer && batch.attempt == 1 && !parts.contains(batch.id)
    if status == 400, isFirst { return .failed(FetchFailure(.network, "the service answered 400")) }
    return verdict
  }

  func delivered(_ batch: EventBatch) { parts.remove(batch.id) }
  func dropped(_ batch: EventBatch) { parts.remove(batch.id) }

  /// Their places were given back with the whole.
  func divided(_ batch: EventBatch, into parts: [EventBatch]) {
    divided.formUnion(parts.map(\.id))
    self.parts.remove(batch.id)
    self.parts.formUnion(parts.map(\.id))
  }

  func describe(_ row: EventRow) -> String {
    (try? JSONDocument(parsing: row.payload))?.withRoot { root in
      root.object?.member("kind")?.string.map { kind in "\(kind) \(root.object?.member("key")?.string ?? "")" }
    } ?? ""
  }
}
