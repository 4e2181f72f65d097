public import HoistBase
internal import HoistCore
internal import HoistJSON

/// The definitions of a client that is fed by deltas: flags by name and segments by id, as JSON text.
///
/// A value: a batch is applied to it whole or not at all, and a copy is cheap.
public struct UnleashFeatureState: Sendable {
  private var features: [[UInt8]: [UInt8]] = [:]
  private var segments: [Int32: [UInt8]] = [:]
  /// Of the last event applied; nil before the first, and after a whole document.
  public private(set) var lastEventID: UInt32?
  private let limits: UnleashLimits

  public init(limits: UnleashLimits = UnleashLimits()) { self.limits = limits }

  /// Names of the flags, in the order of their bytes.
  public var featureNames: [[UInt8]] { features.keys.sorted { $0.lexicographicallyPrecedes($1) } }
  public var segmentIDs: [Int32] { segments.keys.sorted() }

  /// Applies a document of either kind: a batch of events (it has the member `events`), or all definitions. On a
  /// failure the state is as it was.
  /// - Parameter bytes: borrowed for the call.
  /// - Returns: the names of the flags that it changes; nil where it does more than that.
  @discardableResult
  public mutating func take(_ bytes: some ByteSource) throws(UnleashDocumentFailure) -> Set<[UInt8]>? {
    try bytes.withBytes { bytes in
      Result { () throws(UnleashDocumentFailure) in try take(bytes) }
    }.get()
  }

  /// The definition of a flag that is there.
  func feature(_ name: [UInt8]) -> [UInt8]? { features[name] }

  public func compile(_ options: UnleashOptions) throws(UnleashDocumentFailure) -> UnleashCompilation {
    try UnleashFeatures.compile(document, options)
  }

  /// Bytes of the definitions of flags.
  var size: Int { features.values.reduce(0) { $0 + $1.count + 1 } }

  /// The definitions as one client-features document, flags by name and segments by id.
  public var document: [UInt8] {
    var writer = JSONWriter(reservingCapacity: size + 64)
    writer.beginObject()
    writer.member("version", 2)
    writer.beginArray("features")
    for name in featureNames { writer.raw(features[name] ?? []) }
    writer.endArray()
    writer.beginArray("segments")
    for id in segmentIDs { writer.raw(segments[id] ?? []) }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }
}

extension UnleashFeatureState {
  /// nil removes.
  private enum Change {
    case feature([UInt8], [UInt8]?)
    case segment(Int32, [UInt8]?)
    case all(features: [[UInt8]: [UInt8]], segments: [Int32: [UInt8]])
  }

  private mutating func take(_ bytes: ByteView) throws(UnleashDocumentFailure) -> Set<[UInt8]>? {
    let parts = try DocumentParts(bytes, limits)
    let members = try parts.members(["events"] + FeatureDocument.members, of: "the document")
    // As the engine has it: a document that is no batch may still be a whole document, whose other members do not
    // matter.
    if let events = members[0], members[2] == nil || events.first == 0x5B { return try apply(events, parts) }
    _ = make(try Self.replacement(by: FeatureDocument(parts, members.dropFirst())))
    lastEventID = nil
    return nil
  }

  private static func replacement(by document: FeatureDocument) throws(UnleashDocumentFailure) -> Change {
    var features: [[UInt8]: [UInt8]] = [:]
    var segments: [Int32: [UInt8]] = [:]
    try document.forEachFeature { feature, part in features[Array(feature.name)] = Array(part) }
    try document.forEachSegment { segment, part in segments[segment.id] = Array(part) }
    return .all(features: features, segments: segments)
  }

