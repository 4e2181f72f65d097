public import HoistBase
internal import HoistJSON

/// Contexts as JSON objects: member "targetingKey", and attributes.
public enum ContextJSON {
  public struct Failure: Error, Sendable {
    public var message: String
    public init(message: String) { self.message = message }
  }

  /// One attribute's value: scalars become typed, arrays of texts lists, the rest stays JSON. nil when it is no JSON.
  public static func value(_ json: ByteView) -> AttributeValue? {
    guard let document = try? JSONDocument(parsing: json) else { return nil }
    return document.withRoot { attribute($0) }
  }

  /// The members of an object, each as `value` reads it. nil when it is no JSON object.
  public static func members(_ json: ByteView) -> [(name: String, value: AttributeValue)]? {
    guard let document = try? JSONDocument(parsing: json) else { return nil }
    return document.withRoot { $0.object?.map { ($0.string, attribute($1)) } }
  }

  /// As `value` reads it.
  public static func text(of value: AttributeValue) -> [UInt8] {
    var writer = JSONWriter()
    write(value, to: &writer)
    return writer.bytes
  }

  public static func context(_ json: ByteView) throws(Failure) -> EvaluationContext {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: json)
    } catch {
      throw Failure(message: "the context cannot be read: \(error)")
    }
    return try document.withRoot { root throws(Failure) in
      guard let object = root.object else { throw Failure(message: "the context is no JSON object") }
      let context = EvaluationContext()
      // As some services' own SDKs write it: a user's id, and attributes one level deeper.
      let isNested = object["targetingKey"] == nil && object["userId"]?.utf8 != nil && object["properties"]?.object != nil
      for (key, value) in object {
        if isNested, key == "properties", let properties = value.object {
          for (name, value) in properties {
            guard object.member(name.utf8) == nil else {
              throw Failure(message: "the context has \"\(name.string.prefix(80))\" twice, at its top and in \"properties\"")
            }
            try set(Array(name.utf8), value, of: context)
          }
        } else if key == "targetingKey" || isNested && key == "userId" {
          guard let text = value.utf8 else {
            if value.isNull { continue }
            throw Failure(message: "the context's targetingKey is no text")
          }
          context.setTargetingKey(Array(text))
        } else {
          try set(Array(key.utf8), value, of: context)
        }
      }
      return context
    }
  }

  private static func set(_ name: [UInt8], _ value: JSONValue, of context: EvaluationContext) throws(Failure) {
    do throws(EvaluationContext.Refusal) {
      try context.set(name, attribute(value))
    } catch {
      throw Failure(
        message: "the context's attribute \"\(String(decoding: name, as: UTF8.self).prefix(80))\" is refused: \(error)")
    }
  }

  public static func text(of context: EvaluationContext) -> [UInt8] {
    let (key, attributes) = context.content
    var writer = JSONWriter()
    writer.object { writer in
      if let key {
        writer.key("targetingKey")
        key.withUnsafeBufferPointer { writer.string(utf8: $0) }
      }
      for attribute in attributes {
        attribute.name.withUnsafeBufferPointer { writer.key(utf8: $0) }
        write(attribute.value, to: &writer)
      }
    }
    return writer.bytes
  }

  private static func attribute(_ value: JSONValue) -> AttributeValue {
    if let flag = value.bool { return .bool(flag) }
    if let text = value.utf8 { return .string(Array(text)) }
    if let whole = value.int64 { return .int(whole) }
    if let real = value.double { return .double(real) }
    if let array = value.array {
      let texts = array.compactMap { $0.utf8.map { Array($0) } }
      if texts.count == array.count { return .strings(texts) }
    }
    // What was parsed within the limits can be written within them.
    return value.isNull ? .null : (try? value.text()).map { .json($0) } ?? .null
  }

  private static func write(_ value: AttributeValue, to writer: inout JSONWriter) {
    switch value {
    case .null: writer.null()
    case .bool(let flag): writer.bool(flag)
    case .int(let whole): writer.int(whole)
    case .double(let real): writer.double(real)
    case .string(let text): text.withUnsafeBufferPointer { writer.string(utf8: $0) }
    case .date(let at): writer.string(RFC3339.text(unixMilliseconds: at, precision: at % 1000 == 0 ? .seconds : .milliseconds))
    case .strings(let list):
      writer.array { writer in
        for text in list { text.withUnsafeBufferPointer { writer.string(utf8: $0) } }
      }
    case .json(let text): writer.raw(text)
    }
  }
}
