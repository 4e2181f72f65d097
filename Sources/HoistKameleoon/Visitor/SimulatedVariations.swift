internal import HoistBase
internal import HoistJSON

extension SimulatedVariation {
  /// - Parameter text: `{"feature": {"expId": 1, "varId": 2}}`, percent-encoded or not; empty for none.
  /// - Returns: at most one per flag; members of another form are left out. nil when it is no JSON object.
  static func read(_ text: [UInt8]) -> [SimulatedVariation]? {
    if text.isEmpty { return [] }
    let json = text.first == UInt8(ascii: "{") ? text : WebCookie.decoded(text)
    let found: [SimulatedVariation]?? = try? json.withUnsafeBytes { bytes throws(JSONFailure) in
      try JSONNode.parse(bytes) { root in root.object.map { members(of: $0) } }
    }
    return found ?? nil
  }

  private static func members(of object: JSONNodes) -> [SimulatedVariation] {
    object.compactMap { member in
      guard let experiment = member["expId"]?.int64 else { return nil }
      return SimulatedVariation(
        featureKey: Array(member.name), experimentID: experiment, variationID: member["varId"]?.int64 ?? 0)
    }
  }
}
