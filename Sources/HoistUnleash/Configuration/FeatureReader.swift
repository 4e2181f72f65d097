internal import HoistBase
internal import HoistJSON

/// Reads flags and segments of a client-features document as strictly as the vendor's engine does
/// (protocols/unleash.md B.6). Members it does not know are ignored.
struct FeatureReader {
  let limits: UnleashLimits

  func feature(_ value: JSONNode) throws(JSONDecodingError) -> FeatureDefinition {
    var feature = FeatureDefinition()
    feature.name = try value.needed("name", .text)
    feature.enabled = try value.needed("enabled", .bool)
    feature.strategies = try value.list("strategies", limit: limits.strategies, strategy)
    feature.variants = try value.list("variants", limit: limits.variants, flagVariant)
    feature.dependencies = try value.list("dependencies", limit: limits.dependencies, dependency)
    feature.impressionData = try value.optional("impressionData", .bool) ?? false
    feature.stale = try value.optional("stale", .bool) ?? false
    feature.type = try value.optional("type", .text)
    feature.project = try value.optional("project", .text)
    feature.description = try value.optional("description", .text)
    _ = try value.optional("createdAt", Self.date)
    _ = try value.optional("lastSeenAt", Self.date)
    return feature
  }

  /// As leniently as the vendor reads it.
  private static var date: JSONSchemaReader<Moment> {
    JSONSchemaReader("a date", orNull: "a date or null") { $0.bytes.flatMap(LenientDate.parse) }
  }

  func segment(_ value: JSONNode) throws(JSONDecodingError) -> SegmentDefinition {
    let id = try value.needed("id", .int32)
    let constraints = try value.needed("constraints").elements("constraints", limit: limits.constraints, constraint)
    return SegmentDefinition(id: id, constraints: constraints)
  }

  private func strategy(_ value: JSONNode) throws(JSONDecodingError) -> StrategyDefinition {
    var strategy = StrategyDefinition()
    strategy.name = try value.needed("name", .text)
    if let given = value["parameters"]?.unlessNull { strategy.parameters = try parameters(given) }
    strategy.constraints = try value.list("constraints", limit: limits.constraints, constraint)
    strategy.segments = try value.list("segments", limit: limits.segments, of: .int32)
    _ = try value["sortOrder"]?.unlessNull?.read(as: .int32, "sortOrder")
    strategy.variants = try value.list("variants", limit: limits.variants, strategyVariant)
    return strategy
  }

  private func parameters(_ value: JSONNode) throws(JSONDecodingError) -> [(name: ByteView, value: ByteView)] {
    guard let object = value.object else { throw JSONDecodingError("parameters", "an object of texts") }
    guard object.count <= limits.parameters else {
      throw JSONDecodingError("parameters", "an object of at most \(limits.parameters) members")
    }
    var parameters: [(name: ByteView, value: ByteView)] = []
    parameters.reserveCapacity(object.count)
    var places = BytesTable(expecting: object.count)
    for member in object {
      guard let text = member.bytes else { throw JSONDecodingError("parameters", "an object of texts") }
      let name = ByteView(member.name)
      // Of parameters of one name the last counts.
      if let place = places[name] {
        parameters[Int(place)].value = text
      } else {
        places.set(name, to: UInt32(parameters.count))
        parameters.append((name, text))
      }
    }
    return parameters
  }

  private func constraint(_ value: JSONNode) throws(JSONDecodingError) -> ConstraintDefinition {
    var constraint = ConstraintDefinition()
    constraint.contextName = try value.needed("contextName", .text)
    constraint.operatorName = try value.needed("operator", .text)
    constraint.values = try value.list("values", limit: limits.values, of: .text)
    constraint.value = try value.optional("value", .text)
    constraint.inverted = try value["inverted"]?.read(as: .bool, "inverted") ?? false
    constraint.caseInsensitive = try value["caseInsensitive"]?.read(as: .bool, "caseInsensitive") ?? false
    return constraint
  }

  private func flagVariant(_ value: JSONNode) throws(JSONDecodingError) -> VariantDefinition {
    var variant = try strategyVariant(value)
    let type = try value.optional("weightType", .text)
    guard type.map({ $0.reads("fix") || $0.reads("variable") }) ?? true else {
      throw JSONDecodingError("weightType", "fix, variable or null")
    }
    variant.overrides = try value.list("overrides", limit: limits.overrides, override)
    return variant
  }

  /// Strategies' variants have no overrides and no type of weight; members of these names are ignored.
  private func strategyVariant(_ value: JSONNode) throws(JSONDecodingError) -> VariantDefinition {
    VariantDefinition(
      name: try value.needed("name", .text), weight: try value.needed("weight", .int32),
      stickiness: try value.optional("stickiness", .text), payload: try value.optional("payload", PayloadDefinition.init))
  }

  private func override(_ value: JSONNode) throws(JSONDecodingError) -> OverrideDefinition {
    let name = try value.needed("contextName", .text)
    return OverrideDefinition(
      contextName: name, values: try value.needed("values").elements("values", limit: limits.values, Self.text))
  }

  private static func text(_ value: JSONNode) throws(JSONDecodingError) -> ByteView { try value.read(as: .text) }

