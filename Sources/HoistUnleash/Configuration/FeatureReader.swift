internal import HoistBase
internal import HoistJSON

/// Reads flags and segments of a client-features document as strictly as the vendor's engine does
/// (protocols/unleash.md B.6). Members it does not know are ignored.
struct FeatureReader {
  let limits: UnleashLimits

  func feature(_ value: JSONValue) throws(Misfit) -> FeatureDefinition {
    var feature = FeatureDefinition()
    var name: ByteView?
    var enabled: Bool?
    for (key, value) in try Shape.object(value) {
      let key = ByteView(key.utf8)
      if key.reads("name") {
        name = try Shape.text(value, "name")
      } else if key.reads("enabled") {
        enabled = try Shape.bool(value, "enabled")
      } else if key.reads("strategies") {
        feature.strategies = try Shape.optionalList(value, "strategies", limit: limits.strategies, strategy)
      } else if key.reads("variants") {
        feature.variants = try Shape.optionalList(value, "variants", limit: limits.variants, flagVariant)
      } else if key.reads("dependencies") {
        feature.dependencies = try Shape.optionalList(value, "dependencies", limit: limits.dependencies, dependency)
      } else if key.reads("impressionData") {
        feature.impressionData = try Shape.optionalBool(value, "impressionData") ?? false
      } else if key.reads("stale") {
        feature.stale = try Shape.optionalBool(value, "stale") ?? false
      } else if key.reads("type") {
        feature.type = try Shape.optionalText(value, "type")
      } else if key.reads("project") {
        feature.project = try Shape.optionalText(value, "project")
      } else if key.reads("description") {
        feature.description = try Shape.optionalText(value, "description")
      } else if key.reads("createdAt") {
        try Shape.optionalDate(value, "createdAt")
      } else if key.reads("lastSeenAt") {
        try Shape.optionalDate(value, "lastSeenAt")
      }
    }
    guard let name else { throw Misfit("name", "there") }
    guard let enabled else { throw Misfit("enabled", "there") }
    feature.name = name
    feature.enabled = enabled
    return feature
  }

  func segment(_ value: JSONValue) throws(Misfit) -> SegmentDefinition {
    var id: Int32?
    var constraints: [ConstraintDefinition]?
    for (key, value) in try Shape.object(value) {
      let key = ByteView(key.utf8)
      if key.reads("id") {
        id = try Shape.int32(value, "id")
      } else if key.reads("constraints") {
        constraints = try Shape.list(value, "constraints", limit: limits.constraints, constraint)
      }
    }
    guard let id else { throw Misfit("id", "there") }
    guard let constraints else { throw Misfit("constraints", "there") }
    return SegmentDefinition(id: id, constraints: constraints)
  }

  private func strategy(_ value: JSONValue) throws(Misfit) -> StrategyDefinition {
    var strategy = StrategyDefinition()
    var name: ByteView?
    for (key, value) in try Shape.object(value) {
      let key = ByteView(key.utf8)
      if key.reads("name") {
        name = try Shape.text(value, "name")
      } else if key.reads("parameters") {
        strategy.parameters = try parameters(value)
      } else if key.reads("constraints") {
        strategy.constraints = try Shape.optionalList(value, "constraints", limit: limits.constraints, constraint)
      } else if key.reads("segments") {
        strategy.segments = try Shape.optionalList(value, "segments", limit: limits.segments) {
          id throws(Misfit) in try Shape.int32(id, "")
        }
      } else if key.reads("sortOrder") {
        if !value.isNull { _ = try Shape.int32(value, "sortOrder") }
      } else if key.reads("variants") {
        strategy.variants = try Shape.optionalList(value, "variants", limit: limits.variants, strategyVariant)
      }
    }
    guard let name else { throw Misfit("name", "there") }
    strategy.name = name
    return strategy
  }

  private func parameters(_ value: JSONValue) throws(Misfit) -> [(name: ByteView, value: ByteView)] {
    if value.isNull { return [] }
    guard let object = value.object else { throw Misfit("parameters", "an object of texts") }
    guard object.count <= limits.parameters else {
      throw Misfit("parameters", "an object of at most \(limits.parameters) members")
    }
    var parameters: [(name: ByteView, value: ByteView)] = []
    parameters.reserveCapacity(object.count)
    for (name, value) in object {
      guard let text = value.utf8 else { throw Misfit("parameters", "an object of texts") }
      parameters.append((ByteView(name.utf8), ByteView(text)))
    }
    return parameters
  }

  private func constraint(_ value: JSONValue) throws(Misfit) -> ConstraintDefinition {
    var constraint = ConstraintDefinition()
    var contextName: ByteView?
    var operatorName: ByteView?
    for (key, value) in try Shape.object(value) {
      let key = ByteView(key.utf8)
      if key.reads("contextName") {
        contextName = try Shape.text(value, "contextName")
      } else if key.reads("operator") {
        operatorName = try Shape.text(value, "operator")
      } else if key.reads("values") {
        constraint.values = try Shape.optionalTexts(value, "values", limit: limits.values)
      } else if key.reads("value") {
        constraint.value = try Shape.optionalText(value, "value")
      } else if key.reads("inverted") {
        constraint.inverted = try Shape.bool(value, "inverted")
      } else if key.reads("caseInsensitive") {
        constraint.caseInsensitive = try Shape.bool(value, "caseInsensitive")
      }
    }
    guard let contextName else { throw Misfit("contextName", "there") }
    guard let operatorName else { throw Misfit("operator", "there") }
    constraint.contextName = contextName
    constraint.operatorName = operatorName
    return constraint
  }

