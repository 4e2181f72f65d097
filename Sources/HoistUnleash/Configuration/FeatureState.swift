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
  public mutating func take(_ bytes: some ByteSource) throws(UnleashDocumentFailure) {
    var next = self
    try bytes.withBytes { bytes in
      Result { () throws(UnleashDocumentFailure) in try next.take(bytes) }
    }.get()
    self = next
  }

  public func compile(_ options: UnleashOptions) throws(UnleashDocumentFailure) -> UnleashCompilation {
    try UnleashFeatures.compile(document, options)
  }

  /// The definitions as one client-features document, flags by name and segments by id.
  public var document: [UInt8] {
    var writer = JSONWriter(reservingCapacity: features.values.reduce(64) { $0 + $1.count + 1 })
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
  private mutating func take(_ bytes: ByteView) throws(UnleashDocumentFailure) {
    let parts = try DocumentParts(bytes, limits)
    let members = try parts.members(["events"] + FeatureDocument.members, of: "the document")
    // As the engine has it: a document that is no batch may still be a whole document, whose other members do not
    // matter.
    if let events = members[0], members[2] == nil || events.first == 0x5B { return try apply(events, parts) }
    lastEventID = nil
    try replace(by: FeatureDocument(parts, members.dropFirst()))
  }

  private mutating func replace(by document: FeatureDocument) throws(UnleashDocumentFailure) {
    features = [:]
    segments = [:]
    try document.forEachFeature { feature, part in features[Array(feature.name)] = Array(part) }
    try document.forEachSegment { segment, part in segments[segment.id] = Array(part) }
  }

  /// Events apply in their order; their numbers are not compared (protocols/unleash.md B.8).
  private mutating func apply(_ events: ByteView, _ parts: DocumentParts) throws(UnleashDocumentFailure) {
    for (index, event) in try parts.elements(events, of: "events").enumerated() {
      try apply(Event(event, "event \(index + 1)", parts))
    }
    guard features.count <= limits.flags, segments.count <= limits.segments else {
      throw UnleashDocumentFailure("there are more flags or segments than \(limits.flags) and \(limits.segments)")
    }
  }

  private mutating func apply(_ event: Event) throws(UnleashDocumentFailure) {
    let type = try event.text("type")
    let id = try event.read("eventId", .uint32)
    switch type {
    case Array("hydration".utf8):
      try replace(by: FeatureDocument(event.parts, features: event.part("features"), segments: event.part("segments")))
    case Array("feature-updated".utf8):
      let part = try event.part("feature")
      let name = try event.read("feature") { value throws(JSONDecodingError) in Array(try event.reader.feature(value).name) }
      features[name] = Array(part)
    case Array("feature-removed".utf8):
      _ = try event.text("project")
      features[try event.text("featureName")] = nil
    case Array("segment-updated".utf8):
      let part = try event.part("segment")
      let id = try event.read("segment") { value throws(JSONDecodingError) in try event.reader.segment(value).id }
      segments[id] = Array(part)
    case Array("segment-removed".utf8):
      segments[try event.read("segmentId", .int32)] = nil
    default:
      throw UnleashDocumentFailure("\(event.name): type must be one that is known")
    }
    lastEventID = id
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
