internal import HoistBase

/// An event as a row of the pipeline holds it: what decides with whom it travels, then its parts of the body.
///
///     version 1 · region · project id · revision · address of the host's own, or nothing · head · visitor
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
    let parts = 2 + 4 * 4 + event.projectID.count + event.revision.count + url.count + event.head.count
    return withUnsafeTemporaryAllocation(byteCount: parts + event.visitor.count, alignment: 1) { row in
      guard let start = row.baseAddress else { return body(ByteView(start: nil, count: 0)) }
      start.storeBytes(of: version, as: UInt8.self)
      start.storeBytes(of: event.region.rawValue, toByteOffset: 1, as: UInt8.self)
      var end = start + 2
      func add(_ part: [UInt8]) {
        part.withUnsafeBytes { bytes in
          if let source = bytes.baseAddress { end.copyMemory(from: source, byteCount: bytes.count) }
        }
        end += part.count
      }
      func addWithLength(_ part: [UInt8]) {
        end.storeBytes(of: UInt32(truncatingIfNeeded: part.count).littleEndian, as: UInt32.self)
        end += 4
        add(part)
      }
      addWithLength(event.projectID)
      addWithLength(event.revision)
      addWithLength(url)
      addWithLength(event.head)
      add(event.visitor)
      return body(ByteView(row))
    }
  }

  /// - Parameter payload: from a store, so it may be anything; nil when it is no such record.
  init?(_ payload: [UInt8]) {
    guard payload.count >= 2, payload[0] == Self.version, let region = OptimizelyRegion(rawValue: payload[1]) else { return nil }
    self.region = region
    var rest = payload[2...]
    guard Self.part(&rest) != nil, Self.part(&rest) != nil, let url = Self.part(&rest) else { return nil }
    route = payload[1..<rest.startIndex]
    guard let head = Self.part(&rest), !rest.isEmpty else { return nil }
    self.url = url
    self.head = head
    visitor = rest
  }

  /// The next part, taken from the front.
  private static func part(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard rest.count >= 4 else { return nil }
    let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(4)
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
