internal import HoistBase
internal import HoistJSON

/// Reads a datafile: strict at the top level, lenient inside (protocols/optimizely.md 2.1).
///
/// Only one entity's values are in memory at a time. They are borrowed from the reader.
final class DatafileReader {
  private var json: JSONReader
  private var entities = EntityReader()
  private var parts = Parts()

  /// The members at the top level; the last of each name. Nil where it is missing or of another type.
  private struct Parts {
    var version: ByteView?
    var projectID: ByteView?
    var accountID: ByteView?
    var revision: ByteView?
    var anonymizesAddresses: Bool?
    var experiments: [RuleDefinition]?
    var groups: [GroupDefinition]?
    var flags: [FlagDefinition]?
    var rollouts: [RolloutDefinition]?
    var audiences: [AudienceDefinition]?
    var attributes: [KeyedDefinition]?
    var events: [EventDefinition]?
    /// What may be missing.
    var rest = Datafile()
  }

  init(_ text: ByteView, _ limits: JSONLimits) throws(OptimizelyDatafileFailure) {
    guard text.count <= limits.maximumBytes else { throw .invalid("longer than \(limits.maximumBytes) bytes") }
    // The vendor's parsers take no byte-order mark, which Hoist's does.
    guard text.first != 0xEF else { throw .invalid("not a JSON object") }
    do throws(JSONFailure) { json = try JSONReader(text, limits: limits) } catch { throw .invalid("\(error)") }
    guard json.enter(.object) else { throw .invalid("not a JSON object") }
  }

  /// The whole; its texts and lists live as long as this reader. Once.
  func read() throws(OptimizelyDatafileFailure) -> Datafile {
    try readMembers()
    guard let version = parts.version else { throw .invalid("\"version\" must be a text") }
    guard version.reads("4") else { throw .versionInvalid(String(decoding: version, as: UTF8.self)) }
    var datafile = parts.rest
    datafile.projectID = try needed(parts.projectID, "projectId")
    datafile.accountID = try needed(parts.accountID, "accountId")
    datafile.revision = try needed(parts.revision, "revision")
    datafile.anonymizesAddresses = try needed(parts.anonymizesAddresses, "anonymizeIP", "true or false")
    datafile.experiments = try needed(parts.experiments, "experiments", "an array")
    datafile.groups = try needed(parts.groups, "groups", "an array")
    datafile.flags = try needed(parts.flags, "featureFlags", "an array")
    datafile.rollouts = try needed(parts.rollouts, "rollouts", "an array")
    datafile.audiences = try needed(parts.audiences, "audiences", "an array")
    datafile.attributes = try needed(parts.attributes, "attributes", "an array")
    datafile.events = try needed(parts.events, "events", "an array")
    parts = Parts()
    entities.takeOverRollouts(&datafile)
    return datafile
  }

  private func needed<Value>(
    _ value: Value?, _ name: StaticString, _ kind: StaticString = "a text"
  ) throws(OptimizelyDatafileFailure) -> Value {
    guard let value else { throw .invalid("\"\(name)\" must be \(kind)") }
    return value
  }

  private func readMembers() throws(OptimizelyDatafileFailure) {
    var place = ""
    do throws(JSONFailure) {
      while let name = try json.nextName() {
        let name = Array(name)
        place = "in \"\(String(decoding: name.prefix(64), as: UTF8.self))\", "
        try name.withBytes { name in Result { () throws(JSONFailure) in try read(name) } }.get()
        place = ""
      }
      try json.finish()
    } catch {
      throw .invalid("\(place)\(error)")
    }
  }

  private func read(_ name: ByteView) throws(JSONFailure) {
    if name.reads("experiments") {
      parts.experiments = try list { $0.rule($1) }
    } else if name.reads("featureFlags") {
      parts.flags = try list { $0.flag($1) }
    } else if name.reads("rollouts") {
      parts.rollouts = try list { $0.rollout($1) }
    } else if name.reads("groups") {
      parts.groups = try list { $0.group($1) }
    } else if name.reads("audiences") {
      parts.audiences = try list { $0.audience($1) }
    } else if name.reads("typedAudiences") {
      parts.rest.typedAudiences = try list { $0.audience($1) } ?? []
    } else if name.reads("attributes") {
      parts.attributes = try list { $0.keyed($1) }
    } else if name.reads("events") {
      parts.events = try list { $0.event($1) }
    } else if name.reads("holdouts") {
      parts.rest.holdouts = try list { $0.rule($1) } ?? []
    } else if name.reads("localHoldouts") {
      parts.rest.localHoldouts = try list { $0.rule($1) } ?? []
    } else if name.reads("integrations") {
      set(integrations: try list { $0.integration($1) } ?? [])
    } else {
      set(name, try json.value())
    }
  }

  /// Elements that are no objects are skipped. Nil when it is no array.
  private func list<Element>(
    _ read: (inout EntityReader, JSONNode) -> Element
  ) throws(JSONFailure) -> [Element]? {
    guard json.enter(.array) else {
      _ = try json.value()
      return nil
    }
    var elements: [Element] = []
    while let value = try json.nextElement() {
      if value.object != nil { elements.append(read(&entities, value)) }
    }
    return elements
  }

  private func set(integrations: [IntegrationDefinition]) {
    let platform = integrations.first { $0.key.reads("odp") }
    parts.rest.segmentsHost = platform?.host
    parts.rest.segmentsKey = platform?.publicKey
  }

  private func set(_ name: ByteView, _ value: JSONNode) {
    let text = value.utf8.map { ByteView($0) }
    if name.reads("version") {
      parts.version = text
    } else if name.reads("projectId") {
      parts.projectID = text
    } else if name.reads("accountId") {
      parts.accountID = text
    } else if name.reads("revision") {
      parts.revision = text
    } else if name.reads("sdkKey") {
      parts.rest.sdkKey = text ?? .noBytes
    } else if name.reads("environmentKey") {
      parts.rest.environmentKey = text ?? .noBytes
    } else if name.reads("region") {
      parts.rest.region = text.map { ASCII.equalsIgnoringCase($0, "EU") } ?? false ? .eu : .us
    } else if name.reads("anonymizeIP") {
      parts.anonymizesAddresses = value.bool
    } else if name.reads("botFiltering") {
      parts.rest.botFiltering = value.bool
    } else if name.reads("sendFlagDecisions") {
      parts.rest.sendsFlagDecisions = value.bool ?? false
    }
  }
}
