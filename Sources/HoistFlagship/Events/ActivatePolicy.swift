internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// How exposures become activates (3.4, 5.4, 5.5). On the scheduler's thread.
final class ActivatePolicy: EventPolicy, @unchecked Sendable {
  /// In one request.
  static let maximumBatchRows = 100

  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let telemetry: Telemetry
  private let refusals: SubjectRefusals
  private var times: RequestTimes
  private let status: StatusMachine

  init(
    host: any ProviderHost, settings: FlagshipSettings, telemetry: Telemetry, refusals: SubjectRefusals,
    status: StatusMachine
  ) {
    self.refusals = refusals
    self.host = host
    self.settings = settings
    self.telemetry = telemetry
    times = RequestTimes(host.clock)
    self.status = status
  }

  func kept(_ recorded: ByteView) -> [UInt8] {
    RecordedExposure.row(recorded, isQA: settings.hits.isQA)?.payload ?? Array(recorded)
  }

  var batchLimits: BatchLimits { BatchLimits(rows: Self.maximumBatchRows) }

  func encode(_ batch: EventBatch) throws(JSONFailure) -> EventEncoding {
    let rows = batch.rows.map { (row: $0, activate: ActivateRow($0.payload)) }
    var broken: [String] = []
    for row in rows where try row.activate?.isSound() != true { broken.append(row.row.id) }
    guard broken.isEmpty else { return .reject(ids: broken, reason: "they cannot be read") }
    let now = host.clock.unixMilliseconds
    var writer = JSONWriter(reservingCapacity: 64)
    writer.verbatim(#"{"cid":"#)
    writer.string(settings.environmentID)
    writer.verbatim(#","batch":["#)
    var body = writer.bytes
    // Unbatched: the new one first, then the stored ones (3.4), oldest first. Batched: oldest first.
    let ordered = settings.hits.batchesActivates ? rows : rows.suffix(1) + rows.dropLast()
    for (place, entry) in ordered.enumerated() {
      if place > 0 { body.append(UInt8(ascii: ",")) }
      QueuedItem.append(
        entry.activate?.item ?? [], createdUnixMilliseconds: entry.row.createdUnixMilliseconds, now: now, to: &body)
    }
    body += "]}".utf8
    return .request(ServiceRequest(settings).post(settings.addresses.activate, body: body))
  }

  func prepare(_ request: HTTPRequest, of batch: EventBatch, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    refusals.check(batch) { [self] isKnown in
      guard isKnown else { return completion(nil) }
      if telemetry.isAsked { times.begin(batch.id) }
      host.addDynamicHeaders(to: request, completion: completion)
    }
  }

  func forwarded(_ batch: ForwardedBatch) -> ForwardedRequest {
    .request(ServiceRequest(settings).post(settings.addresses.activate, body: batch.body), .elementsOf("batch"))
  }

  func prepareForwarded(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    host.addDynamicHeaders(to: request, completion: completion)
  }

  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    telemetry.answered(.activateError, settings.addresses.activate, answer, milliseconds: times.end(batch.id))
    return EventVerdict.standard(answer).resting
  }

  /// Only now the visitor counts as exposed (FS-26), also when an earlier process saw it.
  func delivered(_ batch: EventBatch) {
    guard status.hearsOfExposures else { return }
    for row in batch.rows {
      guard let activate = ActivateRow(row.payload), activate.isTold else { continue }
      status.observers.tell(through: host.onDeliveryLane) { observer in
        observer.hearsOfExposures ? { @Sendable in observer.exposed(visitor: activate.visitor, flag: activate.flag) } : nil
      }
    }
  }
}
