public import CHoist
public import CHoist.Jansson
internal import HoistBase
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_value_from_jansson") @implementation
public func hoist_launchdarkly_value_from_jansson(
  _ value: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  JanssonText.make(value, error) { hoist_launchdarkly_value_from_json($0, $1, error) }
}

@_cdecl("hoist_launchdarkly_value_to_jansson") @implementation
public func hoist_launchdarkly_value_to_jansson(_ value: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_launchdarkly_value_to_json(value))
}

@_cdecl("hoist_launchdarkly_context_from_jansson") @implementation
public func hoist_launchdarkly_context_from_jansson(
  _ object: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  JanssonText.make(object, error) { hoist_launchdarkly_context_from_json($0, $1, error) }
}

@_cdecl("hoist_launchdarkly_context_to_jansson") @implementation
public func hoist_launchdarkly_context_to_jansson(_ context: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_launchdarkly_context_to_json(context))
}

@_cdecl("hoist_launchdarkly_context_redacted_jansson") @implementation
public func hoist_launchdarkly_context_redacted_jansson(
  _ context: OpaquePointer?, _ references: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ options: UInt32
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_launchdarkly_context_redacted(context, references, count, options))
}

@_cdecl("hoist_launchdarkly_builder_set_jansson") @implementation
public func hoist_launchdarkly_builder_set_jansson(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?,
  _ value: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  JanssonText.send(value, error) { hoist_launchdarkly_builder_set_json(builder, name, $0, $1, error) }
}

@_cdecl("hoist_launchdarkly_track_jansson") @implementation
public func hoist_launchdarkly_track_jansson(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ data: UnsafePointer<json_t>?, _ metric: UnsafePointer<Double>?
) -> hoist_status {
  hoist_launchdarkly_track_for_jansson(client, key, nil, data, metric)
}

@_cdecl("hoist_launchdarkly_track_for_jansson") @implementation
public func hoist_launchdarkly_track_for_jansson(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ data: UnsafePointer<json_t>?,
  _ metric: UnsafePointer<Double>?
) -> hoist_status {
  JanssonText.terminated(data) { hoist_launchdarkly_track_for(client, key, context, $0, metric) } ?? Status.argument.rawValue
}

@_cdecl("hoist_launchdarkly_all_flags_jansson") @implementation
public func hoist_launchdarkly_all_flags_jansson(_ client: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_launchdarkly_all_flags(client))
}

@_cdecl("hoist_launchdarkly_all_flags_state_jansson") @implementation
public func hoist_launchdarkly_all_flags_state_jansson(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ options: UInt32
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_launchdarkly_all_flags_state(client, context, options))
}

@_cdecl("hoist_launchdarkly_detail_reason_jansson") @implementation
public func hoist_launchdarkly_detail_reason_jansson(_ detail: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_launchdarkly_detail_reason(detail))
}

@_cdecl("hoist_launchdarkly_variation_decode_jansson") @implementation
public func hoist_launchdarkly_variation_decode_jansson(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ decode: hoist_launchdarkly_decode_jansson?,
  _ user_data: UnsafeMutableRawPointer?, _ fallback: UnsafePointer<json_t>?, _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> Bool {
  detail?.pointee = nil
  guard let face = LaunchDarklyAnyFace.of(client), let key, let decode else { return false }
  return JanssonText.terminated(fallback) { fallback in
    let result = face.decode(
      CString.bytes(key), fallback: EvaluationFallback(.json, fallback), isDetailed: detail != nil
    ) { text in
      guard let value = JanssonText.value(Array(text)) else { return false }
      defer { json_decref(value) }
      return decode(value, user_data)
    }
    detail?.pointee = Handle<EvaluationDetail>.give(result.detail)
    return result.isConverted
  } ?? false
}
