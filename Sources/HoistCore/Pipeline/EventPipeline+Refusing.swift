internal import HoistBase
internal import HoistJSON

/// What is refused for good, or can never be sent.
extension EventPipeline {
  /// The first lines of an episode are warnings.
  private static var mostDropLines: Int { 3 }
  /// Of a body that observers are told.
  private static var mostBodyBytes: Int { 65_536 }

  /// The batch will never be sent.
  func drop(_ batch: PipelineBatch, _ reason: String) {
    endBatch(batch)
    if batch.isSealed { unseal(batch.batch.id) }
    // Where rows were purged from it on its way, the body speaks of them.
    reject(batch.numbers, reason, body: batch.request == nil ? nil : batch.body)
    policy.dropped(batch.batch)
  }

  /// Told, and a flush answers it.
  /// - Parameter body: of the request that was refused; nil for none.
  func reject(_ numbers: [UInt64], _ reason: String, body: [UInt8]? = nil) {
    guard let first = numbers.first.flatMap({ state.rows[$0]?.row }) else { return }
    let said = policy.describe(first)
    let what =
      numbers.count > 1
      ? "\(numbers.count) records of \"\(options.name)\" are"
      : "a record of \"\(options.name)\"\(said.isEmpty ? "" : ", \(said),") is"
    let rows = numbers.compactMap { state.rows[$0]?.row }
    settle(numbers)
    tally.count { $0.rejected += numbers.count }
    state.hasRefused = true
    let message = "events: \(what) dropped: \(reason)"
    state.dropLines += 1
    log.write(state.dropLines <= Self.mostDropLines ? .warning : .debug, message)
    tellFailure(.rejected, message, rows.map { $0.id }, refusal(of: rows, reason, body))
  }

  private func refusal(of rows: [EventRow], _ reason: String, _ body: [UInt8]?) -> [UInt8] {
    var told = JSONWriter()
    told.object { told in
      told.member("queue", options.name)
      told.member("reason", reason)
      told.key("recorded_at_unix_ms")
      told.array { for row in rows { $0.int(row.createdUnixMilliseconds) } }
      guard let body else { return }
      told.member("body_size", body.count)
      body.withBytes { Self.tell($0, &told) }
    }
    return told.bytes
  }

  /// As text, or in base 64. A character that is cut through at the end is left out.
  private static func tell(_ body: ByteView, _ told: inout JSONWriter) {
    let part = body.view(from: 0, to: min(body.count, mostBodyBytes))
    let valid = UTF8Text.firstInvalid(in: part) ?? part.count
    if valid == part.count || part.count < body.count && part.count - valid < 4 {
      told.member("body", part.view(from: 0, to: valid))
    } else {
      told.member("body_base64", Base64.encode(part))
    }
  }

  /// Once for each failure.
  func tellFailure(_ status: Status, _ message: String, _ ids: [String] = [], _ json: [UInt8] = []) {
    notify(Notification(.sendFailed, status: status, message: message, keys: ids, json: json))
    notify(Notification(.error, status: status, message: message))
  }
}
