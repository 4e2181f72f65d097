internal import HoistBase
internal import HoistJSON

struct IntegrationDefinition: BitwiseCopyable {
  var key: ByteView
  var host: ByteView?
  var publicKey: ByteView?
}

/// Reads the entities of a datafile, each with the members it has; elements of arrays that are no objects are skipped.
/// Texts are those of the JSON reader, lists are kept here.
struct EntityReader: ~Copyable {
  private var arena = PlainArena()
  private var texts = TextArena()
  private var hasFeatureRollouts = false

  init() {}

  mutating func rule(_ value: JSONNode) -> RuleDefinition {
    RuleDefinition(
      id: text(value["id"]), key: text(value["key"]), isRunning: text(value["status"]).reads("Running"),
      layerID: text(value["layerId"]), type: ruleType(text(value["type"])),
      variations: list(value["variations"]) { $0.variation($1) },
      allocation: list(value["trafficAllocation"]) { $0.allocation($1) }, audienceIDs: ids(value["audienceIds"]),
      audienceConditions: value["audienceConditions"]?.unlessNull.map { conditions($0) },
      whitelist: value["forcedVariations"].map { whitelist($0) } ?? .nothing,
      prediction: value["cmab"].flatMap { prediction($0) }, includedRules: ids(value["includedRules"]),
      excludesTargetedDeliveries: value["excludeTargetedDeliveries"]?.bool ?? false)
  }

  private mutating func ruleType(_ text: ByteView) -> RuleType {
    guard text.reads("fr") else { return text.reads("td") ? .targetedDelivery : .ordinary }
    hasFeatureRollouts = true
    return .featureRollout
  }

  private mutating func variation(_ value: JSONNode) -> VariationDefinition {
    VariationDefinition(
      id: text(value["id"]), key: text(value["key"]), featureEnabled: value["featureEnabled"]?.bool,
      variables: list(value["variables"]) { ValueDefinition(id: $0.text($1["id"]), value: $0.text($1["value"])) })
  }

  private func allocation(_ value: JSONNode) -> AllocationDefinition {
    let end = value["endOfRange"]
    return AllocationDefinition(
      entity: text(value["entityId"]), end: end?.int64 ?? end?.double.flatMap { Int64(exactly: $0.rounded(.up)) } ?? 0)
  }

  /// Of members of the same name the last counts.
  private mutating func whitelist(_ value: JSONNode) -> DefinitionList<WhitelistDefinition> {
    guard let members = value.object, !members.isEmpty else { return .nothing }
    var known = BytesTable(expecting: members.count)
    let entries = members.reversed().compactMap { member -> WhitelistDefinition? in
      let user = ByteView(member.name)
      guard known.set(user, to: 1) == nil, let key = member.utf8 else { return nil }
      return WhitelistDefinition(user: user, variationKey: ByteView(key))
    }
    return kept(entries)
  }

  private mutating func prediction(_ value: JSONNode) -> PredictionDefinition? {
    guard value.object != nil else { return nil }
    return PredictionDefinition(range: value["trafficAllocation"]?.int64 ?? 0, attributeIDs: ids(value["attributeIds"]))
  }

  mutating func group(_ value: JSONNode) -> GroupDefinition {
    GroupDefinition(
      id: text(value["id"]), isExclusive: text(value["policy"]).reads("random"),
      allocation: list(value["trafficAllocation"]) { $0.allocation($1) },
      experiments: list(value["experiments"]) { $0.rule($1) })
  }

  mutating func audience(_ value: JSONNode) -> AudienceDefinition {
    AudienceDefinition(
      id: text(value["id"]), name: text(value["name"]), conditions: value["conditions"].map { conditions($0) })
  }

  private mutating func conditions(_ value: JSONNode) -> ConditionsDefinition {
    if let text = value.utf8 { return .text(ByteView(text)) }
    if let source = value.source { return .json(source) }
    var writer = JSONWriter()
    writer.value(value)
    return .json(writer.bytes.withUnsafeBytes { texts.keep($0) })
  }

  mutating func rollout(_ value: JSONNode) -> RolloutDefinition {
    RolloutDefinition(id: text(value["id"]), rules: list(value["experiments"]) { $0.rule($1) })
  }

  func keyed(_ value: JSONNode) -> KeyedDefinition { KeyedDefinition(id: text(value["id"]), key: text(value["key"])) }

