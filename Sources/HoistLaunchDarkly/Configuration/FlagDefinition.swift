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
  var isTracked = false
  var tracksReason = false
  /// Milliseconds since 1970; 0 for none.
  var debuggedUntil: Int64 = 0
  /// An object.
  var reason: JSONNode?
  /// An array of strings.
  var prerequisites: JSONNode?

  init(_ node: JSONNode) throws(FlagFailure) {
    guard let members = node.object else { throw FlagFailure("a flag is no object") }
    for member in members {
      guard let member = member.unlessNull else {
        clear(ByteView(member.name))
        continue
      }
      try set(ByteView(member.name), member)
    }
  }

  private mutating func set(_ name: ByteView, _ member: JSONNode) throws(FlagFailure) {
    if name.reads("value") {
      value = member
    } else if name.reads("version") {
      version = try Self.integer(member, "version")
    } else if name.reads("flagVersion") {
      flagVersion = try Self.integer(member, "flagVersion")
    } else if name.reads("variation") {
      variation = try Self.integer(member, "variation")
    } else if name.reads("trackEvents") {
      isTracked = try Self.bool(member, "trackEvents")
    } else if name.reads("trackReason") {
      tracksReason = try Self.bool(member, "trackReason")
    } else if name.reads("debugEventsUntilDate") {
      debuggedUntil = try Self.date(member)
    } else if name.reads("reason") {
      guard member.kind == .object else { throw FlagFailure("\"reason\" is no object") }
      reason = member
    } else if name.reads("prerequisites") {
      guard let keys = member.array, keys.allSatisfy({ $0.kind == .string }) else {
        throw FlagFailure("\"prerequisites\" is no array of strings")
      }
      prerequisites = member
    } else if name.reads("key") {
      guard let text = member.utf8 else { throw FlagFailure("\"key\" is no string") }
      key = ByteView(text)
    }
  }

  /// Of members of one name the last counts, also when it is null.
  private mutating func clear(_ name: ByteView) {
    if name.reads("value") {
      value = nil
    } else if name.reads("version") {
      version = nil
    } else if name.reads("flagVersion") {
      flagVersion = nil
    } else if name.reads("variation") {
      variation = nil
    } else if name.reads("trackEvents") {
      isTracked = false
    } else if name.reads("trackReason") {
      tracksReason = false
    } else if name.reads("debugEventsUntilDate") {
      debuggedUntil = 0
    } else if name.reads("reason") {
      reason = nil
    } else if name.reads("prerequisites") {
      prerequisites = nil
    } else if name.reads("key") {
      key = nil
    }
  }

  /// An integer may be written `1.0`.
  static func integer(_ node: JSONNode, _ name: StaticString) throws(FlagFailure) -> Int64 {
    if let value = node.int64 { return value }
    guard let number = node.double, let value = Int64(exactly: number) else {
      throw FlagFailure("\"\(name)\" is no integer")
    }
    return value
  }

  private static func bool(_ node: JSONNode, _ name: StaticString) throws(FlagFailure) -> Bool {
    guard let value = node.bool else { throw FlagFailure("\"\(name)\" is neither true nor false") }
    return value
  }

  private static func date(_ node: JSONNode) throws(FlagFailure) -> Int64 {
    guard let number = node.double else { throw FlagFailure("\"debugEventsUntilDate\" is no number") }
    if number <= 0 { return 0 }
    return Int64(exactly: number.rounded(.towardZero)) ?? .max
  }
}
