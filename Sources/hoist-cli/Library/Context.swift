import CHoist
import HoistJSON

/// A `hoist_context`.
final class Context {
  let handle: OpaquePointer?

  init() { handle = hoist_context_new(nil) }
  init(owning handle: OpaquePointer?) { self.handle = handle }

  typealias Reader = (UnsafePointer<CChar>?, Int, UnsafeMutablePointer<OpaquePointer?>?) -> OpaquePointer?

  /// From JSON, by a function of the library's.
  init(_ json: [UInt8], _ origin: String, _ read: Reader) throws {
    var error: OpaquePointer?
    handle = json.withUnsafeBytes { read($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, &error) }
    if handle == nil {
      defer { hoist_error_free(error) }
      throw Problem(.usage, "\(origin): \(String(cString: hoist_error_message(error)))")
    }
  }

  deinit { hoist_context_free(handle) }

  /// Whether there is neither a targeting key nor an attribute.
  var isEmpty: Bool { LibraryText(hoist_context_to_json(handle)) == "{}" }

  /// Members whose values are text or can be written as text, the targeting key under `field`, as a JSON object.
  func flatJSON(targetingField field: String) throws(JSONFailure) -> String {
    let json = LibraryText(hoist_context_to_json(handle)) ?? "{}"
    return try JSONDocument(parsing: json).withRoot { root throws(JSONFailure) in
      var writer = JSONWriter()
      writer.beginObject()
      if let object = root.object {
        let hasField = object.member(field) != nil
        for (key, value) in object {
          let isTarget = key == "targetingKey"
          if isTarget && hasField || value.isNull || value.object != nil || value.array != nil { continue }
          writer.key(isTarget ? field : key.string)
          if let text = value.string { writer.string(text) } else { writer.string(String(decoding: try value.text(), as: UTF8.self)) }
        }
      }
      writer.endObject()
      return writer.text
    }
  }
}

/// Takes a `hoist_text` over: nil for NULL.
func LibraryText(_ handle: OpaquePointer?) -> String? {
  guard let handle else { return nil }
  defer { hoist_text_free(handle) }
  return String(cString: hoist_text_data(handle))
}
