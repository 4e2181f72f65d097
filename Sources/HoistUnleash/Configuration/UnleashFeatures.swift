public import HoistBase
public import HoistCore
internal import HoistJSON

/// A configuration ready to be served.
public struct UnleashCompilation {
  /// Owned by the receiver: publish it, or `destroy` it.
  public let snapshot: Snapshot
  /// Flags that are off because their rules cannot be compiled. Of a name given twice, the first flag may be
  /// among them although the last one counts.
  public let warnings: [UnleashWarning]
}

/// Client-features documents of backend mode.
public enum UnleashFeatures {
  /// Compiles a whole document: `{"version":2,"features":[…],"segments":[…]}`.
  ///
  /// Refuses what the vendor's engine refuses (protocols/unleash.md B.6), and documents beyond the limits.
  /// - Parameter bytes: borrowed for the call.
  public static func compile(
    _ bytes: some ByteSource, _ options: UnleashOptions
  ) throws(UnleashDocumentFailure) -> UnleashCompilation {
    let (document, size) = try parse(bytes, options.limits)
    return try document.withRoot { root throws(UnleashDocumentFailure) in
      try compile(root, options, expectedBytes: size)
    }
  }

  /// - Returns: the document, and how many bytes it was read from.
  static func parse(
    _ source: some ByteSource, _ limits: UnleashLimits
  ) throws(UnleashDocumentFailure) -> (document: JSONDocument, size: Int) {
    do throws(JSONFailure) {
      return try source.withBytes { bytes in
        Result { () throws(JSONFailure) in (try JSONDocument(parsing: bytes, limits: limits.json), bytes.count) }
      }.get()
    } catch {
      throw UnleashDocumentFailure("not a JSON document: \(error)")
    }
  }

  private static func compile(
    _ root: JSONValue, _ options: UnleashOptions, expectedBytes: Int
  ) throws(UnleashDocumentFailure) -> UnleashCompilation {
    let parts = try FeatureDocument(root, options.limits)
    var compiler = FeatureCompiler(options, expectedBytes: expectedBytes)
    try parts.forEachSegment { segment, _ in compiler.add(segment) }
    try parts.forEachFeature { feature, _ in compiler.add(feature) }
    guard let (snapshot, warnings) = compiler.finish() else {
      throw UnleashDocumentFailure("the configuration is too large, or memory has run out")
    }
    return UnleashCompilation(snapshot: snapshot, warnings: warnings)
  }
}

/// The parts of a client-features document.
struct FeatureDocument {
  private let reader: FeatureReader
  private let features: JSONArray
  private let segments: JSONArray?

  init(_ root: JSONValue, _ limits: UnleashLimits) throws(UnleashDocumentFailure) {
    reader = FeatureReader(limits: limits)
    do throws(Misfit) {
      let object = try Shape.object(root)
      guard let version = object["version"] else { throw Misfit("version", "there") }
      _ = try Shape.unsigned(version, "version")
      guard let features = object["features"]?.array else { throw Misfit("features", "an array") }
      guard features.count <= limits.flags else { throw Misfit("features", "an array of at most \(limits.flags) flags") }
      self.features = features
      segments = try Self.segments(object["segments"], limits)
    } catch {
      throw error.failure("")
    }
  }

  private static func segments(_ value: JSONValue?, _ limits: UnleashLimits) throws(Misfit) -> JSONArray? {
    guard let value = value?.unlessNull else { return nil }
    guard let array = value.array else { throw Misfit("segments", "an array or null") }
    guard array.count <= limits.segments else {
      throw Misfit("segments", "an array of at most \(limits.segments) segments")
    }
    return array
  }

  func forEachSegment(_ body: (SegmentDefinition, JSONValue) -> Void) throws(UnleashDocumentFailure) {
    guard let segments else { return }
    for (index, value) in segments.enumerated() {
      let segment: SegmentDefinition
      do throws(Misfit) { segment = try reader.segment(value) } catch { throw error.failure("segment \(index + 1)") }
      body(segment, value)
    }
  }

  func forEachFeature(_ body: (FeatureDefinition, JSONValue) -> Void) throws(UnleashDocumentFailure) {
    for (index, value) in features.enumerated() {
      let feature: FeatureDefinition
      do throws(Misfit) {
        feature = try reader.feature(value)
      } catch {
        throw error.failure(DocumentSubject.flag(value, index))
      }
      body(feature, value)
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
