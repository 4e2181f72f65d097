import HoistBase
import HoistCore
import HoistJSON
import HoistOptimizely

/// A compiled datafile of a vector.
final class Project {
  let snapshot: Snapshot

  init(_ datafile: [UInt8]) throws { snapshot = try OptimizelyDatafile.compile(datafile) }

  deinit { snapshot.destroy() }

  func flag(_ key: String) -> UnsafeRawPointer? { key.withBytes { snapshot.find($0) } }

  var flags: [UnsafeRawPointer] {
    (0..<OptimizelyFlags.flagCount(of: snapshot)).map { OptimizelyFlags.flag(at: $0, of: snapshot) }
  }

  func key(of record: UnsafeRawPointer) -> String { text(snapshot.name(of: record)) }
}

/// A datafile with nothing but one entity.
/// - Parameter list: the member that it is in.
func smallDatafile(_ list: String, _ entity: (inout JSONWriter) -> Void) -> [UInt8] {
  var writer = JSONWriter()
  writer.object { writer in
    writer.member("version", "4")
    for name in ["projectId", "accountId", "revision"] { writer.member(name, "1") }
    writer.member("anonymizeIP", true)
    for name in ["experiments", "groups", "featureFlags", "rollouts", "audiences", "attributes", "events"] where name != list {
      writer.key(name)
      writer.array { _ in }
    }
    writer.key(list)
    writer.array { $0.object(entity) }
  }
  return writer.bytes
}

/// The datafiles of a file of vectors, each compiled once.
final class Projects {
  private let root: JSONValue
  private var compiled: [String: Project] = [:]

  init(_ root: JSONValue) { self.root = root }

  func project(_ name: String) -> Project? {
    if let known = compiled[name] { return known }
    guard let datafile = root["datafiles"]?.object?.member(name), let project = try? Project(datafile.source) else { return nil }
    compiled[name] = project
    return project
  }
}

/// A visitor of a vector, and its context.
final class Visitor {
  let context: EvaluationContext
  let hold: ContextReference?
  /// Attributes that a context refuses.
  private(set) var hasRefusedAttributes = false

  init(_ userID: String, _ attributes: JSONValue?) {
    context = EvaluationContext(targetingKey: userID)
    for (name, value) in attributes?.object.map({ Array($0) }) ?? [JSONObject.Element]() {
      if let value = attributeValue(value), (try? context.set(Array(name.utf8), value)) != nil { continue }
      hasRefusedAttributes = true
    }
    hold = context.reference()
  }

  var frozen: FrozenContext? { hold?.frozen }
}

/// Nil for numbers that are not finite.
private func attributeValue(_ value: JSONValue) -> AttributeValue? {
  if value["$double"] != nil { return nil }
  switch value.kind {
  case .null: return .null
  case .bool: return .bool(value.bool ?? false)
  case .int: return .int(value.int64 ?? 0)
  case .double: return .double(value.double ?? 0)
  case .string: return .string(Array(value.utf8 ?? UnsafeBufferPointer(start: nil, count: 0)))
  case .array, .object: return .json(value.source)
  }
}

func bytes(_ value: JSONValue?) -> [UInt8] { Array((value?.string ?? "").utf8) }

/// A value of JSON text, in canonical form.
func canonical(text: [UInt8]) -> String {
  guard let document = try? JSONDocument(parsing: text) else { return "(not JSON)" }
  return document.withRoot { $0.canonicalText }
}

func decideOptions(_ value: JSONValue?) -> DecideOptions {
  DecideOptions(value?.array?.compactMap { $0.string.flatMap { DecideOptions(name: $0) } } ?? [])
}

/// The sender that vectors write as placeholders.
let vectorClient = EventClient(name: "<CLIENT_NAME>", version: "<CLIENT_VERSION>")

@Sendable func vectorStamp() -> EventStamp { EventStamp(unixMilliseconds: 0, uuid: "<UUID>") }

let vectorOrigin = EventOrigin(client: vectorClient, stamp: vectorStamp)
