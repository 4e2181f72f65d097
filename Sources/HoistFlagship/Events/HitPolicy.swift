internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// How pooled hits become batches (3.5, 5.5; FS-17, FS-18, FS-201). On the scheduler's thread.
final class HitPolicy: EventPolicy, @unchecked Sendable {
  /// The vendor's limit of a body.
  static let maximumBatchBytes = 2_621_440
  static let maximumBatchRows = 1_000

  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let telemetry: Telemetry
  private let refusals: SubjectRefusals
  private var times: RequestTimes
  /// The body of a batch up to its first item.
  private let envelope: [UInt8]
  private let sendFirst: () -> Void

  /// - Parameter sendFirst: sends what has to go before hits.
  init(
    host: any ProviderHost, settings: FlagshipSettings, telemetry: Telemetry, refusals: SubjectRefusals,
    sendFirst: @escaping () -> Void
  ) {
    self.refusals = refusals
    self.sendFirst = sendFirst
    self.telemetry = telemetry
    times = RequestTimes(host.clock)
    self.host = host
    self.settings = settings
    var writer = JSONWriter()
    writer.verbatim(#"{"t":"BATCH","cid":"#)
    writer.string(settings.environmentID)
    writer.verbatim(#","ds":"APP","h":["#)
    envelope = writer.bytes
  }

  private var isBatching: Bool { settings.hits.strategy != .none }

  func kept(_ recorded: ByteView) -> [UInt8] {
    RecordedHit(recorded)?.item(environmentID: settings.environmentID, isQA: settings.hits.isQA) ?? Array(recorded)
  }

  var batchLimits: BatchLimits { BatchLimits(rows: isBatching ? Self.maximumBatchRows : 1) }

  /// Kept activates go before hits (5.5).
  func willFlush(_ pipeline: EventPipeline) { sendFirst() }

  func batchLength(_ rows: [EventRow]) -> Int {
    var bytes = envelope.count + 2
    return rows.prefix { row in
      bytes += row.payload.count + QueuedItem.growth
      return bytes <= Self.maximumBatchBytes
    }.count
  }

  func encode(_ batch: EventBatch) throws(JSONFailure) -> EventEncoding {
    var broken: [String] = []
    for row in batch.rows where try QueuedItem.isSound(row.payload) == false { broken.append(row.id) }
    guard broken.isEmpty else { return .reject(ids: broken, reason: "they cannot be read") }
    let now = host.clock.unixMilliseconds
    var body = isBatching ? envelope : []
    for (index, row) in batch.rows.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      QueuedItem.append(row.payload, createdUnixMilliseconds: row.createdUnixMilliseconds, now: now, to: &body)
    }
    if isBatching { body += "]}".utf8 }
    return .request(ServiceRequest(settings).post(settings.addresses.hits, body: body))
  }

  func prepare(_ request: HTTPRequest, of batch: EventBatch, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    refusals.check(batch) { [self] isKnown in
      guard isKnown else { return completion(nil) }
      if telemetry.isAsked { times.begin(batch.id) }
      host.addDynamicHeaders(to: request, completion: completion)
    }
  }

  func forwarded(_ batch: ForwardedBatch) -> ForwardedRequest {
    .request(ServiceRequest(settings).post(settings.addresses.hits, body: batch.body), .elementsOf("h"))
  }

  func prepareForwarded(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    host.addDynamicHeaders(to: request, completion: completion)
  }

  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    telemetry.answered(.hitsError, settings.addresses.hits, answer, milliseconds: times.end(batch.id))
    return EventVerdict.standard(answer).resting
  }

  func describe(_ row: EventRow) -> String {
    (try? JSONDocument(parsing: row.payload))?.withRoot { $0.object?.member("t")?.string }.map { "a hit of type \($0)" } ?? ""
  }
}
