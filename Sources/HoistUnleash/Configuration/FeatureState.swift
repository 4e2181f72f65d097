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

  /// Takes a document of either kind: a batch of events (it has the member `events`), or all definitions.
  /// On a failure the state is as it was.
  /// - Parameter bytes: borrowed for the call.
  public mutating func take(_ bytes: some ByteSource) throws(UnleashDocumentFailure) {
    let (document, _) = try UnleashFeatures.parse(bytes, limits)
    var next = self
    try document.withRoot { root throws(UnleashDocumentFailure) in
      if let events = root["events"] {
        try next.apply(events)
      } else {
        try next.replace(by: root)
      }
    }
    self = next
  }

  /// The definitions as one client-features document, flags by name and segments by id.
  public var document: [UInt8] {
    var writer = JSONWriter(reservingCapacity: features.values.reduce(64) { $0 + $1.count + 1 })
    writer.beginObject()
    writer.key("version")
    writer.int(2)
    writer.key("features")
    writer.beginArray()
    for name in featureNames { writer.raw(features[name] ?? []) }
    writer.endArray()
    writer.key("segments")
    writer.beginArray()
    for id in segmentIDs { writer.raw(segments[id] ?? []) }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  public func compile(_ options: UnleashOptions) throws(UnleashDocumentFailure) -> UnleashCompilation {
    try UnleashFeatures.compile(document, options)
  }

  private mutating func replace(by root: JSONValue) throws(UnleashDocumentFailure) {
    features = [:]
    segments = [:]
    lastEventID = nil
    try add(FeatureDocument(root, limits))
  }

  private mutating func add(_ document: FeatureDocument) throws(UnleashDocumentFailure) {
    try document.forEachFeature { feature, value in features[Array(feature.name)] = Self.text(value) }
    try document.forEachSegment { segment, value in segments[segment.id] = Self.text(value) }
  }

  /// Events apply in their order; their numbers are not compared (protocols/unleash.md B.8).
  private mutating func apply(_ value: JSONValue) throws(UnleashDocumentFailure) {
    guard let events = value.array else { throw UnleashDocumentFailure("events must be an array") }
    for (index, event) in events.enumerated() {
      do throws(Misfit) {
        try apply(event: event)
      } catch {
        throw error.failure("event \(index + 1)")
      }
      guard features.count <= limits.flags, segments.count <= limits.segments else {
        throw UnleashDocumentFailure("event \(index + 1): there are more flags or segments than \(limits.flags)")
      }
    }
  }

  private mutating func apply(event: JSONValue) throws(Misfit) {
    let object = try Shape.object(event)
    let reader = FeatureReader(limits: limits)
    func member(_ name: StaticString) throws(Misfit) -> JSONValue {
      guard let value = object[name] else { throw Misfit(name, "there") }
      return value
    }
    let type = try Shape.text(try member("type"), "type")
    let id = try Shape.unsigned(try member("eventId"), "eventId")
    if type.reads("hydration") {
      try hydrate(features: try member("features"), segments: try member("segments"), reader)
    } else if type.reads("feature-updated") {
      try put(feature: try member("feature"), reader)
    } else if type.reads("feature-removed") {
      _ = try Shape.text(try member("project"), "project")
      features[Array(try Shape.text(try member("featureName"), "featureName"))] = nil
    } else if type.reads("segment-updated") {
      try put(segment: try member("segment"), reader)
    } else if type.reads("segment-removed") {
      segments[try Shape.int32(try member("segmentId"), "segmentId")] = nil
    } else {
      throw Misfit("type", "one that is known")
    }
    lastEventID = id
  }

  private mutating func hydrate(
    features newFeatures: JSONValue, segments newSegments: JSONValue, _ reader: FeatureReader
  ) throws(Misfit) {
    features = [:]
    segments = [:]
    _ = try Shape.list(newFeatures, "features", limit: limits.flags) { value throws(Misfit) in
      let feature = try reader.feature(value)
      features[Array(feature.name)] = Self.text(value)
    }
    _ = try Shape.list(newSegments, "segments", limit: limits.segments) { value throws(Misfit) in
      let segment = try reader.segment(value)
      segments[segment.id] = Self.text(value)
    }
  }

  private mutating func put(feature value: JSONValue, _ reader: FeatureReader) throws(Misfit) {
    do throws(Misfit) {
      let feature = try reader.feature(value)
      features[Array(feature.name)] = Self.text(value)
    } catch {
      throw error.within("feature")
    }
  }

  private mutating func put(segment value: JSONValue, _ reader: FeatureReader) throws(Misfit) {
    do throws(Misfit) {
      let segment = try reader.segment(value)
      segments[segment.id] = Self.text(value)
    } catch {
      throw error.within("segment")
    }
  }

  /// A part of a parsed document always is within the document's own limits.
  private static func text(_ value: JSONValue) -> [UInt8] { (try? value.text(limits: .unlimited)) ?? [] }
}

extension JSONLimits {
  /// For trees that a parser with limits has made.
  fileprivate static var unlimited: JSONLimits {
    JSONLimits(maximumBytes: .max, maximumStringBytes: .max, maximumValues: .max, maximumDepth: greatestDepth)
  }
}
