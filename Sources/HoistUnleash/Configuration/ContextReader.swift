public import HoistBase
public import HoistCore
internal import HoistJSON

/// Contexts given as JSON, read as Unleash's engine reads them (protocols/unleash.md C.1).
///
/// Fields and properties share one name space here: the members that the engine knows are fields, the rest are
/// properties. A field found only in `properties` counts; one that is there, even as null, hides it.
public enum UnleashContextReader {
  /// - Parameter bytes: a JSON object, or one in a wrapper `{"context":{…}}`. Borrowed for the call.
  public static func read(_ bytes: some ByteSource) throws(UnleashDocumentFailure) -> EvaluationContext {
    let document: JSONDocument
    do throws(JSONFailure) {
      document = try bytes.withBytes { bytes in
        Result { () throws(JSONFailure) in try JSONDocument(parsing: bytes) }
      }.get()
    } catch {
      throw UnleashDocumentFailure("not a JSON document: \(error)")
    }
    return try document.withRoot { root throws(UnleashDocumentFailure) in
      guard var object = root.object else { throw UnleashDocumentFailure("the context must be an object") }
      if let wrapped = object["context"] {
        guard let inner = wrapped.object else { throw UnleashDocumentFailure("context must be an object") }
        object = inner
      }
      return try context(object)
    }
  }

  private static func context(_ object: JSONObject) throws(UnleashDocumentFailure) -> EvaluationContext {
    let context = EvaluationContext()
    if let properties = object["properties"]?.object {
      for (name, value) in properties { try set(name, value, in: context) }
    }
    for (name, value) in object where !(name == "properties") {
      if isField(name) {
        _ = context.remove(Array(name.utf8))
        try set(name, value, in: context)
      } else if value.utf8 != nil {
        try set(name, value, in: context)  // of unknown members only texts are taken
      }
    }
    return context
  }

  private static func isField(_ name: JSONKey) -> Bool {
    name == "userId" || name == "sessionId" || name == "environment" || name == "appName" || name == "remoteAddress"
      || name == "currentTime"
  }

  /// Null, lists and objects count as absent.
  private static func set(
    _ name: JSONKey, _ value: JSONValue, in context: EvaluationContext
  ) throws(UnleashDocumentFailure) {
    let attribute: AttributeValue
    switch value.kind {
    case .null, .array, .object: return
    case .bool: attribute = .bool(value.bool ?? false)
    case .int: attribute = .int(value.int64 ?? 0)
    case .double: attribute = .double(value.double ?? 0)
    case .string: attribute = .string(value.utf8.map { Array($0) } ?? [])
    }
    do throws(EvaluationContext.Refusal) {
      try context.set(Array(name.utf8), attribute)
    } catch {
      throw UnleashDocumentFailure("the context has too many members, or one that is too long")
    }
  }
}
