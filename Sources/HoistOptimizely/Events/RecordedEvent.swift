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

  static func encode(_ event: UserEvent, url: String?) -> [UInt8] {
    var bytes: [UInt8] = [version, event.region.rawValue]
    let address = url.map { Array($0.utf8) } ?? []
    bytes.reserveCapacity(32 + event.projectID.count + event.revision.count + address.count + event.head.count + event.visitor.count)
    for part in [event.projectID, event.revision, address, event.head] {
      let count = UInt32(truncatingIfNeeded: part.count)
      for shift in stride(from: UInt32(0), through: 24, by: 8) { bytes.append(UInt8(truncatingIfNeeded: count &>> shift)) }
      bytes += part
    }
    bytes += event.visitor
    return bytes
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
