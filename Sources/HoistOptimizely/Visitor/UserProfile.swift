internal import HoistBase
internal import HoistJSON

/// A visitor's stored profile: `{"user_id","experiment_bucket_map":{experiment id:{"variation_id"}}}` (4.6).
///
/// What is missing counts as empty; members that are not understood are kept.
public struct UserProfile {
  public private(set) var assignments: [SubjectContent.Assignment] = []
  private var document: JSONDocument?
  private let userID: [UInt8]

  /// - Parameter json: what the store has; nil or anything but an object begins a new profile.
  public init(userID: [UInt8], json: [UInt8]?) {
    self.userID = userID
    guard let json, let document = try? JSONDocument(parsing: json) else { return }
    document.withRoot { root in
      guard root.object != nil else { return }
      self.document = document
      for (id, entry) in Self.members(root["experiment_bucket_map"]) {
        guard let variation = entry["variation_id"]?.utf8 else { continue }
        assignments.append(SubjectContent.Assignment(experimentID: Array(id.utf8), variationID: Array(variation)))
      }
    }
  }

  /// The profile with new assignments, as JSON; nil when there are none, and nothing has to be saved.
  public func adding(_ new: [SubjectContent.Assignment]) -> [UInt8]? {
    if new.isEmpty { return nil }
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("user_id")
    userID.withUnsafeBufferPointer { writer.string(utf8: $0) }
    document?.withRoot { root in
      writeOthers(root, besides: ["user_id", "experiment_bucket_map"], to: &writer)
    }
    writer.key("experiment_bucket_map")
    writer.beginObject()
    let added = Set(new.map(\.experimentID))
    document?.withRoot { root in
      for (id, entry) in Self.members(root["experiment_bucket_map"]) where !added.contains(Array(id.utf8)) {
        write(id, entry, to: &writer)
      }
    }
    for (index, assignment) in new.enumerated()
    where !new[(index + 1)...].contains(where: { $0.experimentID == assignment.experimentID }) {
      assignment.experimentID.withUnsafeBufferPointer { writer.key(utf8: $0) }
      writer.object { writer in
        writer.key("variation_id")
        assignment.variationID.withUnsafeBufferPointer { writer.string(utf8: $0) }
      }
    }
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  private static func members(_ value: JSONValue?) -> [JSONObject.Element] {
    guard let object = value?.object else { return [] }
    return Array(object)
  }

  private func writeOthers(_ root: JSONValue, besides names: [StaticString], to writer: inout JSONWriter) {
    for (name, value) in Self.members(root) where !names.contains(where: { name == $0 }) {
      write(name, value, to: &writer)
    }
  }

  private func write(_ name: JSONKey, _ value: JSONValue, to writer: inout JSONWriter) {
    guard let text = try? value.text() else { return }
    writer.key(utf8: name.utf8)
    writer.raw(text)
  }
}
