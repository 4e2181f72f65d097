internal import HoistBase
internal import HoistJSON

/// Reads a datafile: strict about what stands at the top, lenient inside (protocols/optimizely.md 2.1).
///
/// One entity's tree is there at a time, so that a large datafile needs little memory beside its text, and no large
/// tree has to be taken down. Keeps the texts of what it has read.
final class DatafileReader {
  private var arena = TextArena()
  private let text: ByteView
  private let limits: JSONLimits
  /// The top's members as the parts of the text they are; of those of one name the last.
  private var members: [String: ByteView] = [:]

  init(_ text: ByteView, _ limits: JSONLimits) throws(OptimizelyDatafileFailure) {
    self.text = text
    self.limits = limits
    guard text.count <= limits.maximumBytes else { throw .invalid("longer than \(limits.maximumBytes) bytes") }
    // The vendor's parsers take no byte-order mark, which Hoist's does.
    guard text.first != 0xEF else { throw .invalid("not a JSON object") }
    var slices = try cut(text)
    guard slices.isObject else { throw .invalid("not a JSON object") }
    while let (name, value) = try next(&slices) {
      guard let name else { continue }
      let key = try parse(name) { $0.string } ?? ""
      if Self.known.contains(key) { members[key] = value } else { try parse(value) { _ in } }
    }
  }

  private static let known: Set<String> = [
    "version", "projectId", "accountId", "revision", "anonymizeIP", "experiments", "groups", "featureFlags", "rollouts",
    "audiences", "typedAudiences", "attributes", "events", "integrations", "botFiltering", "sendFlagDecisions", "sdkKey",
    "environmentKey", "holdouts", "localHoldouts", "region",
  ]

  /// The whole; its texts live as long as this reader.
  func read() throws(OptimizelyDatafileFailure) -> Datafile {
    guard let version = try optionalText("version") else { throw .invalid("\"version\" must be a text") }
    guard version.reads("4") else { throw .versionInvalid(String(decoding: version, as: UTF8.self)) }
    var datafile = Datafile()
    datafile.projectID = try neededText("projectId")
    datafile.accountID = try neededText("accountId")
    datafile.revision = try neededText("revision")
    guard let anonymizes = try scalar("anonymizeIP", { $0.bool }) else {
      throw .invalid("\"anonymizeIP\" must be true or false")
    }
    datafile.anonymizesAddresses = anonymizes
    datafile.experiments = try needed("experiments", rule)
    datafile.groups = try needed("groups", group)
    datafile.flags = try needed("featureFlags", flag)
    datafile.rollouts = try needed("rollouts", rollout)
    datafile.audiences = try needed("audiences", audience)
    datafile.attributes = try needed("attributes", keyed)
    datafile.events = try needed("events", event)
    try readOptional(&datafile)
    return datafile
  }

  private func readOptional(_ datafile: inout Datafile) throws(OptimizelyDatafileFailure) {
    datafile.typedAudiences = try optional("typedAudiences", audience)
    datafile.holdouts = try optional("holdouts", rule)
    datafile.localHoldouts = try optional("localHoldouts", rule)
    datafile.botFiltering = try scalar("botFiltering") { $0.bool }
    datafile.sendsFlagDecisions = try scalar("sendFlagDecisions") { $0.bool } ?? false
    datafile.sdkKey = try optionalText("sdkKey") ?? .noBytes
    datafile.environmentKey = try optionalText("environmentKey") ?? .noBytes
    if let region = try optionalText("region"), ASCII.equalsIgnoringCase(region, "EU") { datafile.region = .eu }
    let integrations = try optional("integrations") { [self] in
      (key: key($0), host: text($0["host"]), publicKey: text($0["publicKey"]))
    }
    if let platform = integrations.first(where: { $0.key.reads("odp") }) {
      datafile.segmentsHost = platform.host
      datafile.segmentsKey = platform.publicKey
    }
  }
}

/// The text's parts.
extension DatafileReader {
  private func optionalText(_ name: String) throws(OptimizelyDatafileFailure) -> ByteView? {
    try scalar(name) { [self] in text($0) }
  }

  private func neededText(_ name: String) throws(OptimizelyDatafileFailure) -> ByteView {
    guard let value = try optionalText(name) else { throw .invalid("\"\(name)\" must be a text") }
    return value
  }

  private func scalar<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(OptimizelyDatafileFailure) -> Value? {
    guard let part = members[name] else { return nil }
    return try parse(part, read)
  }

  private func needed<Element>(
    _ name: String, _ read: (JSONValue) -> Element
  ) throws(OptimizelyDatafileFailure) -> [Element] {
    guard members[name]?.first == 0x5B else { throw .invalid("\"\(name)\" must be an array") }
    return try optional(name, read)
  }

  private func optional<Element>(
    _ name: String, _ read: (JSONValue) -> Element
  ) throws(OptimizelyDatafileFailure) -> [Element] {
    guard let part = members[name] else { return [] }
    guard part.first == 0x5B else {
      try parse(part) { _ in }
      return []
    }
    var elements: [Element] = []
    var slices = try cut(part)
    while let (_, value) = try next(&slices) {
      if let element = try parse(value, { $0.object == nil ? nil : read($0) }) { elements.append(element) }
    }
    return elements
  }

  @discardableResult
  private func parse<Result>(
    _ part: ByteView, _ read: (JSONValue) -> Result
  ) throws(OptimizelyDatafileFailure) -> Result {
    let document: JSONDocument
    do throws(JSONFailure) { document = try JSONDocument(parsing: part, limits: limits) } catch {
      throw .invalid("\(error.moved(from: part, to: text))")
    }
    return document.withRoot(read)
  }

