internal import HoistBase
internal import HoistJSON

/// Reads a datafile: strict about what stands at the top, lenient inside (protocols/optimizely.md 2.1).
enum DatafileReader {
  static func read(_ root: JSONValue) throws(OptimizelyDatafileFailure) -> Datafile {
    guard let object = root.object else { throw .invalid("not a JSON object") }
    guard let version = object["version"]?.string else { throw .invalid("\"version\" must be a text") }
    guard version.utf8.elementsEqual("4".utf8) else { throw .versionInvalid(version) }
    var datafile = Datafile()
    datafile.projectID = try text(object, "projectId")
    datafile.accountID = try text(object, "accountId")
    datafile.revision = try text(object, "revision")
    guard let anonymizes = object["anonymizeIP"]?.bool else { throw .invalid("\"anonymizeIP\" must be true or false") }
    datafile.anonymizesAddresses = anonymizes
    datafile.experiments = try list(object, "experiments", rule)
    datafile.groups = try list(object, "groups", group)
    datafile.flags = try list(object, "featureFlags", flag)
    datafile.rollouts = try list(object, "rollouts") { RolloutDefinition(id: id($0), rules: elements($0["experiments"], rule)) }
    datafile.audiences = try list(object, "audiences", audience)
    datafile.attributes = try list(object, "attributes") { KeyedDefinition(id: id($0), key: key($0)) }
    datafile.events = try list(object, "events") {
      EventDefinition(id: id($0), key: key($0), experimentIDs: texts($0["experimentIds"]))
    }
    readOptional(object, &datafile)
    return datafile
  }

  private static func readOptional(_ object: JSONObject, _ datafile: inout Datafile) {
    datafile.typedAudiences = elements(object["typedAudiences"], audience)
    datafile.holdouts = elements(object["holdouts"], rule)
    datafile.localHoldouts = elements(object["localHoldouts"], rule)
    datafile.botFiltering = object["botFiltering"]?.bool
    datafile.sendsFlagDecisions = object["sendFlagDecisions"]?.bool ?? false
    datafile.sdkKey = text(object["sdkKey"]) ?? .noBytes
    datafile.environmentKey = text(object["environmentKey"]) ?? .noBytes
    if let region = text(object["region"]), ASCII.equalsIgnoringCase(region, "EU") { datafile.region = .eu }
    for integration in elements(object["integrations"], { $0 }) where text(integration["key"])?.reads("odp") ?? false {
      datafile.segmentsHost = text(integration["host"])
      datafile.segmentsKey = text(integration["publicKey"])
      break
    }
  }

  private static func text(_ object: JSONObject, _ name: StaticString) throws(OptimizelyDatafileFailure) -> ByteView {
    guard let value = text(object[name]) else { throw .invalid("\"\(name)\" must be a text") }
    return value
  }

  private static func list<Element>(
    _ object: JSONObject, _ name: StaticString, _ read: (JSONValue) -> Element
  ) throws(OptimizelyDatafileFailure) -> [Element] {
    guard let array = object[name]?.array else { throw .invalid("\"\(name)\" must be an array") }
    return elements(array, read)
  }
}

/// The parts, each as much as is there; elements of arrays that are no objects count for nothing.
extension DatafileReader {
  private static func elements<Element>(_ value: JSONValue?, _ read: (JSONValue) -> Element) -> [Element] {
    value?.array.map { elements($0, read) } ?? []
  }

  private static func elements<Element>(_ array: JSONArray, _ read: (JSONValue) -> Element) -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(array.count)
    for value in array where value.object != nil { elements.append(read(value)) }
    return elements
  }

  private static func text(_ value: JSONValue?) -> ByteView? { value?.utf8.map { ByteView($0) } }
  private static func id(_ value: JSONValue) -> ByteView { text(value["id"]) ?? .noBytes }
  private static func key(_ value: JSONValue) -> ByteView { text(value["key"]) ?? .noBytes }

  private static func texts(_ value: JSONValue?) -> [ByteView] {
    value?.array.map { $0.compactMap { text($0) } } ?? []
  }

  private static func rule(_ value: JSONValue) -> RuleDefinition {
    RuleDefinition(
      id: id(value), key: key(value), isRunning: text(value["status"])?.reads("Running") ?? false,
      layerID: text(value["layerId"]) ?? .noBytes, type: ruleType(text(value["type"])),
      variations: elements(value["variations"], variation), allocation: elements(value["trafficAllocation"], allocation),
      audienceIDs: texts(value["audienceIds"]), audienceConditions: value["audienceConditions"]?.unlessNull,
      whitelist: whitelist(value["forcedVariations"]), prediction: prediction(value["cmab"]),
      includedRules: texts(value["includedRules"]),
      excludesTargetedDeliveries: value["excludeTargetedDeliveries"]?.bool ?? false)
  }

  private static func ruleType(_ text: ByteView?) -> RuleType {
    guard let text else { return .ordinary }
    if text.reads("fr") { return .featureRollout }
    return text.reads("td") ? .targetedDelivery : .ordinary
  }

  private static func variation(_ value: JSONValue) -> VariationDefinition {
    VariationDefinition(
      id: id(value), key: key(value), featureEnabled: value["featureEnabled"]?.bool,
      variables: elements(value["variables"]) { (id($0), text($0["value"]) ?? .noBytes) })
  }

  private static func allocation(_ value: JSONValue) -> AllocationDefinition {
    let end = value["endOfRange"]
    return AllocationDefinition(
      entity: text(value["entityId"]) ?? .noBytes, end: end?.int64 ?? end?.double.flatMap { Int64(exactly: $0.rounded(.up)) } ?? 0)
  }

  private static func whitelist(_ value: JSONValue?) -> [(user: ByteView, variationKey: ByteView)] {
    guard let object = value?.object else { return [] }
    return object.compactMap { member in text(member.value).map { (ByteView(member.key.utf8), $0) } }
  }

  private static func prediction(_ value: JSONValue?) -> (range: Int64, attributeIDs: [ByteView])? {
    guard let value, value.object != nil else { return nil }
    return (value["trafficAllocation"]?.int64 ?? 0, texts(value["attributeIds"]))
  }

  private static func group(_ value: JSONValue) -> GroupDefinition {
    GroupDefinition(
      id: id(value), isExclusive: text(value["policy"])?.reads("random") ?? false,
      allocation: elements(value["trafficAllocation"], allocation), experiments: elements(value["experiments"], rule))
  }

  private static func audience(_ value: JSONValue) -> AudienceDefinition {
    AudienceDefinition(id: id(value), name: text(value["name"]) ?? .noBytes, conditions: value["conditions"])
  }

  private static func flag(_ value: JSONValue) -> FlagDefinition {
    FlagDefinition(
      id: id(value), key: key(value), experimentIDs: texts(value["experimentIds"]),
      rolloutID: ASCII.trimmed(text(value["rolloutId"]) ?? .noBytes), variables: elements(value["variables"], variable))
  }

  private static func variable(_ value: JSONValue) -> VariableDefinition {
    VariableDefinition(
      id: id(value), key: key(value), type: variableType(text(value["type"]), text(value["subType"])),
      defaultValue: text(value["defaultValue"]) ?? .noBytes)
  }

  private static func variableType(_ type: ByteView?, _ subtype: ByteView?) -> VariableType {
    guard let type else { return .string }
    if type.reads("integer") { return .integer }
    if type.reads("double") { return .double }
    if type.reads("boolean") { return .boolean }
    if type.reads("json") { return .json }
    return type.reads("string") && subtype?.reads("json") ?? false ? .json : .string
  }
}
