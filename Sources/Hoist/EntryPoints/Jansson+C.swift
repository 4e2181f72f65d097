public import CHoist
public import CHoist.Jansson
internal import HoistBase
internal import HoistCore
internal import HoistJSON

@_cdecl("hoist_config_set_jansson") @implementation
public func hoist_config_set_jansson(
  _ config: OpaquePointer?, _ object: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  JanssonText.lend(object) { hoist_config_set_json(config, $0, $1, error) }
    ?? ErrorSlot(error).fail(.argument, "object is NULL, nested too deeply, or not UTF-8")
}

@_cdecl("hoist_config_describe_jansson") @implementation
public func hoist_config_describe_jansson(_ provider: UnsafePointer<CChar>?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_config_describe(provider))
}

@_cdecl("hoist_provider_list_jansson") @implementation
public func hoist_provider_list_jansson() -> UnsafeMutablePointer<json_t>? { JanssonText.value(taking: hoist_provider_list()) }

@_cdecl("hoist_plugin_describe_jansson") @implementation
public func hoist_plugin_describe_jansson(
  _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_plugin_describe(path, error))
}

@_cdecl("hoist_context_from_jansson") @implementation
public func hoist_context_from_jansson(
  _ object: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  if let made = JanssonText.lend(object, { hoist_context_from_json($0, $1, error) }) { return made }
  _ = ErrorSlot(error).fail(.argument, "object is NULL, nested too deeply, or not UTF-8")
  return nil
}

@_cdecl("hoist_context_to_jansson") @implementation
public func hoist_context_to_jansson(_ context: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_context_to_json(context))
}

@_cdecl("hoist_context_set_jansson") @implementation
public func hoist_context_set_jansson(
  _ context: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<json_t>?
) -> hoist_status {
  JanssonText.lend(value) { hoist_context_set_json(context, name, $0, $1) } ?? Status.argument.rawValue
}

@_cdecl("hoist_context_get_jansson") @implementation
public func hoist_context_get_jansson(
  _ context: OpaquePointer?, _ name: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<json_t>? {
  var attribute = hoist_attribute()
  attribute.struct_size = MemoryLayout<hoist_attribute>.size
  guard hoist_context_get(context, name, &attribute) == Status.ok.rawValue else { return nil }
  let text = ByteView(start: attribute.text, count: attribute.length)
  switch Int(attribute.type) {
  case HOIST_ATTRIBUTE_STRING, HOIST_ATTRIBUTE_DATE:
    var writer = JSONWriter()
    writer.string(text)
    return JanssonText.value(writer.bytes)
  default: return JanssonText.value(Array(text))
  }
}

@_cdecl("hoist_client_json_jansson") @implementation
public func hoist_client_json_jansson(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?,
  _ fallback: UnsafeMutablePointer<json_t>?, _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<json_t>? {
  let own = JanssonText.bytes(fallback) ?? []
  let text = own.withUnsafeBytes { bytes in
    let fallback = bytes.isEmpty ? EvaluationFallback() : EvaluationFallback(.json, bytes)
    return Slow.evaluate(client, key, context, .json, detail, nil, fallback) { evaluation -> [UInt8]? in
      evaluation.kind == .json ? Array(evaluation.text) : nil
    }
  }
  if let text, let value = JanssonText.value(text) { return value }
  return json_incref(fallback)
}

@_cdecl("hoist_view_json_jansson") @implementation
public func hoist_view_json_jansson(
  _ view: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: UnsafeMutablePointer<json_t>?
) -> UnsafeMutablePointer<json_t>? {
  var length = 0
  let own = (JanssonText.bytes(fallback) ?? Array("null".utf8)) + [0]
  let value = own.withUnsafeBytes { own -> UnsafeMutablePointer<json_t>? in
    let text = hoist_view_json(view, key, own.chars, &length)
    return text == own.chars ? nil : JanssonText.value(Array(ByteView(start: text, count: length)))
  }
  return value ?? json_incref(fallback)
}

@_cdecl("hoist_client_all_flags_jansson") @implementation
public func hoist_client_all_flags_jansson(_ client: OpaquePointer?, _ context: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_client_all_flags(client, context))
}

@_cdecl("hoist_client_statistics_jansson") @implementation
public func hoist_client_statistics_jansson(_ client: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_client_statistics(client))
}