  mutating func event(_ value: JSONNode) -> EventDefinition {
    EventDefinition(id: text(value["id"]), key: text(value["key"]), experimentIDs: ids(value["experimentIds"]))
  }

  func integration(_ value: JSONNode) -> IntegrationDefinition {
    IntegrationDefinition(
      key: text(value["key"]), host: value["host"]?.bytes,
      publicKey: value["publicKey"]?.bytes)
  }

  mutating func flag(_ value: JSONNode) -> FlagDefinition {
    FlagDefinition(
      id: text(value["id"]), key: text(value["key"]), experimentIDs: ids(value["experimentIds"]),
      rolloutID: ASCII.trimmed(text(value["rolloutId"])), variables: list(value["variables"]) { $0.variable($1) })
  }

  private func variable(_ value: JSONNode) -> VariableDefinition {
    VariableDefinition(
      id: text(value["id"]), key: text(value["key"]), type: variableType(text(value["type"]), value["subType"]),
      defaultValue: text(value["defaultValue"]))
  }

  private func variableType(_ type: ByteView, _ subtype: JSONNode?) -> VariableType {
    if type.reads("integer") { return .integer }
    if type.reads("double") { return .double }
    if type.reads("boolean") { return .boolean }
    if type.reads("json") { return .json }
    return type.reads("string") && text(subtype).reads("json") ? .json : .string
  }
}

/// Texts and lists.
extension EntityReader {
  /// Empty when it is no text.
  private func text(_ value: JSONNode?) -> ByteView { value?.bytes ?? .noBytes }

  private mutating func ids(_ value: JSONNode?) -> DefinitionList<ByteView> {
    guard let array = value?.array else { return .nothing }
    let room = arena.room(for: array.count, of: ByteView.self)
    var count = 0
    for element in array {
      guard let text = element.utf8, count < room.count else { continue }
      room[count] = ByteView(text)
      count += 1
    }
    return DefinitionList(rebasing: room[..<count])
  }

  private mutating func list<Element: BitwiseCopyable>(
    _ value: JSONNode?, _ read: (inout EntityReader, JSONNode) -> Element
  ) -> DefinitionList<Element> {
    guard let array = value?.array else { return .nothing }
    let room = arena.room(for: array.count, of: Element.self)
    var count = 0
    for element in array where element.object != nil && count < room.count {
      room[count] = read(&self, element)
      count += 1
    }
    return DefinitionList(rebasing: room[..<count])
  }

  private mutating func kept<Element: BitwiseCopyable>(_ elements: [Element]) -> DefinitionList<Element> {
    let room = arena.room(for: elements.count, of: Element.self)
    for index in room.indices { room[index] = elements[index] }
    return DefinitionList(room)
  }
}

/// Feature rollouts (protocols/optimizely.md 2.4).
extension EntityReader {
  /// Gives experiments of that type the variation of everyone else, for what the ones before leave.
  mutating func takeOverRollouts(_ datafile: inout Datafile) {
    guard hasFeatureRollouts else { return }
    let taken = Self.takenVariations(datafile)
    for index in datafile.experiments.indices { takeOver(&datafile.experiments[index], taken) }
    for index in datafile.groups.indices {
      var rules = Array(datafile.groups[index].experiments)
      for rule in rules.indices { takeOver(&rules[rule], taken) }
      datafile.groups[index].experiments = kept(rules)
    }
  }

  private mutating func takeOver(_ rule: inout RuleDefinition, _ taken: [BytesKey: [VariationDefinition]]) {
    guard rule.type == .featureRollout, let variations = taken[BytesKey(rule.id)] else { return }
    rule.variations = kept(rule.variations + variations)
    rule.allocation = kept(rule.allocation + variations.map { AllocationDefinition(entity: $0.id, end: 10_000) })
  }

  /// By the id of the experiment.
  private static func takenVariations(_ datafile: Datafile) -> [BytesKey: [VariationDefinition]] {
    var last: [BytesKey: VariationDefinition] = [:]
    for rollout in datafile.rollouts { last[BytesKey(rollout.id)] = rollout.rules.last?.variations.first }
    var taken: [BytesKey: [VariationDefinition]] = [:]
    for flag in datafile.flags {
      guard let variation = last[BytesKey(flag.rolloutID)] else { continue }
      for id in flag.experimentIDs { taken[BytesKey(id), default: []].append(variation) }
    }
    return taken
  }
}
