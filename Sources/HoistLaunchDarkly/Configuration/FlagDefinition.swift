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
    version = try node.integer("version")
    flagVersion = try node.integer("flagVersion")
    variation = try node.integer("variation")
    isTracked = try node.truth("trackEvents")
    tracksReason = try node.truth("trackReason")
    debuggedUntil = max(0, try node.date("debugEventsUntilDate") ?? 0)
    reason = try node.object("reason")
    prerequisites = try node.texts("prerequisites")
    key = try node.text("key")
  }
}