  private func flagVariant(_ value: JSONValue) throws(Misfit) -> VariantDefinition {
    try variant(value, ofFlag: true)
  }

  /// Strategies' variants have no overrides and no type of weight; members of these names are ignored.
  private func strategyVariant(_ value: JSONValue) throws(Misfit) -> VariantDefinition {
    try variant(value, ofFlag: false)
  }

  private func variant(_ value: JSONValue, ofFlag: Bool) throws(Misfit) -> VariantDefinition {
    var variant = VariantDefinition()
    var name: ByteView?
    var weight: Int32?
    for (key, value) in try Shape.object(value) {
      let key = ByteView(key.utf8)
      if key.reads("name") {
        name = try Shape.text(value, "name")
      } else if key.reads("weight") {
        weight = try Shape.int32(value, "weight")
      } else if key.reads("stickiness") {
        variant.stickiness = try Shape.optionalText(value, "stickiness")
      } else if key.reads("payload") {
        do throws(Misfit) { variant.payload = try payload(value) } catch { throw error.within("payload") }
      } else if key.reads("weightType"), ofFlag {
        let type = try Shape.optionalText(value, "weightType")
        guard type.map({ $0.reads("fix") || $0.reads("variable") }) ?? true else {
          throw Misfit("weightType", "fix, variable or null")
        }
      } else if key.reads("overrides"), ofFlag {
        variant.overrides = try Shape.optionalList(value, "overrides", limit: limits.overrides, override)
      }
    }
    guard let name else { throw Misfit("name", "there") }
    guard let weight else { throw Misfit("weight", "there") }
    variant.name = name
    variant.weight = weight
    return variant
  }

  private func payload(_ value: JSONValue) throws(Misfit) -> (type: ByteView, value: ByteView)? {
    if value.isNull { return nil }
    let object = try Shape.object(value)
    guard let type = object["type"] else { throw Misfit("type", "there") }
    guard let text = object["value"] else { throw Misfit("value", "there") }
    return (try Shape.text(type, "type"), try Shape.text(text, "value"))
  }

  private func override(_ value: JSONValue) throws(Misfit) -> OverrideDefinition {
    let object = try Shape.object(value)
    guard let name = object["contextName"] else { throw Misfit("contextName", "there") }
    guard let values = object["values"] else { throw Misfit("values", "there") }
    return OverrideDefinition(
      contextName: try Shape.text(name, "contextName"),
      values: try Shape.texts(values, "values", limit: limits.values))
  }

  private func dependency(_ value: JSONValue) throws(Misfit) -> DependencyDefinition {
    let object = try Shape.object(value)
    guard let feature = object["feature"] else { throw Misfit("feature", "there") }
    var dependency = DependencyDefinition(feature: try Shape.text(feature, "feature"))
    if let enabled = object["enabled"] { dependency.enabled = try Shape.optionalBool(enabled, "enabled") ?? true }
    if let variants = object["variants"] {
      dependency.variants = try Shape.optionalTexts(variants, "variants", limit: limits.variants)
    }
    return dependency
  }
}

/// What a document says of itself. Nothing here is used, but the vendor's engine reads it.
extension FeatureReader {
  static func checkQuery(_ value: JSONValue) throws(Misfit) {
    if value.isNull { return }
    guard let query = value.object else { throw Misfit("query", "an object or null") }
    do throws(Misfit) {
      for (key, value) in query {
        let key = ByteView(key.utf8)
        if key.reads("tags") {
          _ = try Shape.optionalList(value, "tags", limit: .max) { tag throws(Misfit) in
            _ = try Shape.texts(tag, "", limit: .max)
          }
        } else if key.reads("projects") {
          _ = try Shape.optionalTexts(value, "projects", limit: .max)
        } else if key.reads("namePrefix") {
          _ = try Shape.optionalText(value, "namePrefix")
        } else if key.reads("environment") {
          _ = try Shape.optionalText(value, "environment")
        } else if key.reads("inlineSegmentConstraints") {
          _ = try Shape.optionalBool(value, "inlineSegmentConstraints")
        }
      }
    } catch {
      throw error.within("query")
    }
  }

  static func checkMeta(_ value: JSONValue) throws(Misfit) {
    if value.isNull { return }
    guard let meta = value.object else { throw Misfit("meta", "an object or null") }
    do throws(Misfit) {
      for (key, value) in meta {
        let key = ByteView(key.utf8)
        if key.reads("etag") {
          _ = try Shape.optionalText(value, "etag")
        } else if key.reads("queryHash") {
          _ = try Shape.optionalText(value, "queryHash")
        } else if key.reads("revisionId"), !value.isNull {
          guard let number = value.int64, number >= 0 else { throw Misfit("revisionId", "an unsigned integer or null") }
        }
      }
    } catch {
      throw error.within("meta")
    }
  }
}
