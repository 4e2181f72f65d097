internal import HoistBase
internal import HoistJSON

/// A client-features document, `{"version":2,"features":[…],"segments":[…]}`, read flag by flag.
struct FeatureDocument {
  private let parts: DocumentParts
  private let reader: FeatureReader
  private let features: ByteView
  private let segments: ByteView?

  init(_ parts: DocumentParts) throws(UnleashDocumentFailure) {
    try self.init(parts, try parts.members(parts.text, Self.members, of: "the document")[...])
  }

  /// The members of a whole document, in the order that `init` wants their values in.
  static let members: [StaticString] = ["version", "features", "segments", "query", "meta"]

  init(_ parts: DocumentParts, _ members: ArraySlice<ByteView?>) throws(UnleashDocumentFailure) {
    var members = members
    func next() -> ByteView? { members.popFirst() ?? nil }
    let (version, features, segments, query, meta) = (next(), next(), next(), next(), next())
    guard let version else { throw UnleashDocumentFailure("version must be there") }
    guard let features else { throw UnleashDocumentFailure("features must be there") }
    func check(_ part: ByteView?, _ shape: (JSONValue) throws(Misfit) -> Void) throws(UnleashDocumentFailure) {
      guard let part else { return }
      try parts.parse(part) { value throws(UnleashDocumentFailure) in
        do throws(Misfit) { try shape(value) } catch { throw error.failure("") }
      }
    }
    try check(version) { value throws(Misfit) in _ = try Shape.unsigned(value, "version") }
    try check(query) { value throws(Misfit) in try FeatureReader.checkQuery(value) }
    try check(meta) { value throws(Misfit) in try FeatureReader.checkMeta(value) }
    self.init(parts, features: features, segments: segments.flatMap { parts.isNull($0) ? nil : $0 })
  }

  /// The two arrays that make up a hydration.
  init(_ parts: DocumentParts, features: ByteView, segments: ByteView?) {
    self.parts = parts
    reader = FeatureReader(limits: parts.limits)
    self.features = features
    self.segments = segments
  }

  /// - Parameter body: gets the segment, whose texts are borrowed for the call, and its part of the text.
  func forEachSegment(_ body: (SegmentDefinition, ByteView) -> Void) throws(UnleashDocumentFailure) {
    guard let segments else { return }
    try parts.elements(segments, of: "segments", limit: parts.limits.segments) {
      index, part throws(UnleashDocumentFailure) in
      try parts.parse(part) { value throws(UnleashDocumentFailure) in
        let segment: SegmentDefinition
        do throws(Misfit) { segment = try reader.segment(value) } catch { throw error.failure("segment \(index + 1)") }
        body(segment, part)
      }
    }
  }

  /// - Parameter body: gets the flag, whose texts are borrowed for the call, and its part of the text.
  func forEachFeature(_ body: (FeatureDefinition, ByteView) -> Void) throws(UnleashDocumentFailure) {
    try parts.elements(features, of: "features", limit: parts.limits.flags) {
      index, part throws(UnleashDocumentFailure) in
      try parts.parse(part) { value throws(UnleashDocumentFailure) in
        let feature: FeatureDefinition
        do throws(Misfit) {
          feature = try reader.feature(value)
        } catch {
          throw error.failure(DocumentSubject.flag(value, index))
        }
        body(feature, part)
      }
    }
  }
}

/// How messages call a part of a document.
enum DocumentSubject {
  /// A flag by its name, or by its place when it has none.
  static func flag(_ value: JSONValue, _ index: Int) -> String {
    guard let name = value["name"]?.string else { return "flag \(index + 1)" }
    return "flag \"\(name.prefix(100))\""
  }
}
