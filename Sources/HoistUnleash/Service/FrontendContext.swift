internal import HoistBase
internal import HoistCore

/// The context that frontend requests carry (protocol B.2, rows UNL-14, UNL-15, UNL-18, UNL-41 to UNL-43, UNL-73).
struct FrontendContext: Sendable, Equatable {
  let appName: String
  let environment: String?
  var userID: String?
  private(set) var sessionID: String
  /// No host has named the session: it is another one in each run.
  private(set) var isSessionDrawn = true
  var remoteAddress: String?
  var properties: [String: String] = [:]

  /// - Parameter drawnSessionID: used until a context names one.
  init(appName: String, environment: String?, context: [String: String], properties: [String: String], drawnSessionID: String) {
    self.appName = appName
    self.environment = environment
    sessionID = drawnSessionID
    update(context: context, properties: properties)
  }

  static func drawSessionID(_ entropy: any Entropy) -> String { String(entropy.below(1_000_000_000)) }

  /// userId and remoteAddress are set or cleared, sessionId only set; appName and environment are ignored; other
  /// keys become properties, over which `properties` is laid. Properties are replaced as a whole.
  mutating func update(context: [String: String], properties extra: [String: String]) {
    userID = context["userId"]
    remoteAddress = context["remoteAddress"]
    if let session = context["sessionId"] { adopt(session: session) }
    properties = context.filter { !Self.fixed.contains($0.key) }.merging(extra) { _, given in given }
  }

  private static let fixed: Set<String> = ["userId", "remoteAddress", "sessionId", "appName", "environment"]

  /// Whether it comes from the options alone.
  static func isOption(_ name: String) -> Bool { name == "appName" || name == "environment" }

  private mutating func adopt(session: String) {
    sessionID = session
    isSessionDrawn = false
  }

  /// The same for backend mode, as one map: other keys, `properties` over them, and the fixed fields over all.
  static func merged(_ context: [String: String], properties: [String: String]) -> [String: String] {
    context.filter { !fixed.contains($0.key) }.merging(properties) { $1 }
      .merging(context.filter { fixed.contains($0.key) }) { $1 }
  }

  /// One field or property, nil to remove it (UNL-87), under the rules of `update`.
  mutating func set(_ name: String, _ value: String?) {
    switch name {
    case _ where Self.isOption(name): return
    case "userId": userID = value
    case "remoteAddress": remoteAddress = value
    case "sessionId": if let value { adopt(session: value) }
    default: properties[name] = value
    }
  }

  /// The fixed fields that are set.
  var fields: [(name: String, value: String)] {
    var fields = [("appName", appName)]
    if let environment { fields.append(("environment", environment)) }
    if let userID { fields.append(("userId", userID)) }
    fields.append(("sessionId", sessionID))
    if let remoteAddress { fields.append(("remoteAddress", remoteAddress)) }
    return fields
  }

  /// By which evaluations know whether flags are theirs.
  var print: ContextFingerprint { ContextFingerprint(members: flattened) }

  /// One map for handlers: properties first, then fixed fields over them.
  var flattened: [String: String] {
    properties.merging(fields.map { ($0.name, $0.value) }) { _, field in field }
  }

  /// The members of a call's context over those of the one it inherits, which present members hide, even as null.
  static func members(of context: FrozenContext?, over inherited: FrozenContext?) -> [String: String] {
    var members = inherited.map { Self.members(of: $0) } ?? [:]
    guard let context else { return members }
    for index in 0..<context.attributeCount {
      members[String(decoding: context.attribute(at: index).pointee.nameBytes, as: UTF8.self)] = nil
    }
    return members.merging(Self.members(of: context)) { $1 }
  }

  /// Attributes that `members` leaves out although they hold something.
  static func formless(in context: FrozenContext) -> [String] {
    (0..<context.attributeCount).compactMap { index in
      let attribute = context.attribute(at: index).pointee
      switch attribute.kind {
      case .null, .bool, .int, .double, .string, .date: return nil
      case .strings, .json: return String(decoding: attribute.nameBytes, as: UTF8.self)
      }
    }
  }

  /// The members of a host's context: the targeting key is userId, scalars become text, others are left out.
  static func members(of context: FrozenContext) -> [String: String] {
    var members: [String: String] = [:]
    if let key = context.targetingKey { members["userId"] = String(decoding: key, as: UTF8.self) }
    for index in 0..<context.attributeCount {
      let attribute = context.attribute(at: index).pointee
      switch attribute.kind {
      case .null, .strings, .json: continue
      case .bool, .int, .double, .string, .date:
        members[String(decoding: attribute.nameBytes, as: UTF8.self)] = String(decoding: attribute.textBytes, as: UTF8.self)
      }
    }
    return members
  }
}