  private func cut(_ part: ByteView) throws(OptimizelyDatafileFailure) -> JSONSlices {
    do throws(JSONFailure) { return try JSONSlices(part) } catch { throw .invalid("\(error.moved(from: part, to: text))") }
  }

  private func next(
    _ slices: inout JSONSlices
  ) throws(OptimizelyDatafileFailure) -> (name: ByteView?, value: ByteView)? {
    do throws(JSONFailure) { return try slices.next() } catch { throw .invalid("\(error.reason)") }
  }
}

/// The entities, each as much as is there; elements of arrays that are no objects count for nothing.
extension DatafileReader {
  private func elements<Element>(_ value: JSONValue?, _ read: (JSONValue) -> Element) -> [Element] {
    value?.array.map { elements($0, read) } ?? []
  }

  private func elements<Element>(_ array: JSONArray, _ read: (JSONValue) -> Element) -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(array.count)
    for value in array where value.object != nil { elements.append(read(value)) }
    return elements
  }

  /// A copy that stays.
  private func text(_ value: JSONValue?) -> ByteView? { value?.utf8.map { arena.keep(ByteView($0)) } }
  private func id(_ value: JSONValue) -> ByteView { text(value["id"]) ?? .noBytes }
  private func key(_ value: JSONValue) -> ByteView { text(value["key"]) ?? .noBytes }

  private func texts(_ value: JSONValue?) -> [ByteView] {
    value?.array.map { $0.compactMap { text($0) } } ?? []
  }

  private func rule(_ value: JSONValue) -> RuleDefinition {
    RuleDefinition(
      id: id(value), key: key(value), isRunning: text(value["status"])?.reads("Running") ?? false,
      layerID: text(value["layerId"]) ?? .noBytes, type: ruleType(text(value["type"])),
      variations: elements(value["variations"], variation), allocation: elements(value["trafficAllocation"], allocation),
      audienceIDs: texts(value["audienceIds"]), audienceConditions: value["audienceConditions"]?.unlessNull.map { JSONDocument(retaining: $0) },
      whitelist: whitelist(value["forcedVariations"]), prediction: prediction(value["cmab"]),
      includedRules: texts(value["includedRules"]),
      excludesTargetedDeliveries: value["excludeTargetedDeliveries"]?.bool ?? false)
  }

  private func ruleType(_ text: ByteView?) -> RuleType {
    guard let text else { return .ordinary }
    if text.reads("fr") { return .featureRollout }
    return text.reads("td") ? .targetedDelivery : .ordinary
  }

  private func variation(_ value: JSONValue) -> VariationDefinition {
    VariationDefinition(
      id: id(value), key: key(value), featureEnabled: value["featureEnabled"]?.bool,
      variables: elements(value["variables"]) { (id($0), text($0["value"]) ?? .noBytes) })
  }

  private func allocation(_ value: JSONValue) -> AllocationDefinition {
    let end = value["endOfRange"]
    return AllocationDefinition(
      entity: text(value["entityId"]) ?? .noBytes, end: end?.int64 ?? end?.double.flatMap { Int64(exactly: $0.rounded(.up)) } ?? 0)
  }

  private func whitelist(_ value: JSONValue?) -> [(user: ByteView, variationKey: ByteView)] {
    guard let object = value?.object else { return [] }
    return object.compactMap { member in text(member.value).map { (arena.keep(ByteView(member.key.utf8)), $0) } }
  }

  private func prediction(_ value: JSONValue?) -> (range: Int64, attributeIDs: [ByteView])? {
    guard let value, value.object != nil else { return nil }
    return (value["trafficAllocation"]?.int64 ?? 0, texts(value["attributeIds"]))
  }

  private func group(_ value: JSONValue) -> GroupDefinition {
    GroupDefinition(
      id: id(value), isExclusive: text(value["policy"])?.reads("random") ?? false,
      allocation: elements(value["trafficAllocation"], allocation), experiments: elements(value["experiments"], rule))
  }

  private func audience(_ value: JSONValue) -> AudienceDefinition {
    AudienceDefinition(id: id(value), name: text(value["name"]) ?? .noBytes, conditions: value["conditions"].map { JSONDocument(retaining: $0) })
  }

  private func rollout(_ value: JSONValue) -> RolloutDefinition {
    RolloutDefinition(id: id(value), rules: elements(value["experiments"], rule))
  }

  private func keyed(_ value: JSONValue) -> KeyedDefinition { KeyedDefinition(id: id(value), key: key(value)) }

  private func event(_ value: JSONValue) -> EventDefinition {
    EventDefinition(id: id(value), key: key(value), experimentIDs: texts(value["experimentIds"]))
  }

  private func flag(_ value: JSONValue) -> FlagDefinition {
    FlagDefinition(
      id: id(value), key: key(value), experimentIDs: texts(value["experimentIds"]),
      rolloutID: ASCII.trimmed(text(value["rolloutId"]) ?? .noBytes), variables: elements(value["variables"], variable))
  }

  private func variable(_ value: JSONValue) -> VariableDefinition {
    VariableDefinition(
      id: id(value), key: key(value), type: variableType(text(value["type"]), text(value["subType"])),
      defaultValue: text(value["defaultValue"]) ?? .noBytes)
  }

  private func variableType(_ type: ByteView?, _ subtype: ByteView?) -> VariableType {
    guard let type else { return .string }
    if type.reads("integer") { return .integer }
    if type.reads("double") { return .double }
    if type.reads("boolean") { return .boolean }
    if type.reads("json") { return .json }
    return type.reads("string") && subtype?.reads("json") ?? false ? .json : .string
  }
}
