internal import HoistBase
internal import HoistJSON

/// Why a message about flags cannot be read: one line without content of the message.
struct FlagFailure: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
  init(_ failure: JSONFailure) { reason = "\(failure)" }
}

/// One flag as the service sends it (4.1); texts and values are borrowed from the document. Null is as good as missing;
/// anything else of a wrong type makes the whole message malformed.
struct FlagDefinition {
  var key: ByteView?
  /// nil for null.
  var value: JSONNode?
  var variation: Int64?
  var version: Int64?
  var flagVersion: Int64?
  var isTracked: Bool
  var tracksReason: Bool
  /// Milliseconds since 1970; 0 for none.
  var debuggedUntil: Int64
  /// An object.
  var reason: JSONNode?
  /// An array of strings.
  var prerequisites: JSONNode?

  /// Of members of one name the last counts, also when it is null.
  init(_ node: JSONNode) throws(FlagFailure) {
    guard node.kind == .object else { throw FlagFailure("a flag is no object") }
    value = node["value"]?.unlessNull
    version = try Self.integer(node["version"], "version")
    flagVersion = try Self.integer(node["flagVersion"], "flagVersion")
    variation = try Self.integer(node["variation"], "variation")
    isTracked = try Self.bool(node["trackEvents"], "trackEvents")
    tracksReason = try Self.bool(node["trackReason"], "trackReason")
    debuggedUntil = try Self.date(node["debugEventsUntilDate"])
    reason = node["reason"]?.unlessNull
    guard reason?.kind ?? .object == .object else { throw FlagFailure("\"reason\" is no object") }
    prerequisites = node["prerequisites"]?.unlessNull
    if let prerequisites, prerequisites.array?.allSatisfy({ $0.kind == .string }) != true {
      throw FlagFailure("\"prerequisites\" is no array of strings")
    }
    key = node["key"]?.bytes
    if key == nil, node["key"]?.unlessNull != nil { throw FlagFailure("\"key\" is no string") }
  }

  /// An integer may be written `1.0`.
  static func integer(_ node: JSONNode?, _ name: StaticString) throws(FlagFailure) -> Int64? {
    guard let node = node?.unlessNull else { return nil }
    guard let value = node.int64 ?? node.double.flatMap({ Int64(exactly: $0) }) else {
      throw FlagFailure("\"\(name)\" is no integer")
    }
    return value
  }

  private static func bool(_ node: JSONNode?, _ name: StaticString) throws(FlagFailure) -> Bool {
    guard let node = node?.unlessNull else { return false }
    guard let value = node.bool else { throw FlagFailure("\"\(name)\" is neither true nor false") }
    return value
  }

  private static func date(_ node: JSONNode?) throws(FlagFailure) -> Int64 {
    guard let node = node?.unlessNull else { return 0 }
    guard let number = node.double else { throw FlagFailure("\"debugEventsUntilDate\" is no number") }
    if number <= 0 { return 0 }
    return Int64(exactly: number.rounded(.towardZero)) ?? .max
  }
}
