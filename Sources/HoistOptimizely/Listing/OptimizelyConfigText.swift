public import HoistBase
public import HoistJSON
internal import HoistCore

/// `getOptimizelyConfig`: what a project has, as JSON (protocols/optimizely.md 7, `OPT-70`).
public enum OptimizelyConfigText {
  /// - Parameter datafile: the text that is served.
  public static func json(
    ofDatafile datafile: some ByteSource, limits: JSONLimits = .standard
  ) throws(OptimizelyDatafileFailure) -> [UInt8] {
    try OptimizelyDatafile.withDatafile(datafile, limits) { datafile, _ in
      var listing = ConfigListing(datafile)
      return listing.text()
    }
  }
}

/// Writes a project down.
struct ConfigListing {
  private let datafile: Datafile
  private var writer = JSONWriter()
  private var audienceNames: [BytesKey: ByteView] = [:]
  private var experiments: [BytesKey: RuleDefinition] = [:]
  private var rollouts: [BytesKey: RolloutDefinition] = [:]
  /// The flag that an experiment belongs to.
  private var flags: [BytesKey: FlagDefinition] = [:]

  init(_ datafile: Datafile) {
    self.datafile = datafile
    for audience in datafile.audiences + datafile.typedAudiences {
      audienceNames[BytesKey(audience.id)] = audience.name
    }
    for rule in allExperiments { experiments[BytesKey(rule.id)] = rule }
    for rollout in datafile.rollouts { rollouts[BytesKey(rollout.id)] = rollout }
    for flag in datafile.flags { for id in flag.experimentIDs { flags[BytesKey(id)] = flag } }
  }

  private var allExperiments: [RuleDefinition] { datafile.experiments + datafile.groups.flatMap(\.experiments) }

  mutating func text() -> [UInt8] {
    writer.beginObject()
    writer.member("environmentKey", datafile.environmentKey)
    writer.member("sdkKey", datafile.sdkKey)
    writer.member("revision", datafile.revision)
    writer.array("attributes") { writer in
      for attribute in datafile.attributes {
        writer.object { writer in
          writer.member("id", attribute.id)
          writer.member("key", attribute.key)
        }
      }
    }
    writeEvents()
    writeAudiences()
    writer.key("experimentsMap")
    write(Self.lastByKey(allExperiments).compactMap { experiments[BytesKey($0.id)] })
    writeFlags()
    writer.endObject()
    return writer.bytes
  }

  private mutating func writeEvents() {
    writer.array("events") { writer in
      for event in datafile.events {
        writer.object { writer in
          writer.member("id", event.id)
          writer.member("key", event.key)
          writer.array("experimentIds") { writer in for id in event.experimentIDs { writer.string(id) } }
        }
      }
    }
  }

  private mutating func writeAudiences() {
    writer.beginArray("audiences")
    for audience in datafile.typedAudiences { write(audience) }
    for audience in datafile.audiences where !audience.id.reads("$opt_dummy_audience") {
      if !datafile.typedAudiences.contains(where: { $0.id.hasSameBytes(as: audience.id) }) { write(audience) }
    }
    writer.endArray()
  }

  /// Conditions as text: typed ones compact with sorted members, the others as they are.
  private mutating func write(_ audience: AudienceDefinition) {
    writer.beginObject()
    writer.member("id", audience.id)
    writer.member("name", audience.name)
    writer.key("conditions")
    switch audience.conditions {
    case .text(let text): writer.string(text)
    case .json(let tree):
      let text = try? JSONDocument(parsing: tree).withRoot { try? $0.text(order: .sorted) }
      (text ?? []).withUnsafeBufferPointer { writer.string(utf8: $0) }
    case nil: writer.string("")
    }
    writer.endObject()
  }

  /// Rules by key.
  private mutating func write(_ rules: [RuleDefinition]) {
    writer.beginObject()
    for rule in rules {
      writer.key(rule.key)
      write(rule, of: flags[BytesKey(rule.id)])
    }
    writer.endObject()
  }

