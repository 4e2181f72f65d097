public import HoistBase
public import HoistCore
internal import HoistJSON

/// Contexts as Unleash's engine reads them from JSON (protocol C.1).
///
/// Numbers and booleans become text; null, arrays and objects count as absent; "properties" are opened, and a
/// well-known name in them is lifted when the top level lacks it; unknown texts at the top are properties, unknown
/// numbers there are dropped; a wrapper {"context": …} is opened.
public enum UnleashContextJSON {
  private static let fields: Set<String> = [
    "userId", "sessionId", "environment", "appName", "remoteAddress", "currentTime",
  ]

  public static func context(_ json: ByteView) throws(ContextJSON.Failure) -> EvaluationContext {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: json)
    } catch {
      throw ContextJSON.Failure(message: "the context cannot be read: \(error)")
    }
    return try document.withRoot { root throws(ContextJSON.Failure) in
      guard let top = (root["context"].flatMap { $0.object == nil ? nil : $0 } ?? root).object else {
        throw ContextJSON.Failure(message: "the context is no JSON object")
      }
      let context = EvaluationContext()
      func set(_ name: UnsafeBufferPointer<UInt8>, _ text: [UInt8]?) throws(ContextJSON.Failure) {
        guard let text, !name.isEmpty else { return }
        do throws(EvaluationContext.Refusal) {
          try context.set(Array(name), .string(text))
        } catch {
          throw ContextJSON.Failure(message: "a member of the context is refused: \(error)")
        }
      }
      // Properties first, then the top level over them.
      if let properties = top["properties"]?.object {
        for (key, value) in properties { try set(key.utf8, text(value)) }
      }
      for (key, value) in top where !(key == "properties") {
        try set(key.utf8, fields.contains(key.string) ? text(value) : value.utf8.map { Array($0) })
      }
      return context
    }
  }

  /// nil for what counts as absent.
  private static func text(_ value: JSONValue) -> [UInt8]? {
    if let text = value.utf8 { return Array(text) }
    if let flag = value.bool { return Array((flag ? "true" : "false").utf8) }
    if let whole = value.int64 { return Array(String(whole).utf8) }
    return value.double.map { Array(JSONNumberText.text($0).utf8) }
  }
}