@_cdecl("hoist_detail_value_jansson") @implementation
public func hoist_detail_value_jansson(_ detail: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(of: Handle<EvaluationDetail>.borrow(detail)?.value)
}

@_cdecl("hoist_detail_metadata_jansson") @implementation
public func hoist_detail_metadata_jansson(_ detail: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(of: Handle<EvaluationDetail>.borrow(detail)?.metadata)
}

@_cdecl("hoist_detail_explanation_jansson") @implementation
public func hoist_detail_explanation_jansson(_ detail: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(of: Handle<EvaluationDetail>.borrow(detail)?.explanation)
}

@_cdecl("hoist_detail_to_jansson") @implementation
public func hoist_detail_to_jansson(_ detail: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_detail_to_json(detail))
}

@_cdecl("hoist_notification_jansson") @implementation
public func hoist_notification_jansson(_ notification: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(of: Handle<NotificationBox>.borrow(notification)?.json)
}

@_cdecl("hoist_client_track_jansson") @implementation
public func hoist_client_track_jansson(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ value: UnsafePointer<Double>?,
  _ properties: UnsafePointer<json_t>?
) -> hoist_status {
  GivenEvent.record(client, key, context) { client, key throws(Refusal) in
    var event = TrackedEvent(
      key: String(decoding: key, as: UTF8.self), context: try ContextHandle.reference(context) ?? client.currentContext,
      value: nil, properties: [], unixMilliseconds: client.clock.recentUnixMilliseconds)
    if let value { event.value = try GivenEvent.value(value.pointee) }
    if properties != nil {
      let text = try JanssonText.need(properties, "the object of its properties")
      guard let members = text.withBytes({ ContextJSON.members($0) }) else {
        throw Refusal(.argument, "its properties are no object")
      }
      try GivenEvent.check(count: members.count)
      if members.contains(where: { $0.name.isEmpty }) { throw Refusal(.argument, "the name of one of its properties is empty") }
      event.properties = members
    }
    return client.track(event)
  }
}

@_cdecl("hoist_flag_set_add_jansson") @implementation
public func hoist_flag_set_add_jansson(
  _ set: OpaquePointer?, _ flag: UnsafePointer<hoist_flag>?, _ values: UnsafePointer<json_t>?,
  _ metadata: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    var texts: [[UInt8]] = []
    for index in 0..<json_array_size(values) {
      texts.append(try JanssonText.need(json_array_get(values, index), "value \(index)"))
    }
    try FlagSet.add(
      flag, to: set, values: values == nil ? nil : texts,
      metadata: metadata == nil ? nil : try JanssonText.need(metadata, "the metadata"))
  }
}

/// Between jansson's values and the texts of the other entry points.
enum JanssonText {
  /// nil for NULL, and for a value too deep, too large, or with a text that is not UTF-8.
  static func bytes(_ value: UnsafePointer<json_t>?) -> [UInt8]? {
    guard let value else { return nil }
    return try? JSONValue(borrowing: OpaquePointer(value)).text()
  }

  static func need(_ value: UnsafePointer<json_t>?, _ name: @autoclosure () -> String) throws(Refusal) -> [UInt8] {
    guard let text = bytes(value) else { throw Refusal(.argument, "\(name()) is NULL, nested too deeply, or not UTF-8") }
    return text
  }

  /// Runs `body` with the value's text and its length.
  /// - Returns: nil where `bytes` does.
  static func lend<Result>(_ value: UnsafePointer<json_t>?, _ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result? {
    bytes(value)?.withUnsafeBytes { body($0.chars, $0.count) }
  }

  static func value(_ text: [UInt8]) -> UnsafeMutablePointer<json_t>? {
    guard let document = try? JSONDocument(parsing: text) else { return nil }
    return document.copiedPointer().map { UnsafeMutablePointer($0) }
  }

  static func value(of text: CText?) -> UnsafeMutablePointer<json_t>? { text.flatMap { value($0.bytes) } }

  /// Reads a `hoist_text` and frees it.
  static func value(taking text: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
    defer { TextHandle.take(text) }
    return TextHandle.borrow(text).flatMap { value(Array(ByteView(start: $0.pointee.start, count: $0.pointee.count))) }
  }
}