  private func dependency(_ value: JSONNode) throws(JSONDecodingError) -> DependencyDefinition {
    DependencyDefinition(
      feature: try value.needed("feature", .text), enabled: try value.optional("enabled", .bool) ?? true,
      variants: try value.list("variants", limit: limits.variants, of: .text))
  }
}

extension PayloadDefinition {
  init(_ value: JSONNode) throws(JSONDecodingError) {
    type = try value.needed("type", .text)
    self.value = try value.needed("value", .text)
  }
}

/// What a document says of itself. Nothing here is used, but the vendor's engine reads it.
extension FeatureReader {
  static func checkQuery(_ query: JSONNode) throws(JSONDecodingError) {
    guard query.kind == .object else { throw JSONDecodingError("", "an object or null") }
    _ = try query.list("tags") { tag throws(JSONDecodingError) in _ = try tag.elements("", text) }
    _ = try query.list("projects", of: .text)
    _ = try query.optional("namePrefix", .text)
    _ = try query.optional("environment", .text)
    _ = try query.optional("inlineSegmentConstraints", .bool)
  }

  static func checkMeta(_ meta: JSONNode) throws(JSONDecodingError) {
    guard meta.kind == .object else { throw JSONDecodingError("", "an object or null") }
    _ = try meta.optional("etag", .text)
    _ = try meta.optional("queryHash", .text)
    if let revision = meta["revisionId"]?.unlessNull, revision.int64.map({ $0 < 0 }) ?? true {
      throw JSONDecodingError("revisionId", "an unsigned integer or null")
    }
  }
}

/// A client-features document, `{"version":2,"features":[…],"segments":[…]}`, read flag by flag.
struct FeatureDocument {
  private let parts: DocumentParts
  private let reader: FeatureReader
  private let features: ByteView
  private let segments: ByteView?

  init(_ parts: DocumentParts) throws(UnleashDocumentFailure) {
    try self.init(parts, try parts.members(Self.members, of: "the document")[...])
  }

  /// The members of a whole document, in the order that `init` wants their values in.
  static let members: [StaticString] = ["version", "features", "segments", "query", "meta"]

  init(_ parts: DocumentParts, _ members: ArraySlice<ByteView?>) throws(UnleashDocumentFailure) {
    var members = members
    func next() -> ByteView? { members.popFirst() ?? nil }
    let (version, features, segments, query, meta) = (next(), next(), next(), next(), next())
    guard let version else { throw UnleashDocumentFailure("version must be there") }
    guard let features else { throw UnleashDocumentFailure("features must be there") }
    _ = try parts.parse(version) { value throws(JSONDecodingError) in try value.read(as: .uint32, "version") }
    for (name, part, check) in [("query", query, FeatureReader.checkQuery), ("meta", meta, FeatureReader.checkMeta)] as [Check] {
      guard let part, !part.reads("null") else { continue }
      try parts.parse(part) { value throws(JSONDecodingError) in
        do throws(JSONDecodingError) { try check(value) } catch { throw error.within(name) }
      }
    }
    self.init(parts, features: features, segments: segments.flatMap { $0.reads("null") ? nil : $0 })
  }

  private typealias Check = (StaticString, ByteView?, (JSONNode) throws(JSONDecodingError) -> Void)

  /// The two arrays that make up a hydration.
  init(_ parts: DocumentParts, features: ByteView, segments: ByteView?) {
    self.parts = parts
    reader = FeatureReader(limits: parts.limits)
    self.features = features
    self.segments = segments
  }

  /// - Parameter body: gets the segment, whose texts are borrowed for the call, and its text.
  func forEachSegment(_ body: (SegmentDefinition, ByteView) -> Void) throws(UnleashDocumentFailure) {
    guard let segments else { return }
    try parts.forEach(segments, of: "segments", limit: parts.limits.segments) { index, value throws(UnleashDocumentFailure) in
      do throws(JSONDecodingError) {
        body(try reader.segment(value), value.source ?? .noBytes)
      } catch {
        throw UnleashDocumentFailure(error, "segment \(index + 1)")
      }
    }
  }

  /// - Parameter body: gets the flag, whose texts are borrowed for the call, and its text.
  func forEachFeature(_ body: (FeatureDefinition, ByteView) -> Void) throws(UnleashDocumentFailure) {
    try parts.forEachFlag(features, of: "features") { value throws(JSONDecodingError) in
      body(try reader.feature(value), value.source ?? .noBytes)
    }
  }
}

extension DocumentParts {
  /// Reads flags, which messages call by their names, or by their places when they have none.
  func forEachFlag(
    _ flags: ByteView, of what: String, _ body: (JSONNode) throws(JSONDecodingError) -> Void
  ) throws(UnleashDocumentFailure) {
    try forEach(flags, of: what, limit: limits.flags) { index, value throws(UnleashDocumentFailure) in
      do throws(JSONDecodingError) {
        try body(value)
      } catch {
        let name = value["name"]?.bytes.map { "\"\(String(decoding: $0, as: UTF8.self).prefix(100))\"" }
        throw UnleashDocumentFailure(error, "flag " + (name ?? String(index + 1)))
      }
    }
  }
}
