internal import HoistBase
internal import HoistJSON

/// The statistics of one run (4.6): stored, so that a later one can send the last ones.
struct DiagnosticStatistics: Equatable, Sendable {
  /// The latest attempts to open the stream; earlier ones are forgotten.
  static let maximumStreamInits = 100

  struct StreamInit: Equatable, Sendable {
    /// When the attempt began, in milliseconds since 1970.
    var unixMilliseconds: Int64
    var durationMilliseconds: Int64
    var hasFailed: Bool
  }

  /// Of the process run.
  let id: String
  /// Milliseconds since 1970.
  private(set) var since: Int64
  var droppedEvents = 0
  var eventsInLastBatch = 0
  /// Index events that were saved; nil for a client, which makes none (server 7.10).
  var deduplicatedUsers: Int?
  private(set) var streamInits: [StreamInit] = []

  init(id: String, sinceUnixMilliseconds: Int64) {
    self.id = id
    since = sinceUnixMilliseconds
  }

  mutating func add(_ attempt: StreamInit) {
    if streamInits.count >= Self.maximumStreamInits { streamInits.removeFirst() }
    streamInits.append(attempt)
  }

  /// After a periodic event.
  mutating func beginAnew(unixMilliseconds: Int64) {
    let isServer = deduplicatedUsers != nil
    self = DiagnosticStatistics(id: id, sinceUnixMilliseconds: unixMilliseconds)
    if isServer { deduplicatedUsers = 0 }
  }

  /// The periodic event.
  func event(unixMilliseconds: Int64, keySuffix: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      DiagnosticText.begin("diagnostic", unixMilliseconds, id: id, keySuffix: keySuffix, &writer)
      writeCounters(to: &writer)
    }
    return writer.bytes
  }

  /// What the store holds.
  func write(to writer: inout JSONWriter) {
    writer.member("instanceId", id)
    writeCounters(to: &writer)
  }

  private func writeCounters(to writer: inout JSONWriter) {
    for (name, value) in [
      ("dataSinceDate", since), ("droppedEvents", Int64(droppedEvents)), ("eventsInLastBatch", Int64(eventsInLastBatch)),
    ] {
      writer.member(name, value)
    }
    if let deduplicatedUsers { writer.member("deduplicatedUsers", deduplicatedUsers) }
    writer.array("streamInits") { writer in
      for attempt in streamInits {
        writer.object { writer in
          writer.member("timestamp", attempt.unixMilliseconds)
          writer.member("durationMillis", attempt.durationMilliseconds)
          writer.member("failed", attempt.hasFailed)
        }
      }
    }
  }

  /// - Parameter entry: from a store, so it may be anything; nil when it is no such entry.
  init?(_ entry: JSONValue) {
    guard let id = entry["instanceId"]?.string, id.utf8.count <= 64, let since = entry["dataSinceDate"]?.int64 else { return nil }
    self.init(id: id, sinceUnixMilliseconds: since)
    droppedEvents = max(0, Int(clamping: entry["droppedEvents"]?.int64 ?? 0))
    eventsInLastBatch = max(0, Int(clamping: entry["eventsInLastBatch"]?.int64 ?? 0))
    deduplicatedUsers = entry["deduplicatedUsers"]?.int64.map { max(0, Int(clamping: $0)) }
    for attempt in entry["streamInits"]?.array.map({ Array($0.prefix(Self.maximumStreamInits)) }) ?? [] {
      guard let start = attempt["timestamp"]?.int64 else { continue }
      add(
        StreamInit(
          unixMilliseconds: start, durationMilliseconds: attempt["durationMillis"]?.int64 ?? 0,
          hasFailed: attempt["failed"]?.bool ?? false))
    }
  }
}

/// What both kinds of diagnostics begin with.
enum DiagnosticText {
  static func begin(
    _ kind: String, _ unixMilliseconds: Int64, id: String, keySuffix: String, _ writer: inout JSONWriter
  ) {
    writer.member("kind", kind)
    writer.member("creationDate", unixMilliseconds)
    writer.object("id") { writer in
      writer.member("diagnosticId", id)
      writer.member("sdkKeySuffix", keySuffix)
    }
  }
}
