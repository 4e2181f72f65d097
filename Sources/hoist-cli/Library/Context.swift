import CHoist

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
  var isEmpty: Bool { json == "{}" }

  /// nil where there is none. Valid while the context lives.
  var targetingKey: UnsafePointer<CChar>? {
    guard let key = hoist_context_get_targeting_key(handle), key.pointee != 0 else { return nil }
    return key
  }

  /// Everything, as a JSON object.
  var json: String { LibraryText(hoist_context_to_json(handle)) ?? "{}" }
}

/// Takes a `hoist_text` over: nil for NULL.
func LibraryText(_ handle: OpaquePointer?) -> String? {
  guard let handle else { return nil }
  defer { hoist_text_free(handle) }
  return String(cString: hoist_text_data(handle))
}

extension String {
  /// A text of the library's; "" for none.
  init(cString text: UnsafePointer<CChar>?) { self = text.map { String(cString: $0) } ?? "" }
}
