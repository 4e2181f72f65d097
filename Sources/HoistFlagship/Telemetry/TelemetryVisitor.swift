internal import HoistBase
internal import HoistCore

/// What reports of troubleshooting tell of a visitor, who has consented.
struct TelemetryVisitor {
  /// What is told of a context at most.
  private static let maximumPairs = 100

  let identity: VisitorIdentity
  let hasConsented: Bool
  var context: FrozenContext?
  var flags = VisitorFlags.none
  var history = AssignmentHistory.empty

  init(_ state: VisitorState) {
    identity = state.identity
    hasConsented = state.hasConsented
    context = state.context
    flags = state.flags
    history = state.history
  }

  func values(sessionID: String) -> [(String, String)] {
    var values = [
      ("visitor.sessionId", sessionID), ("visitor.visitorId", String(decoding: identity.visitorID, as: UTF8.self)),
      ("visitor.anonymousId", identity.anonymousID.map { String(decoding: $0, as: UTF8.self) } ?? "null"),
    ]
    if let context {
      for index in 0..<min(context.attributeCount, Self.maximumPairs) {
        let attribute = context.attribute(at: index).pointee
        values.append((
          "visitor.context.[\(String(decoding: attribute.nameBytes, as: UTF8.self))]",
          String(decoding: attribute.textBytes, as: UTF8.self)))
      }
    }
    withExtendedLifetime(flags) {
      for index in 0..<min(flags.count, Self.maximumPairs) {
        guard let value = flags.value(at: index) else { continue }
        let key = "visitor.flags.[\(String(decoding: value.key, as: UTF8.self))]"
        values.append(("\(key).value", String(decoding: value.json, as: UTF8.self)))
        values.append(("\(key).metadata.variationGroupId", String(decoding: value.variationGroupID, as: UTF8.self)))
        values.append(("\(key).metadata.variationId", String(decoding: value.variationID, as: UTF8.self)))
      }
    }
    withExtendedLifetime(history) {
      for assignment in history.assignments.prefix(Self.maximumPairs) {
        values.append((
          "visitor.assignments.[\(String(decoding: assignment.group, as: UTF8.self))]",
          String(decoding: assignment.variation, as: UTF8.self)))
      }
    }
    return values
  }
}
