internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// How recorded events become requests, and what the answers mean (protocols/optimizely.md 3.2, 5.6; OPT-72, OPT-98).
/// On the scheduler's thread.
final class OptimizelyEventPolicy: EventPolicy, @unchecked Sendable {
  private let settings: OptimizelySettings
  private let notifications: NotificationCenter
  private let host: any ProviderHost
  private let snapshots: ServedSnapshots

  init(settings: OptimizelySettings, notifications: NotificationCenter, host: any ProviderHost, snapshots: ServedSnapshots) {
    self.host = host
    self.snapshots = snapshots
    self.settings = settings
    self.notifications = notifications
  }

  var batchLimits: BatchLimits { BatchLimits(rows: settings.events.batchSize, bytes: 8 << 20) }

  func kept(_ recorded: ByteView) -> [UInt8] {
    QueuedImpression(recorded).flatMap { row(of: $0, in: recorded) }
      ?? QueuedConversion(recorded).flatMap { row(of: $0, in: recorded) } ?? Array(recorded)
  }

  /// Writes an impression out, with an id of its own.
  private func row(of kept: QueuedImpression, in recorded: ByteView) -> [UInt8]? {
    guard let snapshot = snapshots.find(kept.snapshot) else { return nil }
    return kept.withContext(in: recorded) { context in
      row(of: writer(snapshot, context).event(kept.impression, stamp(kept.unixMilliseconds)))
    }
  }

  private func row(of kept: QueuedConversion, in recorded: ByteView) -> [UInt8]? {
    guard let snapshot = snapshots.find(kept.snapshot) else { return nil }
    return kept.withContext(in: recorded) { context in
      let (writer, stamp) = (writer(snapshot, context), stamp(kept.unixMilliseconds))
      let event = kept.tags(in: recorded)?.withRoot { writer.event(kept.event, tags: $0, stamp) }
      return row(of: event ?? writer.event(kept.event, tags: nil, stamp))
    }
  }

  private func writer(_ snapshot: Snapshot, _ context: FrozenContext?) -> EventWriter {
    EventWriter(base: snapshot.base, context: context, client: settings.events.client)
  }

  private func stamp(_ unixMilliseconds: Int64) -> EventStamp {
    EventStamp(unixMilliseconds: unixMilliseconds, uuid: UUIDv4(from: host.entropy).text)
  }

  private func row(of event: UserEvent) -> [UInt8] {
    RecordedEvent.withRow(of: event, url: settings.events.address(for: event.region)) { Array($0) }
  }

  /// Neighbours of one address, project, revision and region.
  func batchLength(_ rows: [EventRow]) -> Int {
    guard let first = rows.first.flatMap({ RecordedEvent($0.payload) }) else { return 1 }
    return 1 + rows.dropFirst().prefix { RecordedEvent($0.payload)?.route == first.route }.count
  }

  func encode(_ batch: EventBatch) -> EventEncoding {
    let records = batch.rows.map { RecordedEvent($0.payload) }
    let broken = zip(batch.rows, records).filter { $0.1 == nil }.map(\.0.id)
    guard broken.isEmpty, let first = records.first ?? nil else {
      return .reject(ids: broken, reason: "they cannot be read")
    }
    var body = Array(first.head)
    for (index, record) in records.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      if let record { body += record.visitor }
    }
    body += "]}".utf8
    guard let request = request(first.region, first.url, body) else {
      return .reject(ids: batch.rows.map(\.id), reason: "their address is no URL")
    }
    return .request(request)
  }

  /// - Parameter address: empty for the service's own; nil is returned for what is no URL.
  private func request(_ region: OptimizelyRegion, _ address: ArraySlice<UInt8>, _ body: [UInt8]) -> HTTPRequest? {
    let address = address.isEmpty ? region.eventsURL.description : String(decoding: address, as: UTF8.self)
    guard (try? URLText(address)) != nil else { return nil }
    var request = HTTPRequest(
      method: "POST", url: address, headers: [HTTPHeader("Content-Type", "application/json")], body: body)
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    request.timeoutMilliseconds = settings.timeoutMilliseconds
    request.maximumResponseBytes = 1 << 20
    return request
  }

  /// To where events of its region go.
  func forwarded(_ batch: ForwardedBatch) -> ForwardedRequest {
    let isEuropean = try? JSONNode.judge(batch.body) { $0["region"]?.bytes?.reads("EU") ?? false }
    let region: OptimizelyRegion = isEuropean == true ? .eu : .us
    return request(region, settings.events.address(for: region)[...], batch.body).map { .request($0, .elementsOf("visitors")) }
      ?? .unsupported
  }

  /// Just before each attempt (3.4), when the host has been asked for its headers.
  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    host.addDynamicHeaders(to: request) { [notifications] request in
      notifications.post(.logEvent) { LogEventNotice.json(url: request.url, body: request.body ?? []) }
      completion(request)
    }
  }

  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict { .standard(answer) }

  func describe(_ row: EventRow) -> String { RecordedEvent(row.payload)?.key.map { "event \($0)" } ?? "" }
}
