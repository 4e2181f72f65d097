public import HoistBase
internal import HoistCore
internal import HoistJSON

/// Contexts from JSON (protocols/launchdarkly.md 3.3).
extension LDContext {
  /// As the vendor reads it: each kind with its key.
  /// - Parameter text: borrowed for the call. One kind, several, or a user of old without a kind.
  public static func read(json text: ByteView) throws(ContextFailure) -> LDContext {
    try object(text) { object throws(ContextFailure) in try ContextReader.read(object) }
  }

  /// As a host may give it: in the service's form or in the core's; the client makes keys that are missing.
  public static func read(given text: ByteView) throws(ContextFailure) -> LDContext {
    try object(text) { object throws(ContextFailure) in
      let isOfTheCore = object["key"] == nil && (object["kind"] == nil || object["targetingKey"] != nil)
      guard isOfTheCore else { return try ContextReader.read(object, mayLackKeys: true) }
      let context: EvaluationContext
      do throws(ContextJSON.Failure) {
        context = try ContextJSON.context(text)
      } catch {
        throw ContextFailure(.syntax, error.message)
      }
      guard let reference = context.reference() else { throw ContextFailure(.limit, "the context is too large") }
      return try read(reference)
    }
  }

  private static func object(
    _ text: ByteView, _ read: (JSONObject) throws(ContextFailure) -> LDContext
  ) throws(ContextFailure) -> LDContext {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: text, limits: LDValue.jsonLimits)
    } catch {
      throw ContextFailure(error.kind == .syntax ? .syntax : .limit, "the context cannot be read: \(error)")
    }
    return try document.withRoot { root throws(ContextFailure) in
      guard let object = root.object else { throw ContextFailure(.syntax, "the context is not a JSON object") }
      return try read(object)
    }
  }

  static func read(json text: [UInt8]) throws(ContextFailure) -> LDContext {
    try text.withBytes { bytes in Result { () throws(ContextFailure) in try read(json: bytes) } }.get()
  }
}

enum ContextReader {
  static func read(_ object: JSONObject, mayLackKeys: Bool = false) throws(ContextFailure) -> LDContext {
    guard let member = object["kind"] else { return try LDContext([LegacyUser.read(object)]) }
    guard let kind = member.string else { throw .attribute("kind", "must be a string") }
    guard kind.reads("multi") else { return try LDContext([single(object, kind: kind, mayLackKey: mayLackKeys)]) }
    var builder = LDMultiContextBuilder()
    for (name, value) in object where !(name == "kind") {
      try builder.add([part(value, kind: name.string, mayLackKey: mayLackKeys)])
    }
    return try builder.build()
  }

  private static func part(
    _ value: JSONValue, kind: String, mayLackKey: Bool
  ) throws(ContextFailure) -> SingleContext {
    guard let object = value.object else { throw notAnObject(kind) }
    return try single(object, kind: kind, mayLackKey: mayLackKey)
  }

  /// One kind's part of a multi-kind context of the core, as text: without a key it gets one from the client.
  static func part(_ text: ByteView, kind: String) throws(ContextFailure) -> SingleContext {
    guard let document = try? JSONDocument(parsing: text, limits: LDValue.jsonLimits) else { throw notAnObject(kind) }
    return try document.withRoot { value throws(ContextFailure) in try part(value, kind: kind, mayLackKey: true) }
  }

  private static func notAnObject(_ kind: String) -> ContextFailure {
    .attribute(kind, "must be an object, as one kind of a multi-kind context")
  }

  /// - Parameter kind: as told by the object, or by what is around it.
  private static func single(
    _ object: JSONObject, kind: String, mayLackKey: Bool
  ) throws(ContextFailure) -> SingleContext {
    if kind.isEmpty { throw ContextFailure(.kindInvalid, "the context's kind is empty") }
    try ContextKind.check(kind)
    let key = object["key"]
    if key == nil, !mayLackKey { throw ContextFailure(.keyEmpty, "the context of kind \"\(kind)\" has no key") }
    var builder = LDContextBuilder(kind: kind)
    for (name, value) in object {
      if name == "_meta" {
        try readMeta(value, into: &builder)
      } else if name == "name", value.isNull {
        continue
      } else {
        try builder.set(name.string, LDValue(value))
      }
    }
    guard builder.kind.hasSameBytes(as: kind) else {
      throw .attribute("kind", "differs from the kind \"\(kind)\" under which the context stands")
    }
    if let key, key.utf8?.isEmpty ?? true {
      throw ContextFailure(.keyEmpty, "the context of kind \"\(kind)\" has an empty key")
    }
    return try builder.single()
  }

  static func readMeta(_ meta: JSONValue, into builder: inout LDContextBuilder) throws(ContextFailure) {
    if meta.isNull { return }
    guard meta.object != nil else { throw .attribute("_meta", "must be an object") }
    guard let list = meta["privateAttributes"]?.unlessNull else { return }
    try readPrivate(list, "_meta.privateAttributes", into: &builder)
  }

  static func readPrivate(
    _ list: JSONValue, _ attribute: String, into builder: inout LDContextBuilder
  ) throws(ContextFailure) {
    guard let list = list.array else { throw .attribute(attribute, "must be an array of strings") }
    for element in list {
      guard let text = element.string else { throw .attribute(attribute, "must be an array of strings") }
      try builder.addPrivate(AttributeReference(text))
    }
  }
}

/// A user as it was written before contexts had kinds: no "kind", custom attributes in an object of their own.
private enum LegacyUser {
  private static let textAttributes: [StaticString] = ["firstName", "lastName", "country", "ip", "email", "avatar"]

  static func read(_ object: JSONObject) throws(ContextFailure) -> SingleContext {
    guard let key = object["key"] else { throw ContextFailure(.keyEmpty, "the user has no key") }
    guard let key = key.string else { throw .attribute("key", "must be a string") }
    // An empty key is allowed here alone.
    var builder = LDContextBuilder(kind: ContextKind.user, key: key)
    // First, so that the user's own attributes win.
    try readCustom(object["custom"], into: &builder)
    for name in textAttributes {
      guard let value = object[name]?.unlessNull else { continue }
      guard let text = value.string else { throw .attribute("\(name)", "must be a string or null") }
      try builder.set("\(name)", .string(text))
    }
    if let name = object["name"]?.unlessNull { try builder.set("name", LDValue(name)) }
    if let anonymous = object["anonymous"]?.unlessNull { try builder.set("anonymous", LDValue(anonymous)) }
    if let list = object["privateAttributeNames"]?.unlessNull {
      try ContextReader.readPrivate(list, "privateAttributeNames", into: &builder)
    }
    return try builder.single()
  }

  private static func readCustom(
    _ custom: JSONValue?, into builder: inout LDContextBuilder
  ) throws(ContextFailure) {
    guard let custom = custom?.unlessNull else { return }
    guard let members = custom.object else { throw .attribute("custom", "must be an object") }
    for (name, value) in members where !isBuiltIn(name) { try builder.set(name.string, LDValue(value)) }
  }

  /// What custom attributes do not override.
  private static func isBuiltIn(_ name: JSONKey) -> Bool {
    name == "kind" || name == "key" || name == "name" || name == "anonymous"
  }
}
