internal import HoistBase
internal import HoistCore

extension VisitorState {
  /// The most pairs, flags and assignments in a report.
  private static let maximumTold = 100

  /// The part of a troubleshooting report about a visitor, which has consented.
  func told(sessionID: String) -> [(String, String)] {
    var values = [
      ("visitor.sessionId", sessionID), ("visitor.visitorId", String(decoding: identity.visitorID, as: UTF8.self)),
      ("visitor.anonymousId", identity.anonymousID.map { String(decoding: $0, as: UTF8.self) } ?? "null"),
    ]
    for index in 0..<min(context.attributeCount, Self.maximumTold) {
      let attribute = context.attribute(at: index).pointee
      values.append(
        (
          "visitor.context.[\(String(decoding: attribute.nameBytes, as: UTF8.self))]",
          String(decoding: attribute.textBytes, as: UTF8.self)
        ))
    }
    withExtendedLifetime(flags) {
      for index in 0..<min(flags.count, Self.maximumTold) {
        guard let value = flags.value(at: index) else { continue }
        let key = "visitor.flags.[\(String(decoding: value.key, as: UTF8.self))]"
        values.append(("\(key).value", String(decoding: value.json, as: UTF8.self)))
        values.append(("\(key).metadata.variationGroupId", String(decoding: value.variationGroupID, as: UTF8.self)))
        values.append(("\(key).metadata.variationId", String(decoding: value.variationID, as: UTF8.self)))
      }
    }
    withExtendedLifetime(history) {
      for assignment in history.assignments.prefix(Self.maximumTold) {
        values.append(
          (
            "visitor.assignments.[\(String(decoding: assignment.group, as: UTF8.self))]",
            String(decoding: assignment.variation, as: UTF8.self)
          ))
      }
    }
    return values
  }
}