  private mutating func write(_ rule: RuleDefinition, of flag: FlagDefinition?) {
    writer.beginObject()
    writer.member("id", rule.id)
    writer.member("key", rule.key)
    writer.member("audiences", AudienceText.text(of: rule.audienceConditions, audienceNames))
    writer.beginObject("variationsMap")
    for variation in Self.lastByKey(rule.variations) {
      writer.key(variation.key)
      writer.beginObject()
      writer.member("id", variation.id)
      writer.member("key", variation.key)
      writer.key("featureEnabled")
      if let isEnabled = variation.featureEnabled { writer.bool(isEnabled) } else { writer.null() }
      writeVariables(of: flag, in: variation)
      writer.endObject()
    }
    writer.endObject()
    writer.endObject()
  }

  private mutating func writeVariables(of flag: FlagDefinition?, in variation: VariationDefinition?) {
    writer.beginObject("variablesMap")
    for variable in flag?.variables ?? .nothing {
      let isOn = variation?.isEnabled ?? false
      let own = isOn ? variation?.variables.first { $0.id.hasSameBytes(as: variable.id) }?.value : nil
      writer.key(variable.key)
      writer.beginObject()
      writer.member("id", variable.id)
      writer.member("key", variable.key)
      writer.member("type", OptimizelyVariableType(rawValue: variable.type.rawValue)?.name.description ?? "string")
      writer.member("value", own ?? variable.defaultValue)
      writer.endObject()
    }
    writer.endObject()
  }

  private mutating func writeFlags() {
    writer.beginObject("featuresMap")
    for flag in Self.lastByKey(datafile.flags) {
      let rules = flag.experimentIDs.compactMap { experiments[BytesKey($0)] }
      writer.key(flag.key)
      writer.beginObject()
      writer.member("id", flag.id)
      writer.member("key", flag.key)
      writeVariables(of: flag, in: nil)
      writer.beginArray("experimentRules")
      for rule in rules { write(rule, of: flag) }
      writer.endArray()
      writer.beginArray("deliveryRules")
      for rule in rollouts[BytesKey(flag.rolloutID)]?.rules ?? .nothing { write(rule, of: flag) }
      writer.endArray()
      writer.beginObject("experimentsMap")
      for rule in Self.lastByKey(rules) {
        writer.key(rule.key)
        write(rule, of: flag)
      }
      writer.endObject()
      writer.endObject()
    }
    writer.endObject()
  }
}

/// Elements listed by key: of several with the same key the last counts, at the position of the first.
private protocol Keyed { var key: ByteView { get } }
extension RuleDefinition: Keyed {}
extension VariationDefinition: Keyed {}
extension FlagDefinition: Keyed {}

extension ConfigListing {
  fileprivate static func lastByKey<Element: Keyed>(_ list: some Sequence<Element>) -> [Element] {
    var places: [BytesKey: Int] = [:]
    var kept: [Element] = []
    for element in list {
      if let place = places[BytesKey(element.key)] {
        kept[place] = element
      } else {
        places[BytesKey(element.key)] = kept.count
        kept.append(element)
      }
    }
    return kept
  }
}

/// A rule's audience expression for people: `"us" OR ("adults" AND "mobile")` (protocols/optimizely.md 7).
enum AudienceText {
  /// - Parameter names: of audiences, by id; an unknown id is listed as it is.
  static func text(of conditions: ConditionsDefinition?, _ names: [BytesKey: ByteView]) -> String {
    switch conditions {
    case .json(let tree): (try? JSONNode.parse(tree) { text(of: $0, names, depth: 0) }) ?? ""
    case .text(let id): name(of: id, names)
    case nil: ""
    }
  }

  private static func name(of id: ByteView, _ names: [BytesKey: ByteView]) -> String {
    "\"" + String(decoding: names[BytesKey(id)] ?? id, as: UTF8.self) + "\""
  }

  private static func text(of node: JSONNode, _ names: [BytesKey: ByteView], depth: Int) -> String {
    guard let list = node.array else { return node.utf8.map { name(of: ByteView($0), names) } ?? "" }
    guard depth < Program.maximumDepth else { return "…" }
    let (operation, operands) = DatafileCompiler.parts(list)
    let texts = operands.map { operand in
      let text = text(of: operand, names, depth: depth + 1)
      return operand.array == nil ? text : "(\(text))"
    }
    if operation == .not { return texts.first.map { "NOT " + $0 } ?? "" }
    return texts.joined(separator: operation == .and ? " AND " : " OR ")
  }
}