  /// Events apply in their order; their numbers are not compared (protocols/unleash.md B.8). All are read before the first
  /// is applied.
  private mutating func apply(_ events: ByteView, _ parts: DocumentParts) throws(UnleashDocumentFailure) -> Set<[UInt8]>? {
    var changes: [Change] = []
    var id = lastEventID
    for (index, event) in try parts.elements(events, of: "events").enumerated() {
      let event = try Event(event, "event \(index + 1)", parts)
      let type = try event.text("type")
      id = try event.read("eventId", .uint32)
      changes.append(try Self.change(type, event))
    }
    let former = changes.map { make($0) }
    guard features.count <= limits.flags, segments.count <= limits.segments else {
      for change in former.reversed() { _ = make(change) }
      throw UnleashDocumentFailure("there are more flags or segments than \(limits.flags) and \(limits.segments)")
    }
    lastEventID = id
    var names: Set<[UInt8]> = []
    for (change, former) in zip(changes, former) {
      guard case (.feature(let name, .some), .feature(_, .some)) = (change, former) else { return nil }
      names.insert(name)
    }
    return names
  }

  /// - Returns: what undoes it.
  private mutating func make(_ change: Change) -> Change {
    switch change {
    case .feature(let name, let part): return .feature(name, Self.exchange(&features[name], part))
    case .segment(let id, let part): return .segment(id, Self.exchange(&segments[id], part))
    case .all(let newFeatures, let newSegments):
      defer { (features, segments) = (newFeatures, newSegments) }
      return .all(features: features, segments: segments)
    }
  }

  private static func exchange(_ place: inout [UInt8]?, _ part: [UInt8]?) -> [UInt8]? {
    defer { place = part }
    return place
  }

  private static func change(_ type: [UInt8], _ event: Event) throws(UnleashDocumentFailure) -> Change {
    switch type {
    case Array("hydration".utf8):
      return try replacement(by: FeatureDocument(event.parts, features: event.part("features"), segments: event.part("segments")))
    case Array("feature-updated".utf8):
      let part = try event.part("feature")
      let name = try event.read("feature") { value throws(JSONDecodingError) in Array(try event.reader.feature(value).name) }
      return .feature(name, Array(part))
    case Array("feature-removed".utf8):
      _ = try event.text("project")
      return .feature(try event.text("featureName"), nil)
    case Array("segment-updated".utf8):
      let part = try event.part("segment")
      let id = try event.read("segment") { value throws(JSONDecodingError) in try event.reader.segment(value).id }
      return .segment(id, Array(part))
    case Array("segment-removed".utf8):
      return .segment(try event.read("segmentId", .int32), nil)
    default:
      throw UnleashDocumentFailure("\(event.name): type must be one that is known")
    }
  }
}

/// An event of a batch; every member is required by the types that have it.
private struct Event {
  let name: String
  let parts: DocumentParts
  let reader: FeatureReader
  private let members: [ByteView?]

  private static let names: [StaticString] = [
    "type", "eventId", "features", "segments", "feature", "featureName", "project", "segment", "segmentId",
  ]

  init(_ part: ByteView, _ name: String, _ parts: DocumentParts) throws(UnleashDocumentFailure) {
    self.name = name
    self.parts = parts
    reader = FeatureReader(limits: parts.limits)
    members = try parts.members(Self.names, in: part, of: name)
  }

  func part(_ member: StaticString) throws(UnleashDocumentFailure) -> ByteView {
    let index = Self.names.firstIndex { $0.description == member.description }
    guard let index, let part = members[index] else { throw UnleashDocumentFailure("\(name): \(member) must be there") }
    return part
  }

  func read<Result>(
    _ member: StaticString, _ body: (JSONNode) throws(JSONDecodingError) -> Result
  ) throws(UnleashDocumentFailure) -> Result {
    try parts.parse(try part(member), of: name) { value throws(JSONDecodingError) in
      do throws(JSONDecodingError) { return try body(value) } catch { throw error.within(member) }
    }
  }

  func read<Result>(_ member: StaticString, _ shape: JSONSchemaReader<Result>) throws(UnleashDocumentFailure) -> Result {
    try read(member) { value throws(JSONDecodingError) in try value.read(as: shape) }
  }

  func text(_ member: StaticString) throws(UnleashDocumentFailure) -> [UInt8] {
    try read(member) { value throws(JSONDecodingError) in Array(try value.read(as: .text)) }
  }
}
