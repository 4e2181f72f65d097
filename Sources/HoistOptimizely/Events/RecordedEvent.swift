internal import HoistBase
internal import HoistJSON

/// An event as a row of the pipeline holds it: first what decides its batch, then its parts of the body.
///
///     version 1 · region · project id · revision · the host's own address, or nothing · head · visitor
///
/// Each part but the last has its length before it, four bytes, least significant first.
struct RecordedEvent: Equatable {
  private static let version: UInt8 = 1

  /// Region, project, revision and address: neighbours for which it is the same travel together.
  var route: ArraySlice<UInt8>
  var region: OptimizelyRegion
  /// Empty for the service's own address.
  var url: ArraySlice<UInt8>
  var head: ArraySlice<UInt8>
  var visitor: ArraySlice<UInt8>

  /// Lends the row of an event; on the stack, unless it is long.
  /// - Parameter url: empty for the service's own address.
  static func withRow<Result>(of event: UserEvent, url: [UInt8], _ body: (ByteView) -> Result) -> Result {
    let parts = [event.projectID, event.revision, url, event.head]
    let size = parts.reduce(2 + event.visitor.count) { $0 + PartWriter.bytes(of: $1.count) }
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { row in
      guard let start = row.baseAddress else { return body(ByteView(start: nil, count: 0)) }
      var writer = PartWriter(start)
      writer.byte(version)
      writer.byte(event.region.rawValue)
      for part in parts { part.withUnsafeBytes { writer.part($0) } }
      event.visitor.withUnsafeBytes { writer.plain($0) }
      return body(ByteView(row))
    }
  }

  /// - Parameter payload: from a store, so it may be anything; nil when it is no such record.
  init?(_ payload: [UInt8]) {
    guard payload.count >= 2, payload[0] == Self.version, let region = OptimizelyRegion(rawValue: payload[1]) else { return nil }
    let places: (route: Int, url: Range<Int>, head: Range<Int>)? = payload.withUnsafeBytes { bytes in
      var reader = PartReader(bytes.view(from: 2, to: bytes.count))
      guard reader.part() != nil, reader.part() != nil, let url = reader.part() else { return nil }
      let route = reader.position
      guard let head = reader.part(), !reader.rest.isEmpty else { return nil }
      return (2 + route, (2 + route - url.count)..<(2 + route), (2 + reader.position - head.count)..<(2 + reader.position))
    }
    guard let places else { return nil }
    self.region = region
    route = payload[1..<places.route]
    url = payload[places.url]
    head = payload[places.head]
    visitor = payload[places.head.upperBound...]
  }

  /// The event's; nil where it has none, or cannot be read.
  var key: String? {
    (try? JSONDocument(parsing: Array(visitor)))?.withRoot { visitor in
      let snapshot = visitor["snapshots"]?.array?.element(at: 0)
      return snapshot?["events"]?.array?.element(at: 0)?["key"]?.string
    }
  }
}
